/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_SHARE_H
#define PTOP_VIEW_SHARE_H
/*
 * How sure a share is, and whether two differ: the one arithmetic of error bars, differences and
 * changes.  A share is what a row has of all that its event counted.  Samples are no coin tosses:
 * what a program does in one second it tends to do in the next.  So how much shares vary is told by
 * units of about a second, and how these hang together.  Pure; any thread.
 */
#include "base/util.h"

/* Sums over units of time, in their order. */
struct share_moments {
	unsigned units;
	double of, all;                  /* what the row has of all that was counted */
	double of_of, of_all, all_all;   /* products in one unit */
	double of_of_next, cross_next, all_all_next; /* of a unit and the next; cross: both ways */
	double last_of, last_all;
};

struct share_sums {
	struct share_moments window;
	struct share_moments spread; /* of more time up to the window's end, if that is short */
	struct share_moments merged; /* of the window's seconds, where its units are longer */
	double samples;              /* of all, in the window: at least as vague as so many are */
	double unit_s, spread_unit_s; /* of the window, and of more time; a merged one is a second */
};

enum {
	SHARE_LEAST_UNITS = 10,  /* fewer, if nothing hung together, tell no variance */
	SHARE_MANY_UNITS = 30,   /* an interval is told by more time if there are fewer */
	SHARE_SPREAD_S = 120,    /* so much of the past tells it for shorter windows, or so many units */
};

/* Adds the next unit. */
void share_add(struct share_moments *m, double of, double all);

/*
 * The part of that which is of the row alone, where many share the rest: @last_all is what all had in
 * the unit before.
 */
static inline void
share_add_of(struct share_moments *m, double of, double all, double last_all)
{
	m->of += of;
	m->of_of += of * of;
	m->of_all += of * all;
	m->of_of_next += m->last_of * of;
	m->cross_next += m->last_of * all + last_all * of;
	m->last_of = of;
}

/*
 * Adds seconds that are known by their sums alone, and by those of the squares, and of the products
 * with the next, of what the row has in each beyond its share: as much as that may be.
 */
void share_add_merged(struct share_moments *m, unsigned seconds, double of, double all,
		      double squares, double lagged);

double share_of(const struct share_sums *s); /* 0..1 */

/* The sums of what has no samples at all, where @all is everything. */
struct share_sums share_of_nothing(const struct share_sums *all);

/* Half of what its interval of 95 % spans; NAN: it cannot be told. */
double share_error(const struct share_sums *s);

/* Seconds that are missing until the variance is known; 0: none. */
double share_needs_s(const struct share_sums *s);

struct share_change {
	double now, then, delta; /* 0..1 */
	double low, high;        /* of delta, 95 %; NAN: too little is known, as p */
	double p;                /* that chance alone makes such a delta; NAN: not known */
	double q;                /* the same beside all others that were looked at: share_judge() */
	double needs_s;          /* what is missing to tell; 0 where share_judge() is sure already */
	bool is_significant;     /* share_judge() */
};

void share_compare(struct share_change *c, const struct share_sums *now,
		   const struct share_sums *then);

/*
 * Which of all changes that are shown together are no chance: at most one of a hundred that are said
 * to be is none (Benjamini and Hochberg), and none is that nobody would care for.
 */
void share_judge(struct share_change *const *changes, size_t count);

/* The same where so many were looked at: those that are left out are thought to be chance. */
void share_judge_among(struct share_change *const *changes, size_t count, size_t looked_at);

#endif
