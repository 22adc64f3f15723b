/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named threads with known shares: worker-a is always on a CPU, in spin_a; worker-b half of the
 * time, in spin_b; idle-c and the main thread never.
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

enum { SLICE_MS = 10 };

static volatile unsigned long sink;

void spin_a(void);
void spin_b(void);

KEEP void
spin_a(void)
{
	for (unsigned i = 0; i < 500000; i++)
		sink += i;
}

KEEP void
spin_b(void)
{
	for (unsigned i = 0; i < 50000; i++)
		sink ^= i;
}

static double
cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void *
worker_a(void *arg)
{
	pthread_setname_np(pthread_self(), "worker-a");
	for (;;)
		spin_a();
	return arg;
}

static void *
worker_b(void *arg)
{
	pthread_setname_np(pthread_self(), "worker-b");
	for (;;) {
		double end = cpu_ms() + SLICE_MS;

		while (cpu_ms() < end)
			spin_b();
		usleep(SLICE_MS * 1000);
	}
	return arg;
}

static void *
idle_c(void *arg)
{
	pthread_setname_np(pthread_self(), "idle-c");
	for (;;)
		pause();
	return arg;
}

int
main(void)
{
	void *(*const mains[])(void *) = { worker_a, worker_b, idle_c };
	pthread_t thread;

	for (unsigned i = 0; i < 3; i++)
		pthread_create(&thread, NULL, mains[i], NULL);
	for (;;)
		pause();
}
