/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_LOADS_REST_H
#define PTOP_TESTS_LOADS_REST_H
/* For a load that is to leave others some CPU: one of a single thread. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Called again and again it sleeps at times, so that as many percent of a CPU are used; 0: all. */
static inline void
rest(int percent)
{
	static const long turn_us = 2000;
	static long begin_us;
	struct timespec t;
	long now_us;

	if (percent <= 0 || percent >= 100)
		return;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	now_us = t.tv_sec * 1000000 + t.tv_nsec / 1000;
	if (now_us - begin_us < turn_us)
		return;
	begin_us = now_us;
	usleep((unsigned)(turn_us * (100 - percent) / percent));
}

#endif
