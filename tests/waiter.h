/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_WAITER_H
#define PTOP_TESTS_WAITER_H
/*
 * What threads wait for, by the whole program, beside loads/waits.c, whose worker waits for times
 * that are known.  After cmocka.h.
 */
#include <stdint.h>
#include <sys/types.h>

#include "tests/run.h"

enum { PATIENCE_S = 60, LOOK_S = 3, TRIES = 4 };
#define TURN_S 0.1 /* of the load */

/* A report of LOOK_S seconds. */
#define ptop_run(r, ...) \
	run_program(r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "--budget", "off", \
					       "-b", "-n", "1", "-d", "3", __VA_ARGS__, NULL })

#define EXACT "off-cpu/exact/"
#define EXACT_FORCED "off-cpu/exact,force/"

enum { LOCK, NAP, PIPE, WAITS };

/* The load, and what it says itself of the waits of its worker: loads/waits.c. */
struct waiter {
	pid_t pid;
	char tid[16], file[64];
	const volatile uint64_t *waited;
};

/* What its worker waited for between two moments. */
struct waiter_span {
	double s;               /* between them */
	double waited_s[WAITS];
	double waits[WAITS];    /* so many, of a millisecond or more */
};

/* The worker has waited for each of them by then; or the test fails. */
void waiter_start(struct waiter *w);

/*
 * The same on CPU 0, which is never off line.  The idle thread of one that was once (see test_hotplug)
 * may have left it amid a tracepoint: Linux counts this for the thread since 6.11, and no event sees it
 * again.
 */
void waiter_start_on_0(struct waiter *w);

void waiter_end(struct waiter *w);

void waiter_span_begin(struct waiter_span *span, const struct waiter *w);
void waiter_span_end(struct waiter_span *span, const struct waiter *w);

/*
 * A report of LOOK_S seconds in that time has @s of the waits @kind: not more than there were, and
 * no less than are left if all the rest of that time was spent in them.  That holds however busy the
 * machine is.
 */
void assert_waits_of_span(double s, const struct waiter_span *span, size_t kind);

/* Seconds in which @function was in the stack, of a view "callees" as CSV. */
double seconds_in(const char *text, const char *function);

/* Seconds of a @state of the column, as CSV. */
double state_sum(const char *text, const char *state);

#endif
