/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/waits/look_share.h"

#include <math.h>

enum { PASS_MS = 950 }; /* beats are a second apart, or less */

/* Of the budget: */
static const double
	BEGIN = 0.45,  /* for looks, until it is known what the rest takes, */
	LEAST = 0.2,   /* in any case, */
	MOST = 0.8,
	GOAL = 0.94,   /* and for all together; */
	BURST = 1.5,   /* what takes more than that is over soon, */
	CHANGE = 0.02, /* what changes less is let be; */
	LEARN = 0.3;   /* of what is new */

struct look_share
look_share_make(double budget)
{
	return (struct look_share){ .budget = budget, .percent = budget * BEGIN,
				    .rest = budget * (GOAL - BEGIN) };
}

/* Percent that all but looks took since the last time. */
static double
rest_since(const struct look_share *s, uint64_t now_ns, uint64_t own_ns, uint64_t looks_ns)
{
	double ns = (double)own_ns - (double)s->own_ns - ((double)looks_ns - (double)s->looks_ns);

	return MIN(MAX(ns, 0) * 100 / (double)(now_ns - s->time_ns), s->budget * BURST);
}

bool
look_share_pass(struct look_share *s, uint64_t now_ns, uint64_t own_ns, uint64_t looks_ns)
{
	double percent, before = s->percent;

	if (s->budget <= 0 || (s->time_ns != 0 && now_ns - s->time_ns < PASS_MS * NSEC_PER_MSEC))
		return false;
	/* A thread that was left behind took its time with it. */
	if (s->time_ns != 0 && looks_ns >= s->looks_ns)
		s->rest += (rest_since(s, now_ns, own_ns, looks_ns) - s->rest) * LEARN;
	s->time_ns = now_ns;
	s->own_ns = own_ns;
	s->looks_ns = looks_ns;
	percent = MIN(MAX(s->budget * GOAL - s->rest, s->budget * LEAST), s->budget * MOST);
	if (fabs(percent - before) < s->budget * CHANGE)
		return false;
	s->percent = percent;
	return true;
}
