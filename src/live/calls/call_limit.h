/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_LIMIT_H
#define PTOP_LIVE_CALLS_CALL_LIMIT_H
/*
 * How much of its time a program may lose to probes: hits times what one costs, as a part of the
 * CPU time of who is probed.  Pure numbers.  One thread.
 */
#include "base/util.h"

enum call_verdict {
	CALL_FITS,
	CALL_ENTRY_ONLY, /* above CALL_TIMED_PERCENT: begins alone are counted, without samples */
	CALL_CLOSE,      /* above CALL_COUNTED_PERCENT: nothing is probed any more */
};

enum {
	CALL_TIMED_PERCENT = 2,
	CALL_COUNTED_PERCENT = 10,
	CALL_TRIAL_MS = 20,    /* of the entry alone, before anything else */
	CALL_BEAT_MS = 20,
	CALL_LOOKS = 64,       /* beats that are looked back upon */
};

/* What was so far. */
struct call_look {
	uint64_t time_ns;
	uint64_t cost_ns; /* taken by probes */
	uint64_t cpu_ns;  /* used by who is probed, probes included */
};

struct call_limit {
	struct call_look looks[CALL_LOOKS];
	unsigned count; /* so far */
	uint64_t over_ns; /* since when it is CALL_CLOSE, at the earliest; 0: it is not */
	uint64_t told_by_ns; /* the length of the last stretch, by which it is; 0: it is not */
};

/* Begins anew: what is probed has changed. */
void call_limit_reset(struct call_limit *l);

/*
 * One more look, and what follows: closed once the program has used CPU time enough to tell it, after
 * 80 ms at least, or 20 if it is plain; begins alone are counted after a second.
 */
enum call_verdict call_limit_look(struct call_limit *l, const struct call_look *look);

/* What one stretch tells. */
enum call_verdict call_limit_judge(uint64_t cost_ns, uint64_t cpu_ns, uint64_t wall_ns);

#endif
