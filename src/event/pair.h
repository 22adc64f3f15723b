/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_PAIR_H
#define PTOP_EVENT_PAIR_H
/*
 * Events that are the time from one tracepoint to another: "syscall-time".  Both are opened, as sites
 * of one event, the first with callers and fields; what is counted are the nanoseconds between.
 */
#include "event/event.h"

enum { PAIR_FIELDS = 2 };

/* What the two have in common. */
enum pair_key {
	PAIR_BY_THREAD,
	PAIR_BY_CPU,
	PAIR_BY_FIELDS,
};

struct event_pair {
	const char *name, *help;
	const char *begin, *end; /* tracepoints */
	enum pair_key by;
	const char *fields[PAIR_FIELDS]; /* of PAIR_BY_FIELDS: numbers, in both */
};

const struct event_pair *event_pairs(size_t *count);
const struct event_pair *event_pair_find(const char *name, size_t len); /* NULL: none */

#endif
