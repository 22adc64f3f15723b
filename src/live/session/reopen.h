/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_REOPEN_H
#define PTOP_LIVE_SESSION_REOPEN_H
/*
 * Changes of open events that need new descriptors: these are opened, and a SESSION_MSG_RINGS has
 * the engine put them in the place of the old ones.  For the opener's thread.
 */
#include "live/session/event_opener.h"

/* Has what is opened later of @e that rate, and what is open too if @reopen. */
void reopen_with_rate(struct event_opener *o, struct opened_event *e, uint64_t rate,
		      bool reopen);

/* Answered by SESSION_MSG_FILTERED.  @filter NULL: none. */
void reopen_with_filter(struct event_opener *o, struct opened_event *e, const char *filter);

#endif
