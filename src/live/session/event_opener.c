/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/event_opener.h"

#include <stdlib.h>

void
opened_event_release(struct opened_event *e)
{
	open_plan_release(&e->plan);
	tasks_release(&e->followed);
	session_event_put(e->event);
}

struct opened_event *
event_opener_find_event(struct event_opener *o, const struct session_event *ev)
{
	for (size_t i = 0; i < o->event_count; i++) {
		if (o->events[i].event == ev)
			return &o->events[i];
	}
	return NULL;
}

size_t
event_opener_leader_of(const struct event_opener *o, const struct opened_event *e)
{
	size_t i = (size_t)(e - o->events);

	while (e->leader != NULL && o->events[i].event != e->leader)
		i--;
	return i;
}

void
event_opener_send_rings(struct event_opener *o, struct rings_msg *m)
{
	queue_send(o->answers, &m->pub.msg);
}

int
event_opener_open_again(struct event_opener *o, const struct everywhere *everywhere, size_t leader,
			const struct lane *lanes, size_t lane_count, const struct tasks *only,
			struct rings_msg *m, struct err *err)
{
	struct open_everywhere_event *events = mem_calloc(o->event_count, sizeof(*events));
	struct session_event *first = o->events[leader].event;
	size_t count = 0, parts = m->part_count;
	int res;

	for (size_t i = leader; i < o->event_count; i++) {
		if (i != leader && o->events[i].leader != first)
			continue;
		rings_msg_add(m, o->events[i].event);
		events[count++].plan = &o->events[i].plan;
	}
	/* The parts stay where they are from here on. */
	for (size_t i = 0; i < count; i++)
		events[i].fds = &m->parts[parts + i].fds;
	res = open_everywhere_group(everywhere, events, count, lanes, lane_count, only,
				    EVERYWHERE_SAMPLES, err);
	for (size_t i = 0; i < count; i++)
		rings_msg_put_ids(m, &m->parts[parts + i]);
	free(events);
	return res;
}

/* Later, when the engine knows the ids and the new rings: else samples come out of order. */
static void
begin(const struct event_opener *o, struct rings_part *part)
{
	if (o->everywhere.waiting_pid == 0)
		part->begins = true;
	else
		open_everywhere_enable(&o->everywhere, &part->fds);
}

void
event_opener_extend_events(struct event_opener *o, struct rings_msg *m, const struct lane *lanes,
			   size_t count, const struct tasks *only, struct err *err)
{
	open_everywhere(&o->everywhere, &o->sideband_plan, lanes, count, only, EVERYWHERE_SIDEBAND,
			&o->sideband, err);
	event_fds_enable(&o->sideband, o->everywhere.sys);
	for (size_t i = 0; i < o->event_count; i++) {
		size_t part = m->part_count;

		if (o->events[i].leader == NULL &&
		    event_opener_open_again(o, &o->everywhere, i, lanes, count, only, m, err) == 0)
			begin(o, &m->parts[part]);
	}
}
