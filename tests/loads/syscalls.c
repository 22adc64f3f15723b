/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Alternates between a cheap system call and a loop, at most as many milliseconds of CPU time as
 * the first argument says; without it, for ever and without the loop.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

static volatile unsigned sink;

void ask_kernel(unsigned rounds);
void think(unsigned rounds);

KEEP void
ask_kernel(unsigned rounds)
{
	while (rounds-- > 0)
		syscall(SYS_getppid);
}

KEEP void
think(unsigned rounds)
{
	while (rounds-- > 0)
		sink += rounds;
}

int
main(int argc, char **argv)
{
	clock_t end = argc > 1 ? atol(argv[1]) * (CLOCKS_PER_SEC / 1000) : 0;

	while (end == 0 || clock() < end) {
		ask_kernel(100);
		if (end != 0)
			think(1000000);
	}
	return EXIT_SUCCESS;
}
