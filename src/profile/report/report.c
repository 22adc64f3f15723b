/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/report_impl.h"

#include "view/column.h"
#include "view/task_column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 64 }; /* of an event, that one can choose from */

/* Idle threads are a part of all, shown or not. */
static void
sum_events(struct report *r)
{
	const struct profile *p = r->src->profile;
	const struct tables *t = &p->tables;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		if (!report_has_event(r, t->hot[id].event) || !report_is_of_all(r, t->hot[id].who))
			continue;
		profile_window(p, &t->cells[TABLE_HOT].items[id], &samples, &period);
		r->total_samples[t->hot[id].event] += samples;
		r->total_period[t->hot[id].event] += period;
	}
}

static void
group_entries(struct report *r)
{
	const struct profile *p = r->src->profile;
	const struct tables *t = &p->tables;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct hot_key *hot = &t->hot[id];
		struct group *g;

		if (!report_entry(r, id, &samples, &period) || !report_in_scope(r, id))
			continue;
		r->scope_period[hot->event] += period;
		if (report_hides(r, hot->who, hot->location)) {
			bool named = report_is_rest(r, hot->location);

			report_add_to_sum(named ? &r->named : &r->left_out, samples, period,
					  hot->event);
			continue;
		}
		g = group_find(&r->groups, id);
		g->samples += samples;
		g->period += period;
		r->entry_group[id] = (uint32_t)(g - r->groups.items) + 1;
	}
	if (r->beside_count > 0)
		report_group_beside(r);
}

/*
 * Groups again, by the keys asked for alone: of the fine groups, which have those of the filter as
 * well, the ones that pass are added up.  @map: by fine group its group plus one, 0: left out.
 */
static void
filter_groups(struct report *r, const struct grouping *fine, uint32_t *map)
{
	for (size_t i = 0; i < fine->len; i++) {
		const struct group *f = &fine->items[i];
		struct group *g;

		r->row_len = 0;
		report_row_of_group(r, fine, f);
		if (!filter_keeps(r->src->filter, &r->rows[0])) {
			report_add_to_sum(&r->left_out, f->samples, f->period,
					  r->src->profile->tables.hot[f->first].event);
			continue;
		}
		g = group_find(&r->groups, f->first);
		g->samples += f->samples;
		g->period += f->period;
		map[i] = (uint32_t)(g - r->groups.items) + 1;
	}
	r->row_len = 0;
}

/* The keys of the query and those of @more, a set. */
static void
choose_keys(const struct query *q, key_set more, struct grouping *g)
{
	memcpy(g->keys, q->keys, q->key_count * sizeof(g->keys[0]));
	g->key_count = q->key_count;
	for (enum key k = 0; k < KEY_COUNT; k++) {
		bool have = false;

		for (size_t i = 0; i < g->key_count; i++)
			have |= g->keys[i] == k;
		if (!have && (more & KEY_BIT(k)) && g->key_count < KEYS_MAX)
			g->keys[g->key_count++] = k;
	}
	grouping_begin(g);
}

/* Those of the filter.  Whole ids tell apart what is called alike: its groups do. */
static key_set
keys_of_filter(const struct report *r)
{
	const key_set keys = filter_keys(r->src->filter);

	return keys & CGROUP_KEYS ? keys | KEY_BIT(KEY_CGROUP) : keys;
}

static void
group_and_filter(struct report *r)
{
	const struct query *q = r->query;
	key_set events = q->all_events ? KEY_BIT(KEY_EVENT) : 0;
	struct grouping fine;
	uint32_t *map;

	r->groups.profile = r->src->profile;
	r->groups.whole_process = q->by_view && (q->view == VIEW_PROCESSES || q->view == VIEW_LOCKS);
	if (r->src->filter == NULL) {
		choose_keys(q, events, &r->groups);
		group_entries(r);
		return;
	}
	choose_keys(q, events | keys_of_filter(r), &r->groups);
	group_entries(r);
	fine = r->groups;
	r->groups = (struct grouping){ .profile = fine.profile,
				       .whole_process = fine.whole_process };
	choose_keys(q, events, &r->groups);
	map = mem_calloc(fine.len + 1, sizeof(*map));
	filter_groups(r, &fine, map);
	report_map_entries(r, map);
	free(map);
	grouping_release(&fine);
}

