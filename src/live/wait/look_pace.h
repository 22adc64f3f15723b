/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_LOOK_PACE_H
#define PTOP_LIVE_WAIT_LOOK_PACE_H
/*
 * How often threads are looked at, and when that has cost as much as it may.  A look at a thread
 * that has not run is cheap: these are as far apart as their price asks for.  All others are paid
 * from what is left, as credit: of percent of the time that passes.  One thread at a time.
 */
#include "base/util.h"

enum { LOOK_HOLD_MS = 500 }; /* so long what a thread waits is kept until it is told, at least */

struct look_pace {
	double percent;       /* of one CPU, 0: no bound; */
	double begin_percent; /* and at first */
	uint64_t base_ns;     /* between looks at a thread, if they cost nothing, */
	uint64_t interval_ns; /* and as it is */
	double cheap_ns;      /* what a look at a thread that has not run costs */
	uint64_t worth_ns;    /* so much credit is worth a beginning */
	int64_t credit_ns;    /* CPU time; less than 0: debts, */
	uint64_t at_ns, cpu_ns; /* as of that time, when the thread had used that, */
	uint64_t free_ns;    /* so much of it paid by nobody */
	uint64_t late_since_ns, late_looks; /* looks since then that had to wait for credit */
	uint64_t late_turn_ns;  /* one look at each of these threads took so long, 0: none waited */
	bool knows_turn;        /* they were summed up */
	size_t late;            /* so many threads waited when the pace was set */
};

void look_pace_init(struct look_pace *p, double percent);

/* So many threads did not run, so many of them have more looks; nor did the process of these; others. */
struct look_counts {
	size_t still, preferred, stay, late;
};

void look_pace_set(struct look_pace *p, const struct look_counts *n);

/*
 * So long what each of @threads waits is kept until it is told: that has its price for who counts it,
 * so it is the longer the more they are, the less of what looks had at first is left for them (half of
 * it is enough), and while others wait for their first look.
 */
uint64_t look_pace_hold_ns(const struct look_pace *p, size_t threads, bool is_first_turn);

/* The interval of threads that are preferred: the shortest of all. */
uint64_t look_pace_least_ns(const struct look_pace *p);

/* What was used since is paid; @is_free: it costs nothing. */
void look_pace_charge(struct look_pace *p, uint64_t now_ns, uint64_t cpu_ns, bool is_free);

/* Threads had their first looks: what is left of the credit for these is given up. */
void look_pace_end_first(struct look_pace *p);

/* @count looks at threads that had not run have cost @cpu_ns. */
void look_pace_learn(struct look_pace *p, uint64_t cpu_ns, size_t count);

/* Whether a look that costs more is allowed; @is_preferred: others pay for it later. */
bool look_pace_has_credit(const struct look_pace *p, bool is_preferred);

/* So long until there is credit for some of them. */
uint64_t look_pace_wait_ns(const struct look_pace *p);

/*
 * @looks were taken of @threads threads that wait for credit, 0: that had not to wait for long; once in
 * a while they are summed up.
 */
void look_pace_late(struct look_pace *p, uint64_t now_ns, size_t looks, size_t threads);

/* How long one look at each of those takes; until that is known: if a look costs @each_ns. */
uint64_t look_pace_turn_ns(const struct look_pace *p, uint64_t each_ns);

#endif
