/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/cusum.h"

#include <math.h>

#define SLACK 0.75        /* deviations: less than that a second adds nothing */
#define ALARM 18          /* summed deviations: chance takes a day to bring one of a hundred rows there */
#define LEAST_POINTS 0.01 /* smaller changes are nobody's concern */
#define SEEN_LEAST 0.002  /* a share that was never seen may have been that */
#define BACK_PART 0.5     /* of a change: less is left of it when it has gone back */
#define STEP_PART 0.8     /* of all squared deviations: a step that explains so much is no chance */

enum { LAST_SECONDS = 3 };

/* Where newer seconds differ most from all before them. */
struct step {
	unsigned seconds; /* that are newer */
	double by;        /* so much more is their mean */
	double squares;   /* which explains so much of all squared deviations */
};

/* The share @ago seconds before the newest. */
static double
past_at(const struct cusum *c, unsigned ago)
{
	unsigned at = c->at + CUSUM_PAST - 1 - ago;

	return (double)c->past[at >= CUSUM_PAST ? at - CUSUM_PAST : at];
}

/* The mean of the newest @count. */
static double
mean_of(const struct cusum *c, unsigned count)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += past_at(c, i);
	return count > 0 ? sum / count : 0;
}

/* What is usual, without the last @newer seconds: how seconds deviate, as far as they hang together. */
static double
usual(const struct cusum *c, unsigned newer, double samples, double *mean)
{
	const unsigned count = c->have > newer ? c->have - newer : 0;
	double sum = c->sum, squares = c->squares, products = c->products, r, least;

	for (unsigned i = 0; i < newer && i < c->have; i++) {
		double x = past_at(c, i);

		sum -= x;
		squares -= x * x;
		products -= i + 1 < c->have ? x * past_at(c, i + 1) : 0;
	}
	*mean = count > 0 ? MAX(sum / count, 0) : 0;
	if (count > 0) {
		double ends = past_at(c, newer) + past_at(c, c->have - 1);

		squares = MAX(squares - *mean * sum, 0);
		products += *mean * ((count - 1) * *mean - 2 * sum + ends);
	} else {
		squares = 0; /* what is left is rounding */
	}
	r = squares > 0 ? products / squares : 0;
	r += (1 + 3 * r) / MAX(count, 1u);
	r = MIN(MAX(r, 0), 0.8);
	least = MAX(*mean, SEEN_LEAST);
	least = least * (1 - least) / MAX(samples, 1);
	return sqrt(MAX(squares / MAX(count - 1.0, 1) * (1 + r) / (1 - r), least));
}

static void
grow(double *sum, unsigned *seconds, double by)
{
	*sum += by - SLACK;
	*seconds = *sum > 0 ? *seconds + 1 : 0;
	*sum = MAX(*sum, 0);
}

/* Adds a share and its product with @next to the sums, or with @sign -1 takes them out. */
static void
add_to_sums(struct cusum *c, double sign, double share, double next)
{
	c->sum += sign * share;
	c->squares += sign * share * share;
	c->products += sign * share * next;
}

static void
put(struct cusum *c, double share)
{
	if (c->have == CUSUM_PAST)
		add_to_sums(c, -1, past_at(c, CUSUM_PAST - 1), past_at(c, CUSUM_PAST - 2));
	add_to_sums(c, 1, (double)(float)share, c->have > 0 ? past_at(c, 0) : 0);
	c->past[c->at] = (float)share;
	c->at = (c->at + 1) % CUSUM_PAST;
	c->have = MIN(c->have + 1, (unsigned)CUSUM_PAST);
}

/* What it is by now becomes what is usual: of the newest @seconds. */
static void
learn_anew(struct cusum *c, unsigned seconds)
{
	c->have = MIN(c->have, seconds);
	c->sum = c->squares = c->products = 0;
	for (unsigned i = 0; i < c->have; i++)
		add_to_sums(c, 1, past_at(c, i), i + 1 < c->have ? past_at(c, i + 1) : 0);
	c->up = c->down = 0;
	c->up_s = c->down_s = 0;
}

/* The largest at which @most seconds or fewer are newer. */
static struct step
find_step(const struct cusum *c, unsigned most)
{
	struct step step = { .seconds = most };
	double sum = 0;

	for (unsigned n = 1; n <= most && n < c->have; n++) {
		double by;

		sum += past_at(c, n - 1) - cusum_mean(c);
		by = sum * (1.0 / n + 1.0 / (c->have - n));
		if (sum * by > step.squares)
			step = (struct step){ n, by, sum * by };
	}
	return step;
}

/* What changed meanwhile would pass for how it deviates: what is usual is learnt from there on. */
static void
learn_from_step(struct cusum *c)
{
	const double squares = c->squares - c->sum * cusum_mean(c);
	const struct step step = find_step(c, c->have);

	if (step.squares >= STEP_PART * squares && fabs(step.by) >= LEAST_POINTS)
		learn_anew(c, step.seconds);
}

void
cusum_begin(struct cusum *c, unsigned seconds, double share)
{
	*c = (struct cusum){ .have = MIN(seconds, (unsigned)CUSUM_PAST) };
	for (unsigned i = 0; i < CUSUM_PAST; i++)
		c->past[i] = (float)share;
	learn_anew(c, c->have);
}

double
cusum_mean(const struct cusum *c)
{
	return c->have > 0 ? c->sum / c->have : 0;
}

/* Whether the @newest seconds have less than half of the change. */
static bool
is_back(const struct cusum *c, unsigned newest, const struct cusum_change *change)
{
	return fabs(mean_of(c, newest) - change->before) < BACK_PART * fabs(change->after - change->before);
}

bool
cusum_add(struct cusum *c, double share, double samples, struct cusum_change *change)
{
	unsigned newer = MAX(c->up_s, c->down_s), seconds;
	double mean, deviation = usual(c, MIN(newer, c->have), samples, &mean);
	bool is_over;

	put(c, share);
	if (c->have <= newer + CUSUM_LEAST) {
		learn_anew(c, c->have);
		if (c->have >= CUSUM_LEAST)
			learn_from_step(c);
		return false;
	}
	grow(&c->up, &c->up_s, (share - mean) / deviation);
	grow(&c->down, &c->down_s, (mean - share) / deviation);
	if (MAX(c->up, c->down) < ALARM)
		return false;
	/* By chance the sum may have grown before, too. */
	seconds = find_step(c, c->up > c->down ? c->up_s : c->down_s).seconds;
	if (seconds < CUSUM_STAYS)
		return false;
	*change = (struct cusum_change){ mean, mean_of(c, seconds), seconds };
	is_over = is_back(c, LAST_SECONDS, change);
	/* The next seconds tell. */
	if (!is_over && is_back(c, 1, change))
		return false;
	learn_anew(c, seconds);
	return !is_over && fabs(change->after - mean) >= LEAST_POINTS;
}
