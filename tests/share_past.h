/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SHARE_PAST_H
#define PTOP_TESTS_SHARE_PAST_H
/*
 * Hours of a machine that is made up (share_world.h) in a log of intervals: what reports of its merged
 * past say of shares and differences is held against the truth.
 */
#include "tests/profile_fixture.h"
#include "tests/share_world.h"
#include "view/snapshot.h"

/* Each process has the same number of the functions. */
struct share_past {
	struct fixture b;
	struct world world;
	size_t processes;
};

void share_past_open(struct share_past *p, size_t functions, size_t processes, double correlation,
		     double deviation);
void share_past_run(struct share_past *p, unsigned seconds);
void share_past_close(struct share_past *p);

struct share_past_tally {
	unsigned tries, known; /* how many could be told at all */
	unsigned right;        /* intervals that hold the truth; differences that are called significant */
};

/*
 * All windows of @window_s that are so old, one behind another.  Intervals: of the first function's
 * share.  Differences: of two windows that follow each other; any row counts, or the first alone.
 */
struct share_past_tally share_past_covered(struct share_past *p, unsigned from_ago_s,
					   unsigned to_ago_s, unsigned window_s);
struct share_past_tally share_past_alarms(struct share_past *p, enum view_id view,
					  unsigned from_ago_s, unsigned to_ago_s, unsigned window_s);

/* The window so long ago beside another one; the row of the first function. */
struct difference share_past_difference(struct share_past *p, unsigned now_ago_s, unsigned now_s,
					unsigned then_ago_s, unsigned then_s, bool *any);

#endif
