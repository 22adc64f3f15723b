/* SPDX-License-Identifier: GPL-2.0-or-later */
/* -g auto, what is to be opened for a process, and whether what is open for it still serves. */
#include "engine/sampling/stack_choice.h"

enum {
	STACK_LARGER = 32768, /* at least, and twice what all have */
	STACK_MOST = 65528,
	RATE_EACH_S = 10,     /* at most so often events are opened anew for another frequency, */
	RATE_PART = 2,        /* if it is half or twice as much: opening is dear */
	STARVED_LEAST = 8,    /* samples that all's event has of a process, */
	STARVED_PART = 4,     /* and a second one less than a fourth of that: it has no counter */
};

/* Clocks and the PMU's counters: what samples of others carry the kernel makes once. */
static bool
can_be_twice(const struct event *spec)
{
	return !measured_is_shared(spec) && spec->type != PERF_TYPE_BREAKPOINT &&
	       spec->place == EVENT_PLACE_NONE;
}

static bool
is_eligible(const struct sampling *sp, uint32_t n)
{
	const struct engine_event *ev = &sp->measured->events[n];
	const uint64_t needs = PERF_SAMPLE_STACK_USER;
	const uint64_t not = PERF_SAMPLE_READ;

	return ev->live != NULL && ev->spec.looks != EVENT_LOOKS_ALONE && !ev->is_paused &&
	       ev->leader == n &&
	       measured_next_member(sp->measured, n) == UINT32_MAX &&
	       can_be_twice(&ev->spec) && !ev->spec.exclude_user &&
	       !(ev->spec.terms.given & 1u << TERM_CALL_GRAPH) &&
	       (ev->attr.sample_type & needs) == needs && !(ev->attr.sample_type & not) &&
	       ev->attr.sample_stack_user < STACK_MOST;
}

size_t
stack_choice_list_events(const struct sampling *sp, uint32_t *events)
{
	size_t count = 0;

	for (uint32_t n = 0; n < sp->measured->event_count && count < COPIED_EVENTS_MAX; n++)
		if (is_eligible(sp, n))
			events[count++] = n;
	return count;
}

uint32_t
stack_choice_larger_bytes(const struct sampling *sp, const uint32_t *events, size_t count)
{
	uint32_t bytes = STACK_LARGER;

	for (size_t i = 0; i < count; i++)
		bytes = MAX(bytes, sp->measured->events[events[i]].attr.sample_stack_user * 2);
	return MIN(bytes, (uint32_t)STACK_MOST);
}

static bool
has_rates(const struct sampling *sp, const struct own_stacks *s, uint64_t now_ns)
{
	if (now_ns - s->begun_ns < RATE_EACH_S * NSEC_PER_SEC)
		return true;
	for (size_t i = 0; i < s->event_count; i++) {
		const struct stacks_event *e = &s->events[i];
		uint64_t rate = session_rate(sp->measured->events[e->event].live);

		if (rate > e->rate * RATE_PART || rate * RATE_PART < e->rate)
			return false;
	}
	return true;
}

static bool
has_events(const struct sampling *sp, const struct own_stacks *s)
{
	uint32_t events[COPIED_EVENTS_MAX];
	size_t i = 0;

	if (stack_choice_list_events(sp, events) != s->event_count)
		return false;
	while (i < s->event_count && s->events[i].event == events[i])
		i++;
	return i == s->event_count;
}

bool
stack_choice_is_as_wanted(const struct sampling *sp, const struct own_stacks *s, uint64_t now_ns,
			  uint32_t *bytes)
{
	*bytes = s->bytes;
	if (s->seen >= CUT_LEAST && s->cut >= s->seen / CUT_PART + 1)
		*bytes = MIN(s->bytes * 2, (uint32_t)STACK_MOST);
	return *bytes == s->bytes && has_events(sp, s) && has_rates(sp, s, now_ns);
}

/*
 * A PMU with no counter left does not refuse another event: it never counts.  Since it was opened all's
 * event may have got another frequency; and what was lost in full rings has been counted.
 */
bool
stack_choice_is_starved(const struct sampling *sp, const struct own_stacks *s)
{
	for (size_t i = 0; i < s->event_count; i++) {
		const struct stacks_event *e = &s->events[i];
		uint64_t rate = session_rate(sp->measured->events[e->event].live);

		if (e->passed >= STARVED_LEAST &&
		    e->taken * MAX(rate, e->rate) < e->passed * MIN(rate, e->rate) / STARVED_PART &&
		    session_stacks_lost(sp->session, s->open, e->event) == 0)
			return true;
	}
	return false;
}