/* Code with a name, which the view of code without one sums up, is a part of what is shown. */
static void
choose_base(struct report *r)
{
	for (uint32_t e = 0; e < r->src->profile->event_count; e++)
		r->base[e] = report_base(r, e, r->scope_period[e] - r->left_out.period[e]);
}

static void
fill_task_keys(struct report *r)
{
	for (size_t i = 0; i < r->row_len && r->task_keys != 0; i++) {
		struct row *row = &r->rows[i];

		report_fill_task_keys(r, row, row->thread != 0 ? row->thread : row->process);
	}
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	const struct query *q = arg;
	const struct row *x = a, *y = b;
	enum column_id sort = q->sort;
	int order;

	/* Tasks without samples are ordered by their CPU time. */
	if (sort == COLUMN_SHARE && x->share == y->share)
		sort = COLUMN_CPU;
	order = column_compare(sort, x, y);
	return q->ascending ? order : -order;
}

static void
add_to_rest(struct row *rest, const struct row *row)
{
	rest->samples += row->samples;
	rest->period += row->period;
	rest->counted += row->counted;
	rest->share += row->share;
}

/* Rows of another view, event or place are another list. */
static uint64_t
list_id(const struct report *r)
{
	const struct query *q = r->query;

	return hash_mix(hash_mix((uint64_t)q->view << 32 | r->src->shown_event, q->dso),
			(uint64_t)q->process << 32 | q->thread);
}

/* Sorts the rows, keeps as many as asked for, and sums up the rest. */
static void
sort_and_cut(struct report *r)
{
	struct query q = *r->query;
	struct snapshot *s = r->out;
	struct row rest = report_row_blank();
	size_t keep;

	if (r->cut_groups > 0)
		add_to_rest(&rest, &r->rows[--r->row_len]);
	keep = r->row_len;
	if (r->tree != NULL)
		report_sort_tree(r, compare_rows, &q);
	else if (r->row_len > 0)
		qsort_r(r->rows, r->row_len, sizeof(*r->rows), compare_rows, &q);
	if (r->src->order != NULL && r->tree == NULL && q.sort == COLUMN_SHARE && q.shares != SHARES_PER_SECOND)
		row_order_keep(r->src->order, list_id(r), r->rows, r->row_len);
	if (q.max_rows > 0 && (keep > q.max_rows || r->cut_groups > 0)) {
		uint8_t depth = UINT8_MAX;

		keep = q.max_rows - 1;
		for (size_t i = keep; i < r->row_len; i++) {
			/* What is below one of them is in its sum. */
			if (r->rows[i].depth > depth)
				continue;
			depth = r->tree != NULL ? r->rows[i].depth : depth;
			add_to_rest(&rest, &r->rows[i]);
		}
		rest.id = UINT64_MAX;
		rest.flags = ROW_REST;
		rest.symbol = arena_printf(&s->arena, "%zu more rows",
					   r->row_len - keep + r->cut_groups + r->cut_quiet);
	}
	s->row_count = keep;
	if (rest.flags == 0) {
		s->rows = s->own_rows = r->rows;
		r->rows = NULL;
	} else {
		s->rows = arena_alloc(&s->arena, (keep + 1) * sizeof(*s->rows));
		memcpy(s->rows, r->rows, keep * sizeof(*s->rows));
		s->rows[s->row_count++] = rest;
	}
	/* Command lines belong to the /proc reader's answer, which its next one replaces. */
	for (size_t i = 0; i < s->row_count; i++)
		s->rows[i].command = arena_strdup(&s->arena, s->rows[i].command);
}

/* What samples of the event carry, which one can choose from. */
static void
fill_fields(struct report *r, uint32_t event)
{
	const struct profile *p = r->src->profile;
	struct snapshot_event *e = &r->out->events[event];

	e->fields = arena_alloc(&r->out->arena, FIELDS_MAX * sizeof(*e->fields));
	e->field_count = split_fields(&p->split, event, e->name, e->fields, FIELDS_MAX);
	e->field = split_name(&p->split, event);
	e->has_numbers = split_is_plain(&p->split, event);
	e->has_syscalls = split_has_syscall(&p->split, event, e->name);
}

