/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SHARE_WORLD_H
#define PTOP_TESTS_SHARE_WORLD_H
/*
 * A machine that is made up: functions whose rates wander around means that are known, each second
 * as much like the one before as is asked for, and samples of them by chance.  By it the arithmetic
 * of shares is held against the truth.  The same seed gives the same machine.
 */
#include "view/share.h"

enum { WORLD_FUNCTIONS_MAX = 64 };

struct world {
	uint64_t random;
	size_t functions;
	double share[WORLD_FUNCTIONS_MAX]; /* together 1 */
	double wander[WORLD_FUNCTIONS_MAX];
	double correlation; /* from a second to the next */
	double deviation;   /* of the logarithm of a function's rate */
	double rate;        /* samples a second */
};

/* @functions with shares like 1, 1/2, 1/3 ..., wandering already. */
void world_begin(struct world *w, uint64_t seed, size_t functions, double correlation,
		 double deviation);

/* The samples of each function in the next second, WORLD_FUNCTIONS_MAX at most, and of all. */
double world_draw(struct world *w, double *of);

/* Adds the next second to the sums of each function. */
void world_second(struct world *w, struct share_sums *sums);

/*
 * How many of @tries pairs of stretches of @seconds, without any change, have a row that is called
 * significant.
 */
unsigned world_false_alarms(unsigned tries, unsigned seconds, double correlation, double deviation);

/* How many of @tries rises from @before to @after are called so after @seconds. */
unsigned world_found(unsigned tries, unsigned seconds, double before, double after,
		     double correlation, double deviation);

/* How many of @tries intervals of @seconds hold the true share. */
unsigned world_covered(unsigned tries, unsigned seconds, double share, double correlation,
		       double deviation);

/* How many changes are told of 50 functions in an hour in which nothing changes. */
unsigned world_hour_changes(double correlation, double deviation);

/*
 * How many in a hundred switches from nothing to a fourth, or back, are told before the next, when to two
 * seconds and with both shares: one each 30 s, the first at any moment while it is learnt what is usual.
 */
unsigned world_switches_told(double correlation, double deviation);

/* How many of @tries rises from 5 to 8 percent are told within 20 s. */
unsigned world_told(unsigned tries, double correlation, double deviation);

#endif
