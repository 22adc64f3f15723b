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

const struct clock_def clock_defs[CLOCK_DEFS] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

uint64_t
clock_of_ns(int32_t id)
{
	return now(id);
}

uint64_t
clock_resolution_ns(int32_t id)
{
	struct timespec t = { 0 };

	clock_getres(id, &t);
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

int64_t
clock_ahead_ns(int32_t id)
{
	enum { LOOKS = 3 };
	uint64_t least_ns = UINT64_MAX;
	int64_t ahead_ns = 0;

	/* Between two looks at the one, the closer the better: the thread may wait for a CPU. */
	for (int i = 0; i < LOOKS && id != CLOCK_MONOTONIC; i++) {
		uint64_t before = clock_mono_ns(), then = now(id), took = clock_mono_ns() - before;

		if (took < least_ns)
			ahead_ns = (int64_t)(before + took / 2 - then);
		least_ns = MIN(least_ns, took);
	}
	return ahead_ns;
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
