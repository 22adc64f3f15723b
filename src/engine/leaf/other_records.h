/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_OTHER_RECORDS_H
#define PTOP_ENGINE_LEAF_OTHER_RECORDS_H
/*
 * Records that change nothing of what is shown: they are counted, so that none goes silently.
 * One thread; zero-initialise to begin.
 */
#include "base/buf.h"

enum { OTHER_RECORD_KINDS = 8 };

struct other_records {
	uint64_t counts[OTHER_RECORD_KINDS];
};

/* Counts a record of the type PERF_RECORD_*, if it is of a kind that is counted here. */
void other_records_add(struct other_records *others, uint32_t type);

/* A line for each kind that came, on what it is and what is made of it. */
void other_records_put(const struct other_records *others, struct buf *b);

/* What a profile lacks without what some of them tell of; NULL: nothing. */
const char *other_records_notice(const struct other_records *others);

#endif
