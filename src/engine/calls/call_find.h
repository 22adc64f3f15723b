/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_CALLS_CALL_FIND_H
#define PTOP_ENGINE_CALLS_CALL_FIND_H
/* Where a function is that is to be counted, and where it ends.  Blocks: for the counter's thread. */
#include "live/calls/call_counter.h"

/* As call_finder.find(), of nobody. */
int call_find(void *self, struct call_order *order, struct call_found *found, struct err *err);

#endif
