/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_ATTACH_H
#define PTOP_LIVE_SESSION_ATTACH_H
/* Processes that come to and go from the targets of a running session.  The opener's thread. */
#include "live/session/event_opener.h"

/* Opens all that is open for the process as well; answers with SESSION_MSG_ATTACHED. */
void attach_process(struct event_opener *o, int pid, bool descendants);

/*
 * Opens @e at the places that @found has and @e has not: what was attached as @target has them.
 * Answers with SESSION_MSG_JOINED.
 */
void attach_sites(struct event_opener *o, struct opened_event *e, const struct event *found,
		  uint32_t target);

/* Closes what was opened for the target; answers with SESSION_MSG_DETACHED. */
void attach_end(struct event_opener *o, uint32_t target);

#endif
