/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of a function that the compiler puts in place of two of its three calls:
 *
 *   copies N   twice() is called N times by a pointer, and inlined at two places
 */
#include <stdlib.h>

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

int
main(int argc, char **argv)
{
	int (*volatile by_pointer)(int) = twice;
	int count = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < count; i++)
		sink += by_pointer(i) + first(i) + second(i);
	return EXIT_SUCCESS;
}
