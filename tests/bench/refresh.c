/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bench/refresh.h"

#include <math.h>
#include <time.h>

enum { ROUNDS = 9 };

static double
cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

void
refresh_measure(const struct report_source *src, const struct query *q, struct figure f)
{
	struct series ms = { .len = 0 };

	for (int i = 0; i < ROUNDS; i++) {
		struct snapshot *s = snapshot_new();
		double start = cpu_ms();

		s->query = *q;
		report_fill(s, src, q);
		series_add(&ms, cpu_ms() - start);
		snapshot_put(s);
	}
	f.unit = "ms";
	f.perf = NAN;
	figure_print_series(f, &ms);
}
