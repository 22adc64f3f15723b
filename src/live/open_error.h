/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_ERROR_H
#define PTOP_LIVE_OPEN_ERROR_H
/* Why perf_event_open(2) failed, in words: event, place, the error's name, why, what helps. */
#include "live/open.h"

/* Always -1. */
int open_error_set(struct err *err, const struct open_plan *p, int pid, int cpu, int sys);

#endif
