/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A breakpoint traps at each hit: a program that touches its variable all the time does little else.
 * What that takes is hits times what one costs, as it was measured when it was opened.
 */
#include "engine/sampling/sampling_impl.h"

enum { TOLD_PERCENT = 10 }; /* of a CPU */

/*
 * Over the last second: intervals can be short.  Of what it took before it was closed and opened again
 * nothing is told.
 */
static double
hits_per_second(const struct interval_log *log, uint32_t event)
{
	uint64_t hits = 0, ns = 0, newest_ns = 0;

	for (uint64_t i = log_end(log); i > log_first(log) && ns < NSEC_PER_SEC * 9 / 10; i--) {
		const struct interval *iv = log_at(log, i - 1);

		newest_ns = MAX(newest_ns, iv->end_ns);
		if (iv->end_ns + NSEC_PER_SEC <= newest_ns)
			break;
		if (iv->event != event)
			continue;
		hits += iv->period;
		ns += iv->end_ns - iv->start_ns;
	}
	return ns > 0 ? (double)hits * 1e9 / (double)ns : 0;
}

/* In percent of a CPU; 0: it takes nothing, or that is not known. */
static double
cost_percent(const struct sampling *sp, uint32_t event, double *hits)
{
	const struct engine_event *ev = &sp->measured->events[event];

	if (ev->live == NULL || ev->hit_ns == 0 || ev->is_paused)
		return 0;
	*hits = hits_per_second(&sp->profile->log, event);
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
