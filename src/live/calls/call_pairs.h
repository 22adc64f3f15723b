/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_PAIRS_H
#define PTOP_LIVE_CALLS_CALL_PAIRS_H
/*
 * From the hits of a function's probes to its calls.  A call is known by its thread and its stack
 * pointer, which is the same at its begin and at its end, and lower in what it calls.  So recursion
 * is told apart, a tail call ends where it jumps, and what an exception or longjmp has left is known
 * at the next hit above it.  Pure arithmetic.  One thread.
 */
#include "base/histogram.h"
#include "base/index.h"

/* What the probes themselves take, in nanoseconds. */
struct call_costs {
	uint64_t gap_ns; /* between the times of begin and end of a call that does nothing */
	uint64_t begin_ns, end_ns; /* of a hit, as its caller sees it */
};

struct call_pairs {
	struct histogram times; /* of calls whose begin and end were seen, without the probes */
	uint64_t begins;
	uint64_t unreturned;    /* left without an end that was seen */
	uint64_t endless;       /* ends of calls that began before the probes */
	uint64_t recursive;     /* begins while another call of the thread was open */
	struct call_costs costs;
	struct call_thread *threads;
	size_t thread_count, thread_cap;
	struct index by_tid;
};

void call_pairs_init(struct call_pairs *p, const struct call_costs *costs);
void call_pairs_release(struct call_pairs *p);

/* Hits come in the order of their times, at least of each thread. */
void call_pairs_begin(struct call_pairs *p, uint32_t tid, uint64_t sp, uint64_t time_ns);
void call_pairs_end(struct call_pairs *p, uint32_t tid, uint64_t sp, uint64_t time_ns);

/* Hits were lost: no call that is open now can be timed. */
void call_pairs_forget(struct call_pairs *p);

/* Ends are not looked at any more: calls that are open now are neither timed nor lost. */
void call_pairs_leave(struct call_pairs *p);

/* Calls that are open now. */
uint64_t call_pairs_open(const struct call_pairs *p);

#endif
