/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_FEED_HOSTFEED_TOLD_H
#define PTOP_FEED_HOSTFEED_TOLD_H
/*
 * What a feed tells once and calls by number from then on.  What is told in a second that does not fit
 * is taken back.  Zero-initialise to begin.  One thread.
 */
#include "base/buf.h"
#include "base/index.h"

enum { WORDS_MAX = 6 };

struct told {
	uint32_t *numbers; /* by what it is here, from 1 on; 0: not told */
	size_t cap;
	uint32_t count;
	uint32_t *fresh;   /* what is told in this second, */
	size_t fresh_len, fresh_cap;
	struct buf raw;    /* and how */
};

/* Tuples of numbers: how many words they have is the table's. */
struct defs {
	uint32_t (*items)[WORDS_MAX];
	size_t len, cap;
	struct index index;
	size_t words;
	unsigned names; /* bits of words that are names */
	struct told told;
};

void told_release(struct told *t);

/* The number of what is @id here, from 1 on; @is_new: it is to be told in told.raw. */
uint32_t told_number(struct told *t, uint32_t id, bool *is_new);
uint32_t told_find(const struct told *t, uint32_t id); /* 0: it is not told yet */
void told_undo(struct told *t); /* of the second that is being made */
void told_keep(struct told *t); /* the second is made */
void told_put(struct buf *b, const struct told *t); /* how many are new, and what they are */

/* The tuple's id, from 0 on, made if it is new.  Words that the table has not are 0. */
uint32_t defs_find(struct defs *d, const uint32_t words[WORDS_MAX]);
void defs_release(struct defs *d);

void put_number(struct buf *b, uint64_t n); /* of as many bytes as it needs */

#endif
