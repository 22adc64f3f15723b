/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_ATTACH_H
#define PTOP_LIVE_ATTACH_H
/* Processes that come to and go from the targets of a running session.  The opener's thread. */
#include "live/opener.h"

/* Opens all that is open for the process as well; answers with SESSION_MSG_ATTACHED. */
void attach_process(struct opener *o, int pid, bool descendants);

/* Closes what was opened for the target; answers with SESSION_MSG_DETACHED. */
void attach_end(struct opener *o, uint32_t target);

#endif
