/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_COUNTER_ROW_H
#define PTOP_VIEW_COUNTER_ROW_H
/*
 * What the view counters has beside the members of a row: one counter, or what follows from two.
 * Immutable, in the snapshot's arena.
 */
#include "base/util.h"

enum counter_unit { COUNTER_COUNTS, COUNTER_NS, COUNTER_RATIO, COUNTER_PERCENT };

struct counter_row {
	const char *name;
	enum counter_unit unit;
	bool is_known;       /* else the total is not to be had: note says why */
	bool is_rate_known;  /* the same of per_second */
	bool is_first;       /* there was no reading before this one: there is no rate yet */
	bool is_scaled;      /* other events had the hardware for a part of the time */
	uint64_t total;      /* since counting began, scaled up; of counts and times */
	double ratio;        /* the same of ratios and percent */
	double per_second;   /* since the last reading; of ratios: the ratio since then */
	double running;      /* 0..1 of the time that it should have counted; <0: unknown */
	const char *note;    /* why it is not known, what was left out; "" else */
};

extern const char *const counter_unit_names[]; /* "count", "ns", "ratio", "percent" */

static inline bool
counter_is_ratio(const struct counter_row *c)
{
	return c->unit == COUNTER_RATIO || c->unit == COUNTER_PERCENT;
}

#endif
