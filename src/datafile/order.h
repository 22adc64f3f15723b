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

/* The rest of a run that is being merged: two words, for they are moved about a great deal. */
struct order_cursor {
	uint64_t time_ns; /* of the first entry */
	uint64_t rest;    /* that entry's index above, the index behind the last below */
};

struct order {
	struct order_entry *entries;
	size_t len, cap;
	struct order_run *runs;
	size_t run_len, run_cap;
	struct order_cursor *heap;
	size_t heap_len, heap_cap;
	uint64_t time_max;    /* of all that ever came */
	uint64_t round_limit; /* what time_max was at the last round */
};

/* For order_push(): begins a run, or makes room. */
void order_push_slow(struct order *o, uint64_t time_ns, struct place place);

/* Not while order_pop() has more to give. */
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

/* Makes all up to @limit ready for order_pop(). */
void order_flush(struct order *o, uint64_t limit);

/* The end of a round: all that no later record can precede is made ready. */
void order_round(struct order *o);

/* Makes the older half ready, one entry at the least if there are any. */
void order_flush_half(struct order *o);

/* The next that is ready; false: none. */
bool order_pop(struct order *o, struct order_entry *out);
void order_release(struct order *o);

#endif
