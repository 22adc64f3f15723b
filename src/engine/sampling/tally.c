/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a batch's sampling.  A descriptor that is disabled has counted all that it ever will:
 * its count, what it lost and the samples in the tables are then held against each other.
 */
#include "engine/sampling/sampling_impl.h"

#include "base/clock.h"
#include "view/snapshot.h"

/* Whether each that is counted is sampled, for good: what is paced may begin anew at any time. */
static bool
samples_each(const struct engine_event *ev)
{
	return !ev->is_freq && !ev->is_paced && ev->rate == 1 &&
	       !(ev->attr.sample_type & PERF_SAMPLE_READ) &&
	       ev->spec.filter == NULL && ev->spec.looks != EVENT_LOOKS_EXACT;
}

/* Those of a group before their leader: without it they would be events of their own. */
static void
stop_group(struct sampling *sp, uint32_t leader)
{
	struct engine_event *ev = &sp->measured->events[leader];
	uint32_t i = leader;

	while ((i = measured_next_member(sp->measured, i)) != UINT32_MAX)
		if (sp->measured->events[i].live != NULL)
			session_stop(sp->session, sp->measured->events[i].live, samples_each(&sp->measured->events[i]));
	if (ev->live != NULL)
		session_stop(sp->session, ev->live, samples_each(ev));
}

void
sampling_stop(struct sampling *sp)
{
	struct measured *m = sp->measured;

	if (m->stopped_ns != 0 || sp->session == NULL)
		return;
	m->stopped_ns = clock_mono_ns();
	stack_choice_end_all(sp);
	for (uint32_t i = 0; i < m->event_count; i++)
		if (m->events[i].leader == i)
			stop_group(sp, i);
}

/*
 * The samples of each CPU since the start: that table is never folded away.  The sum of their
 * periods: some tracepoints count by what happened (sched_stat_runtime: by nanoseconds).
 */
static uint64_t
add_samples(const struct sampling *sp, uint32_t event, struct snapshot_tally *tallies, size_t count)
{
	const struct tables *t = &sp->profile->tables;
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
fill_event(const struct sampling *sp, uint32_t n, struct snapshot *s)
{
	const struct engine_event *ev = &sp->measured->events[n];
	struct snapshot_event *out = &s->events[n];
	struct snapshot_tally *list;
	struct tallies sum = { 0 };
	uint64_t counted = 0, samples = 0, accounted, period;

	tallies_append(&sum, &ev->closed);
	session_tally(sp->session, ev->live, &sum);
	list = arena_alloc(&s->arena, (sum.len + 1) * sizeof(*list));
	for (size_t i = 0; i < sum.len; i++)
		list[i] = (struct snapshot_tally){ sum.items[i].cpu, sum.items[i].counted, 0,
						   sum.items[i].lost };
	period = add_samples(sp, n, list, sum.len);
	out->tallies = list;
	out->tally_count = sum.len;
	out->left_out = accounted = ev->duplicates + sp->profile->events[n].dropped;
	for (size_t i = 0; i < sum.len; i++) {
		counted += list[i].counted;
		samples += list[i].samples;
		accounted += list[i].lost;
	}
	accounted += samples;
	if (samples_each(ev) && period == samples && counted > accounted)
		out->unexplained = counted - accounted;
	tallies_release(&sum);
}

void
tally_fill(const struct sampling *sp, struct snapshot *s)
{
	for (uint32_t i = 0; i < s->event_count && i < sp->measured->event_count; i++) {
		const struct session_event *live = sp->measured->events[i].live;

		if (live != NULL && session_knows_lost(live))
			fill_event(sp, i, s);
	}
}
