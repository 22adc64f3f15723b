/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/sample_ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum {
	LATE_MS = 2000, /* so long after its descriptor was closed nothing comes with an id */
	DRIFT_NS = 20000, /* of two clocks that matters less than that chunks of records go on */
};

struct sample_ids {
	struct sample_id *items; /* by id */
	size_t len, cap;
	struct index own_tasks;  /* (event, tid) that have a descriptor of their own */
	struct record_layouts layouts;
};

struct sample_ids *
sample_ids_new(const struct record_layout *layout)
{
	struct sample_ids *ids = mem_calloc(1, sizeof(*ids));

	record_layouts_add(&ids->layouts, layout);
	return ids;
}

void
sample_ids_free(struct sample_ids *ids)
{
	if (ids == NULL)
		return;
	free(ids->items);
	index_release(&ids->own_tasks);
	record_layouts_release(&ids->layouts);
	free(ids);
}

const struct sample_id *
sample_ids_find(const struct sample_ids *ids, uint64_t id)
{
	size_t low = 0, high = ids->len;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (ids->items[mid].id == id)
			return &ids->items[mid];
		if (ids->items[mid].id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

uint32_t
sample_ids_event(const struct sample_ids *ids, uint64_t id)
{
	const struct sample_id *found = sample_ids_find(ids, id);

	return found != NULL ? found->event : UINT32_MAX;
}

static uint64_t
own_hash(uint32_t event, int tid)
{
	return hash_mix(event, (uint64_t)(unsigned)tid);
}

void
sample_ids_add(struct sample_ids *ids, const struct sample_id *id, uint32_t layout)
{
	size_t at = ids->len;

	vec_reserve(&ids->items, &ids->cap, ids->len + 1, sizeof(*ids->items));
	/* The kernel counts ids up: this is nearly always the end. */
	for (; at > 0 && ids->items[at - 1].id > id->id; at--)
		ids->items[at] = ids->items[at - 1];
	ids->items[at] = *id;
	ids->items[at].layout = layout;
	ids->len++;
	if (id->tid > 0 && id->copies == 0)
		index_add(&ids->own_tasks, own_hash(id->event, id->tid), (uint32_t)id->tid);
	record_layouts_add_id(&ids->layouts, layout, id->id);
}

static int
tid_of(const struct sample_ids *ids, struct bytes sample)
{
	uint64_t type = ids->layouts.items[0].sample_type;
	size_t at = RECORD_SAMPLE_AT(type, PERF_SAMPLE_TID, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
	uint32_t pid_tid[2] = { 0 };

	if (at != 0 && at + sizeof(pid_tid) <= sample.len)
		memcpy(pid_tid, sample.data + at, sizeof(pid_tid));
	return (int)pid_tid[1];
}

/*
 * How likely a sample of @tid is its: what ended is the last resort, as all that it has written was
 * read.  0: not at all.
 */
static unsigned
grade(const struct sample_id *id, int tid, enum record_fit fit)
{
	enum { FIT_WEIGHT = 4 };

	if (fit == RECORD_FITS_NOT || id->ended_ns != 0)
		return fit;
	return fit * FIT_WEIGHT + id->is_left + (id->tid == tid ? 2 : 0);
}

uint64_t
sample_ids_of_event(const struct sample_ids *ids, uint32_t event, struct bytes sample)
{
	enum record_fit fit = RECORD_FITS_NOT;
	uint32_t layout = UINT32_MAX;
	int tid = tid_of(ids, sample);
	unsigned best = 0;
	uint64_t id = 0;

	for (size_t i = ids->len; i-- > 0;) {
		const struct sample_id *have = &ids->items[i];

		if (have->event != event || have->copies != 0)
			continue;
		/* Those of one opening follow each other. */
		if (have->layout != layout)
			fit = record_sample_fit(&ids->layouts.items[have->layout], sample);
		layout = have->layout;
		if (grade(have, tid, fit) <= best)
			continue;
		best = grade(have, tid, fit);
		id = have->id;
	}
	return id;
}

uint64_t
sample_ids_any(const struct sample_ids *ids, uint32_t event)
{
	for (size_t i = ids->len; i-- > 0;)
		if (ids->items[i].event == event && ids->items[i].copies == 0)
			return ids->items[i].id;
	return 0;
}

/* What is on its way with it is still of its event. */
static void
end_one(struct sample_ids *ids, struct sample_id *id)
{
	if (id->ended_ns != 0)
		return;
	id->is_left = false;
	id->ended_ns = clock_mono_ns();
	if (id->tid > 0 && id->copies == 0)
		index_remove(&ids->own_tasks, own_hash(id->event, id->tid), (uint32_t)id->tid);
}

void
sample_ids_leave(struct sample_ids *ids, uint64_t id)
{
	const struct sample_id *found = sample_ids_find(ids, id);

	if (found != NULL)
		ids->items[found - ids->items].is_left = found->ended_ns == 0;
}

void
sample_ids_end(struct sample_ids *ids, uint64_t id)
{
	const struct sample_id *found = sample_ids_find(ids, id);

	if (found != NULL)
		end_one(ids, &ids->items[found - ids->items]);
}

void
sample_ids_end_event(struct sample_ids *ids, uint32_t event)
{
	for (size_t i = 0; i < ids->len; i++)
		if (ids->items[i].event == event && ids->items[i].copies == 0)
			end_one(ids, &ids->items[i]);
}

void
sample_ids_forget_ended(struct sample_ids *ids, uint64_t counted_to_ns, size_t keep)
{
	size_t kept = 0, more = ids->len > keep ? ids->len - keep : 0;

	/* The kernel counts them up: the first are the oldest. */
	for (size_t i = 0; i < ids->len; i++) {
		const struct sample_id *id = &ids->items[i];

		if (i - kept < more && id->ended_ns != 0 &&
		    id->ended_ns + LATE_MS * NSEC_PER_MSEC < counted_to_ns)
			record_layouts_forget_id(&ids->layouts, id->id);
		else
			ids->items[kept++] = *id;
	}
	ids->len = kept;
}

bool
sample_ids_is_duplicate(const struct sample_ids *ids, uint64_t id, int tid)
{
	const struct sample_id *found;
	uint32_t own, pos;
	uint64_t hash;

	if (ids->own_tasks.used == 0)
		return false;
	found = sample_ids_find(ids, id);
	if (found == NULL || found->copies != 0 || found->tid == 0 || found->tid == tid)
		return false;
	hash = own_hash(found->event, tid);
	for (own = index_first(&ids->own_tasks, hash, &pos); own != 0;
	     own = index_next(&ids->own_tasks, hash, &pos))
		if ((int)own == tid)
			return true;
	return false;
}

bool
sample_ids_have_tasks(const struct sample_ids *ids)
{
	return ids->own_tasks.used != 0;
}

const struct record_layouts *
sample_ids_layouts(const struct sample_ids *ids)
{
	return &ids->layouts;
}

void
sample_ids_follow_clock(struct sample_ids *ids, int32_t id)
{
	int64_t ahead_ns = clock_ahead_ns(id), known_ns = ids->layouts.clock_ahead_ns;

	if (llabs(ahead_ns - known_ns) > DRIFT_NS)
		record_layouts_set_clock(&ids->layouts, ahead_ns);
}

uint32_t
sample_ids_layout(struct sample_ids *ids, const struct event_attr *attr)
{
	struct record_layout l = record_layout_of(attr, false);

	if (!(l.sample_type & PERF_SAMPLE_READ))
		l.read_format = 0; /* of no sample */
	for (uint32_t i = 0; i < ids->layouts.len; i++) {
		const struct record_layout *have = &ids->layouts.items[i];

		if (have->sample_type == l.sample_type &&
		    ((l.sample_type & PERF_SAMPLE_PERIOD) ||
		     have->sample_period == l.sample_period) &&
		    have->read_format == l.read_format &&
		    have->has_values_by_task == l.has_values_by_task &&
		    have->max_stack == l.max_stack &&
		    have->branch_sample_type == l.branch_sample_type &&
		    have->sample_regs_user == l.sample_regs_user &&
		    have->sample_regs_intr == l.sample_regs_intr)
			return i;
	}
	return record_layouts_add(&ids->layouts, &l);
}
