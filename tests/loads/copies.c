/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of a function that the compiler puts in place of two of its three calls:
 *
 *   copies N     twice() is called N times by a pointer, and inlined at two places
 *   copies busy  the same for ever, with a fifth of a millisecond of work for each
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile int sink;

int twice(int n);
int first(int n);
int second(int n);

/* With the declaration above, code of its own is made, too. */
inline __attribute__((always_inline)) int
twice(int n)
{
	sink += n;
	return n * 2;
}

__attribute__((noinline)) int
first(int n)
{
	return twice(n) + 1;
}

__attribute__((noinline)) int
second(int n)
{
	return twice(n) + 2;
}

static void
work(void)
{
	const clock_t begin = clock();

	while (clock() - begin < CLOCKS_PER_SEC / 5000)
		sink++;
}

int
main(int argc, char **argv)
{
	int (*volatile by_pointer)(int) = twice;
	const bool is_busy = argc > 1 && strcmp(argv[1], "busy") == 0;
	int count = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < count || is_busy; i += !is_busy) {
		sink += by_pointer(i) + first(i) + second(i);
		if (is_busy)
			work();
	}
	return EXIT_SUCCESS;
}
