/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <time.h>

static uint64_t
now(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

uint64_t
clock_mono_ns(void)
{
	return now(CLOCK_MONOTONIC);
}

uint64_t
clock_real_ns(void)
{
	return now(CLOCK_REALTIME);
}

int64_t
clock_asleep_ns(void)
{
	const uint64_t apart_ns = 10 * NSEC_PER_MSEC;
	uint64_t before, boot, after;

	/* Not if the thread had to wait for a CPU between the two. */
	do {
		before = clock_mono_ns();
		boot = now(CLOCK_BOOTTIME);
		after = clock_mono_ns();
	} while (after - before > apart_ns);
	return (int64_t)(boot - before);
}

uint64_t
clock_process_cpu_ns(void)
{
	return now(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t
clock_thread_cpu_ns(void)
{
	return now(CLOCK_THREAD_CPUTIME_ID);
}
