/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short lives: so many children a second, each of which works for a moment and ends.
 *
 * usage: storm forks|execs|names PER_SECOND
 *
 * With "execs" each executes this program anew, with "names" each takes a name of its own.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { WORK = 50000, NS_PER_S = 1000000000 };

static volatile unsigned sink;

void work_a_moment(void);

KEEP void
work_a_moment(void)
{
	for (unsigned i = 0; i < WORK; i++)
		sink += i;
}

static void
live(const char *how, unsigned n)
{
	char name[16];

	if (strcmp(how, "execs") == 0)
		execl("/proc/self/exe", "storm", "child", "0", NULL);
	snprintf(name, sizeof(name), "storm-%u", n);
	if (strcmp(how, "names") == 0)
		prctl(PR_SET_NAME, name);
	work_a_moment();
	_exit(0);
}

/* Waits until the @n-th is due: what came late is made up for. */
static void
wait_for(const struct timespec *start, unsigned n, long per_second)
{
	struct timespec due = *start;

	due.tv_sec += n / per_second;
	due.tv_nsec += n % per_second * (NS_PER_S / per_second);
	if (due.tv_nsec >= NS_PER_S) {
		due.tv_nsec -= NS_PER_S;
		due.tv_sec++;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
		;
}

int
main(int argc, char **argv)
{
	long per_second = argc > 2 ? atol(argv[2]) : 0;
	struct timespec start;

	if (argc > 1 && strcmp(argv[1], "child") == 0) {
		work_a_moment();
		return 0;
	}
	if (per_second <= 0)
		return 2;
	/* They are reaped by nobody, and are gone at once. */
	signal(SIGCHLD, SIG_IGN);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (unsigned n = 0;; n++) {
		wait_for(&start, n, per_second);
		if (fork() == 0)
			live(argv[1], n);
	}
}
