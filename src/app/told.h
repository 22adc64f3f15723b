/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_TOLD_H
#define PTOP_APP_TOLD_H
/*
 * Records that change nothing of what is shown: they are counted, so that none goes silently.
 * One thread; zero-initialise to begin.
 */
#include "base/buf.h"

enum { TOLD_KINDS = 8 };

struct told {
	uint64_t counts[TOLD_KINDS];
};

/* Counts a record of the type PERF_RECORD_*, if it is of a kind that is counted here. */
void told_add(struct told *told, uint32_t type);

/* A line for each kind that came, on what it is and what is made of it. */
void told_put(const struct told *told, struct buf *b);

/* What a profile lacks without what some of them tell of; NULL: nothing. */
const char *told_notice(const struct told *told);

#endif
