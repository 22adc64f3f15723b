/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptop's own cost has two parts.  Samples cost in proportion to the frequency: kept as percent per
 * Hz.  The rest (screen, /proc, symbols) hardly depends on it and comes in bursts: of it the median
 * of the last looks is used, so that one image to be parsed does not slow sampling.
 *
 * So that bursts do not make the mean larger than the budget there is an account, in seconds of
 * the budget.  It begins with some in hand, for what is read once, at the start; later little can
 * be saved up.  What is owed is paid back by some seconds of less than the budget.
 *
 * Where the rest is much of what is above the budget, it is cut first: ptop gets thrifty, and looks
 * what that has saved before it takes fewer samples.
 */
#include "engine/sampling/budget.h"

#include <stdlib.h>

enum { UNIT_LOOKS = 3, HELD_LOOKS = 2, EASY_LOOKS = 10, FLOOR_HZ = 49, DEFAULT_FLOOR_HZ = 199 };

/* Of the account: seconds of the budget. */
enum { BEGIN_S = 20, SAVED_S = 2, OWED_S = 15, PAY_S = 6 };

static const double
	GOAL = 0.92,       /* of the budget */
	BURST = 10,        /* times the budget: more than this of a look is not put on the account */
	AIM = 0.88,        /* of what samples may cost: that varies */
	MUCH = 0.8,        /* of the budget: from here on the rest leaves little for samples */
	LEAST = 0.1,       /* of the budget: samples may cost this in any case */
	NOTABLE = 0.25,    /* of its cost: so much other work is worth cutting first, */
	EASY = 0.5,        /* and is done again while all costs less than this of the budget */
	ALARM = 4,         /* times the budget: acts at the first look */
	FALL = 1.0 / 8,    /* the furthest down at once, */
	RISE = 1.25,       /* and up, */
	WORTH_RISING = 1.2,
	RELIEF = 0.7,      /* after losses, and where other work is above the budget, */
	LOST_MOST = 0.01;  /* if more than this part was lost */

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Of the last @want of @looks values. */
static double
median(const double past[BUDGET_PAST], size_t looks, size_t want)
{
	double sorted[BUDGET_PAST];
	size_t n = MIN(looks, want);

	for (size_t i = 0; i < n; i++)
		sorted[i] = past[(looks - 1 - i) % BUDGET_PAST];
	qsort(sorted, n, sizeof(*sorted), compare);
	return sorted[n / 2];
}

struct budget
budget_make(double percent, size_t cpus)
{
	bool is_default = percent < 0;

	return (struct budget){
		.percent = is_default ? MAX((double)cpus / 4, 2) : percent,
		.floor_hz = is_default ? DEFAULT_FLOOR_HZ : FLOOR_HZ,
		.account_s = BEGIN_S,
	};
}

static void
put_on_account(struct budget *b, double own, double seconds)
{
	double gain = (1 - MIN(own / b->percent, BURST)) * seconds;
	double most = MAX(b->account_s, SAVED_S);

	b->account_s = MIN(MAX(b->account_s + gain, -OWED_S), most);
}

/* Percent to be saved now, for what is owed. */
static double
owed(const struct budget *b)
{
	return MAX(-b->account_s, 0) / PAY_S * b->percent;
}

/* What all may cost. */
static double
goal(const struct budget *b)
{
	return MAX(b->percent * GOAL - owed(b), b->percent * LEAST);
}

/* What samples may cost beside @other. */
static double
room(const struct budget *b, double other)
{
	return MAX(goal(b) - other, b->percent * LEAST);
}

/* All that ptop did at this frequency: of the last looks. */
static double
own_now(const struct budget *b)
{
	return median(b->own, b->looks, MIN(b->held + 1, (size_t)BUDGET_PAST));
}

/*
 * Of what is not in proportion to samples some is: processes that are sampled have maps
 * and symbols to be read.  Whether it goes down with the frequency will show.
 */
static bool
is_above(const struct budget *b)
{
	return b->held >= HELD_LOOKS && own_now(b) > goal(b);
}

/* What was asked does not fit into the budget.  Whether what is done beside it is now to give way. */
static bool
becomes_thrifty(struct budget *b, double sampling, double other)
{
	if (b->is_thrifty || (b->account_s >= 0 && other < (sampling + other) * NOTABLE))
		return false;
	b->is_thrifty = true;
	b->thrifty = b->easy = 0;
	b->looks = 0; /* what was seen before is no measure of what comes */
	return true;
}

/* Whether it is seen first what that saves; a fall that has begun goes on. */
static bool
waits_for_thrift(const struct budget *b, double sampling, bool is_falling)
{
	return b->is_thrifty && b->thrifty <= HELD_LOOKS && !is_falling &&
	       sampling <= b->percent * ALARM;
}

/* It stays so until there has been room for a while. */
static void
pass_thrifty_look(struct budget *b, double own)
{
	b->thrifty++;
	b->easy = own < b->percent * EASY ? b->easy + 1 : 0;
	b->is_thrifty = b->is_thrifty && b->easy < EASY_LOOKS;
}

