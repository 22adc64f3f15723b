/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_CLOSER_H
#define PTOP_LIVE_SESSION_CLOSER_H
/*
 * A thread that closes descriptors: the last close of a tracepoint takes 36 ms, and nobody should
 * wait for that, the opener of the next event least of all.
 */
#include "base/queue.h"
#include "live/sys/events.h"

struct closer;

struct closer *closer_new(struct queue *answers);
void closer_free(struct closer *c); /* NULL is allowed; closes what is left first */

/* Takes over the descriptors of @fds and empties it.  Any thread, never blocks. */
void closer_take(struct closer *c, struct event_fds *fds);

/*
 * The same for probes, all together: see close_together.h.  SESSION_MSG_CLOSED, with @token, tells
 * when that is done.
 */
void closer_take_probes(struct closer *c, struct event_fds *fds, uint32_t token);

#endif
