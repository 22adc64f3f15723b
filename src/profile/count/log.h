/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_LOG_H
#define PTOP_PROFILE_COUNT_LOG_H
/*
 * The log of intervals: what changed in the tables, one event, one stretch of time each, packed to
 * some five bytes an entry.  Windows, trends and comparisons come from it.  Engine thread only.
 */
#include "profile/count/tables.h"

/* What one entry gained in an interval. */
struct delta {
	uint32_t table, id;
	uint32_t samples;
	uint64_t period;
};

struct interval {
	uint32_t event;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t samples, period;  /* sums of its hot deltas */
	uint8_t *bytes;
	size_t len;
	uint64_t usual_period;     /* of most deltas, per sample: not written again each time */
};

/* Oldest first; serial numbers rise by one: log_at() knows where each is. */
struct interval_log {
	struct interval *items; /* from @gone on: what is before was forgotten */
	size_t len, cap, gone;
	uint64_t first;
	size_t bytes; /* all packed bytes and interval structs */
};

/* Appends an interval with these deltas; its place in time is the caller's to set. */
struct interval *log_append(struct interval_log *log, uint32_t event, const struct delta *deltas,
			    size_t count);

/* Forgets the oldest. */
void log_drop_first(struct interval_log *log);

/* The interval with that serial number, NULL if it is gone or not there yet. */
const struct interval *log_at(const struct interval_log *log, uint64_t serial);

/* Walks over an interval's deltas: zero @pos to begin; false at the end. */
bool log_next(const struct interval *iv, size_t *pos, struct delta *out);

/* Sets @marks[id] of each entry of @table that the log has a delta of; the others stay. */
void log_mark(const struct interval_log *log, uint32_t table, uint8_t *marks);

/*
 * Rewrites each id of @table as @map[id] (0: the entry is gone, its delta too).  Entries that
 * became one keep a delta each: they add up.
 */
void log_renumber(struct interval_log *log, uint32_t table, const uint32_t *map);

void log_release(struct interval_log *log);

#endif
