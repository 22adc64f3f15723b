/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often what is said of differences and error bars is true: of machines that are made up, whose
 * shares are known.
 */
#include "tests/bench/figure.h"
#include "tests/share_world.h"

#include <math.h>
#include <stdio.h>

enum { PAIRS = 200, RISES = 100, INTERVALS = 1000 };

static const struct {
	double correlation, deviation;
} worlds[] = {
	{ 0, 0 }, { 0, 0.1 }, { 0, 0.3 }, { 0.3, 0.1 }, { 0.3, 0.3 }, { 0.5, 0.1 }, { 0.5, 0.3 },
};

static void
print(const char *what, size_t world, double value, double limit)
{
	char text[100];

	snprintf(text, sizeof(text), "%s, correlation %.1f, deviation %.1f", what,
		 worlds[world].correlation, worlds[world].deviation);
	figure_print(&(struct figure){ .what = text, .unit = "", .perf = NAN, .ptop = value,
				       .rule = limit > 0 ? FIGURE_MOST : FIGURE_INFO,
				       .limit = limit });
}

int
main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		print("false alarms in 200 pairs of 30 s", i,
		      world_false_alarms(PAIRS, 30, worlds[i].correlation, worlds[i].deviation), 10);
	/* Functions that wander by a third from second to second need more than half a minute. */
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		print("of 100 rises from 5 to 8 % not seen in 30 s", i,
		      RISES - world_found(RISES, 30, 0.05, 0.08, worlds[i].correlation,
					  worlds[i].deviation),
		      worlds[i].deviation < 0.2 ? 5 : 0);
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++) {
		double covered = world_covered(INTERVALS, 30, 0.25, worlds[i].correlation,
					       worlds[i].deviation) * 100.0 / INTERVALS;

		print("percent of intervals of 95 % that hold the truth", i, covered, 0);
		print("  off by points", i, fabs(covered - 95), 2);
	}
	return 0;
}
