/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/event_opener.h"

#include "live/session/follow.h"

#include <stdlib.h>

/* All of @e's group once more, as their plans are now; -1: what is open stays.  @tells: why. */
static int
open_anew(struct event_opener *o, struct opened_event *e, bool tells, struct err *err)
{
	struct rings_msg *m = rings_msg_new();
	int res = event_opener_open_again(o, &o->everywhere, event_opener_leader_of(o, e),
					  o->lanes.items, o->lanes.len, NULL, m, err);

	for (size_t i = 0; i < m->part_count; i++) {
		struct opened_event *opened = event_opener_find_event(o, m->parts[i].event);

		m->parts[i].replaces = true;
		m->parts[i].rate = opened->plan.attr.sample_period;
		if (m->parts[i].fds.len == 0)
			continue;
		follow_learn(o, opened, &m->parts[i].fds);
		rings_msg_put_attr(m, &m->parts[i], &opened->plan.attr);
	}
	if (res < 0 && tells)
		m->pub.err = *err;
	event_opener_send_rings(o, m);
	return res;
}

void
reopen_with_rate(struct event_opener *o, struct opened_event *e, uint64_t rate, bool reopen)
{
	e->plan.attr.sample_period = rate;
	/* No ioctl reaches inherited children, or the weights of a clock's samples. */
	if (reopen)
		open_anew(o, e, false, NULL);
}

void
reopen_with_period(struct event_opener *o, struct opened_event *e, uint64_t period)
{
	uint64_t before = e->plan.attr.sample_period;
	struct err err = { 0 };

	/* No ioctl reaches inherited children, or tells which samples have which period. */
	open_plan_set_period(&e->plan, period);
	if (open_anew(o, e, false, &err) < 0)
		open_plan_set_period(&e->plan, before);
}

void
reopen_with_chains(struct event_opener *o, struct opened_event *e)
{
	struct event_attr *before = mem_calloc(o->event_count, sizeof(*before));
	struct err err = { 0 };

	for (size_t i = 0; i < o->event_count; i++) {
		before[i] = o->events[i].plan.attr;
		if (&o->events[i] == e || o->events[i].leader == e->event)
			open_plan_set_chains(&o->events[i].plan, &o->options);
	}
	if (open_anew(o, e, true, &err) < 0)
		for (size_t i = 0; i < o->event_count; i++)
			o->events[i].plan.attr = before[i];
	free(before);
}

static void
free_filtered(struct msg *msg)
{
	struct session_filtered_msg *m = (struct session_filtered_msg *)msg;

	free(m->filter);
	free(m);
}

void
reopen_with_filter(struct event_opener *o, struct opened_event *e, const char *filter)
{
	struct session_filtered_msg *m = mem_calloc(1, sizeof(*m));
	struct event *spec = &e->plan.spec;
	char *before = spec->filter;

	m->msg = (struct msg){ .type = SESSION_MSG_FILTERED, .free = free_filtered };
	m->token = e->event->token;
	m->filter = filter != NULL ? mem_strdup(filter) : NULL;
	/* The kernel refuses a second filter with EEXIST, and has no way to take one off. */
	spec->filter = filter != NULL ? mem_strdup(filter) : NULL;
	if (open_anew(o, e, false, &m->err) < 0) {
		free(spec->filter);
		spec->filter = before;
	} else {
		free(before);
	}
	queue_send(o->answers, &m->msg);
}
