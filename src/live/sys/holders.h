/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_HOLDERS_H
#define PTOP_LIVE_SYS_HOLDERS_H
/* Which processes hold perf events, as far as /proc shows it to this user.  May block. */
#include "base/buf.h"
#include "event/event.h"

/*
 * Adds "perf (pid 12), ptop (pid 40) and 2 more": nothing if none is seen.  The search is bounded:
 * it looks at the first few thousand processes and descriptors.
 */
void holders_put(const struct event_env *env, struct buf *b);

#endif
