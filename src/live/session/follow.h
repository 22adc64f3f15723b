/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_FOLLOW_H
#define PTOP_LIVE_SESSION_FOLLOW_H
/*
 * Probes for tasks that begin while they are open, since probes cannot be inherited: see
 * open_everywhere_is_followed().  The opener's thread.
 */
#include "live/session/event_opener.h"

/* Whether there is any to be followed. */
bool follow_is_wanted(const struct event_opener *o);

/* @e is open at @fds from here on. */
void follow_learn(const struct event_opener *o, struct opened_event *e,
		  const struct event_fds *fds);

/*
 * Opens them for the targets' tasks that are new, and has them closed for those that ended.  The
 * first time that one comes late is told by SESSION_MSG_JOINED.
 */
void follow_tasks(struct event_opener *o);

#endif
