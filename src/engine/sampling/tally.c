/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a batch's sampling.  A descriptor that is disabled has counted all that it ever will:
 * its count, what it lost and the samples in the tables are then held against each other.
 */
#include "engine/engine_impl.h"

#include <stdlib.h>

#include "base/clock.h"

/* Whether each that is counted is sampled. */
static bool
samples_each(const struct engine_event *ev)
{
	return !ev->is_freq && ev->rate == 1 && !(ev->attr.sample_type & PERF_SAMPLE_READ) &&
	       ev->spec.filter == NULL;
}

/* Those of a group before their leader: without it they would be events of their own. */
static void
stop_group(struct engine *e, uint32_t leader)
{
	struct engine_event *ev = &e->events[leader];
	uint32_t i = leader;

	while ((i = engine_next_member(e, i)) != UINT32_MAX)
		if (e->events[i].live != NULL)
			session_stop(e->session, e->events[i].live, samples_each(&e->events[i]));
	if (ev->live != NULL)
		session_stop(e->session, ev->live, samples_each(ev));
}

void
engine_stop_events(struct engine *e)
{
	if (e->stopped_ns != 0 || e->session == NULL)
		return;
	e->stopped_ns = clock_mono_ns();
	engine_auto_end_all(e);
	for (uint32_t i = 0; i < e->event_count; i++)
		if (e->events[i].leader == i)
			stop_group(e, i);
	engine_drain(e, UINT64_MAX);
	e->drained_to_ns = MAX(e->drained_to_ns, e->stopped_ns);
	engine_learn_answers(e);
}

/*
 * The samples of each CPU since the start: that table is never folded away.  The sum of their
 * periods: some tracepoints count by what happened (sched_stat_runtime: by nanoseconds).
 */
static uint64_t
add_samples(const struct engine *e, uint32_t event, struct snapshot_tally *tallies, size_t count)
{
	const struct tables *t = &e->profile->tables;
	uint64_t period = 0;

	for (size_t id = 1; id < t->cells[TABLE_CPU].len; id++) {
		if (t->cpus[id].event != event)
			continue;
		period += t->cells[TABLE_CPU].items[id].all_period;
		for (size_t i = 0; i < count; i++)
			if (tallies[i].cpu == t->cpus[id].cpu)
				tallies[i].samples += t->cells[TABLE_CPU].items[id].all_samples;
	}
	return period;
}

static void
fill_event(struct engine *e, uint32_t n, struct snapshot *s)
{
	const struct engine_event *ev = &e->events[n];
	struct snapshot_event *out = &s->events[n];
	struct snapshot_tally *list;
	struct tallies sum = { 0 };
	uint64_t counted = 0, samples = 0, told, period;

	tallies_append(&sum, &ev->closed);
	session_tally(e->session, ev->live, &sum);
	list = arena_alloc(&s->arena, (sum.len + 1) * sizeof(*list));
	for (size_t i = 0; i < sum.len; i++)
		list[i] = (struct snapshot_tally){ sum.items[i].cpu, sum.items[i].counted, 0,
						   sum.items[i].lost };
	period = add_samples(e, n, list, sum.len);
	out->tallies = list;
	out->tally_count = sum.len;
	out->left_out = told = ev->twice + e->profile->events[n].dropped;
	for (size_t i = 0; i < sum.len; i++) {
		counted += list[i].counted;
		samples += list[i].samples;
		told += list[i].lost;
	}
	told += samples;
	if (samples_each(ev) && period == samples && counted > told)
		out->unexplained = counted - told;
	tallies_release(&sum);
}

void
engine_tally_fill(struct engine *e, struct snapshot *s)
{
	for (uint32_t i = 0; i < s->event_count && i < e->event_count; i++) {
		const struct session_event *live = e->events[i].live;

		if (live != NULL && session_knows_lost(live))
			fill_event(e, i, s);
	}
}
