/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_COUNTER_ROW_H
#define PTOP_VIEW_COUNTER_ROW_H
/*
 * A row of the view counters: one counter, or a ratio of two.  Immutable, in the snapshot's arena.
 */
#include "base/util.h"

enum counter_unit { COUNTER_COUNTS, COUNTER_NS, COUNTER_RATIO, COUNTER_PERCENT };

struct counter_row {
	const char *name;
	enum counter_unit unit;
	bool is_known;       /* else there is no total: note says why */
	bool is_rate_known;  /* likewise of per_second */
	bool is_first;       /* the first reading: there is no rate yet */
	bool is_scaled;      /* multiplexed: other events had the hardware for a part of the time */
	uint64_t total;      /* since counting began, scaled up; of counts and times */
	double ratio;        /* likewise of ratios and percentages */
	double per_second;   /* since the last reading; of a ratio: the ratio since then */
	double running;      /* 0..1: part of the time that it had the hardware; <0: unknown */
	const char *note;    /* why it is not known, what it leaves out; "" else */
};

extern const char *const counter_unit_names[]; /* "count", "ns", "ratio", "percent" */

static inline bool
counter_is_ratio(const struct counter_row *c)
{
	return c->unit == COUNTER_RATIO || c->unit == COUNTER_PERCENT;
}

#endif
