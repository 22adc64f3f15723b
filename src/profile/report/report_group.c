/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The row of a group: its keys, its shares, the CPU time of its task. */
#include "profile/report/report_impl.h"
#include "profile/report/report_key.h"

#include <math.h>

/* Percent of one CPU, estimated from samples: only events whose period is time can tell. */
static double
estimate_cpu(const struct report *r, const struct row *row, uint32_t event)
{
	const struct event_facts *facts = r->src->events;

	if (facts != NULL && facts[event].counts_time && !facts[event].is_looks &&
	    !facts[event].is_elapsed && facts[event].window_s > 0)
		return (double)row->period / 1e9 / facts[event].window_s * 100;
	return NAN;
}

/* Whether the row is all of its task and event: then the measured CPU time is its own. */
static bool
is_one_task(const struct report *r, const struct grouping *by, const struct row *row)
{
	static const key_set tasks = KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID),
			      allowed = tasks | KEY_BIT(KEY_COMM) | KEY_BIT(KEY_USER) |
					KEY_BIT(KEY_HOST) | KEY_BIT(KEY_EVENT);
	uint32_t task = row->thread != 0 ? row->thread : row->process;
	key_set keys = 0;

	for (size_t k = 0; k < by->key_count; k++)
		keys |= KEY_BIT(by->keys[k]);
	if (!(keys & tasks) || keys & ~allowed || row->pid < 0)
		return false;
	/* A task that was renamed has a row for each name. */
	return !(keys & KEY_BIT(KEY_COMM)) ||
	       row->comm == report_str(r, r->src->profile->model->tasks[task].comm);
}

/* A task that stands for many has a row for each of their names. */
static void
name_of_many(struct report *r, const struct grouping *by, struct row *row, uint32_t who)
{
	const struct model *m = r->src->profile->model;

	if (row->process == 0 || m->tasks[row->process].tid > TASK_ENDED_TID)
		return;
	for (size_t k = 0; k < by->key_count; k++) {
		if (by->keys[k] == KEY_COMM) {
			row->name = m->whos[who].comm;
			row->command = row->comm;
		}
	}
}

static void
fill_keys(struct report *r, struct row *row, const struct grouping *by, const struct group *g)
{
	struct hot_entry e = hot_entry_at(by->profile, g->first);
	const uint64_t *parts = group_parts(by, g);

	for (int early = 1; early >= 0; early--)
		for (size_t k = 0; k < by->key_count; k++)
			if (report_keys[by->keys[k]].is_early == early)
				report_key_fill(r, row, by->keys[k], &e, parts[k]);
}

/* Whether periods of the event are how long each of them took. */
static bool
took_time(const struct report *r, uint32_t event)
{
	return r->src->events != NULL && r->src->events[event].is_elapsed;
}

void
report_row_of_group(struct report *r, const struct grouping *by, const struct group *g)
{
	const struct hot_key *hot = &r->src->profile->tables.hot[g->first];
	/* What is sampled beside the event shown alone is a row of that, without a share. */
	const uint32_t event = report_has_event(r, hot->event) ? hot->event : r->src->shown_event;
	struct row row = report_row_blank();
	bool is_whole;

	row.samples = g->samples;
	row.period = g->period;
	row.counted = took_time(r, event) ? g->samples : g->period;
	row.share = report_share(r, event, g->period);
	row.event = r->src->profile->events[event].name;
	row.part = by->key_count > 0 ? group_parts(by, g)[0] : 0;
	fill_keys(r, &row, by, g);
	if ((row.flags & (ROW_KERNEL | ROW_UNNAMED)) == ROW_KERNEL &&
	    report_is_irq_on(r, event, row.symbol))
		row.flags |= ROW_IRQ_ON;
	name_of_many(r, by, &row, hot->who);
	is_whole = is_one_task(r, by, &row);
	/* A thread is measured where the screen is in its process, what has ended never again. */
	if (!is_whole || isnan(row.cpu)) {
		row.cpu = estimate_cpu(r, &row, event);
		row.flags |= ROW_ESTIMATE;
	}
	if (!is_whole || r->query->all_events)
		row.id = hash_bytes(group_parts(by, g), by->key_count * sizeof(*by->parts));
	VEC_ADD(r->rows, r->row_len, r->row_cap) = row;
}
