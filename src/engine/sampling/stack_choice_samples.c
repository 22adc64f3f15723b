/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -g auto, which samples count: of a process with copies of its stacks, those from the moment when
 * the last of its events was enabled until the one before the first was disabled; before it and
 * after it those of all's events.
 */
#include "engine/sampling/stack_choice.h"

#include <stdlib.h>

struct own_stacks *
auto_find_number(const struct engine_auto *a, uint32_t number)
{
	for (size_t i = 0; i < a->len; i++)
		if (a->items[i].number == number)
			return &a->items[i];
	return NULL;
}

static bool
covers(const struct own_stacks *s, uint64_t time_ns)
{
	return s->state != STACKS_ASKED && time_ns >= s->since_ns && time_ns < s->until_ns;
}

bool
auto_has_event(const struct own_stacks *s, uint32_t event)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (s->events[i] == event)
			return true;
	return false;
}

int
auto_compare_tids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* A thread that began while the list of threads was read: what it inherited counts nothing. */
static bool
has_own(const struct own_stacks *s, int tid)
{
	return bsearch(&tid, s->tids, s->tid_count, sizeof(tid), auto_compare_tids) != NULL;
}

static bool
wants_copy(struct engine *e, const struct engine_id *id, const struct record *rec)
{
	struct engine_auto *a = e->autos;
	const struct own_stacks *s = auto_find_number(a, id->stacks);

	/* Where threads are not told from children when they begin, these count by all's events. */
	if (s == NULL || !covers(s, rec->id.time_ns) || (int)rec->id.pid != s->pid ||
	    ((int)rec->id.tid != id->tid && has_own(s, (int)rec->id.tid)))
		return false;
	a->taking = (size_t)(s - a->items);
	a->cuts_before = e->feed.unwinder.ends[UNWIND_STACK_CUT];
	return true;
}

bool
engine_auto_wants(struct engine *e, const struct record *rec, uint64_t *tag)
{
	struct engine_auto *a = e->autos;
	const struct engine_id *id;
	uint32_t event;

	a->taking = SIZE_MAX;
	if (a->len == 0)
		return true;
	id = engine_find_stacks_id(e, rec->id.id);
	if (id != NULL)
		return wants_copy(e, id, rec);
	event = engine_event_of(e, rec->id.id);
	for (size_t i = 0; i < a->len; i++) {
		const struct own_stacks *s = &a->items[i];

		if (s->pid != (int)rec->id.pid || !auto_has_event(s, event))
			continue;
		*tag = 0;
		if (covers(s, rec->id.time_ns))
			return false;
	}
	return true;
}

void
engine_auto_sampled(struct engine *e, const struct record *rec)
{
	struct engine_auto *a = e->autos;
	struct own_stacks *s = a->taking < a->len ? &a->items[a->taking] : NULL;

	if (s == NULL)
		return;
	s->taken++;
	/* One that is shorter than asked for was cut by nothing but the stack's own end. */
	s->cut += e->feed.unwinder.ends[UNWIND_STACK_CUT] > a->cuts_before &&
		  rec->sample.stack_user.len >= s->bytes;
}
