/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples that carry the values of counters: each counts for all of them, with what they gained.  In
 * what is kept of the raw records the values are the sums of those gains: samples of others than the
 * targets are not in there, and what they gained is not the next one's.  Nor are they each task's
 * own any more, which perf knows since 6.12 only.
 */
#include "engine/engine_impl.h"

#include <stdlib.h>

enum { VALUES_MAX = 16384 / 8 }; /* the kernel takes no group whose values are longer */

static bool
is_there(const void *self, uint32_t tid)
{
	return model_find_task(self, (int)tid) != 0;
}

/* Whose counters they are, 0: one for all.  A task that is dying has no number in its samples. */
static uint32_t
task_of(const struct engine *e, const struct record_layout *layout, const struct record_id *id)
{
	if (!layout->has_values_by_task)
		return 0;
	if ((int)id->tid != -1)
		return id->tid;
	return (uint32_t)model_task_at(e->model, model_sample_task(e->model, -1, -1, id->cpu))->tid;
}

/* As engine_take_values(), with what each gained in @gains, in their order. */
static bool
take_values(struct engine *e, const struct record_layout *layout, struct record *rec,
	    struct bytes bytes, engine_value_fn take, uint64_t *gains)
{
	struct record_values v = record_read_begin(layout->read_format, rec->sample.read);
	uint32_t tid = task_of(e, layout, &rec->id);
	bool is_taken = false;

	for (size_t i = 0; i < VALUES_MAX && record_read_next(&v); i++) {
		gains[i] = rec->sample.period = gains_take(&e->gains, v.id, tid, v.value);
		if (gains[i] != 0)
			is_taken |= take(e, v.id, rec, bytes);
	}
	gains_sweep(&e->gains, is_there, e->model);
	return is_taken;
}

void
engine_replay_values(struct engine *e, const struct record_layout *layout, struct record *rec,
		     struct bytes bytes, engine_value_fn take)
{
	uint64_t gains[VALUES_MAX];

	take_values(e, layout, rec, bytes, take, gains);
}

static void
keep(struct engine *e, const struct record_layout *layout, const struct record *rec,
     struct bytes bytes, const uint64_t *gains)
{
	struct record_values v = record_read_begin(layout->read_format, rec->sample.read);
	size_t read_at = (size_t)(rec->sample.read.data - bytes.data);
	struct buf b = { 0 };

	buf_add(&b, bytes.data, bytes.len);
	for (size_t i = 0; i < VALUES_MAX && record_read_next(&v); i++) {
		uint64_t value = gains_keep(&e->gains, v.id, gains[i]);

		memcpy(b.data + read_at + v.value_at, &value, sizeof(value));
	}
	engine_record_new_sample(e, rec, (struct bytes){ (const uint8_t *)b.data, b.len }, 0);
	v = record_read_begin(layout->read_format, rec->sample.read);
	while (record_read_next(&v))
		history_note_id(e->record.history, v.id);
	buf_release(&b);
}

void
engine_take_values(struct engine *e, const struct record_layout *layout, struct record *rec,
		   struct bytes bytes, engine_value_fn take)
{
	uint64_t gains[VALUES_MAX];

	if (take_values(e, layout, rec, bytes, take, gains) && e->record.history != NULL)
		keep(e, layout, rec, bytes, gains);
}
