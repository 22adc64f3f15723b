/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that carry the values of counters: each counts for all of them, with what they gained. */
#include "app/engine_impl.h"

static bool
is_there(const void *self, uint32_t tid)
{
	return model_find_task(self, (int)tid) != 0;
}

/* Whose counters they are.  A task that is dying has no number in its samples. */
static uint32_t
task_of(const struct engine *e, const struct record_id *id)
{
	if ((int)id->tid != -1)
		return id->tid;
	return (uint32_t)model_task_at(e->model, model_sample_task(e->model, -1, -1, id->cpu))->tid;
}

bool
engine_take_values(struct engine *e, const struct record_layout *layout, struct record *rec,
		   struct bytes bytes, engine_value_fn take)
{
	struct record_values v = record_read_begin(layout->read_format, rec->sample.read);
	uint32_t tid = layout->has_values_by_task ? task_of(e, &rec->id) : 0;
	bool is_taken = false;

	while (record_read_next(&v)) {
		rec->sample.period = gains_take(&e->gains, v.id, tid, v.value);
		if (rec->sample.period != 0)
			is_taken |= take(e, v.id, rec, bytes);
	}
	gains_sweep(&e->gains, is_there, e->model);
	return is_taken;
}
