/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are sampled together: columns of the others beside the one shown. */
#include "profile/report/report_impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Whether rows are of what samples of the event shown carry: those of others carry something else. */
static bool
is_by_payload(const struct query *q)
{
	for (size_t i = 0; i < q->key_count; i++)
		if (q->keys[i] == KEY_FIELD || q->keys[i] == KEY_SYSCALL)
			return true;
	return false;
}

/* Those that are open now; not where rows are of part of the samples, or compared. */
void
report_choose_beside(struct report *r)
{
	const struct profile *p = r->src->profile;
	const struct query *q = r->query;

	if (!is_screen(q) || q->all_events || q->unnamed || q->locks || q->compare != COMPARE_NOTHING ||
	    is_by_payload(q) || r->src->shown_event >= p->event_count ||
	    r->src->is_recording)
		return;
	for (uint32_t e = 0; e < p->event_count && r->beside_count < BESIDE_MAX; e++)
		if (e != r->src->shown_event && p->events[e].open_since_ns != 0)
			r->beside[r->beside_count++] = e;
	if (r->beside_count > 0)
		r->beside_group = mem_calloc(p->tables.cells[TABLE_HOT].len, sizeof(*r->beside_group));
}

/* Its place among those beside, BESIDE_MAX: it is none of them. */
static size_t
place_of(const struct report *r, uint32_t event)
{
	for (size_t i = 0; i < r->beside_count; i++)
		if (r->beside[i] == event)
			return i;
	return BESIDE_MAX;
}

/* "cycles:P", "sched:sched_switch": without modifiers, without the subsystem. */
static const char *
brief_name(struct report *r, const char *name)
{
	const char *colon = strchr(name, ':');
	bool is_modifier = colon != NULL && strspn(colon + 1, "ukhGHpPSDWeIb0123456789") == strlen(colon + 1);

	if (colon == NULL || strchr(name, '/') != NULL)
		return arena_strdup(&r->out->arena, name);
	if (is_modifier)
		return arena_printf(&r->out->arena, "%.*s", (int)(colon - name), name);
	return arena_strdup(&r->out->arena, colon + 1);
}

static bool
is_event(const struct report *r, uint32_t event, const char *name)
{
	const char *text = r->src->profile->events[event].name;
	size_t len = strlen(name);

	return strncmp(text, name, len) == 0 && (text[len] == '\0' || text[len] == ':');
}

/* The event of that name, of the one shown and those beside it; UINT32_MAX: there is none. */
static uint32_t
event_named(const struct report *r, const char *name)
{
	if (is_event(r, r->src->shown_event, name))
		return r->src->shown_event;
	for (size_t i = 0; i < r->beside_count; i++)
		if (is_event(r, r->beside[i], name))
			return r->beside[i];
	return UINT32_MAX;
}

/* The events that instructions per cycle are of.  false: one of them is missing. */
static bool
find_ipc(const struct report *r, uint32_t *cycles, uint32_t *instructions)
{
	*cycles = event_named(r, "cycles");
	*instructions = event_named(r, "instructions");
	return *cycles != UINT32_MAX && *instructions != UINT32_MAX;
}

void
report_name_beside(struct report *r, struct snapshot_event *shown)
{
	uint32_t cycles, instructions;

	shown->beside_count = r->beside_count;
	shown->has_ipc = r->beside_count > 0 && find_ipc(r, &cycles, &instructions);
	for (size_t i = 0; i < r->beside_count; i++)
		shown->beside[i] = brief_name(r, r->src->profile->events[r->beside[i]].name);
}

/* What the entry has in the window, if it is of an event beside the one shown. */
static bool
read_entry(const struct report *r, uint32_t id, size_t *place, uint64_t *period)
{
	const struct profile *p = r->src->profile;
	const struct hot_key *hot = &p->tables.hot[id];
	uint64_t samples;

	*place = place_of(r, hot->event);
	if (*place == BESIDE_MAX)
		return false;
	profile_window(p, &p->tables.cells[TABLE_HOT].items[id], &samples, period);
	return samples > 0 && report_is_work(r, hot->who, hot->location);
}

void
report_group_beside(struct report *r)
{
	const struct tables *t = &r->src->profile->tables;
	uint64_t period;
	const struct group *g;
	size_t place;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		if (!read_entry(r, id, &place, &period) || !report_in_scope(r, id) ||
		    report_hides(r, t->hot[id].who, t->hot[id].location))
			continue;
		g = group_find(&r->groups, id); /* may move the items */
		r->beside_group[id] = (uint32_t)(g - r->groups.items) + 1;
	}
}

/* Periods by group and event, and the sums that shares are of. */
static double *
sum_periods(const struct report *r, double base[BESIDE_MAX])
{
	const size_t len = r->src->profile->tables.cells[TABLE_HOT].len;
	double *periods = mem_calloc(r->groups.len * BESIDE_MAX + 1, sizeof(*periods));
	uint64_t period;
	size_t place;

	for (uint32_t id = 1; id < len; id++) {
		uint32_t group = r->beside_group[id];

		if (!read_entry(r, id, &place, &period))
			continue;
		if (group != 0)
			periods[(group - 1) * BESIDE_MAX + place] += (double)period;
		if (group != 0 || r->query->shares != SHARES_OF_SHOWN)
			base[place] += (double)period;
	}
	report_add_up(r, periods, BESIDE_MAX);
	return periods;
}

static double
per_second(const struct report *r, uint32_t event, double period)
{
	const struct event_facts *facts = r->src->events != NULL ? &r->src->events[event] : NULL;

	if (facts == NULL || facts->window_s <= 0)
		return NAN;
	return period / facts->window_s * (facts->counts_time ? 1e3 / (double)NSEC_PER_SEC : 1);
}

static double
period_of(const struct report *r, uint32_t event, const struct row *row, const double *periods)
{
	size_t place = place_of(r, event);

	return place == BESIDE_MAX ? (double)row->period : periods[place];
}

void
report_find_beside(struct report *r)
{
	double base[BESIDE_MAX] = { 0 }, *periods = sum_periods(r, base);
	uint32_t cycles, instructions;
	bool has_ipc = find_ipc(r, &cycles, &instructions);

	for (size_t g = 0; g < r->groups.len; g++) {
		struct beside *b = arena_alloc(&r->out->arena, r->beside_count * sizeof(*b));
		const double *own = periods + g * BESIDE_MAX;

		for (size_t i = 0; i < r->beside_count; i++)
			b[i] = (struct beside){ base[i] > 0 ? own[i] / base[i] : 0,
						per_second(r, r->beside[i], own[i]) };
		r->rows[g].beside = b;
		if (has_ipc && period_of(r, cycles, &r->rows[g], own) > 0)
			r->rows[g].ipc = period_of(r, instructions, &r->rows[g], own) /
					 period_of(r, cycles, &r->rows[g], own);
	}
	free(periods);
}
