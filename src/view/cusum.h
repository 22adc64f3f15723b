/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_CUSUM_H
#define PTOP_VIEW_CUSUM_H
/*
 * Tells when a share has become another one: the sum of what seconds have beyond what was usual grows
 * with each that does, and what is chance takes itself back (Page's CUSUM).  Pure; one thread.
 */
#include "view/share.h"

enum {
	CUSUM_PAST = 120,  /* seconds that tell what is usual */
	CUSUM_LEAST = 20,  /* before that nothing is told */
	CUSUM_STAYS = 10,  /* a change that goes back within so many seconds is none */
};

struct cusum {
	float past[CUSUM_PAST]; /* a ring: shares of the last seconds */
	unsigned have, at;
	double sum, squares, products; /* of those that it has; products: of each and the next */
	double up, down;        /* the two sums */
	unsigned up_s, down_s;  /* for how many seconds each has grown */
};

struct cusum_change {
	double before, after; /* shares */
	unsigned seconds;     /* so many ago it began */
};

/* One that has had @share in each of @seconds. */
void cusum_begin(struct cusum *c, unsigned seconds, double share);

double cusum_mean(const struct cusum *c); /* of the seconds that it has */

/* Adds a second: a share, of so many samples.  true: it has changed, and learns anew. */
bool cusum_add(struct cusum *c, double share, double samples, struct cusum_change *change);

#endif
