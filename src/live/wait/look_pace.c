/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/look_pace.h"

#include "base/clock.h"

enum {
	INTERVAL_LEAST_MS = 4, INTERVAL_MS = 50, INTERVAL_MOST_MS = 30000, /* between looks at a thread */
	INTERVAL_EACH_MS = 2,  /* of few threads: for each of them */
	PREFERRED_PART = 32,   /* of an interval, where it is long: that of threads that are preferred */
	CHEAP_NS = 3000,       /* what a look costs, until that is known, */
	CHEAP_MOST_NS = 50000,
	STAY_NS = 250,         /* and one for which nothing is read */
	HOLD_EACH_US = 480,    /* of many threads, for each: what they wait is told so seldom, */
	HOLD_PART = 2,         /* more seldom if looks have less than such a part of what they had at first, */
	HOLD_SLOWEST = 3,      /* by so much at most, and as long as others had no look yet */
	LEARN_PART = 8,        /* of what is new of it */
	CREDIT_MS = 400,       /* of CPU time, that there is for first looks: these are dear, */
	CREDIT_S = 44,         /* but no more than comes in so long; */
	SAVED_S = 1,           /* so much is kept if it is not used */
	PREFERRED_S = 2,       /* so much of it is spent ahead for threads that are preferred, */
	DEBT_S = 3,            /* and more than that nobody has to pay back */
	WORTH_NS = 500000,     /* looks are taken up again with so much credit, */
	WORTH_EACH_NS = 800,   /* or so much for each thread: all are gone through */
	LATE_MS = 1000,        /* so long late looks are counted, at least, */
	LATE_PART = 16,        /* until that part of those that wait had theirs, */
	LATE_MOST_MS = 10000,  /* or so long: then a turn is told as if they had */
};

/*
 * Of the percent for looks that are cheap: alone, beside others, and the least.  To go through all
 * threads is paid by the rest, which the last few others have to wait for, too.
 */
static const double cheap_alone = 0.75, cheap_beside = 0.5, cheap_least = 0.25;

static double
cheap_share(size_t still, size_t others)
{
	if (others == 0)
		return cheap_alone;
	return MAX(cheap_beside * (double)still / (double)(still + others), cheap_least);
}

void
look_pace_init(struct look_pace *p, double percent)
{
	*p = (struct look_pace){
		.percent = percent, .begin_percent = percent, .base_ns = INTERVAL_MS * NSEC_PER_MSEC,
		.interval_ns = INTERVAL_MS * NSEC_PER_MSEC, .cheap_ns = CHEAP_NS,
		.worth_ns = WORTH_NS,
		.credit_ns = (int64_t)MIN(percent / 100 * CREDIT_S * (double)NSEC_PER_SEC,
					  (double)(CREDIT_MS * NSEC_PER_MSEC)),
	};
}

/* So much credit is kept if it is not used. */
static int64_t
saved_ns(const struct look_pace *p)
{
	return (int64_t)(p->percent / 100 * SAVED_S * (double)NSEC_PER_SEC);
}

void
look_pace_set(struct look_pace *p, const struct look_counts *n)
{
	size_t all = n->still + n->stay + n->late;
	uint64_t ms = MAX(MIN(all * INTERVAL_EACH_MS, INTERVAL_MS), INTERVAL_LEAST_MS);
	double ns = (double)(n->still + n->preferred * (PREFERRED_PART - 1)) * p->cheap_ns +
		    (double)n->stay * STAY_NS;
	double share = cheap_share(n->still + n->stay, n->late);

	p->late = n->late;
	p->base_ns = ms * NSEC_PER_MSEC;
	p->worth_ns = MAX(all * WORTH_EACH_NS, (size_t)WORTH_NS);
	p->interval_ns = p->base_ns;
	if (p->percent <= 0)
		return;
	/* What comes in meanwhile is not to be lost. */
	p->worth_ns = MIN(p->worth_ns, (uint64_t)saved_ns(p) / 2);
	ns = MIN(ns * 100 / (p->percent * share), (double)INTERVAL_MOST_MS * NSEC_PER_MSEC);
	p->interval_ns = MAX(p->base_ns, (uint64_t)ns);
}

