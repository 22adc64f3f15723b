/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_PAST_IMPL_H
#define PTOP_PROFILE_COUNT_PAST_IMPL_H
/*
 * Intervals become one in two walks over them: the first sums what each entry has (past_weigh.c), from
 * which follows where that goes (past_place.c); the second adds it there, second by second, so that it is
 * known how these differ (past_seconds.c).  past_merge.c has the order of this.  Engine thread only.
 */
#include "profile/count/past.h"

/* What an entry of the new interval has. */
struct sum {
	uint32_t table, id;
	uint32_t samples;
	uint64_t period;
	double of_of, of_all;          /* products in one second, summed: of all, what all have */
	double of_of_next, cross_next; /* of a second and the next; cross: both ways */
	uint32_t part;           /* the last of @parts that had some of it, plus one; 0: none yet */
	double now;              /* its period in that one, and of merged ones */
	double squares, lagged;  /* what is known of their seconds */
	uint32_t before;         /* the part before that, and the mean of its seconds */
	double before_mean;
};

/* An entry of the tables that the merge has to do with. */
struct met {
	uint32_t id;
	uint32_t goes_to; /* its sum, plus one; 0: not told yet */
	uint64_t weight;  /* period, and one for each time; 0: it has nothing */
};

/* Those of one table: a few of all that there are. */
struct met_list {
	struct met *items;
	size_t len, cap;
	size_t count;  /* so many have something, the lowest first; they come first */
	uint32_t *at;  /* by entry: its place, plus one; 0: it is not among them */
	size_t at_cap;
};

struct part; /* past_seconds.c */

/* What there is of an event among the first @len intervals of a tier. */
struct merge {
	struct profile *p;
	enum log_tier tier;
	size_t len;
	uint32_t event;
	struct met_list met[TABLE_COUNT];
	size_t entries[TABLE_COUNT];    /* how many there were before */
	uint64_t period, least;         /* of all; below which an entry is light */
	uint64_t samples;               /* of all */
	bool is_crowded;                /* of the log's share too much are entries: new ones have to weigh more */
	struct sum *sums;
	size_t sum_len, sum_cap;
	struct part *parts;             /* seconds, and what was merged before */
	size_t part_len, part_cap;
	uint32_t seconds;
	double all_all, all_all_next;   /* as those of a sum */
};

/* The tier's @n-th; NULL: it is of another event, or of what is not shown any more. */
static inline const struct interval *
past_source(const struct merge *m, size_t n)
{
	const struct interval *iv = log_tier_at(&m->p->log, m->tier, n);

	return iv->event == m->event && iv->end_ns > m->p->events[m->event].zero_ns ? iv : NULL;
}

/* past_weigh.c: the entry among them, made if it is new. */
struct met *past_meet(struct met_list *list, uint32_t id);

/* What each entry has, and how much is light. */
void past_weigh(struct merge *m);
uint64_t past_least_of_new(const struct merge *m); /* what is new to the log is light below that */
bool past_is_light(const struct merge *m, enum table_id t, const struct met *e);

/* past_place.c: the sum that each entry goes to. */
void past_place(struct merge *m);

/* past_seconds.c: what each sum has; and how its seconds differ, in a delta that has the rest. */
void past_add_up(struct merge *m);
void past_set_moments(const struct merge *m, struct delta *d, const struct sum *s, double usual);

#endif
