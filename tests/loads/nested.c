/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that go through others' code: main, qsort() of the C library, its comparator; and a signal
 * handler that interrupts any of them, each other time on a stack of its own.
 */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/time.h>

#include "keep.h"

enum { NUMBERS = 4096, HANDLER_ROUNDS = 20000, STACK_BYTES = 64 << 10 };

static uint32_t numbers[NUMBERS];
static char stack[STACK_BYTES];
static volatile uint32_t kept;

KEEP static uint32_t
in_the_handler(uint32_t n)
{
	for (uint32_t i = 0; i < HANDLER_ROUNDS; i++)
		n = n * 1664525 + 1013904223;
	return n;
}

static void
handle(int sig)
{
	kept += in_the_handler((uint32_t)sig);
}

KEEP static int
compare_slowly(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	for (int i = 0; i < 20; i++) {
		x = x * 1664525 + 1013904223;
		y = y * 1664525 + 1013904223;
	}
	return x < y ? -1 : x > y;
}

KEEP static void
sort_once(uint32_t seed)
{
	for (size_t i = 0; i < NUMBERS; i++)
		numbers[i] = seed = seed * 1664525 + 1013904223;
	qsort(numbers, NUMBERS, sizeof(numbers[0]), compare_slowly);
}

int
main(void)
{
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = handle, .sa_flags = SA_RESTART };
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } };

	sigaltstack(&other, NULL);
	sigaction(SIGALRM, &act, NULL); /* before the first comes, or it would end this */
	setitimer(ITIMER_REAL, &often, NULL);
	for (uint32_t round = 0;; round++) {
		act.sa_flags ^= SA_ONSTACK;
		sigaction(SIGALRM, &act, NULL);
		sort_once(round);
		kept += numbers[0];
	}
}
