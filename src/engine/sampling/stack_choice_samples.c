/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -g auto, which samples count: of a process with copies of its stacks, those that follow the first
 * one of the event until the moment before the event is disabled; before it and after it those of
 * all's events.  The first one itself only tells that the event has a counter: a PMU may have none left.
 */
#include "engine/sampling/stack_choice.h"

#include <stdlib.h>

#include "record/look.h"

struct own_stacks *
stack_choice_find(const struct stack_choice *a, uint32_t number)
{
	for (size_t i = 0; i < a->len; i++)
		if (a->items[i].number == number)
			return &a->items[i];
	return NULL;
}

struct stacks_event *
stack_choice_event(struct own_stacks *s, uint32_t event)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (s->events[i].event == event)
			return &s->events[i];
	return NULL;
}

static bool
covers(const struct own_stacks *s, const struct stacks_event *e, uint64_t time_ns)
{
	return s->state != STACKS_ASKED && time_ns >= e->since_ns && time_ns < s->until_ns;
}

int
stack_choice_compare_tids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* A thread that began while the list of threads was read: what it inherited counts nothing. */
static bool
has_own(const struct own_stacks *s, int tid)
{
	return bsearch(&tid, s->tids, s->tid_count, sizeof(tid), stack_choice_compare_tids) != NULL;
}

static bool
wants_copy(struct sampling *sp, const struct sample_id *id, const struct record *rec, uint64_t *tag)
{
	struct stack_choice *a = sp->stacks;
	struct own_stacks *s = stack_choice_find(a, id->copies);
	struct stacks_event *e = s != NULL ? stack_choice_event(s, id->event) : NULL;

	/* Where threads are not told from children when they begin, these count by all's events. */
	if (e == NULL || (int)rec->id.pid != s->pid ||
	    ((int)rec->id.tid != id->tid && has_own(s, (int)rec->id.tid)))
		return false;
	if (e->since_ns == UINT64_MAX && s->state == STACKS_OPEN && rec->id.time_ns >= s->begun_ns)
		e->since_ns = rec->id.time_ns + 1;
	if (!covers(s, e, rec->id.time_ns))
		return false;
	e->taken++;
	a->taking = (size_t)(s - a->items);
	*tag = 0; /* each is judged, and counts for as long as it is open */
	return true;
}

bool
stack_choice_wants(void *sampling, const struct record *rec, uint64_t *tag)
{
	struct sampling *sp = sampling;
	struct stack_choice *a = sp->stacks;
	const struct sample_id *id;
	uint32_t event;

	if (a == NULL)
		return true;
	a->taking = SIZE_MAX;
	a->cuts_before = sp->feed->unwinder.ends[UNWIND_STACK_CUT];
	/* The copies of looks are the looker's own. */
	if (a->len == 0 || record_is_look(&rec->sample))
		return true;
	id = sample_ids_find(sp->ids, rec->id.id);
	if (id != NULL && id->copies != 0)
		return wants_copy(sp, id, rec, tag);
	event = sample_ids_event(sp->ids, rec->id.id);
	for (size_t i = 0; i < a->len; i++) {
		struct own_stacks *s = &a->items[i];
		struct stacks_event *e;

		if (s->pid != (int)rec->id.pid || (e = stack_choice_event(s, event)) == NULL)
			continue;
		*tag = 0;
		e->passed += s->state == STACKS_OPEN && rec->id.time_ns >= s->begun_ns;
		if (covers(s, e, rec->id.time_ns))
			return false;
	}
	return true;
}

void
stack_choice_filed(void *sampling, const struct record *rec)
{
	struct sampling *sp = sampling;
	struct stack_choice *a = sp->stacks;
	struct own_stacks *s;
	bool is_cut;

	if (a == NULL || sp->chains != CALL_GRAPH_AUTO || record_is_look(&rec->sample))
		return;
	s = a->taking < a->len ? &a->items[a->taking] : NULL;
	/* One that is shorter than asked for was cut by nothing but the stack's own end. */
	is_cut = sp->feed->unwinder.ends[UNWIND_STACK_CUT] > a->cuts_before &&
		 rec->sample.stack_dyn_size >= (s != NULL ? s->bytes : rec->sample.stack_user.len);
	if (s == NULL) {
		stack_choice_note_copy(a, (int)rec->id.pid, is_cut);
		return;
	}
	s->seen++;
	s->cut += is_cut;
}
