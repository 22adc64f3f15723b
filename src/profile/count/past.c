/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When what of the log is merged, and forgotten. */
#include "profile/count/past.h"

#include <stdlib.h>

enum {
	DAY_S = 24 * 3600,
	PARTS = 16,        /* of the log's share: */
	NEWEST_MOST = 8,   /* so many are the newest tier's at most, also while there is room: what it names
			      stays in all tables; where the share is full, */
	NEWEST_PARTS = 5,  /* so many are the newest tier's, before more of it is merged, */
	TENS_PARTS = 4,    /* and the next one's */
};

/* How long it is before it goes to the next tier. */
static const uint64_t kept_ns[LOG_TIERS] = {
	120 * NSEC_PER_SEC, 1800 * NSEC_PER_SEC, DAY_S * NSEC_PER_SEC,
};

/* In which stretch of a later tier the interval lies: where it ends. */
static uint64_t
slot_of(const struct profile *p, enum log_tier later, const struct interval *iv)
{
	return (iv->end_ns - 1 + p->clock_ahead_ns) / log_slot_ns[later];
}

/* How many of the tier's first are of one stretch of the next. */
static size_t
slot_len(const struct profile *p, enum log_tier tier)
{
	const enum log_tier later = tier + 1;
	uint64_t slot = slot_of(p, later, log_tier_at(&p->log, tier, 0));
	size_t len = 1;

	while (len < p->log.tiers[tier].len &&
	       slot_of(p, later, log_tier_at(&p->log, tier, len)) == slot)
		len++;
	return len;
}

/* When the stretch that the tier's first is of ends. */
static uint64_t
slot_end_ns(const struct profile *p, enum log_tier tier)
{
	const enum log_tier later = tier + 1;
	uint64_t slot = slot_of(p, later, log_tier_at(&p->log, tier, 0));

	return (slot + 1) * log_slot_ns[later] - p->clock_ahead_ns;
}

static void
merge_first(struct profile *p, enum log_tier tier)
{
	size_t len = slot_len(p, tier);

	for (uint32_t e = 0; e < p->event_count; e++)
		past_merge(p, tier, len, e);
	for (; len > 0; len--)
		log_drop_first(&p->log, tier);
}

/* Whether the tier's first can be merged: the stretch that they are of is over. */
static bool
is_over(const struct profile *p, enum log_tier tier, uint64_t now_ns)
{
	return p->log.tiers[tier].len > 0 && slot_end_ns(p, tier) <= now_ns &&
	       slot_len(p, tier) < p->log.tiers[tier].len;
}

/* What a tier has of all that the log takes: of numbers and kept entries in proportion. */
static size_t
tier_bytes(const struct profile *p, int tier)
{
	size_t packed = 1;

	for (int t = 0; t < LOG_TIERS; t++)
		packed += p->log.tiers[t].bytes;
	return (size_t)((double)log_bytes(&p->log) * (double)p->log.tiers[tier].bytes / (double)packed);
}

/* Something goes: the finest that has more than its part, else the oldest. */
static void
make_room(struct profile *p, size_t share, uint64_t now_ns)
{
	static const size_t parts[] = { NEWEST_PARTS, TENS_PARTS };

	for (int t = LOG_NEWEST; t < LOG_MINUTES; t++) {
		if (tier_bytes(p, t) > share / PARTS * parts[t] &&
		    is_over(p, (enum log_tier)t, now_ns)) {
			merge_first(p, (enum log_tier)t);
			return;
		}
	}
	profile_forget_interval(p);
	p->dropped_intervals++;
}

static void
keep_a_day(struct profile *p, uint64_t now_ns)
{
	const struct interval_list *days = &p->log.tiers[LOG_MINUTES];

	for (int t = LOG_NEWEST; t < LOG_MINUTES; t++)
		while (is_over(p, (enum log_tier)t, now_ns) &&
		       slot_end_ns(p, (enum log_tier)t) + kept_ns[t] <= now_ns)
			merge_first(p, (enum log_tier)t);
	while (tier_bytes(p, LOG_NEWEST) > profile_log_share(p) / PARTS * NEWEST_MOST &&
	       is_over(p, LOG_NEWEST, now_ns))
		merge_first(p, LOG_NEWEST);
	while (days->len > 0 && log_tier_at(&p->log, LOG_MINUTES, 0)->end_ns + kept_ns[LOG_MINUTES] < now_ns)
		profile_forget_interval(p);
}

void
past_keep(struct profile *p, uint64_t now_ns)
{
	const size_t share = profile_log_share(p) / PARTS * (PARTS - 1); /* the rest is for the next interval */

	/* A recording is kept as it is, and all of it, as far as there is room. */
	if (!p->model->from_file)
		keep_a_day(p, now_ns);
	while (log_bytes(&p->log) > share && p->log.tiers[LOG_NEWEST].len > 1)
		make_room(p, share, now_ns);
}
