/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often what is said of differences and error bars is true: of machines that are made up, whose
 * shares are known.
 */
#include "tests/bench/figure.h"
#include "tests/share_past.h"

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

/* Of a day that is merged: minutes of hours ago, and ten seconds of minutes ago. */
static void
print_past(size_t world)
{
	enum { MINUTE_S = 60, DAY_S = 24 * 3600, SINCE_S = 23 * 3600, AGO_S = 40 * MINUTE_S };
	struct share_past p;

	share_past_open(&p, 50, 10, worlds[world].correlation, worlds[world].deviation);
	share_past_run(&p, DAY_S);
	for (unsigned window_s = MINUTE_S; window_s <= 5 * MINUTE_S; window_s += 4 * MINUTE_S) {
		struct share_past_tally t =
			share_past_alarms(&p, VIEW_FUNCTIONS, SINCE_S, AGO_S, window_s);
		char what[64];

		snprintf(what, sizeof(what), "false alarms in 200 pairs of %u min of the past",
			 window_s / MINUTE_S);
		print(what, world, t.right * 200.0 / t.tries, 10);
		t = share_past_covered(&p, SINCE_S, AGO_S, window_s);
		snprintf(what, sizeof(what), "percent of intervals of %u min of the past",
			 window_s / MINUTE_S);
		print(what, world, t.right * 100.0 / t.tries, 0);
		print("  off by points", world, fabs(t.right * 100.0 / t.tries - 95), 3);
	}
	share_past_close(&p);
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
		print("of 100 rises from 5 to 8 % not told by C in 20 s", i,
		      RISES - world_told(RISES, worlds[i].correlation, worlds[i].deviation),
		      worlds[i].deviation < 0.2 ? 5 : 0);
		print("changes told in an hour without any", i,
		      world_hour_changes(worlds[i].correlation, worlds[i].deviation), 1);
	}
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++) {
		double covered = world_covered(INTERVALS, 30, 0.25, worlds[i].correlation,
					       worlds[i].deviation) * 100.0 / INTERVALS;

		print("percent of intervals of 95 % that hold the truth", i, covered, 0);
		print("  off by points", i, fabs(covered - 95), 2);
	}
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++)
		print_past(i);
	return 0;
}
