/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much a host may count: no more than its CPUs can since its program was started, by the clock
 * here, and no more of the table than leaves the others theirs.
 */
#include "engine/hosts/hosts_impl.h"

enum {
	TIMES = 2,            /* as much as it has CPUs: some may have come since it told how many */
	SLACK_S = 2,          /* its clock and the one here are not the same */
	CYCLES_A_NS = 10,     /* of a CPU, at most: */
	THINGS_A_NS = 100,
	NS_A_SAMPLE = 1000,
	WAITING_MOST = 1 << 18, /* tasks of a host */
	CROWDED_S = 60,       /* that is told for so long */
	TABLE_PART = 2,       /* of --memory: what all have together, and then each its share once more */
};

/* What a CPU, or a host, can count in a nanosecond. */
static double
most_a_ns(const struct fed_host *h, const struct event *spec)
{
	if (spec->looks != EVENT_LOOKS_NONE)
		return WAITING_MOST;
	if (spec->unit == EVENT_COUNTS_TIME)
		return h->cpus;
	return (double)h->cpus * (spec->unit == EVENT_COUNTS_CYCLES ? CYCLES_A_NS : THINGS_A_NS);
}

bool
fed_host_can_have(const struct hosts *hs, struct fed_host *h, const struct fed_sums *sums,
		  uint64_t now_ns)
{
	const struct measured *m = hs->env->measured;
	const double most_ns = TIMES * (double)(now_ns - h->begun_ns + SLACK_S * NSEC_PER_SEC);
	bool is_possible;

	h->told_samples += sums->samples;
	is_possible = (double)h->told_samples <= most_ns * h->cpus / NS_A_SAMPLE;
	for (uint32_t e = 0; e < m->event_count; e++) {
		h->told[e] += sums->periods[e];
		is_possible &= (double)h->told[e] <= most_ns * most_a_ns(h, &m->events[e].spec);
	}
	return is_possible;
}

/* What tasks that wait have together fills 64 bits in days, where many hosts have many of them. */
void
hosts_keep_sums(struct hosts *hs, const struct fed_sums *sums)
{
	const struct measured *m = hs->env->measured;

	for (uint32_t e = 0; e < m->event_count; e++) {
		if (hs->sums[e] > INT64_MAX - sums->periods[e]) {
			profile_zero(hs->env->profile, e);
			hs->sums[e] = 0;
			notes_keep(hs->env->notes, "%s: what was counted since the start fills its room: it "
				   "began anew", m->events[e].spec.name);
		}
		hs->sums[e] += sums->periods[e];
	}
}

size_t
hosts_entries_max(const struct hosts *hs)
{
	return hs->config->memory_bytes / TABLE_PART / HOST_ENTRY_BYTES;
}

/* Entries have other numbers, or other owners, after a fold. */
static void
count_entries(struct hosts *hs)
{
	const struct profile *p = hs->env->profile;
	const struct model *m = hs->env->model;

	for (size_t i = 0; i < hs->count; i++)
		hs->items[i].entries = 0;
	for (uint32_t id = 1; id < p->tables.cells[TABLE_HOT].len; id++) {
		uint32_t host = m->tasks[m->whos[p->tables.hot[id].who].task].host;

		if (host != 0)
			hs->items[hs->by_str[host]].entries++;
	}
	hs->entries_epoch = p->epoch;
}

bool
fed_host_has_room(struct hosts *hs, struct fed_host *h, const struct profile_sample *s, uint64_t now_ns)
{
	struct profile *p = hs->env->profile;
	const size_t most = hosts_entries_max(hs);

	if (hs->entries_epoch != p->epoch)
		count_entries(hs);
	if (p->tables.cells[TABLE_HOT].len < most || h->entries < most / hs->count || profile_has(p, s))
		return true;
	h->crowded_ns = now_ns;
	return false;
}

bool
fed_host_is_crowded(const struct fed_host *h, uint64_t now_ns)
{
	return h->crowded_ns != 0 && now_ns < h->crowded_ns + CROWDED_S * NSEC_PER_SEC;
}
