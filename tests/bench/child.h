/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_BENCH_CHILD_H
#define PTOP_TESTS_BENCH_CHILD_H
/* What a program costs that runs to its end, its output thrown away.  One thread. */

enum { CHILD_RUNS = 4 };

/* NAN if it did not end with status 0. */
struct child_cost {
	double cpu_ms, peak_mib;
};

struct child_cost child_run(const char *const argv[]);

/* Of CHILD_RUNS runs the least CPU time and the largest peak. */
struct child_cost child_best(const char *const argv[]);

#endif
