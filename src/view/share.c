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
#define INTERVAL_LEAST_UNITS 3
#define VAGUE_P 10             /* so much too small p may be where units are worth few: simulated */
#define LEAST_POINTS 0.01      /* of the whole, or */
#define LEAST_PART 0.1         /* of the larger of the two shares */
#define CORRELATION_MAX 0.9
#define LEAST_LEFT 0.2         /* of a variance after it was mended */
#define MANY_DF 1e9
#define ROUNDING 1e-12
#define MUCH_LESS 0.5          /* of a variance that is the most it may be */

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

/* Units that tell how a share varies. */
struct series {
	const struct share_moments *moments;
	double unit_s;
};

void
share_add_merged(struct share_moments *m, unsigned seconds, double of, double all, double squares,
		 double lagged)
{
	double mean = of / seconds, mean_all = all / seconds;

	/* Of the pair that two of them share no more is known than of the others. */
	double pairs = m->units > 0 && seconds > 1 ? seconds : seconds - 1;

	if (m->units > 0 && seconds == 1) {
		m->of_of_next += m->last_of * mean;
		m->cross_next += m->last_of * mean_all + m->last_all * mean;
		m->all_all_next += m->last_all * mean_all;
	}
	m->units += seconds;
	m->of += of;
	m->all += all;
	m->of_of += of * mean + squares;
	m->of_all += of * mean_all;
	m->all_all += all * mean_all;
	m->of_of_next += pairs * mean * mean;
	m->of_of_next += seconds > 1 ? lagged * pairs / (seconds - 1) : 0;
	m->cross_next += 2 * pairs * mean * mean_all;
	m->all_all_next += pairs * mean_all * mean_all;
	m->last_of = mean;
	m->last_all = mean_all;
}

void
share_add(struct share_moments *m, double of, double all)
{
	share_add_merged(m, 1, of, all, 0, 0);
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

struct share_sums
share_of_nothing(const struct share_sums *all)
{
	struct share_sums s = *all;
	struct share_moments *const parts[] = { &s.window, &s.spread, &s.merged };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct share_moments *m = parts[i];

		m->of = m->of_of = m->of_all = m->of_of_next = m->cross_next = m->last_of = 0;
	}
	return s;
}

/*
 * Sums of squares, and of products with the next, of what units have beyond their part.  Where they have
 * nothing beyond it, rounding leaves a little: that is none.
 */
