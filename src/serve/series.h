/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SERVE_SERIES_H
#define PTOP_SERVE_SERIES_H
/*
 * Counters by name, a bounded number of them, of sums that do not only rise: tables merge tasks that
 * ended, and names come late.  None of these counters ever falls, nor does the rest, which is what is
 * left of the gains of all.  One thread.
 */
#include "base/util.h"

enum { SERIES_LABELS = 2 };

struct series {
	struct series_item {
		char *labels[SERIES_LABELS];
		uint64_t hash;
		uint64_t seen; /* the sum, as it was last */
		uint64_t now;  /* that of this time, as far as it is known */
		uint64_t told; /* what it has gained since it is here */
		bool is_seen;  /* this time */
		bool is_new;
	} *items;
	size_t len, cap, max;
	uint64_t all;  /* as it was last */
	uint64_t left; /* of the gain of all, given to none yet */
	uint64_t rest; /* the counter of those that are not here */
};

void series_init(struct series *s, size_t max);
void series_release(struct series *s);

/*
 * All that there is by now.  Then series_gain() of each row, then series_join() of each, the
 * largest first, then series_end().  Rows of one name are added up.
 */
void series_begin(struct series *s, uint64_t all);

/* If it is here. */
void series_gain(struct series *s, const char *const labels[SERIES_LABELS], uint64_t sum);

/* If it is not here, and there is room, or one that has less than half of it gives way. */
void series_join(struct series *s, const char *const labels[SERIES_LABELS], uint64_t sum);
void series_end(struct series *s);

#endif
