/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_COST_H
#define PTOP_LIVE_CALLS_CALL_COST_H
/*
 * What a hit of a probe costs on this machine, measured on functions of ptop's own that do nothing.
 * An instruction that the kernel emulates costs one trap, one that it single-steps two.
 */
#include "base/err.h"
#include "live/calls/call_pairs.h"
#include "live/calls/call_point.h"
#include "live/sys/sys.h"

struct event_env;

/* Of a hit, in nanoseconds: of an emulated instruction [false], of a stepped one [true]. */
struct call_cost {
	uint64_t counted_ns[2]; /* without a sample */
	uint64_t sampled_ns[2];
	uint64_t gap_ns[2];     /* see call_costs.gap_ns, by the instruction it begins with */
	bool is_measured;       /* else these are assumed */
};

/* Blocks for half a second.  What cannot be measured is assumed. */
void call_cost_measure(struct call_cost *c, const struct sys *sys, const struct event_env *env);

#endif
