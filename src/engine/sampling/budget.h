/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_SAMPLING_BUDGET_H
#define PTOP_ENGINE_SAMPLING_BUDGET_H
/*
 * At which frequency ptop samples, so that it costs no more than it may: from what it did cost
 * lately, quickly down, slowly up, never above what was asked.  Before samples are taken away, other
 * work is.  Numbers alone: no clock, no kernel.  One thread.
 */
#include "base/util.h"

enum budget_cause {
	BUDGET_KEPT,       /* what was asked is what is sampled at */
	BUDGET_BEGIN,      /* it begins with less, and rises */
	BUDGET_COST,       /* samples cost too much */
	BUDGET_OTHER_COST, /* what ptop does beside that leaves little for them */
	BUDGET_LOST,       /* rings overflowed */
	BUDGET_THROTTLED,  /* the kernel stopped an event for a while */
	BUDGET_KERNEL,     /* perf_event_max_sample_rate is lower than that */
	BUDGET_FLOOR,      /* as BUDGET_COST, and it is as low as cost makes it, whatever it costs */
};

/* What was seen since the last look, about a second ago. */
struct budget_look {
	double seconds;
	double own_s;      /* CPU time of all that is ptop's */
	double sampling_s; /* the part of it that samples took */
	uint64_t samples, lost, throttled;
	double hz;         /* what was sampled at, */
	double asked_hz;   /* what was asked for, */
	double kernel_hz;  /* and what the kernel allows at most */
};

enum { BUDGET_PAST = 5 };

/* Of budget_make(): nothing was seen yet. */
struct budget {
	double percent;  /* of one CPU, 0: no bound */
	double floor_hz; /* what it costs makes it no lower than this */
	enum budget_cause cause;
	double account_s; /* seconds of the whole budget that were saved, below 0: that are owed */
	double needed;   /* percent that what was asked would cost */
	double own[BUDGET_PAST], other[BUDGET_PAST]; /* of the last looks: percent, without samples, */
	double unit[BUDGET_PAST]; /* and of samples for each Hz */
	size_t looks;    /* that these are of */
	size_t held;     /* looks since the frequency was changed */
	bool is_thrifty; /* what can wait beside samples is to wait */
	size_t thrifty;  /* looks since it began, */
	size_t easy;     /* and those, one after another, that left much room */
};

/* Hz to sample at from now on, asked_hz at most: what is higher has no bound. */
double budget_next(struct budget *b, const struct budget_look *look);

/* What is told of why it is sampled at @hz: rates change now and then, what is on its way is not there yet. */
enum budget_cause budget_told(const struct budget *b, double hz);

/*
 * Nobody has said what ptop may cost, @percent < 0: a quarter of a percent of a CPU for each of
 * @cpus, at least 2 percent, but 199 Hz is always worth its price.  What somebody has said holds
 * down to 49 Hz.
 */
struct budget budget_make(double percent, size_t cpus);

#endif
