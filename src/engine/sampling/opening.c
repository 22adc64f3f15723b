/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How events are opened and closed, each with its group. */
#include "engine/sampling/sampling_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static void
open_group(struct sampling *sp, uint32_t leader)
{
	uint32_t tokens[EVENTS_MAX];
	/* What they own is borrowed. */
	struct event *specs = mem_calloc(sp->measured->event_count, sizeof(*specs));
	size_t count = 0;

	for (uint32_t n = leader; n != UINT32_MAX; n = measured_next_member(sp->measured, n)) {
		sp->measured->events[n].opening = true;
		sp->measured->events[n].chains = sp->chains;
		tokens[count] = n;
		specs[count++] = sp->measured->events[n].spec;
	}
	if (count > 1)
		session_open_group(sp->session, tokens, specs, count);
	else
		session_open(sp->session, leader, specs, 1);
	free(specs);
}

void
opening_open(struct sampling *sp, uint32_t event)
{
	uint32_t leader = sp->measured->events[event].leader;
	struct engine_event *ev = &sp->measured->events[leader];

	if (sp->session == NULL || ev->live != NULL || ev->opening)
		return;
	if (ev->spec.place == EVENT_PLACE_NONE) {
		open_group(sp, leader);
		return;
	}
	ev->opening = true;
	ev->chains = sp->chains;
	event_places_find(sp, leader);
}

static void
close_one(struct sampling *sp, uint32_t n)
{
	struct engine_event *ev = &sp->measured->events[n];

	if (ev->live == NULL)
		return;
	stack_choice_end_event(sp, n);
	probe_guard_end(sp, n);
	session_tally(sp->session, ev->live, &ev->closed);
	ev->lost_now = 0;
	session_close(sp->session, ev->live);
	sample_ids_end_event(sp->ids, n);
	ev->live = NULL;
	ev->is_paused = false;
	ev->closed_ns = clock_mono_ns();
	VEC_ADD(sp->closed, sp->closed_len, sp->closed_cap) = n;
	agenda_want(sp->agenda, AGENDA_CATCH_UP);
}

/* The leader is the last: without it the others would go on. */
void
opening_end(struct sampling *sp, uint32_t event)
{
	struct measured *m = sp->measured;
	uint32_t leader = m->events[event].leader;

	event_places_end_joining(sp, leader);
	for (uint32_t i = measured_next_member(m, leader); i != UINT32_MAX;
	     i = measured_next_member(m, i))
		close_one(sp, i);
	close_one(sp, leader);
}

void
opening_close(struct sampling *sp, uint32_t event)
{
	const struct engine_event *leader =
		&sp->measured->events[sp->measured->events[event].leader];

	if (leader->live != NULL && !leader->is_kept)
		opening_end(sp, event);
}

/* Its window waits, as that of an event that is closed; nothing is lost meanwhile. */
void
opening_pause(struct sampling *sp, uint32_t leader, bool is_paused)
{
	for (uint32_t n = leader; n != UINT32_MAX; n = measured_next_member(sp->measured, n)) {
		struct engine_event *ev = &sp->measured->events[n];
		uint64_t *since_ns = &sp->profile->events[n].open_since_ns;

		if (ev->live == NULL)
			continue;
		if (is_paused) {
			stack_choice_end_event(sp, n);
			VEC_ADD(sp->closed, sp->closed_len, sp->closed_cap) = n;
		} else if (*since_ns == 0) {
			*since_ns = clock_mono_ns();
		}
		/* Others of a group follow their leader, unless they could not be opened with it. */
		if (n == leader || ev->attr.disabled)
			session_pause(sp->session, ev->live, is_paused);
		ev->is_paused = is_paused;
	}
	agenda_want(sp->agenda, AGENDA_CATCH_UP | AGENDA_ANSWER);
}

/* What they have sampled belongs to the interval that ends here; their windows wait for them. */
void
opening_caught_up(struct sampling *sp)
{
	if (sp->closed_len > 0)
		profile_close_interval(sp->profile, clock_mono_ns());
	for (size_t i = 0; i < sp->closed_len; i++)
		if (sp->measured->events[sp->closed[i]].live == NULL ||
		    sp->measured->events[sp->closed[i]].is_paused)
			sp->profile->events[sp->closed[i]].open_since_ns = 0;
	sp->closed_len = 0;
	for (size_t i = 0; i < sp->retired_len; i++)
		sample_ids_end(sp->ids, sp->retired[i]);
	sp->retired_len = 0;
}

/* What is in the rings of a target that has just gone still counts. */
void
opening_retire(struct sampling *sp, const uint64_t *ids, size_t count)
{
	if (count == 0)
		return;
	vec_reserve(&sp->retired, &sp->retired_cap, sp->retired_len + count, sizeof(*sp->retired));
	memcpy(sp->retired + sp->retired_len, ids, count * sizeof(*ids));
	sp->retired_len += count;
	for (size_t i = 0; i < count; i++)
		sample_ids_leave(sp->ids, ids[i]);
	agenda_want(sp->agenda, AGENDA_CATCH_UP);
}

void
opening_add_ids(struct sampling *sp, uint32_t event, const uint64_t *ids, const int *tids,
		size_t count)
{
	for (size_t i = 0; i < count; i++)
		sample_ids_add(sp->ids,
			       &(struct sample_id){ .id = ids[i], .event = event, .tid = tids[i] },
			       sp->measured->events[event].layout);
}

void
opening_tell(struct sampling *sp, uint32_t leader)
{
	for (size_t i = 0; i < sp->observer_count; i++)
		sp->observers[i].ops->opened(sp->observers[i].self, leader);
}

void
opening_start_command(struct sampling *sp)
{
	sp->command_started = true;
	session_start_command(sp->session);
}