static double
squares(const struct share_moments *m)
{
	double p = ratio(m), sum = m->of_of - 2 * p * m->of_all + p * p * m->all_all;

	return sum > m->of_of * ROUNDING ? sum : 0;
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

/* Of a second's share, if seconds did not hang together. */
static double
variance_of_second(const struct series *s)
{
	struct spread sp = spread_with(s->moments, correlation_of(s->moments));
	double mean = s->moments->all / sp.units;

	return mean > 0 ? sp.variance * inflation(sp.correlation) * s->unit_s / (mean * mean) : 0;
}

/*
 * What tells the variance: the window, or more time where it has fewer than @least units.  A test is
 * of two windows, and more time of one may hold what it is to find.  So where the window's units are
 * merged seconds these tell it.  Of a row of many entries they tell the most that it may be: more
 * time does where it says much less.
 */
static struct series
series_of(const struct share_sums *s, unsigned least)
{
	struct series window = { &s->window, s->unit_s }, more = { &s->spread, s->spread_unit_s };
	struct series merged = { &s->merged, 1 };
	bool has_more = s->spread.units > s->window.units && s->spread.units >= SHARE_LEAST_UNITS;

	if (s->window.units >= least)
		return window;
	if (s->merged.units >= least &&
	    (!has_more || variance_of_second(&more) > MUCH_LESS * variance_of_second(&merged)))
		return merged;
	return s->spread.units > s->window.units ? more : window;
}

/*
 * Of the window's share, by the spread.  @unsure: how much the correlation's own error counts: less
 * where two spreads have told it together.
 */
static struct estimate
estimate(const struct share_sums *s, const struct series *by, const struct spread *sp, double unsure)
{
	const double r2 = sp->correlation * sp->correlation;
	/* The window, in units of the series. */
	double units = s->window.units * s->unit_s / by->unit_s, mean = s->window.all / units;
	double of_units = sp->units * (1 - r2) / (1 + r2);
	double of_correlation = sp->units * (1 - r2) / (2 * unsure);

	return (struct estimate){
		.variance = sp->variance * inflation(sp->correlation) / (mean * mean) / units,
		.df = MAX(1 / (1 / of_units + 1 / of_correlation), 1),
	};
}

/* Independent samples are as vague as that. */
static double
binomial(double share, double samples)
{
	return share * (1 - share) / MAX(samples, 1);
}

static double
half_interval(const struct estimate *e)
{
	return student_quantile(INTERVAL_P, e->df) * sqrt(e->variance);
}

static bool
can_tell(const struct share_sums *s, const struct series *by, unsigned least)
{
	return s->window.units > 0 && s->window.all > 0 && by->moments->units >= least;
}

double
share_error(const struct share_sums *s)
{
	const struct series by = series_of(s, SHARE_MANY_UNITS);
	struct spread sp;
	struct estimate e;
	double least;

	if (!can_tell(s, &by, INTERVAL_LEAST_UNITS))
		return NAN;
	sp = spread_with(by.moments, correlation_of(by.moments));
	e = estimate(s, &by, &sp, sp.correlation > 0 ? 1 : 0.5);
	least = binomial(share_of(s), s->samples);
	/* What is not more than chance makes of so few units is chance. */
	if (e.variance <= least * (1 + 2 / sqrt(sp.units)))
		e = (struct estimate){ least, MANY_DF };
	return MIN(half_interval(&e), 1);
}

static double
needs_s(const struct series *by, double correlation)
{
	const double units = by->moments->units;
	/* Of fewer it is not known how they hang together. */
	double each = units < SHARE_LEAST_UNITS ? 1 : inflation(correlation);

	return MAX(SHARE_LEAST_UNITS * each - units, 0) * by->unit_s;
}

double
share_needs_s(const struct share_sums *s)
{
	const struct series by = series_of(s, SHARE_LEAST_UNITS);

	return needs_s(&by, correlation_of(by.moments));
}

/* One side of a comparison. */
struct side {
	const struct share_sums *sums;
	struct series by;
	double correlation, unsure;
};

/*
 * What two series tell together of how units hang together is surer than what each does; but units
 * of other lengths hang together otherwise.
 */
static void
find_correlations(struct side *a, struct side *b)
{
	const struct share_moments *x = a->by.moments, *y = b->by.moments;

	if (fabs(a->by.unit_s - b->by.unit_s) < 0.5 * a->by.unit_s) {
		a->correlation = b->correlation =
			mended_correlation(squares(x) + squares(y), products(x) + products(y),
					   (x->units + y->units) / 2.0);
		a->unsure = b->unsure = 0.75;
		return;
	}
	a->correlation = mended_correlation(squares(x), products(x), x->units);
	b->correlation = mended_correlation(squares(y), products(y), y->units);
	a->unsure = b->unsure = 1;
}

static bool
is_by_more(const struct side *side)
{
	return side->by.moments == &side->sums->spread;
}

/* Until its window is long enough to tell it without more time. */
static double
alone_needs_s(const struct side *side)
{
	const struct series window = { &side->sums->window, side->sums->unit_s };

	return needs_s(is_by_more(side) ? &window : &side->by, correlation_of(side->by.moments));
}

/* More time may hold a change: then it is the windows themselves that tell it sooner. */
static double
both_need_s(const struct side *a, const struct side *b)
{
	double needs = MAX(needs_s(&a->by, a->correlation), needs_s(&b->by, b->correlation));

	if (!is_by_more(a) && !is_by_more(b))
		return needs;
	return MIN(needs, MAX(alone_needs_s(a), alone_needs_s(b)));
}

static void
test(struct share_change *c, const struct side *now, const struct side *then)
{
	const struct side *const sides[] = { now, then };
	const struct share_sums *x = now->sums, *y = then->sums;
	/* If nothing has changed both have one share: also where one has none of its samples. */
	double common = (x->window.of / x->window.all * x->samples +
			 y->window.of / y->window.all * y->samples) /
			MAX(x->samples + y->samples, 1);
	double variance = 0, denominator = 0, t, df, half, most[ARRAY_SIZE(sides)];

	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		const struct side *side = sides[i];
		struct spread sp = spread_with(side->by.moments, side->correlation);
		struct estimate e = estimate(side->sums, &side->by, &sp, side->unsure);
		double least = binomial(common, side->sums->samples);

		if (e.variance <= least)
			e = (struct estimate){ least, MANY_DF };
		variance += e.variance;
		denominator += e.variance * e.variance / e.df;
		most[i] = MIN(share_of(side->sums) + half_interval(&e), 1);
	}
	if (variance <= 0)
		return;
	df = variance * variance / denominator; /* Welch, Satterthwaite */
	t = c->delta / sqrt(variance);
	c->p = MIN(student_tail(t, df) * (c->needs_s > 0 ? VAGUE_P : 1), 1);
	half = student_quantile(INTERVAL_P, df) * sqrt(variance);
	/* Neither share is below 0: as much as the other may be is all that they may differ by. */
	c->low = MAX(c->delta - half, -most[1]);
	c->high = MIN(c->delta + half, most[0]);
}

void
share_compare(struct share_change *c, const struct share_sums *now, const struct share_sums *then)
{
	struct side a = { .sums = now, .by = series_of(now, SHARE_LEAST_UNITS) };
	struct side b = { .sums = then, .by = series_of(then, SHARE_LEAST_UNITS) };

	*c = (struct share_change){ .now = share_of(now), .then = share_of(then), .low = NAN,
				    .high = NAN, .p = NAN, .q = NAN };
	find_correlations(&a, &b);
	c->delta = c->now - c->then;
	c->needs_s = both_need_s(&a, &b);
	if (can_tell(now, &a.by, SHARE_LEAST_UNITS) && can_tell(then, &b.by, SHARE_LEAST_UNITS))
		test(c, &a, &b);
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
	share_judge_among(changes, count, 0);
}

void
share_judge_among(struct share_change *const *changes, size_t count, size_t looked_at)
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
		least = MIN(least, known[i]->p * (double)MAX(n, looked_at) / (double)(i + 1));
		known[i]->q = least;
		known[i]->is_significant = least <= SIGNIFICANT_Q && is_worth_telling(known[i]);
		/* What is clear already needs no more. */
		if (least <= SIGNIFICANT_Q)
			known[i]->needs_s = 0;
	}
	free(known);
}
