/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page faults without end, all in one function.  With an argument it sleeps between them, and uses
 * as many percent of a CPU.
 *
 * usage: faults [PERCENT]
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { PAGE = 4096, PAGES = 64 };

void touch_pages(volatile char *at);

KEEP void
touch_pages(volatile char *at)
{
	for (int i = 0; i < PAGES; i++)
		at[i * PAGE] = 1;
}

/* Its turns are 2 ms of CPU time each. */
static void
rest(int percent)
{
	static const long turn_us = 2000;
	static long begin_us;
	struct timespec t;
	long now_us;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	now_us = t.tv_sec * 1000000 + t.tv_nsec / 1000;
	if (now_us - begin_us < turn_us)
		return;
	begin_us = now_us;
	usleep((unsigned)(turn_us * (100 - percent) / percent));
}

int
main(int argc, char *argv[])
{
	int percent = argc > 1 ? atoi(argv[1]) : 100;

	for (;;) {
		char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			return EXIT_FAILURE;
		touch_pages(at);
		munmap(at, PAGES * PAGE);
		if (percent > 0 && percent < 100)
			rest(percent);
	}
}