static void
fill_events(struct report *r)
{
	static const struct event_facts unknown;
	const struct profile *p = r->src->profile;
	struct snapshot *s = r->out;

	s->events = arena_alloc(&s->arena, (p->event_count + 1) * sizeof(*s->events));
	s->event_count = p->event_count;
	for (uint32_t i = 0; i < p->event_count; i++) {
		const struct event_facts *facts = r->src->events != NULL ? &r->src->events[i]
									 : &unknown;

		s->events[i] = (struct snapshot_event){
			.name = arena_strdup(&s->arena, p->events[i].name),
			.shown = i == r->src->shown_event, .open = p->events[i].open_since_ns != 0,
			.samples = r->total_samples[i], .period = r->total_period[i],
			.base = r->base[i], .window_s = facts->window_s,
			.counts_time = facts->counts_time, .counts_things = facts->counts_things,
			.sums = r->event_sums[i], .is_looks = facts->is_looks, .is_all_time = facts->is_all_time,
			.is_traced = facts->is_traced,
			.is_elapsed = facts->is_elapsed, .is_of_hosts = facts->is_of_hosts,
			.is_picked = facts->is_picked, .measures = facts->measures,
			.lacks_chains = facts->lacks_chains,
			.is_filtered = !filter_keeps_event(r->src->filter, p->events[i].name),
		};
		if (s->events[i].shown && is_screen(r->query))
			fill_fields(r, i);
		if (s->events[i].shown)
			report_name_beside(r, &s->events[i]);
		s->total_samples += r->total_samples[i];
		s->total_period += r->total_period[i];
	}
}

/* Of the columns that were chosen those that tell more of the row's task. */
static key_set
chosen_keys(const struct query *q)
{
	key_set keys = 0;

	for (size_t i = 0; i < q->column_count; i++)
		if (q->columns[i] < KEY_COUNT)
			keys |= KEY_BIT(q->columns[i]);
	return q->by_view && (q->view == VIEW_PROCESSES || q->view == VIEW_THREADS) ? keys & CGROUP_KEYS
										    : 0;
}

static bool
wants_stat(const struct query *q)
{
	bool wants = column_is_of_stat((enum column_id)q->sort);

	for (size_t i = 0; i < q->column_count; i++)
		wants |= column_is_of_stat((enum column_id)q->columns[i]);
	return wants && is_screen(q);
}

/* The keys that rows are grouped by, those of the filter, and of chosen columns. */
static key_set
keys_of(const struct query *q, const struct filter *filter)
{
	key_set keys = filter_keys(filter);

	for (size_t i = 0; i < q->key_count; i++)
		keys |= KEY_BIT(q->keys[i]);
	for (size_t i = 0; i < q->within_count; i++)
		keys |= KEY_BIT(q->within[i].key);
	return keys | chosen_keys(q);
}

bool
report_tells_tasks(const struct query *q, const struct filter *filter)
{
	/* Which variable is at an address only its process tells. */
	static const key_set tasks = KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID) | KEY_BIT(KEY_USER) |
				     KEY_BIT(KEY_ON) | KEY_BIT(KEY_PROGRAM) | CGROUP_KEYS;
	/* Folded stacks have no rows. */
	key_set keys = q->stacks ? filter_keys(filter) : keys_of(q, filter);

	return (keys & tasks) || q->process != 0 || q->thread != 0 || q->within_count > 0 ||
	       q->hide_self || q->trees || q->row_stacks > 0 || is_screen(q);
}

void
report_want_labels(struct profile *p, const struct query *q, const struct filter *filter)
{
	const key_set keys = keys_of(q, filter);

	/* Units are called by their paths alone. */
	p->wants_containers |= (keys & CGROUP_KEYS & ~KEY_BIT(KEY_UNIT)) != 0;
	split_choose(&p->split, q->field);
	for (uint32_t i = 0; i < p->event_count; i++)
		split_asks(&p->split, i, p->events[i].name);
	p->labels.want |= key_labels(keys | (q->locks ? KEY_BIT(KEY_LOCK) : 0));
}

/* The sum as rows, one for each event that has something in it; NULL: none has. */
static struct row *
sum_rows(const struct report *r, const struct report_sum *sum, const char *label, size_t *count)
{
	struct row *rows = NULL;

	*count = 0;
	for (uint32_t e = 0; e < r->src->profile->event_count; e++) {
		struct row *row;

		if (sum->samples[e] == 0)
			continue;
		if (rows == NULL)
			rows = arena_alloc(&r->out->arena, r->src->profile->event_count * sizeof(*rows));
		row = &rows[(*count)++];
		*row = report_row_blank();
		row->event = r->src->profile->events[e].name;
		row->samples = sum->samples[e];
		row->period = sum->period[e];
		row->share = report_share(r, e, sum->period[e]);
		row->flags = ROW_FILTERED;
		row->symbol = label;
	}
	return rows;
}