/*
 * Much of what is not counted as the samples' goes down with them, too: no further at once than if
 * all did.
 */
static double
lowered(const struct budget *b, const struct budget_look *l, double want)
{
	bool is_alarm = l->sampling_s * 100 / l->seconds > b->percent * ALARM;

	if (!is_alarm)
		want = MAX(want, l->hz * MIN(goal(b) * AIM / own_now(b), AIM));
	return MAX(want, l->hz * FALL);
}

/* Which part of what it costs leaves no more for samples. */
static enum budget_cause
cost_cause(const struct budget *b, double other)
{
	return other + owed(b) > b->percent * MUCH ? BUDGET_OTHER_COST : BUDGET_COST;
}

/* Where it costs too much: the Hz that it should be, and why; else what it is. */
static double
less_by_cost(struct budget *b, const struct budget_look *l, double want, double other)
{
	if (want < l->hz * AIM) {
		b->cause = cost_cause(b, other);
		return lowered(b, l, want);
	}
	if (is_above(b)) {
		b->cause = BUDGET_OTHER_COST;
		return l->hz * RELIEF;
	}
	return l->hz;
}

/* Where it does not: a step up, if there is room for it, or what leaves none. */
static double
more_by_cost(struct budget *b, const struct budget_look *l, double want, double other)
{
	/* Each change is seen for a while before the next one up. */
	if (b->held < HELD_LOOKS)
		return l->hz;
	if (want < MIN(l->hz * WORTH_RISING, l->asked_hz) || own_now(b) > goal(b) * AIM) {
		b->cause = cost_cause(b, other);
		return l->hz;
	}
	if (b->cause == BUDGET_OTHER_COST || b->cause == BUDGET_FLOOR)
		b->cause = BUDGET_COST;
	return MIN(l->hz * RISE, want);
}

static double
by_cost(struct budget *b, const struct budget_look *l)
{
	double own = l->own_s * 100 / l->seconds, sampling = l->sampling_s * 100 / l->seconds;
	bool is_falling = b->held == 0 && b->looks > 0, is_short;
	size_t at = b->looks++ % BUDGET_PAST;
	double other, unit, want, less;

	pass_thrifty_look(b, own);
	put_on_account(b, own, l->seconds);
	b->own[at] = own;
	b->other[at] = MAX(own - sampling, 0);
	b->unit[at] = sampling / l->hz;
	other = median(b->other, b->looks, BUDGET_PAST);
	unit = sampling > b->percent * ALARM ? b->unit[at] : median(b->unit, b->looks, UNIT_LOOKS);
	b->needed = other + unit * l->asked_hz + owed(b);
	want = unit > 0 ? room(b, other) * AIM / unit : l->asked_hz;
	less = less_by_cost(b, l, want, other);
	is_short = less < l->hz || want < l->asked_hz;
	if ((is_short && becomes_thrifty(b, sampling, other)) || less < l->hz)
		return waits_for_thrift(b, sampling, is_falling) ? l->hz : less;
	return more_by_cost(b, l, want, other);
}

/*
 * What it costs makes it no lower than a floor.  What else took it lower says why until it is back,
 * each step up being seen for a while.
 */
static double
by_cost_above_floor(struct budget *b, const struct budget_look *l)
{
	const enum budget_cause before = b->cause;
	double least = MIN(b->floor_hz, l->asked_hz), hz = by_cost(b, l);

	/* It is opened anew for what is asked now, which nothing has lowered. */
	if (l->hz < least && before == BUDGET_KEPT)
		return l->asked_hz;
	if (l->hz < least) {
		b->cause = before;
		return b->held < HELD_LOOKS ? l->hz : MIN(l->hz * RISE, least);
	}
	if (hz >= least)
		return hz;
	b->cause = BUDGET_FLOOR;
	return least;
}

static double
by_loss(struct budget *b, const struct budget_look *l)
{
	if ((double)l->lost > (double)(l->samples + l->lost) * LOST_MOST)
		b->cause = BUDGET_LOST;
	else if (l->throttled > 0)
		b->cause = BUDGET_THROTTLED;
	else
		return l->asked_hz;
	return l->hz * RELIEF;
}

double
budget_next(struct budget *b, const struct budget_look *l)
{
	double hz, least = MIN((double)FLOOR_HZ, l->asked_hz);

	if (b->percent <= 0 || l->hz <= 0 || l->seconds <= 0)
		return l->asked_hz;
	hz = by_cost_above_floor(b, l);
	hz = MIN(hz, by_loss(b, l));
	if (l->kernel_hz < l->asked_hz && l->kernel_hz <= hz) {
		hz = l->kernel_hz;
		b->cause = BUDGET_KERNEL;
	}
	hz = MIN(MAX(hz, least), l->asked_hz);
	if (hz >= l->asked_hz)
		b->cause = BUDGET_KEPT;
	b->held = hz < l->hz || hz > l->hz ? 0 : b->held + 1;
	return hz;
}

enum budget_cause
budget_told(const struct budget *b, double hz)
{
	return b->cause == BUDGET_FLOOR && hz > b->floor_hz ? BUDGET_COST : b->cause;
}
