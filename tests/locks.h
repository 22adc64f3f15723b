/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_LOCKS_H
#define PTOP_TESTS_LOCKS_H
/* The view locks, by the whole program, beside locks whose owners are known (loads/owners.c). */
#include "tests/run.h"

enum { TRIES = 5, PATIENCE_S = 60, LOOK_S = 2, FEW = 8 };

#define ptop_run(r, ...) \
	run_program(r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "--budget", "off", \
					       "-b", "-n", "1", "-d", "2", "--view", "locks", \
					       __VA_ARGS__, NULL })

/* Waits until the process has so many threads, main included. */
void wait_for_threads(pid_t pid, int threads);

/* The load, once it has so many. */
pid_t load_with(const char *mode, const char *more, int threads);

/* The view's rows of a process, as CSV. */
void look_at_load(struct run_result *r, const char *event, pid_t pid);

/* One lock of the view. */
struct lock {
	char lock[64], owner_comm[32], does[128];
	int owner, waiters, waiting, held;
	double seconds;
};

/* How many; the rest, [other], is none. */
size_t read_locks(const char *text, struct lock *locks, size_t max);

#endif
