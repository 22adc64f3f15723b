/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named threads with known shares: worker-a runs in spin_a all the time, worker-b in spin_b for
 * half of the time that worker-a got, however busy the machine is; idle-c and main never.
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "tests/loads/keep.h"

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
cpu_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
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
	unsigned random = 1;
	clockid_t other;

	pthread_setname_np(pthread_self(), "worker-b");
	pthread_getcpuclockid(*(pthread_t *)arg, &other);
	for (;;) {
		while (cpu_ms(CLOCK_THREAD_CPUTIME_ID) < cpu_ms(other) / 2)
			spin_b();
		/*
		 * Never in step with the clock that samples it. Long enough that the start of a
		 * turn weighs little: a sleep has 50 us of slack, the sampling clock's interrupt
		 * ends it early, and so a turn begins just after a sample too often.
		 */
		random = random * 1103515245 + 12345;
		usleep(5000 + random / 65536 % 10000);
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
	pthread_t a, b, c;

	pthread_create(&a, NULL, worker_a, NULL);
	pthread_create(&b, NULL, worker_b, &a);
	pthread_create(&c, NULL, idle_c, NULL);
	for (;;)
		pause();
}
