/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_PAST_H
#define PTOP_PROFILE_COUNT_PAST_H
/*
 * The past in tiers: each second for two minutes, each ten seconds for half an hour, each minute for a
 * day.  What is merged loses entries that are lighter than a thousandth of the new interval: those of
 * a task become one, [other]; of a tree, below the nearest node that is heavy with all below it; of
 * addresses, one of their file.  Sums stay exact.  Where the log has too little room for that, tiers
 * are shorter, at last the day.  Engine thread only.
 */
#include "profile/count/profile.h"

/*
 * Merges what is old enough, or too much for the log's share; what is older than a day is forgotten.
 * Call after each interval, if the profile keeps a past.
 */
void past_keep(struct profile *p, uint64_t now_ns);

/* past_merge.c: what there is of @event among the first @len intervals of @tier becomes one of the next. */
void past_merge(struct profile *p, enum log_tier tier, size_t len, uint32_t event);

#endif
