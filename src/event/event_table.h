/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_EVENT_TABLE_H
#define PTOP_EVENT_EVENT_TABLE_H
/* The events that every kernel knows by name: software, hardware and cache.  Constant. */
#include "event/event.h"

struct event_row {
	const char *name, *alias; /* alias: NULL if there is none */
	const char *help;         /* one line: what it counts */
	uint32_t type;            /* PERF_TYPE_* */
	uint64_t config;
	enum event_unit unit;
	enum event_looks looks;
	bool is_in_kernel;        /* as event.is_in_kernel */
};

/* All rows, by type. */
const struct event_row *event_table(size_t *count);

/*
 * The row of @name (not terminated, @len bytes): name, alias, or a cache event put together from
 * perf's words for cache, operation and result ("l1d-read-miss").  NULL: none.
 */
const struct event_row *event_table_find(const char *name, size_t len);

#endif
