/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_BREAKPOINT_H
#define PTOP_LIVE_OPEN_BREAKPOINT_H
#include <stdbool.h>

#include "event/event.h"
#include "live/sys/sys.h"

/* What is to be said, and done, where breakpoints_fire() is false. */
#define BREAKPOINTS_SILENT "the kernel takes breakpoints and never tells that one is hit, not even " \
			   "of a variable that ptop wrote: the host of this virtual machine keeps them"
#define BREAKPOINTS_HINT "watch the functions that write it: uprobe:FUNCTION"

/*
 * Whether a breakpoint counts what it watches.  In some virtual machines it is opened (see
 * perf_event_open(2), PERF_TYPE_BREAKPOINT), and its debug exception never comes: all counts stay 0.
 * Tried with a variable of ptop's own that this thread writes once.  Also true where that one cannot be
 * opened: then the kernel says why of any other.  Any thread.
 */
bool breakpoints_fire(const struct sys *sys);

/* -1: @spec is of a breakpoint that would count nothing, as breakpoints_fire() found out; @err says so. */
int breakpoint_check(const struct sys *sys, const struct event *spec, struct err *err);

/*
 * What a hit takes of the time of who is watched, at least, measured in the same way; a sample of it
 * takes some more.  0: not known.
 */
uint64_t breakpoint_hit_ns(const struct sys *sys);

#endif
