/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_EVENT_NAME_H
#define PTOP_DATAFILE_EVENT_NAME_H
/* The name that perf makes up for an event that has none of its own. */
#include "record/abi.h"

/* Of a tracepoint, which has a name in the formats of the machine alone. */
extern const char event_name_unknown[];

/* "cycles:u", "LLC-load-misses", "raw 0x1c2".  Free with free(). */
char *event_name_make(const struct event_attr *attr);

#endif
