/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_RINGS_MSG_H
#define PTOP_LIVE_SESSION_RINGS_MSG_H
/*
 * SESSION_MSG_RINGS with what only the session sees: descriptors that join an event, or replace
 * all that it has.
 */
#include "live/sys/events.h"
#include "live/sys/targets.h"
#include "live/session/session.h"

struct rings_part {
	struct session_event *event; /* one reference */
	struct event_fds fds;
	bool replaces;
	bool begins; /* to be enabled */
	uint64_t rate;
	struct tasks ended; /* what is open for them goes */
};

struct rings_msg {
	struct session_rings_msg pub; /* first: it is sent and freed as this */
	struct rings_part *parts;
	size_t part_count, part_cap;
};

struct rings_msg *rings_msg_new(void);

/* A part for @ev, valid until the next one is added. */
struct rings_part *rings_msg_add(struct rings_msg *m, struct session_event *ev);

/* Tells the receiver of the part's ids. */
void rings_msg_put_ids(struct rings_msg *m, const struct rings_part *part);

/* Tells the receiver that the part's event was opened anew with @attr. */
void rings_msg_put_attr(struct rings_msg *m, const struct rings_part *part,
			const struct event_attr *attr);

#endif
