/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_TRACING_DATA_H
#define PTOP_EVENT_TRACING_DATA_H
/*
 * The formats of tracepoints as perf keeps them in a recording (the head of trace.dat, version
 * 0.6): without them it reads no file that has a tracepoint.  May block.
 */
#include "event/event.h"
#include "base/buf.h"

/*
 * Adds those of the tracepoints @names ("sched:sched_switch:u"; others are passed over) to @out.
 * -1: tracefs cannot be read.
 */
int tracing_data_build(const struct event_env *env, char *const *names, size_t count,
		       struct buf *out, struct err *err);

#endif
