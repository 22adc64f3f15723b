/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/share_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/cusum.h"

/* xorshift64*: above 0, below 1. */
static double
chance(struct world *w)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return ((double)((w->random * UINT64_C(2685821657736338717)) >> 11) + 0.5) / 9007199254740992.0;
}

static double
normal(struct world *w)
{
	double r = sqrt(-2 * log(chance(w)));

	return r * cos(2 * M_PI * chance(w));
}

static double
poisson(struct world *w, double mean)
{
	double least = exp(-mean), p = 1;
	int n = -1;

	if (mean > 60)
		return MAX(floor(mean + sqrt(mean) * normal(w) + 0.5), 0);
	while (p > least) {
		p *= chance(w);
		n++;
	}
	return n;
}

void
world_begin(struct world *w, uint64_t seed, size_t functions, double correlation, double deviation)
{
	double sum = 0;

	*w = (struct world){ .random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
			     .functions = functions, .correlation = correlation,
			     .deviation = deviation, .rate = 1000 };
	for (size_t i = 0; i < functions; i++)
		sum += 1.0 / (double)(i + 1);
	for (size_t i = 0; i < functions; i++) {
		w->share[i] = 1.0 / (double)(i + 1) / sum;
		w->wander[i] = normal(w);
	}
}

double
world_draw(struct world *w, double *of)
{
	const double r = w->correlation, d = w->deviation;
	double all = 0;

	for (size_t i = 0; i < w->functions; i++) {
		w->wander[i] = r * w->wander[i] + sqrt(1 - r * r) * normal(w);
		of[i] = poisson(w, w->rate * w->share[i] * exp(d * w->wander[i] - d * d / 2));
		all += of[i];
	}
	return all;
}

void
world_second(struct world *w, struct share_sums *sums)
{
	double of[WORLD_FUNCTIONS_MAX], all = world_draw(w, of);

	for (size_t i = 0; i < w->functions; i++) {
		share_add(&sums[i].window, of[i], all);
		sums[i].samples += all;
		sums[i].unit_s = sums[i].spread_unit_s = 1;
	}
}

/* The changes of all functions between two stretches, judged. */
static void
compare(struct world *w, const struct share_sums *now, const struct share_sums *then,
	struct share_change *changes)
{
	struct share_change *list[WORLD_FUNCTIONS_MAX];

	for (size_t i = 0; i < w->functions; i++) {
		share_compare(&changes[i], &now[i], &then[i]);
		list[i] = &changes[i];
	}
	share_judge(list, w->functions);
}

static void
seconds_of(struct world *w, unsigned seconds, struct share_sums *sums)
{
	memset(sums, 0, WORLD_FUNCTIONS_MAX * sizeof(*sums));
	for (unsigned i = 0; i < seconds; i++)
		world_second(w, sums);
}

unsigned
world_false_alarms(unsigned tries, unsigned seconds, double correlation, double deviation)
{
	struct share_sums now[WORLD_FUNCTIONS_MAX], then[WORLD_FUNCTIONS_MAX];
	struct share_change changes[WORLD_FUNCTIONS_MAX];
	unsigned alarms = 0;

	for (unsigned t = 0; t < tries; t++) {
		struct world w;
		bool any = false;

		world_begin(&w, t + 1, 50, correlation, deviation);
		seconds_of(&w, seconds, then);
		seconds_of(&w, seconds, now);
		compare(&w, now, then, changes);
		for (size_t i = 0; i < w.functions; i++)
			any |= changes[i].is_significant;
		alarms += any;
	}
	return alarms;
}

unsigned
world_found(unsigned tries, unsigned seconds, double before, double after, double correlation,
	    double deviation)
{
	struct share_sums now[WORLD_FUNCTIONS_MAX], then[WORLD_FUNCTIONS_MAX];
	struct share_change changes[WORLD_FUNCTIONS_MAX];
	unsigned found = 0;

	for (unsigned t = 0; t < tries; t++) {
		struct world w;

		world_begin(&w, t + 1, 50, correlation, deviation);
		for (size_t i = 1; i < w.functions; i++)
			w.share[i] = (1 - before) / (double)(w.functions - 1);
		w.share[0] = before;
		seconds_of(&w, seconds, then);
		w.share[0] = after;
		seconds_of(&w, seconds, now);
		compare(&w, now, then, changes);
		found += changes[0].is_significant && changes[0].delta > 0;
	}
	return found;
}

