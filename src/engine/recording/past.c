/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The past as the kernel kept it, in rings that nobody has read (--overwrite).  Their samples were
 * taken beside those that are shown, by descriptors of their own: nothing of ptop has seen them.
 */
#include "engine/recording/recording_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

struct past_record {
	uint64_t time_ns;
	struct bytes bytes;
};

/* Those of the same time come from several CPUs: their order tells nothing. */
static int
compare(const void *a, const void *b)
{
	const struct past_record *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

/* Where every CPU is sampled for some targets, others are known; one that ended may have been one. */
static bool
is_wanted(const struct recording *rg, const struct record *rec)
{
	uint32_t id = model_find_task(rg->model, (int)rec->id.tid);
	const struct task *t = model_task_at(rg->model, id);

	if (id == 0 || !rg->measured->has_targets ||
	    session_scope(rg->session) != SESSION_SYSTEM)
		return true;
	return t->is_target || model_task_at(rg->model, t->process)->is_target;
}

/* As intake does: what is of no event, and what came twice, is no sample. */
static bool
counts(const struct recording *rg, const struct record *rec)
{
	return sample_ids_event(rg->ids, rec->id.id) != UINT32_MAX &&
	       !sample_ids_is_duplicate(rg->ids, rec->id.id, (int)rec->id.tid) &&
	       is_wanted(rg, rec);
}

static void
keep(const struct recording *rg, struct history *h, const struct past_record *p)
{
	const struct record_layout *layout =
		record_layouts_of(sample_ids_layouts(rg->ids), p->bytes);
	struct record rec;

	if (record_decode(layout, p->bytes, &rec) <= 0)
		return;
	if (rec.type != PERF_RECORD_SAMPLE)
		history_add(h, p->bytes);
	else if (counts(rg, &rec))
		history_add_sample(h, p->bytes, 0, p->time_ns);
}

/* The record at @at, of whole ones. */
static struct bytes
record_at(const struct buf *b, size_t at)
{
	struct perf_event_header head;

	memcpy(&head, b->data + at, sizeof(head));
	return (struct bytes){ (const uint8_t *)b->data + at, head.size };
}

/* What was read all the time; samples are in there if a recording is written beside it. */
static void
keep_sideband(const struct recording *rg, struct history *h)
{
	struct buf b = { 0 };

	for (struct history_chunk *c = history_first(rg->history); c != NULL; c = c->next) {
		buf_reset(&b);
		history_chunk_expand(c, rg->layout, &b);
		for (size_t at = 0; at < b.len; at += record_at(&b, at).len)
			if (record_type(record_at(&b, at)) != PERF_RECORD_SAMPLE)
				history_add(h, record_at(&b, at));
	}
	buf_release(&b);
}

struct history *
past_read(const struct recording *rg)
{
	const struct history_keys keys = { sample_ids_layouts(rg->ids), known_state_event_of, rg };
	struct history *h = history_new(SIZE_MAX, &keys);
	struct past_record *list = NULL;
	struct buf all = { 0 };
	size_t count = 0, cap = 0;

	keep_sideband(rg, h);
	session_copy_past(rg->session, &all);
	for (size_t at = 0; at < all.len; at += list[count - 1].bytes.len) {
		struct bytes bytes = record_at(&all, at);

		VEC_ADD(list, count, cap) = (struct past_record){
			record_time(keys.layouts->items, bytes), bytes };
	}
	if (count > 0)
		qsort(list, count, sizeof(*list), compare);
	for (size_t i = 0; i < count; i++)
		keep(rg, h, &list[i]);
	history_seal(h);
	free(list);
	buf_release(&all);
	return h;
}