uint64_t
look_pace_hold_ns(const struct look_pace *p, size_t threads, bool is_first_turn)
{
	double ns = (double)threads * HOLD_EACH_US * (double)NSEC_PER_MSEC / 1000;

	if (is_first_turn)
		ns *= HOLD_SLOWEST;
	else if (p->percent > 0)
		ns *= MIN(MAX(p->begin_percent / HOLD_PART / p->percent, 1), HOLD_SLOWEST);
	return MAX(LOOK_HOLD_MS * NSEC_PER_MSEC, (uint64_t)ns);
}

uint64_t
look_pace_least_ns(const struct look_pace *p)
{
	return MAX(p->interval_ns / PREFERRED_PART, MIN(p->interval_ns, INTERVAL_MS * NSEC_PER_MSEC));
}

void
look_pace_charge(struct look_pace *p, uint64_t now_ns, uint64_t cpu_ns, bool is_free)
{
	double ns_per_s = p->percent / 100 * (double)NSEC_PER_SEC;
	int64_t used = is_free ? 0 : (int64_t)(cpu_ns - p->cpu_ns);
	int64_t come = p->at_ns != 0 ? (int64_t)((double)(now_ns - p->at_ns) * p->percent / 100) : 0;

	/* What there is for first looks is not taken away. */
	p->credit_ns = MAX(p->credit_ns, MIN(p->credit_ns + come, saved_ns(p)));
	p->credit_ns = MAX(p->credit_ns - used, -(int64_t)(ns_per_s * DEBT_S));
	p->free_ns += is_free ? cpu_ns - p->cpu_ns : 0;
	p->at_ns = now_ns;
	p->cpu_ns = cpu_ns;
}

void
look_pace_end_first(struct look_pace *p)
{
	p->credit_ns = MIN(p->credit_ns, saved_ns(p));
}

void
look_pace_learn(struct look_pace *p, uint64_t cpu_ns, size_t count)
{
	double ns = MIN((double)cpu_ns / (double)count, CHEAP_MOST_NS);

	p->cheap_ns += (ns - p->cheap_ns) / LEARN_PART;
}

bool
look_pace_has_credit(const struct look_pace *p, bool is_preferred)
{
	double least_ns = is_preferred ? -p->percent / 100 * PREFERRED_S * (double)NSEC_PER_SEC : 0;

	return p->percent <= 0 || (double)p->credit_ns > least_ns;
}

uint64_t
look_pace_wait_ns(const struct look_pace *p)
{
	int64_t lacks_ns = (int64_t)p->worth_ns - p->credit_ns;

	return p->percent > 0 && lacks_ns > 0 ? (uint64_t)((double)lacks_ns * 100 / p->percent) : 0;
}

void
look_pace_late(struct look_pace *p, uint64_t now_ns, size_t looks, size_t threads)
{
	uint64_t turn_ns, since_ns;

	p->late_since_ns = p->late_since_ns != 0 ? p->late_since_ns : now_ns;
	p->late_looks += looks;
	since_ns = now_ns - p->late_since_ns;
	if (since_ns < LATE_MS * NSEC_PER_MSEC || (p->late_looks == 0 && threads > 0) ||
	    (p->late_looks < threads / LATE_PART && since_ns < LATE_MOST_MS * NSEC_PER_MSEC))
		return;
	p->knows_turn = true;
	turn_ns = MIN(since_ns * threads / MAX(p->late_looks, 1), since_ns * LATE_PART);
	/* One second is no measure of a turn of many; that it went faster is. */
	if (p->late_turn_ns == 0 || threads == 0)
		p->late_turn_ns = turn_ns;
	else if (turn_ns < p->late_turn_ns)
		p->late_turn_ns = (p->late_turn_ns + turn_ns) / 2;
	else
		p->late_turn_ns = (p->late_turn_ns * 3 + turn_ns) / 4;
	p->late_since_ns = now_ns;
	p->late_looks = 0;
}

uint64_t
look_pace_turn_ns(const struct look_pace *p, uint64_t each_ns)
{
	if (p->knows_turn || p->percent <= 0)
		return p->late_turn_ns;
	return (uint64_t)((double)(p->late * each_ns) * 100 / p->percent);
}
