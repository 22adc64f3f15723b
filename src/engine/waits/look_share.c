/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/waits/look_share.h"

#include <math.h>

enum {
	PASS_MS = 950, /* beats are a second apart, or less */
	BEGIN_S = 10,  /* what is done once, as first looks and names are, is no measure of what follows */
	PAY_S = 5,     /* in so long is paid back what was too much, */
	OWED_S = 10,   /* but for what is more than so many seconds of the budget */
};

/* Of the budget: */
static const double
	FIRST = 0.45,  /* for looks, until it is known what the rest takes, */
	TURN = 0.35,   /* at least, until each thread had one, */
	LEAST = 0.1,   /* in any case, */
	MOST = 0.8,
	GOAL = 0.94,   /* and for all together; */
	BURST = 1.25,  /* what takes more than that is over soon, */
	CHANGE = 0.02, /* what changes less is let be; */
	LEARN = 0.3;   /* of what is new */

struct look_share
look_share_make(double budget)
{
	return (struct look_share){ .budget = budget, .percent = budget * FIRST,
				    .rest = budget * (GOAL - FIRST) };
}

/* Of @ns in @seconds: percent, as far as it counts. */
static double
percent_of(const struct look_share *s, double ns, double seconds)
{
	return MIN(MAX(ns, 0) / seconds / 1e7, s->budget * BURST);
}

static void
learn(struct look_share *s, double own_ns, double looks_ns, double seconds, bool is_first_turn)
{
	double own = percent_of(s, own_ns, seconds);
	double rest = percent_of(s, own_ns - looks_ns, seconds);

	s->rest += (rest - s->rest) * LEARN;
	s->passed_s += seconds;
	if (s->passed_s > BEGIN_S && !is_first_turn)
		s->owed = MIN(MAX(s->owed + (own - s->budget * GOAL) * seconds, 0),
			      s->budget * OWED_S);
}

bool
look_share_pass(struct look_share *s, uint64_t now_ns, uint64_t own_ns, uint64_t looks_ns,
		bool is_first_turn)
{
	double percent, before = s->percent;

	if (s->budget <= 0 || (s->time_ns != 0 && now_ns - s->time_ns < PASS_MS * NSEC_PER_MSEC))
		return false;
	/* A thread that was left behind took its time with it. */
	if (s->time_ns != 0 && looks_ns >= s->looks_ns)
		learn(s, (double)(own_ns - s->own_ns), (double)(looks_ns - s->looks_ns),
		      (double)(now_ns - s->time_ns) / 1e9, is_first_turn);
	s->time_ns = now_ns;
	s->own_ns = own_ns;
	s->looks_ns = looks_ns;
	percent = s->budget * GOAL - s->rest - s->owed / PAY_S;
	percent = MIN(MAX(percent, s->budget * (is_first_turn ? TURN : LEAST)), s->budget * MOST);
	if (fabs(percent - before) < s->budget * CHANGE)
		return false;
	s->percent = percent;
	return true;
}
