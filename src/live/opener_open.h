/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPENER_OPEN_H
#define PTOP_LIVE_OPENER_OPEN_H
/* What the opener's thread opens: events, and groups of them. */
#include "live/opener.h"

/* Opens and enables @spec everywhere and keeps it.  What came of it is in @m; -1: its err alone. */
int opener_open_event(struct opener *o, const struct event *spec, struct session_opened_msg *m);

/*
 * Likewise all of a group, as one if that can be.  The answer of session_open_group(), but for the
 * message's type.
 */
struct session_opened_msg *opener_open_group(struct opener *o, const uint32_t *tokens,
					     const struct event *events, size_t count);

/* Where the event is that leads the group of @e, which is one of those that are open; its own. */
size_t opener_leader_of(const struct opener *o, const struct opener_event *e);

/*
 * Opens what is open already once more, there or for these: the event at @leader and its group.
 * Adds a part for each to @m, the leader's first.  -1: they are empty.
 */
int opener_open_again(struct opener *o, const struct spread *spread, size_t leader,
		      const struct lane *lanes, size_t lane_count, const struct tasks *only,
		      struct rings_msg *m, struct err *err);

#endif
