/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of thousands of groups few are shown: those that cannot be among the first query.max_rows become one,
 * the last, before anything is made for each.  What it has is part of the row that sums up the rest.
 */
#include "profile/report/report_impl.h"

#include "view/column.h"

#include <stdlib.h>
#include <string.h>

/*
 * Of groups that have as much as the last that is shown so many are made: more of them are threads that
 * waited through the same time, of which the first are shown.
 */
enum { ALIKE_MAX = 1000 };

static void
map_entries(const struct report *r, uint32_t *groups, const uint32_t *map)
{
	for (size_t id = 1; id < r->src->profile->tables.cells[TABLE_HOT].len; id++)
		if (groups[id] != 0)
			groups[id] = map[groups[id] - 1];
}

void
report_map_entries(struct report *r, const uint32_t *map)
{
	map_entries(r, r->entry_group, map);
	if (r->beside_group != NULL)
		map_entries(r, r->beside_group, map);
}

/* In views of tasks those without samples are rows, too: all that have no row of their own. */
static bool
may_have_quiet_tasks(const struct report *r)
{
	const struct query *q = r->query;

	return (q->view == VIEW_PROCESSES && r->src->process_count > 0) ||
	       (q->view == VIEW_THREADS && r->src->thread_count > 0);
}

/* Whether each row is that of a group alone, and they are ordered by what groups have. */
static bool
can_cut(const struct report *r)
{
	const struct query *q = r->query;

	if (q->max_rows < 2 || r->groups.len <= q->max_rows || q->all_events || q->ascending ||
	    q->process_tree || q->sort != COLUMN_SHARE)
		return false;
	return !q->by_view || (!view_defs[q->view].is_unnamed && !view_defs[q->view].is_locks &&
			       q->view != VIEW_CGROUPS);
}

/* The @nth largest, from 1: puts those that are larger before it. */
static uint64_t
find_nth(uint64_t *values, size_t len, size_t nth)
{
	size_t from = 0, to = len - 1, at = nth - 1;

	while (from < to) {
		uint64_t middle = values[from + (to - from) / 2];
		size_t i = from, j = to;

		for (;; i++, j--) {
			uint64_t value;

			while (values[i] > middle)
				i++;
			while (values[j] < middle)
				j--;
			if (i >= j)
				break;
			value = values[i];
			values[i] = values[j];
			values[j] = value;
		}
		if (at <= j)
			to = j;
		else
			from = j + 1;
	}
	return values[at];
}

/* What a group has that is among the first @count; equal ones are ordered by their names. */
static uint64_t
find_least(const struct grouping *g, size_t count)
{
	uint64_t *periods = mem_calloc(g->len, sizeof(*periods)), least;

	for (size_t i = 0; i < g->len; i++)
		periods[i] = g->items[i].period;
	least = find_nth(periods, g->len, count);
	free(periods);
	return least;
}

static void
move(struct group *to, const struct group *from)
{
	to->samples += from->samples;
	to->period += from->period;
}

/* It is no task without samples, though it has no row. */
static void
note_task(struct report *r, uint32_t entry, bool is_thread)
{
	const struct model *m = r->src->profile->model;
	uint32_t task = m->whos[r->src->profile->tables.hot[entry].who].task;

	r->cut_tasks[is_thread ? task : m->tasks[task].process] = true;
}

void
report_cut_groups(struct report *r)
{
	const bool has_quiet = r->query->by_view && may_have_quiet_tasks(r);
	struct grouping all = r->groups;
	struct group rest = { 0 };
	size_t alike = MAX(r->query->max_rows, (size_t)ALIKE_MAX);
	uint32_t *map;
	uint64_t least;

	if (!can_cut(r))
		return;
	least = find_least(&all, r->query->max_rows - 1);
	/* Those are among the first where others have as little as they. */
	if (has_quiet && least == 0)
		return;
	if (has_quiet) {
		r->cut_task_len = r->src->profile->model->task_len;
		r->cut_tasks = mem_calloc(r->cut_task_len, sizeof(*r->cut_tasks));
	}
	map = mem_calloc(all.len, sizeof(*map));
	r->groups = (struct grouping){ .profile = all.profile, .whole_process = all.whole_process,
				       .key_count = all.key_count };
	memcpy(r->groups.keys, all.keys, sizeof(all.keys));
	for (size_t i = 0; i < all.len; i++) {
		const struct group *g = &all.items[i];

		if (g->period > least || (g->period == least && alike > 0)) {
			alike -= g->period == least;
			move(group_find(&r->groups, g->first), g);
			map[i] = (uint32_t)r->groups.len;
			continue;
		}
		move(&rest, g);
		rest.first = g->first;
		r->cut_groups++;
		if (has_quiet)
			note_task(r, g->first, r->query->view == VIEW_THREADS);
	}
	if (r->cut_groups > 0)
		move(group_add_rest(&r->groups, rest.first), &rest);
	for (size_t i = 0; i < all.len; i++)
		map[i] = map[i] != 0 ? map[i] : (uint32_t)r->groups.len;
	report_map_entries(r, map);
	grouping_release(&all);
	free(map);
}
