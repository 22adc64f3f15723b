/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_ORDER_H
#define PTOP_DATAFILE_ORDER_H
/*
 * Puts records in the order of their times.  Perf empties one ring buffer after the other, so a
 * file is a sequence of ascending runs: a k-way merge with a loser tree, no sorting.  Records of
 * the same time keep the order of the file.  Zero-initialise to begin.  One thread.
 *
 * Who only adds samples up sets is_loose: the runs are handed out one after the other, unmerged.
 * Records that change what samples mean (maps, names, forks) are pushed as strict: all that is
 * older comes before them, all that is newer behind them.
 */
#include "datafile/chunk.h"

struct order_entry {
	uint64_t time_ns;
	struct record_pos place;
};

/* Entries from first up to end; those before ready are what the flush hands out. */
struct order_run {
	uint32_t first, ready, end; /* end is not set while the run is open */
};

enum { ORDER_NEXT_MAX = 256 };

/* What is left to hand out of a run. */
struct order_slice {
	const struct order_entry *at, *end;
};

/* A slice in the loser tree, by the time of its first entry. */
struct order_contender {
	uint64_t time_ns; /* UINT64_MAX: nothing is left */
	uint64_t slice;   /* index of slices */
};

struct order {
	struct order_entry *entries;
	size_t len, cap;
	size_t gone;          /* entries that were handed out and still take room */
	struct order_run *runs;
	size_t run_len, run_cap;
	struct order_slice *slices; /* in the order of their runs */
	size_t slice_len, slice_cap; /* 0: nothing is ready */
	size_t slice_at;            /* by run: the one whose turn it is */
	uint64_t *barriers;        /* rising times: at each, the first run goes on */
	size_t barrier_len, barrier_cap, barrier_at;
	uint64_t *next_ns;         /* by slice, with barriers: the time of its next entry */
	size_t next_cap;
	struct order_contender winner, *losers; /* see replay() */
	size_t loser_cap;
	uint64_t last_ns;     /* of the last entry; UINT64_MAX: no run is open */
	uint64_t time_max;    /* of all entries so far, the open run left out */
	uint64_t round_limit; /* what time_max was at the last round */
	uint64_t *strict;     /* times of strict records that wait */
	size_t strict_len, strict_cap;
	bool is_loose;        /* set by the owner, at any time */
	bool is_by_run;       /* what is ready is handed out unmerged */
	struct order_entry merged[ORDER_NEXT_MAX];
};

/* For order_push(): begins a run, or makes room. */
void order_push_slow(struct order *o, uint64_t time_ns, struct record_pos place);

/* Not while order_next() has more to give. */
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

/* The same of a record that must be in order even if is_loose is set. */
void order_push_strict(struct order *o, uint64_t time_ns, struct record_pos place);

/* Makes all up to @limit ready for order_next(). */
void order_flush(struct order *o, uint64_t limit);

/* The end of a round (FINISHED_ROUND): makes ready what no later record can be older than. */
void order_round(struct order *o);

/* Makes the older half ready, at least one entry if there are any. */
void order_flush_half(struct order *o);

/*
 * The next ones that are ready, @max and ORDER_NEXT_MAX at the most: how many; 0: none.  *@out is
 * valid until the next call of any of these.
 */
size_t order_next(struct order *o, const struct order_entry **out, size_t max);

static inline bool
order_is_ready(const struct order *o)
{
	return o->slice_len > 0;
}

/* Whether most neighbours in what order_next() gives are of different runs. */
static inline bool
order_is_mixed(const struct order *o)
{
	return !o->is_by_run || o->barrier_len > 0;
}

void order_release(struct order *o);

#endif
