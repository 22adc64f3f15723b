/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that carry the values of counters: each counts for all of them, with what they gained. */
#include "engine/intake/intake_impl.h"

static bool
is_there(const void *self, uint32_t tid)
{
	return model_find_task(self, (int)tid) != 0;
}

/* Whose counters they are, 0: one for all.  A task that is dying has no number in its samples. */
static uint32_t
task_of(const struct intake *in, const struct record_layout *layout, const struct record_id *id)
{
	if (!layout->has_values_by_task)
		return 0;
	if ((int)id->tid != -1)
		return id->tid;
	return (uint32_t)model_task_at(in->model, model_sample_task(in->model, -1, -1, id->cpu))->tid;
}

void
intake_values(struct intake *in, const struct record_layout *layout, struct record *rec,
	      struct bytes bytes,
	      bool (*take)(void *self, uint64_t id, const struct record *rec, struct bytes bytes),
	      void *self)
{
	struct record_values v = record_read_begin(layout->read_format, rec->sample.read);
	uint32_t tid = task_of(in, layout, &rec->id);
	uint64_t gains[VALUES_MAX];
	bool is_taken = false;

	for (size_t i = 0; i < VALUES_MAX && record_read_next(&v); i++) {
		gains[i] = rec->sample.period = gains_add(&in->gains, v.id, tid, v.value);
		if (gains[i] != 0)
			is_taken |= take(self, v.id, rec, bytes);
	}
	gains_sweep(&in->gains, is_there, in->model);
	for (size_t i = 0; i < in->sink_count && is_taken; i++)
		if (in->sinks[i].ops->values != NULL)
			in->sinks[i].ops->values(in->sinks[i].self, layout, rec, bytes, gains);
}
