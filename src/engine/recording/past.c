/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The past as the kernel kept it, in rings that nobody has read (--overwrite).  Their samples were
 * taken beside those that are shown, by descriptors of their own: nothing of ptop has seen them.
 */
#include "engine/recording/recording_impl.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

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
	return model_is_target(rg->model, t);
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

void
past_read(const struct recording *rg, struct past *p)
{
	*p = (struct past){ 0 };
	session_copy_past(rg->session, &p->bytes);
	for (size_t at = 0; at < p->bytes.len; at += p->records[p->len - 1].bytes.len) {
		struct bytes bytes = record_at(&p->bytes, at);
		uint64_t time_ns = record_time(sample_ids_layouts(rg->ids)->items, bytes);

		VEC_ADD(p->records, p->len, p->cap) = (struct past_record){ time_ns, bytes };
	}
	if (p->len > 0)
		qsort(p->records, p->len, sizeof(*p->records), compare);
}

uint64_t
past_since(const struct past *p)
{
	for (size_t i = 0; i < p->len; i++)
		if (record_type(p->records[i].bytes) == PERF_RECORD_SAMPLE)
			return p->records[i].time_ns;
	return 0;
}

void
past_cut(struct past *p, uint64_t from_ns, uint64_t to_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < p->len; i++) {
		const struct past_record *r = &p->records[i];

		if (record_type(r->bytes) != PERF_RECORD_SAMPLE || (r->time_ns >= from_ns && r->time_ns < to_ns))
			p->records[n++] = *r;
	}
	p->len = n;
}

void
past_put(const struct recording *rg, const struct past *p, struct recorder *r)
{
	const struct history_keys keys = { sample_ids_layouts(rg->ids), known_state_event_of, rg };
	struct history *h = history_new(0, &keys);

	history_set_sink(h, recorder_take_chunk, r);
	keep_sideband(rg, h);
	for (size_t i = 0; i < p->len; i++)
		keep(rg, h, &p->records[i]);
	history_seal(h);
	history_free(h);
}

void
past_release(struct past *p)
{
	free(p->records);
	buf_release(&p->bytes);
}
