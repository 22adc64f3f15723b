/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -g auto, which samples count: of a process with copies of its stacks, those from the moment when
 * the last of its events was enabled until the one before the first was disabled; before it and
 * after it those of all's events.
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

static bool
covers(const struct own_stacks *s, uint64_t time_ns)
{
	return s->state != STACKS_ASKED && time_ns >= s->since_ns && time_ns < s->until_ns;
}

bool
stack_choice_has_event(const struct own_stacks *s, uint32_t event)
{
	for (size_t i = 0; i < s->event_count; i++)
		if (s->events[i] == event)
			return true;
	return false;
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
	const struct own_stacks *s = stack_choice_find(a, id->copies);

	/* Where threads are not told from children when they begin, these count by all's events. */
	if (s == NULL || !covers(s, rec->id.time_ns) || (int)rec->id.pid != s->pid ||
	    ((int)rec->id.tid != id->tid && has_own(s, (int)rec->id.tid)))
		return false;
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
	if (record_is_look(&rec->sample)) {
		a->cuts_before = UINT64_MAX; /* its copies are the looker's own */
		return true;
	}
	if (a->len == 0)
		return true;
	id = sample_ids_find(sp->ids, rec->id.id);
	if (id != NULL && id->copies != 0)
		return wants_copy(sp, id, rec, tag);
	event = sample_ids_event(sp->ids, rec->id.id);
	for (size_t i = 0; i < a->len; i++) {
		const struct own_stacks *s = &a->items[i];

		if (s->pid != (int)rec->id.pid || !stack_choice_has_event(s, event))
			continue;
		*tag = 0;
		if (covers(s, rec->id.time_ns))
			return false;
	}
	return true;
}

/* Of the copies that all have. */
static void
note_cut(struct stack_choice *a, int pid)
{
	struct cut_list *l = &a->cuts;
	size_t i = 0;

	while (i < l->len && l->items[i].pid != pid)
		i++;
	if (i == CUT_MAX)
		return;
	if (i == l->len)
		l->items[l->len++] = (struct cut_process){ .pid = pid };
	l->items[i].cut++;
}

void
stack_choice_filed(void *sampling, const struct record *rec)
{
	struct sampling *sp = sampling;
	struct stack_choice *a = sp->stacks;
	struct own_stacks *s;
	bool is_cut;

	if (a == NULL || sp->chains != CALL_GRAPH_AUTO)
		return;
	s = a->taking < a->len ? &a->items[a->taking] : NULL;
	/* One that is shorter than asked for was cut by nothing but the stack's own end. */
	is_cut = sp->feed->unwinder.ends[UNWIND_STACK_CUT] > a->cuts_before &&
		 rec->sample.stack_dyn_size >= (s != NULL ? s->bytes : rec->sample.stack_user.len);
	if (s == NULL && is_cut)
		note_cut(a, (int)rec->id.pid);
	if (s == NULL)
		return;
	s->taken++;
	s->cut += is_cut;
}
