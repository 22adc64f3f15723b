/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/locks.h"

void
wait_for_threads(pid_t pid, int threads)
{
	for (unsigned tries = 0; run_count_threads(pid) < threads; tries++, usleep(10000))
		assert_that(tries, <, 3000);
	usleep(100000); /* the last of them is on its way to its lock: sooner or later is all the same */
}

pid_t
load_with(const char *mode, const char *more, int threads)
{
	pid_t pid = run_load_with("owners", mode, more);

	wait_for_threads(pid, threads);
	return pid;
}

void
look_at_load(struct run_result *r, const char *event, pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	/* On a machine that does not get to it a report says that it is not whole. */
	for (unsigned tries = 1;; tries++) {
		ptop_run(r, "-e", (char *)(uintptr_t)event, "-p", text, "--format", "csv");
		if (tries == TRIES || run_looks_are_whole(r))
			break;
		run_release(r);
	}
	assert_int_equal(r->status, 0);
}

size_t
read_locks(const char *text, struct lock *locks, size_t max)
{
	struct csv c;
	size_t n = 0;

	csv_init(&c, text);
	while (csv_next(&c)) {
		struct lock *l = &locks[n];

		if (*csv_field(&c, "lock") == '\0')
			continue;
		assert_that(n, <, max);
		n++;
		snprintf(l->lock, sizeof(l->lock), "%s", csv_field(&c, "lock"));
		snprintf(l->owner_comm, sizeof(l->owner_comm), "%s", csv_field(&c, "owner_comm"));
		snprintf(l->does, sizeof(l->does), "%s", csv_field(&c, "does"));
		l->owner = atoi(csv_field(&c, "owner"));
		l->waiters = atoi(csv_field(&c, "waiters"));
		l->waiting = atoi(csv_field(&c, "waiting"));
		l->held = atoi(csv_field(&c, "held"));
		l->seconds = csv_number(&c, "period") / 1e9;
		if (max <= FEW)
			print_message("# %s by %d %s (%d %%), %d waiters, %.3f s: %s\n", l->lock,
				      l->owner, l->owner_comm, l->held, l->waiters, l->seconds,
				      l->does);
	}
	csv_release(&c);
	return n;
}
