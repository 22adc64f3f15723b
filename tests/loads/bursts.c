/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Burns about six seconds of CPU in burn_some(), called through two others: two thirds of them by
 * two threads that are there from the start, the rest by many that begin and end meanwhile.  Tells in
 * the end how much it was: "cpu 6.012345".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/loads/keep.h"

enum { LONG_MS = 2000, SHORT_MS = 5, SHORT_THREADS = 400 };

static volatile unsigned sink;

void burn_some(unsigned rounds);
void burn_ms(double ms);

KEEP void
burn_some(unsigned rounds)
{
	while (rounds-- > 0)
		sink += rounds;
}

static double
cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

KEEP void
burn_ms(double ms)
{
	double end = cpu_ms() + ms;

	while (cpu_ms() < end)
		burn_some(50000);
}

KEEP static void *
burn(void *arg)
{
	burn_ms(*(const double *)arg);
	return NULL;
}

int
main(void)
{
	double long_ms = LONG_MS, short_ms = SHORT_MS;
	struct rusage used;
	pthread_t threads[2], one;

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, burn, &long_ms) != 0)
			return EXIT_FAILURE;
	for (int i = 0; i < SHORT_THREADS; i++) {
		if (pthread_create(&one, NULL, burn, &short_ms) != 0)
			return EXIT_FAILURE;
		pthread_join(one, NULL);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &used);
	fprintf(stderr, "cpu %.6f\n",
		(double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		(double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
	return EXIT_SUCCESS;
}
