/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 500 processes a second, each of which works a little, executes this program again, three times,
 * and ends.
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { BETWEEN_NS = 2000000, EXECS = 3, TURNS = 50000 };

void storm_work(void);

KEEP void
storm_work(void)
{
	for (volatile int i = 0; i < TURNS; i++)
		;
}

static void
work_and_execute(char *program, int left)
{
	char digit[] = { (char)('0' + left - 1), '\0' };

	storm_work();
	if (left > 0)
		execv("/proc/self/exe", (char *[]){ program, digit, NULL });
	_exit(0);
}

int
main(int argc, char **argv)
{
	const struct timespec pause = { 0, BETWEEN_NS };

	if (argc > 1)
		work_and_execute(argv[0], atoi(argv[1]));
	signal(SIGCHLD, SIG_IGN); /* nobody waits for them */
	for (;;) {
		if (fork() == 0)
			work_and_execute(argv[0], EXECS);
		nanosleep(&pause, NULL);
	}
}