/* What the rest of a report that leaves rows out is called. */
static const char *
rest_name(const struct report *r)
{
	const struct event_facts *facts = r->src->events;

	if (!r->query->locks)
		return "[named]";
	for (uint32_t e = 0; facts != NULL && e < r->src->profile->event_count; e++)
		if (facts[e].is_looks && report_has_event(r, e))
			return "[other]";
	return "[no waits]";
}

/* Of what is shown alone, what is not has no share. */
static void
sum_left_out(struct report *r)
{
	bool of_shown = r->query->shares == SHARES_OF_SHOWN;
	struct snapshot *s = r->out;

	s->filtered = sum_rows(r, &r->left_out, "[filtered]", &s->filtered_count);
	s->named = sum_rows(r, &r->named, rest_name(r), &s->named_count);
	for (size_t i = 0; i < s->filtered_count && of_shown; i++)
		s->filtered[i].share = NAN;
	for (size_t i = 0; i < s->named_count && of_shown && query_wants_nodes(r->query); i++)
		s->named[i].share = NAN;
}

static void
fill_rows(struct report *r)
{
	const struct report_source *src = r->src;
	const struct query *q = r->query;
	const bool is_cgroups = q->by_view && q->view == VIEW_CGROUPS;

	r->entry_group = mem_calloc(src->profile->tables.cells[TABLE_HOT].len, sizeof(*r->entry_group));
	report_choose_beside(r);
	group_and_filter(r);
	if (is_cgroups && is_screen(q))
		report_make_cgroups(r);
	choose_base(r);
	report_cut_groups(r);
	vec_reserve(&r->rows, &r->row_cap, r->groups.len + 1, sizeof(*r->rows));
	for (size_t i = 0; i < r->groups.len; i++) {
		report_row_of_group(r, &r->groups, &r->groups.items[i]);
		r->rows[r->row_len - 1].group = (uint32_t)i + 1;
	}
	if (is_cgroups)
		report_name_cgroups(r);
	if (q->by_view && view_defs[q->view].is_unnamed)
		report_find_unnamed(r);
	if (q->by_view && view_defs[q->view].is_locks)
		report_find_locks(r);
	if (q->sums)
		report_find_sums(r);
	if (r->beside_count > 0)
		report_find_beside(r);
	if (is_screen(q) && !q->is_then)
		report_find_trends(r);
	if (is_screen(q) && q->field[0] != '\0' && split_is_plain(&src->profile->split, src->shown_event))
		report_find_values(r);
	if (q->by_view && (q->view == VIEW_PROCESSES || q->view == VIEW_THREADS)) {
		if (is_screen(q))
			report_find_hottest(r);
		report_find_waits(r);
	}
	report_add_quiet(r);
	fill_task_keys(r);
	if (q->process_tree && report_lists_tasks(r, VIEW_PROCESSES) && q->compare == COMPARE_NOTHING)
		report_make_process_tree(r);
	sort_and_cut(r);
	fill_events(r);
	if (q->stacks)
		report_fill_frames(r);
	if (q->trees)
		report_fill_stacks(r);
	if (q->row_stacks > 0)
		report_fill_callers(r);
	sum_left_out(r);
	grouping_release(&r->groups);
	free(r->rows);
	report_free_tree(r);
	free(r->beside_group);
	free(r->entry_group);
	free(r->cut_tasks);
}

void
report_fill(struct snapshot *s, const struct report_source *src, const struct query *q)
{
	struct report r = { .src = src, .query = q, .out = s, .task_keys = chosen_keys(q),
			    .wants_stat = wants_stat(q) };

	if (q->within_count > 0)
		r.within = mem_calloc(src->profile->model->who_len, sizeof(*r.within));
	if (q->hide_self)
		r.self = mem_calloc(src->profile->model->who_len, sizeof(*r.self));
	report_find_idle(&r);
	sum_events(&r);
	report_find_waiters(&r);
	if (query_wants_code(q)) {
		report_fill_code(&r);
		fill_events(&r);
	} else if (query_wants_nodes(q)) {
		report_fill_nodes(&r);
		fill_events(&r);
		sum_left_out(&r);
	} else {
		fill_rows(&r);
	}
	free(r.is_idle);
	free(r.is_waiter);
	free(r.within);
	free(r.self);
}
