/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A share is a ratio of two sums.  Its variance is that of the mean of what units have more or less
 * than their part, of - share * all, divided by the mean of all.  Units that hang together are worth
 * fewer: with a correlation of r from each to the next (1 - r) / (1 + r) of them, as a process of
 * first order has it.  r and the variance are estimates, and both are too low where units are few:
 * that is mended, and how vague they are goes into the degrees of freedom.  Why so, and what was
 * tried: doc/decisions.md.
 */
#include "view/share.h"

#include "view/student.h"

#include <math.h>
#include <stdlib.h>

#define SIGNIFICANT_Q 0.01
#define INTERVAL_P 0.05
#define LEAST_POINTS 0.01      /* of the whole, or */
#define LEAST_PART 0.1         /* of the larger of the two shares */
#define CORRELATION_MAX 0.9
#define LEAST_LEFT 0.2         /* of a variance after it was mended */
#define MANY_DF 1e9

/* What is known of the mean of units around the share. */
struct spread {
	double variance;    /* of one unit */
	double correlation; /* from each to the next */
	double units;
};

/* A share's own variance. */
struct estimate {
	double variance, df;
};

void
share_add(struct share_moments *m, double of, double all)
{
	if (m->units > 0) {
		m->of_of_next += m->last_of * of;
		m->cross_next += m->last_of * all + m->last_all * of;
		m->all_all_next += m->last_all * all;
	}
	m->units++;
	m->of += of;
	m->all += all;
	m->of_of += of * of;
	m->of_all += of * all;
	m->all_all += all * all;
	m->last_of = of;
	m->last_all = all;
}

static double
ratio(const struct share_moments *m)
{
	return m->all > 0 ? m->of / m->all : 0;
}

double
share_of(const struct share_sums *s)
{
	return ratio(&s->window);
}

/*
 * What tells the variance: the window, or more time where it has fewer than @least units.  A test is
 * of two windows, and more time of one may hold what it is to find.
 */
static const struct share_moments *
spread_of(const struct share_sums *s, unsigned least)
{
	return s->window.units < least && s->spread.units > s->window.units ? &s->spread
									    : &s->window;
}

/* Sums of squares, and of products with the next, of what units have beyond their part. */
static double
squares(const struct share_moments *m)
{
	double p = ratio(m);

	return MAX(m->of_of - 2 * p * m->of_all + p * p * m->all_all, 0);
}

static double
products(const struct share_moments *m)
{
	double p = ratio(m);

	return m->of_of_next - p * m->cross_next + p * p * m->all_all_next;
}

/* The estimate from so few units is (1 + 3r) / n too low (Kendall, Marriott and Pope). */
static double
mended_correlation(double squares, double products, double units)
{
	double r;

	if (squares <= 0 || units < 3)
		return 0;
	r = products / squares * units / (units - 1);
	r += (1 + 3 * r) / units;
	return MIN(MAX(r, 0), CORRELATION_MAX);
}

/* How many units are worth one. */
static double
inflation(double correlation)
{
	return (1 + correlation) / (1 - correlation);
}

static double
correlation_of(const struct share_moments *m)
{
	double r = mended_correlation(squares(m), products(m), m->units);

	/* Less than its own error, nearly, is none. */
	return r < 0.8 / sqrt(MAX(m->units, 1u)) ? 0 : r;
}

/* The variance of units around their own mean is too low, the more so as they hang together. */
static struct spread
spread_with(const struct share_moments *m, double correlation)
{
	double n = m->units;
	double left = 1 - (inflation(correlation) - 1) / (n - 1);

	return (struct spread){ squares(m) / (n - 1) / MAX(left, LEAST_LEFT), correlation, n };
}

/*
 * Of the window's share, by the spread.  @unsure: how much the correlation's own error counts: less
 * where two spreads have told it together.
 */
static struct estimate
estimate(const struct share_sums *s, const struct spread *sp, double unsure)
{
	const double r2 = sp->correlation * sp->correlation;
	double mean = s->window.all / s->window.units;
	double of_units = sp->units * (1 - r2) / (1 + r2);
	double of_correlation = sp->units * (1 - r2) / (2 * unsure);

	return (struct estimate){
		.variance = sp->variance * inflation(sp->correlation) / (mean * mean) /
			    s->window.units,
		.df = MAX(1 / (1 / of_units + 1 / of_correlation), 1),
	};
}

/* Independent samples are as vague as that. */
static double
binomial(double share, double samples)
{
	return share * (1 - share) / MAX(samples, 1);
}

