/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_CYCLE_H
#define PTOP_LIVE_WAIT_WAIT_CYCLE_H
/* Deadlocks: threads each of which waits for a mutex that the next one holds, and the last the first. */
#include "live/wait/wait_list.h"

enum { WAIT_CYCLE_MAX = 16 }; /* longer ones are not looked for */

/*
 * The tids of one, beginning with the lowest, by what was seen last; none of them has run between
 * its last two looks.  How many, 0: there is none.
 */
size_t wait_cycle_find(const struct wait_list *l, int tids[WAIT_CYCLE_MAX]);

#endif
