/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A breakpoint traps at each hit: a program that touches its variable all the time does little else.
 * What that takes is hits times what one costs, as it was measured when it was opened.
 */
#include "engine/sampling/sampling_impl.h"

enum { TOLD_PERCENT = 10 }; /* of a CPU */

/* In percent of a CPU; 0: it takes nothing, or that is not known. */
static double
cost_percent(const struct sampling *sp, uint32_t event, double *hits)
{
	const struct engine_event *ev = &sp->measured->events[event];
	struct log_second second;

	if (ev->live == NULL || ev->hit_ns == 0 || ev->is_paused)
		return 0;
	/* Of what it took before it was closed and opened again nothing is told. */
	second = log_last_second(&sp->profile->log, event);
	*hits = second.ns > 0 ? (double)second.period * 1e9 / (double)second.ns : 0;
	return *hits * (double)ev->hit_ns / 1e7;
}

const char *
hit_cost_notice(const struct sampling *sp, uint32_t event, struct arena *arena)
{
	const struct engine_event *ev = &sp->measured->events[event];
	double hits;

	/* The same words each time: a report says them once. */
	if (cost_percent(sp, event, &hits) < TOLD_PERCENT)
		return NULL;
	return arena_printf(arena, "%s slows down who is watched: hits, of %.1f us or more each, take more than "
			    "%d %% of a CPU; watch fewer tasks (-p), or not for long", ev->spec.name,
			    (double)ev->hit_ns / 1e3, TOLD_PERCENT);
}

void
hit_cost_put(const struct sampling *sp, struct buf *b)
{
	for (uint32_t n = 0; n < sp->measured->event_count; n++) {
		double hits, percent = cost_percent(sp, n, &hits);

		if (percent > 0)
			buf_addf(b, "%s: %.0f hits a second take %.1f %% of a CPU or more from who is watched\n",
				 sp->measured->events[n].spec.name, hits, percent);
	}
}