static bool
can_tell(const struct share_sums *s)
{
	return s->window.units > 0 && s->window.all > 0 &&
	       spread_of(s, SHARE_LEAST_UNITS)->units >= 3;
}

double
share_error(const struct share_sums *s)
{
	const struct share_moments *m = spread_of(s, SHARE_MANY_UNITS);
	struct spread sp;
	struct estimate e;
	double least;

	if (!can_tell(s))
		return NAN;
	sp = spread_with(m, correlation_of(m));
	e = estimate(s, &sp, sp.correlation > 0 ? 1 : 0.5);
	least = binomial(share_of(s), s->samples);
	/* What is not more than chance makes of so few units is chance. */
	if (e.variance <= least * (1 + 2 / sqrt(sp.units)))
		e = (struct estimate){ least, MANY_DF };
	return MIN(student_quantile(INTERVAL_P, e.df) * sqrt(e.variance), 1);
}

static double
needs_s(const struct share_sums *s, double correlation)
{
	const double units = spread_of(s, SHARE_LEAST_UNITS)->units;
	/* Of fewer it is not known how they hang together. */
	double each = units < SHARE_LEAST_UNITS ? 1 : inflation(correlation);

	return MAX(SHARE_LEAST_UNITS * each - units, 0) * s->unit_s;
}

double
share_needs_s(const struct share_sums *s)
{
	return needs_s(s, correlation_of(spread_of(s, SHARE_LEAST_UNITS)));
}

/* What two series tell together of how units hang together. */
static double
common_correlation(const struct share_moments *a, const struct share_moments *b)
{
	double units = (a->units + b->units) / 2.0;

	return mended_correlation(squares(a) + squares(b), products(a) + products(b), units);
}

static void
test(struct share_change *c, const struct share_sums *now, const struct share_sums *then,
     double correlation)
{
	const struct share_sums *const sides[] = { now, then };
	/* If nothing has changed both have one share: also where one has none of its samples. */
	double common = (now->window.of / now->window.all * now->samples +
			 then->window.of / then->window.all * then->samples) /
			MAX(now->samples + then->samples, 1);
	double variance = 0, denominator = 0, t, df, half;

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		struct spread sp = spread_with(spread_of(sides[i], SHARE_LEAST_UNITS), correlation);
		struct estimate e = estimate(sides[i], &sp, 0.75);
		double least = binomial(common, sides[i]->samples);

		if (e.variance <= least)
			e = (struct estimate){ least, MANY_DF };
		variance += e.variance;
		denominator += e.variance * e.variance / e.df;
	}
	if (variance <= 0)
		return;
	df = variance * variance / denominator; /* Welch, Satterthwaite */
	t = c->delta / sqrt(variance);
	c->p = student_tail(t, df);
	half = student_quantile(INTERVAL_P, df) * sqrt(variance);
	c->low = MAX(c->delta - half, -1);
	c->high = MIN(c->delta + half, 1);
}

void
share_compare(struct share_change *c, const struct share_sums *now, const struct share_sums *then)
{
	double correlation = common_correlation(spread_of(now, SHARE_LEAST_UNITS),
						spread_of(then, SHARE_LEAST_UNITS));

	*c = (struct share_change){ .now = share_of(now), .then = share_of(then), .low = NAN,
				    .high = NAN, .p = NAN, .q = NAN };
	c->delta = c->now - c->then;
	c->needs_s = MAX(needs_s(now, correlation), needs_s(then, correlation));
	if (can_tell(now) && can_tell(then))
		test(c, now, then, correlation);
}

static int
compare_changes(const void *a, const void *b)
{
	double x = (*(struct share_change *const *)a)->p, y = (*(struct share_change *const *)b)->p;

	return (x > y) - (x < y);
}

static bool
is_worth_telling(const struct share_change *c)
{
	double larger = MAX(c->now, c->then);

	return fabs(c->delta) >= MIN(LEAST_POINTS, LEAST_PART * larger) && c->delta != 0;
}

void
share_judge(struct share_change *const *changes, size_t count)
{
	struct share_change **known = mem_calloc(count + 1, sizeof(*known));
	double least = 1;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(changes[i]->p))
			known[n++] = changes[i];
	if (n > 0)
		qsort(known, n, sizeof(*known), compare_changes);
	for (size_t i = n; i-- > 0;) {
		least = MIN(least, known[i]->p * (double)n / (double)(i + 1));
		known[i]->q = least;
		known[i]->is_significant = least <= SIGNIFICANT_Q && known[i]->needs_s <= 0 &&
					   is_worth_telling(known[i]);
	}
	free(known);
}
