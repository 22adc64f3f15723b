/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_ORDER_H
#define PTOP_DATAFILE_ORDER_H
/*
 * Puts records in the order of their time.  What comes is a row of ascending runs, one for each
 * ring buffer that was emptied: they are merged, never sorted.  Records of one time keep the order
 * they came in.  Zero-initialise to begin.  One thread.
 */
#include "datafile/chunk.h"

struct order_entry {
	uint64_t time_ns;
	struct place place;
};

/* Entries from first up to the next run's; those before ready are handed out by the flush. */
struct order_run {
	uint32_t first, ready;
};

/* What is left of a run that is being merged. */
struct order_rest {
	const struct order_entry *at, *end;
};

/* The run whose first entry is the earliest of those below. */
struct order_node {
	uint64_t time_ns; /* of that entry; UINT64_MAX: none is left */
	uint64_t rest;    /* place in rests */
};

struct order {
	struct order_entry *entries;
	size_t len, cap;
	struct order_run *runs;
	size_t run_len, run_cap;
	struct order_rest *rests; /* in the order of the runs; those that are ready */
	size_t rest_len, rest_cap; /* 0: nothing is ready */
	struct order_node *tree;  /* a knock-out: the first is at 1, below n are 2n and 2n + 1, rests last */
	size_t tree_cap;
	uint64_t time_max;    /* of all that ever came */
	uint64_t round_limit; /* what time_max was at the last round */
};

/* For order_push(): begins a run, or makes room. */
void order_push_slow(struct order *o, uint64_t time_ns, struct place place);

/* Not while order_take() has more to give. */
static inline void
order_push(struct order *o, uint64_t time_ns, struct place place)
{
	if (o->len > 0 && o->len < o->cap && time_ns >= o->entries[o->len - 1].time_ns) {
		o->entries[o->len++] = (struct order_entry){ time_ns, place };
		o->time_max = MAX(o->time_max, time_ns);
	} else {
		order_push_slow(o, time_ns, place);
	}
}

/* Makes all up to @limit ready for order_take(). */
void order_flush(struct order *o, uint64_t limit);

/* The end of a round: all that no later record can precede is made ready. */
void order_round(struct order *o);

/* Makes the older half ready, one entry at the least if there are any. */
void order_flush_half(struct order *o);

/* The next ones that are ready, @max at the most: how many; 0: none. */
size_t order_take(struct order *o, struct order_entry *out, size_t max);

static inline bool
order_is_ready(const struct order *o)
{
	return o->rest_len > 0;
}

void order_release(struct order *o);

#endif
