/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_COUNTER_PAST_H
#define PTOP_ENGINE_VIEWER_COUNTER_PAST_H
/*
 * What each counter of one target counted in each second since the view counters was entered, so that
 * stretches of that time can be compared, by the arithmetic of shares.  Bounded.  Engine thread only.
 * Zero-initialise to begin.
 */
#include "live/count/counting.h"
#include "view/snapshot.h"

enum {
	COUNTER_PAST_UNITS = 1200, /* the oldest are forgotten: twenty minutes */
	COUNTER_PAST_TIME = -1,    /* in place of an event: the time itself, in seconds */
};

struct counter_past {
	struct counter_second *units[COUNTER_PAST_UNITS]; /* the oldest first */
	size_t len;
	size_t event_count;
};

/* Adds what @now has beyond @before, both of the same list of events; short times are put together. */
void counter_past_add(struct counter_past *p, const struct counting_part *before,
		      const struct counting_part *now, size_t event_count);
void counter_past_release(struct counter_past *p);

/* A stretch of time, CLOCK_MONOTONIC. */
struct counter_stretch {
	uint64_t from_ns, to_ns;
};

/*
 * How much of the event @part there was for each of @whole, an event or COUNTER_PAST_TIME, in two
 * stretches.  Shares need a whole: it is the most that there was in any second, @d->scale.
 */
void counter_past_compare(const struct counter_past *p, int part, int whole,
			  const struct counter_stretch *now, const struct counter_stretch *then,
			  struct difference *d);

/* When the oldest that is kept began; there is some. */
uint64_t counter_past_begin_ns(const struct counter_past *p);

/* How much of the stretch is known, in seconds. */
double counter_past_known_s(const struct counter_past *p, const struct counter_stretch *s);

#endif
