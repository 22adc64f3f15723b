/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_EVENT_OPENER_OPEN_H
#define PTOP_LIVE_SESSION_EVENT_OPENER_OPEN_H
/* What the opener's thread opens: events, and groups of them. */
#include "live/session/event_opener.h"

/* Opens and enables @spec everywhere and keeps it.  What came of it is in @m; -1: its err alone. */
int event_opener_open_event(struct event_opener *o, const struct event *spec,
			    struct session_opened_msg *m);

/*
 * Likewise all of a group, as one if that can be.  The answer of session_open_group(), but for the
 * message's type.
 */
struct session_opened_msg *event_opener_open_group(struct event_opener *o, const uint32_t *tokens,
					     const struct event *events, size_t count);

/* Where the event is that leads the group of @e, which is one of those that are open; its own. */
size_t event_opener_leader_of(const struct event_opener *o, const struct event_opener_event *e);

/*
 * Opens what is open already once more, there or for these: the event at @leader and its group.
 * Adds a part for each to @m, the leader's first.  -1: they are empty.
 */
int event_opener_open_again(struct event_opener *o, const struct everywhere *everywhere,
			    size_t leader, const struct lane *lanes, size_t lane_count,
			    const struct tasks *only, struct rings_msg *m, struct err *err);

#endif
