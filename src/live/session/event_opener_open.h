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

#endif