unsigned
world_covered(unsigned tries, unsigned seconds, double share, double correlation, double deviation)
{
	struct share_sums sums[WORLD_FUNCTIONS_MAX];
	unsigned covered = 0;

	for (unsigned t = 0; t < tries; t++) {
		struct world w;

		world_begin(&w, t + 1, 2, correlation, deviation);
		w.share[0] = share;
		w.share[1] = 1 - share;
		seconds_of(&w, seconds, sums);
		covered += fabs(share_of(&sums[0]) - share) <= share_error(&sums[0]);
	}
	return covered;
}

unsigned
world_hour_changes(double correlation, double deviation)
{
	struct cusum *rows = mem_calloc(50, sizeof(*rows));
	struct share_sums sums[WORLD_FUNCTIONS_MAX];
	struct cusum_change change;
	unsigned changes = 0;
	struct world w;

	world_begin(&w, 7, 50, correlation, deviation);
	for (int second = 0; second < 3600; second++) {
		seconds_of(&w, 1, sums);
		for (size_t i = 0; i < w.functions; i++)
			changes += cusum_add(&rows[i], share_of(&sums[i]), sums[i].samples, &change);
	}
	free(rows);
	return changes;
}

enum { SWITCH_S = 30, SWITCHES = 5 };

static bool
is_right(const struct cusum_change *change, unsigned since_s, double before, double after)
{
	return change->seconds + 2 >= since_s && change->seconds <= since_s + 2 &&
	       fabs(change->before - before) < 0.05 && fabs(change->after - after) < 0.05;
}

/* Of a row that has been there for @young seconds when it switches first, which is not looked at. */
static unsigned
switches_told(struct world *w, unsigned young)
{
	struct share_sums sums[WORLD_FUNCTIONS_MAX];
	struct cusum row = { .have = 0 };
	struct cusum_change change;
	unsigned told = 0;

	for (unsigned second = SWITCH_S - young; second < (SWITCHES + 2) * SWITCH_S; second++) {
		const double before = second / SWITCH_S % 2 != 0 ? 0.25 : 0, share = 0.25 - before;

		for (size_t i = 1; i < w->functions; i++)
			w->share[i] = (1 - share) / (double)(w->functions - 1);
		w->share[0] = share;
		seconds_of(w, 1, sums);
		told += cusum_add(&row, share_of(&sums[0]), sums[0].samples, &change) &&
			second >= 2 * SWITCH_S &&
			is_right(&change, second % SWITCH_S + 1, before, share);
	}
	return told;
}

unsigned
world_switches_told(double correlation, double deviation)
{
	const unsigned tries = 100 / SWITCHES;
	unsigned told = 0;

	for (unsigned t = 0; t < tries; t++) {
		struct world w;

		world_begin(&w, t + 1, 8, correlation, deviation);
		told += switches_told(&w, t);
	}
	return told;
}

/* From 5 to 8 percent, after a minute that tells what is usual. */
static bool
is_told(uint64_t seed, double correlation, double deviation)
{
	struct share_sums sums[WORLD_FUNCTIONS_MAX];
	struct cusum row = { .have = 0 };
	struct cusum_change change;
	struct world w;

	world_begin(&w, seed, 50, correlation, deviation);
	for (size_t i = 1; i < w.functions; i++)
		w.share[i] = 0.95 / (double)(w.functions - 1);
	for (int second = 0; second < 80; second++) {
		w.share[0] = second < 60 ? 0.05 : 0.08;
		seconds_of(&w, 1, sums);
		if (cusum_add(&row, share_of(&sums[0]), sums[0].samples, &change) && second >= 60 &&
		    change.after > change.before)
			return true;
	}
	return false;
}

unsigned
world_told(unsigned tries, double correlation, double deviation)
{
	unsigned told = 0;

	for (unsigned t = 0; t < tries; t++)
		told += is_told(t + 1, correlation, deviation);
	return told;
}
