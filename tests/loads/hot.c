/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Burns CPU in two functions, three parts of its time in one and one part in the other: by the clock,
 * since where a compiler puts a loop can make it half as fast again, and never in step with the clock
 * that samples it.  With an argument it sleeps at times, and uses as many percent of a CPU.
 *
 * usage: hot [PERCENT]
 */
#include <time.h>

#include "tests/loads/keep.h"
#include "tests/loads/rest.h"

enum { ROUNDS = 50000 };

static volatile unsigned sink;

void warm_loop(unsigned rounds);
void hot_loop(unsigned rounds);

KEEP void
warm_loop(unsigned rounds)
{
	while (rounds-- > 0)
		sink += rounds;
}

KEEP void
hot_loop(unsigned rounds)
{
	while (rounds-- > 0)
		sink -= rounds;
}

static double
cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int
main(int argc, char *argv[])
{
	int percent = argc > 1 ? atoi(argv[1]) : 0;
	double warm = 0, hot = 0, now = cpu_s();
	unsigned random = 1;

	for (;;) {
		double before = now, *part = 3 * warm <= hot ? &warm : &hot;

		random = random * 1103515245 + 12345;
		if (part == &warm)
			warm_loop(ROUNDS + random / 65536 * 12);
		else
			hot_loop(ROUNDS + random / 65536 * 12);
		now = cpu_s();
		*part += now - before;
		rest(percent);
	}
}
