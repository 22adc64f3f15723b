/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_HISTOGRAM_H
#define PTOP_BASE_HISTOGRAM_H
/*
 * Counts of values in steps that grow with them: a step is at most 1/64 of its values, and below
 * 128 each value has its own.  What is told of it is off by no more than half of that.  Least and
 * greatest are exact.  Zero-initialise to begin.  One thread.
 */
#include "base/util.h"

enum {
	HISTOGRAM_SUB_BITS = 6,
	HISTOGRAM_STEPS = (64 - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS,
};

struct histogram {
	uint64_t count;
	uint64_t min, max;               /* 0 while count is */
	uint32_t steps[HISTOGRAM_STEPS]; /* stay at their highest number */
};

void histogram_add(struct histogram *h, uint64_t value);

/* The value that @part (0 to 1) of all are not above; 0: there are none. */
uint64_t histogram_quantile(const struct histogram *h, double part);

/* How many are from 2^@power on and below twice that; of power 0 with those that are 0. */
uint64_t histogram_octave(const struct histogram *h, unsigned power);

#endif
