/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_ORDER_H
#define PTOP_DATAFILE_ORDER_H
/*
 * Puts records in the order of their time.  What comes is a row of ascending runs, one for each
 * ring buffer that was emptied: they are merged, never sorted.  Records of one time keep the order
 * they came in.  Zero-initialise to begin.  One thread.
 *
 * Where only some records have to be in order with the others (those that change what the others
 * mean, not samples that are summed), is_loose saves the merging: the runs come one after the
 * other, up to each such record.
 */
#include "datafile/chunk.h"

struct order_entry {
	uint64_t time_ns;
	struct record_pos place;
};

/* Entries from first up to end; those before ready are handed out by the flush. */
struct order_run {
	uint32_t first, ready, end; /* end: not yet of the one that is open */
};

enum { ORDER_TAKE_MAX = 256 };

/* What is left of a run that is being merged. */
struct order_rest {
	const struct order_entry *at, *end;
};

/* A run among the others. */
struct order_player {
	uint64_t time_ns; /* of its first entry; UINT64_MAX: none is left */
	uint64_t rest;    /* place in rests */
};

struct order {
	struct order_entry *entries;
	size_t len, cap;
	size_t gone;          /* of these were handed out, but still take their room */
	struct order_run *runs;
	size_t run_len, run_cap;
	struct order_rest *rests; /* in the order of the runs; those that are ready */
	size_t rest_len, rest_cap; /* 0: nothing is ready */
	size_t rest_at;            /* of a row of runs */
	uint64_t *bounds;          /* rising: a row ends at each, and goes on with the first run */
	size_t bound_len, bound_cap, bound_at;
	uint64_t *nexts;           /* by rest, of rows with bounds: the time of its first */
	size_t next_cap;
	struct order_player first, *losers; /* a knock-out: see order.c */
	size_t loser_cap;
	uint64_t last_ns;     /* of the last entry; UINT64_MAX: its run is not open */
	uint64_t time_max;    /* of all that ever came, but in the open run */
	uint64_t round_limit; /* what time_max was at the last round */
	uint64_t *fixed;      /* times of records that must be in order, waiting */
	size_t fixed_len, fixed_cap;
	bool is_loose;        /* set by the owner, at any time */
	bool is_row;          /* what is ready comes run by run */
	struct order_entry merged[ORDER_TAKE_MAX];
};

/* For order_push(): begins a run, or makes room. */
void order_push_slow(struct order *o, uint64_t time_ns, struct record_pos place);

/* Not while order_take() has more to give. */
static inline void
order_push(struct order *o, uint64_t time_ns, struct record_pos place)
{
	if (time_ns >= o->last_ns && o->len < o->cap) {
		o->entries[o->len++] = (struct order_entry){ time_ns, place };
		o->last_ns = time_ns;
	} else {
		order_push_slow(o, time_ns, place);
	}
}

/* Of a record that has to be in order, however loose the order is. */
void order_push_fixed(struct order *o, uint64_t time_ns, struct record_pos place);

/* Makes all up to @limit ready for order_take(). */
void order_flush(struct order *o, uint64_t limit);

/* The end of a round: all that no later record can precede is made ready. */
void order_round(struct order *o);

/* Makes the older half ready, one entry at the least if there are any. */
void order_flush_half(struct order *o);

/*
 * The next ones that are ready, @max and ORDER_TAKE_MAX at the most: how many; 0: none.  *@out is
 * valid until the next call of any of these.
 */
size_t order_take(struct order *o, const struct order_entry **out, size_t max);

static inline bool
order_is_ready(const struct order *o)
{
	return o->rest_len > 0;
}

/* Whether neighbours of what order_take() gives mostly are of different runs. */
static inline bool
order_is_mixed(const struct order *o)
{
	return !o->is_row || o->bound_len > 0;
}

void order_release(struct order *o);

#endif
