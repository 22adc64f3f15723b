/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/reopen.h"

#include <stdlib.h>

/* All of @e once more, as its plan is now; -1: what is open stays. */
static int
open_anew(struct opener *o, struct opener_event *e, struct err *err)
{
	struct rings_msg *m = mem_calloc(1, sizeof(*m));
	struct rings_part *part = rings_msg_add(m, e->event);
	int res;

	part->replaces = true;
	part->rate = e->plan.attr.sample_period;
	res = spread_open(&o->spread, &e->plan, o->lanes.items, o->lanes.len, NULL, SPREAD_SAMPLES,
			  &part->fds, err);
	rings_msg_put_ids(m, part);
	opener_send_rings(o, m);
	return res;
}

void
reopen_with_rate(struct opener *o, struct opener_event *e, uint64_t rate, bool reopen)
{
	e->plan.attr.sample_period = rate;
	/* Inherited children are not reached by ioctls. */
	if (reopen)
		open_anew(o, e, NULL);
}

void
reopen_with_filter(struct opener *o, struct opener_event *e, const char *filter)
{
	struct session_filtered_msg *m = mem_calloc(1, sizeof(*m));
	struct event *spec = &e->plan.spec;
	char *before = spec->filter;

	m->msg.type = SESSION_MSG_FILTERED;
	m->token = e->event->token;
	m->filter = filter != NULL ? mem_strdup(filter) : NULL;
	/* The kernel refuses a second filter with EEXIST, and has no way to take one off. */
	spec->filter = filter != NULL ? mem_strdup(filter) : NULL;
	if (open_anew(o, e, &m->err) < 0) {
		free(spec->filter);
		spec->filter = before;
	} else {
		free(before);
	}
	queue_send(o->answers, &m->msg);
}
