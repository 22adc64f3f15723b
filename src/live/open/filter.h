/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_FILTER_H
#define PTOP_LIVE_OPEN_FILTER_H
/* Filters of tracepoints, kept by the kernel with each descriptor. */
#include "live/open/open.h"

/* Gives @fd the filter of the plan's event, if it has one.  -1: the kernel does not take it. */
int filter_set(const struct sys *sys, int fd, const struct open_plan *p, struct err *err);

#endif
