/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_LOG_H
#define PTOP_PROFILE_COUNT_LOG_H
/*
 * The log of intervals: what changed in the tables, one event, one stretch of time each, packed to
 * some five bytes an entry.  Windows, trends and comparisons come from it.  The newest intervals are
 * as they were counted; older ones can be merged (see past.h).  Engine thread only.
 */
#include "profile/count/log_ids.h"
#include "profile/count/tables.h"

/* What one entry gained in an interval. */
struct delta {
	uint32_t table, id;
	uint32_t samples;
	uint64_t period;
	uint8_t spread;  /* of merged intervals: how its share wanders, for log_moments() */
	int8_t together; /* and how a second is like the next */
	bool goes_on;    /* see lasts.h; not of merged intervals */
	uint32_t turn;   /* until it is written: see profile_ids */
};

struct interval {
	uint32_t event;
	uint32_t seconds;          /* 0: it is as it was counted; else it was merged from so many */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t latest_ns;        /* of its tier, up to it, the latest end: what is searched by */
	uint64_t samples, period;  /* sums of its hot deltas */
	uint8_t *bytes;
	size_t len;
	size_t lasts_at, lasts_end; /* of those bytes: deltas that go on */
	uint64_t usual_period;     /* of most deltas, per sample: not written again each time */
	bool in_window;            /* of merged ones: see window.c */
};

/* The older the coarser. */
enum log_tier { LOG_NEWEST, LOG_TENS, LOG_MINUTES, LOG_TIERS };

/* How long what is merged into one is, 0: nothing is merged. */
extern const uint64_t log_slot_ns[LOG_TIERS];

/* Oldest first; serial numbers rise by one. */
struct interval_list {
	struct interval *items; /* from @gone on: what is before was forgotten */
	size_t len, cap, gone;
	uint64_t first;
	size_t bytes; /* all packed bytes and interval structs */
};

struct interval_log {
	struct interval_list tiers[LOG_TIERS];
	struct log_ids ids[TABLE_COUNT];
};

/* Serial numbers of the newest tier: of the oldest in it, and of the one to come. */
static inline uint64_t
log_first(const struct interval_log *log)
{
	return log->tiers[LOG_NEWEST].first;
}

static inline uint64_t
log_end(const struct interval_log *log)
{
	return log->tiers[LOG_NEWEST].first + log->tiers[LOG_NEWEST].len;
}

/* The interval with that serial number, NULL if it is gone or not there yet. */
const struct interval *log_at(const struct interval_log *log, uint64_t serial);

/* The @n-th of a tier, oldest first. */
static inline struct interval *
log_tier_at(const struct interval_log *log, enum log_tier tier, size_t n)
{
	return &log->tiers[tier].items[log->tiers[tier].gone + n];
}

/* The oldest that there is, NULL: none; and of which tier. */
const struct interval *log_oldest(const struct interval_log *log, enum log_tier *tier);

struct log_second {
	uint64_t samples, period, ns; /* ns: that they took; 0: there was none */
};

/* What an event had in the last second; nothing if others have gone on since. */
struct log_second log_last_second(const struct interval_log *log, uint32_t event);

/* Appends an interval with these deltas, the last @lasts go on; log_place() follows. */
struct interval *log_append(struct interval_log *log, uint32_t event, const struct delta *deltas,
			    size_t count, size_t lasts);

/* The same of one that was merged from @seconds; each entry has one of @deltas, which are taken. */
struct interval *log_append_merged(struct interval_log *log, enum log_tier tier, uint32_t event,
				   uint32_t seconds, struct delta *deltas, size_t count);

/* Sets the place in time of what was appended to the tier last. */
void log_place(struct interval_log *log, enum log_tier tier, uint64_t start_ns, uint64_t end_ns);

/* Forgets the oldest of a tier. */
void log_drop_first(struct interval_log *log, enum log_tier tier);

/* Walks over an interval's deltas: zero @pos to begin; false at the end.  An entry may come twice. */
struct log_pos {
	size_t at;
	uint32_t table, number;
};

bool log_next(const struct interval_log *log, const struct interval *iv, struct log_pos *pos,
	      struct delta *out);

/* The same, over those of functions alone: they stand first. */
static inline bool
log_next_hot(const struct interval_log *log, const struct interval *iv, struct log_pos *pos,
	     struct delta *out)
{
	return log_next(log, iv, pos, out) && out->table == TABLE_HOT;
}

/*
 * In each second of a merged interval an entry has some more or less than its part of what all have
 * together.  The sum of the squares of that, and of the products of each and the next.  Kept to some
 * 4 %.
 */
void log_moments(const struct interval *iv, const struct delta *d, double *squares, double *lagged);

/* Puts them into a delta that has its samples and its period. */
void log_set_moments(struct delta *d, double usual_period, double squares, double lagged);

/* The first so many of a tier have all of @event's intervals in it that begin before @ns. */
size_t log_count_before(const struct interval_log *log, enum log_tier tier, uint32_t event,
			uint64_t ns);

/*
 * Walks over the intervals of @event that have a part in @from_ns to @to_ns, oldest first, of whatever
 * tier they are; NULL at the end.
 */
struct log_walk {
	const struct interval_log *log;
	uint64_t from_ns, to_ns;
	uint32_t event;
	int tier;
	size_t next;
};

void log_walk_begin(struct log_walk *w, const struct interval_log *log, uint32_t event,
		    uint64_t from_ns, uint64_t to_ns);
const struct interval *log_walk_next(struct log_walk *w);

/* Sets @marks[id] of each entry of @table that the log has a delta of; the others stay. */
void log_mark(const struct interval_log *log, enum table_id table, uint8_t *marks);

/* Each entry x of @table is @map[x] now.  Entries that became one keep a delta each: they add up. */
void log_renumber(struct interval_log *log, enum table_id table, const uint32_t *map);

/* The entries that are kept for merged intervals: keys, counts, and of functions a part of the place. */
size_t log_kept_bytes(const struct interval_log *log);

/* Those, intervals and numbers. */
size_t log_bytes(const struct interval_log *log);

void log_release(struct interval_log *log);

#endif
