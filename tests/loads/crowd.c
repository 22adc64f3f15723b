/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program of 600 threads, each of which runs for a moment now and then: many, but never busy. */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { THREADS = 600, GAP_NS = 40000000, STACK_BYTES = 64 << 10 };

static volatile unsigned long sink;

void crowd_loop(void);

KEEP void
crowd_loop(void)
{
	for (unsigned i = 0; i < 20000; i++)
		sink += i;
}

static void *
run(void *arg)
{
	for (;;) {
		crowd_loop();
		nanosleep(&(struct timespec){ 0, GAP_NS }, NULL);
	}
	return arg;
}

int
main(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread, &attr, run, NULL) != 0)
			return 1;
	for (;;)
		pause();
}
