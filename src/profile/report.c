/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report.h"

#include "profile/column.h"
#include "profile/group.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE_TID = 0 };

/* One report in the making. */
struct report {
	const struct report_source *src;
	const struct query *query;
	struct snapshot *out;
	struct grouping groups;
	struct row *rows;      /* one for each group, then those of tasks without samples */
	size_t row_len, row_cap;
	uint32_t *entry_group; /* by hot entry: group plus one, 0: not in this report */
	struct row left_out;   /* what filters and hidden parts left out */
	uint64_t total_samples[EVENTS_MAX], total_period[EVENTS_MAX];
};

static bool
is_screen(const struct query *q)
{
	return q->trends;
}

static bool
is_idle(const struct model *m, const struct hot_key *hot)
{
	return m->tasks[m->whos[hot->who].task].tid == IDLE_TID;
}

static bool
in_scope(const struct model *m, const struct query *q, const struct hot_key *hot)
{
	uint32_t task = m->whos[hot->who].task;

	if (q->thread != 0)
		return task == q->thread;
	return q->process == 0 || m->tasks[task].process == q->process;
}

static bool
is_hidden(const struct report *r, const struct hot_key *hot)
{
	const struct locations *l = r->src->profile->locations;
	bool kernel = l->items[locations_resolve(l, hot->location)].is_kernel;

	return kernel ? r->query->hide_kernel : r->query->hide_user;
}

static void
leave_out(struct report *r, uint64_t samples, uint64_t period, uint32_t event)
{
	uint64_t total = r->total_period[event];

	r->left_out.samples += samples;
	r->left_out.period += period;
	if (total > 0)
		r->left_out.share += (double)period / (double)total;
}

/* Whether an entry's event and task have a place in this report at all. */
static bool
is_asked(const struct report *r, uint32_t id, uint64_t *samples, uint64_t *period)
{
	const struct profile *p = r->src->profile;
	const struct hot_key *hot = &p->tables.hot[id];

	if (!r->query->all_events && hot->event != r->src->shown_event)
		return false;
	profile_window(p, &p->tables.cells[TABLE_HOT].items[id], samples, period);
	if (*samples == 0)
		return false;
	return r->query->idle || !is_screen(r->query) || !is_idle(p->model, hot);
}

static void
sum_events(struct report *r)
{
	const struct tables *t = &r->src->profile->tables;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		if (!is_asked(r, id, &samples, &period))
			continue;
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

		if (!is_asked(r, id, &samples, &period) || !in_scope(p->model, r->query, hot))
			continue;
		if (is_hidden(r, hot)) {
			leave_out(r, samples, period, hot->event);
			continue;
		}
		g = group_find(&r->groups, id);
		g->samples += samples;
		g->period += period;
		r->entry_group[id] = (uint32_t)(g - r->groups.items) + 1;
	}
}

static const char *
str(const struct report *r, uint32_t id)
{
	return strs_get(&r->src->profile->model->strs, id);
}

static const struct task_facts *
find_facts(const struct task_facts *facts, size_t count, int tid)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (facts[mid].tid == tid)
			return &facts[mid];
		if (facts[mid].tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

static const char *
user_text(struct report *r, uint32_t uid)
{
	const char *name;

	if (uid == UID_UNKNOWN)
		return "";
	name = r->src->user_name != NULL ? r->src->user_name(r->src->self, uid) : NULL;
	return name != NULL ? name : arena_printf(&r->out->arena, "%u", uid);
}

/* The shown form of a place without a name. */
static const char *
address_text(struct report *r, const struct location *loc)
{
	const struct dso *dso = dsos_get(&r->src->profile->model->dsos, loc->dso);

	if (loc->kind == LOCATION_MAP)
		return "[unknown]";
	if (is_screen(r->query))
		return arena_printf(&r->out->arena, "%s+0x%llx", str(r, dso->name),
				    (unsigned long long)loc->offset);
	return arena_printf(&r->out->arena, "0x%llx", (unsigned long long)loc->offset);
}

static const char *
unnamed_reason(const struct report *r, const struct location *loc)
{
	const struct locations *l = r->src->profile->locations;
	enum dso_kind kind = dsos_get(&r->src->profile->model->dsos, loc->dso)->kind;

	if (kind == DSO_UNKNOWN)
		return "no map of the process covers the address";
	if (kind == DSO_ANON)
		return "code without a file, as JIT compilers make it";
	if (loc->kind == LOCATION_PENDING)
		return "its symbols are being read";
	if (loc->dso < l->symbols_cap && l->symbols[loc->dso].state == SYMBOLS_FAILED)
		return str(r, l->symbols[loc->dso].reason);
	return "no symbol of the file covers the address";
}

static void
row_symbol(struct report *r, struct row *row, uint32_t location)
{
	const struct profile *p = r->src->profile;
	const struct location *loc = &p->locations->items[location];

	if (loc->is_kernel)
		row->flags |= ROW_KERNEL;
	if (loc->kind == LOCATION_FUNCTION) {
		row->symbol = str(r, loc->name);
		row->source = str(r, loc->line);
		row->address = loc->offset;
		row->location = location;
		return;
	}
	row->flags |= loc->kind == LOCATION_PENDING ? ROW_UNNAMED | ROW_PENDING : ROW_UNNAMED;
	row->symbol = address_text(r, loc);
	row->location = location;
	row->reason = unnamed_reason(r, loc);
}

static uint64_t
to_real_ns(const struct report *r, uint64_t mono_ns)
{
	return mono_ns > 1 ? r->src->real_ns - (r->src->mono_ns - mono_ns) : r->src->real_ns;
}

static void
row_facts(struct row *row, const struct task_facts *f)
{
	if (f == NULL)
		return;
	row->cpu = f->cpu;
	row->threads = f->threads;
	row->command = f->command;
	if (f->is_kernel_thread)
		row->flags |= ROW_KTHREAD;
}

/* Names, owner, state of the row's task. */
static void
row_task(struct report *r, struct row *row, uint32_t id, bool is_thread)
{
	const struct model *m = r->src->profile->model;
	const struct task *t = &m->tasks[id];

	row->process = t->process;
	row->thread = is_thread ? id : 0;
	row->pid = t->tid == TASK_ENDED_TID ? -1 : m->tasks[t->process].tid;
	if (is_thread)
		row->tid = t->tid;
	row->id = (uint64_t)(unsigned)t->tid;
	row->user = user_text(r, m->tasks[t->process].uid);
	if (t->died_ns != 0) {
		row->flags |= ROW_DEAD;
		row->ended_ns = to_real_ns(r, t->died_ns);
		row->id |= (uint64_t)id << 32;
	} else {
		row_facts(row, is_thread ? find_facts(r->src->threads, r->src->thread_count, t->tid)
					 : find_facts(r->src->processes, r->src->process_count,
						      t->tid));
	}
	if (*row->command == '\0')
		row->command = str(r, t->comm);
	if (t->tid == IDLE_TID)
		row->flags |= ROW_IDLE;
	if (row->pid == r->src->self_pid)
		row->flags |= ROW_SELF;
}

static void
row_key(struct report *r, struct row *row, enum key key, uint64_t part, uint32_t entry)
{
	const struct profile *p = r->src->profile;
	const struct hot_key *hot = &p->tables.hot[entry];
	uint32_t location = locations_resolve(p->locations, hot->location);

	switch (key) {
	case KEY_EVENT:
		row->event = p->events[hot->event].name;
		break;
	case KEY_COMM:
		row->comm = str(r, (uint32_t)part);
		break;
	case KEY_PID:
		if (row->thread == 0)
			row_task(r, row, (uint32_t)part, false);
		break;
	case KEY_TID:
		row_task(r, row, (uint32_t)part, true);
		break;
	case KEY_DSO:
		row->dso = str(r, (uint32_t)part);
		if (p->locations->items[location].is_kernel)
			row->flags |= ROW_KERNEL;
		break;
	case KEY_SYMBOL:
		row_symbol(r, row, location);
		break;
	case KEY_ADDRESS:
		row->address = part > 0 ? part - 1 : 0;
		break;
	case KEY_CPU:
		row->cpu_number = (int)part - 1;
		break;
	case KEY_USER:
		row->user = user_text(r, (uint32_t)part);
		break;
	case KEY_SRCLINE:
	case KEY_CGROUP:
	case KEY_COUNT:
		break;
	}
}

static struct row
row_blank(void)
{
	return (struct row){ .cpu = NAN, .pid = -1, .tid = -1, .cpu_number = -1, .event = "",
			     .comm = "", .dso = "", .symbol = "", .source = "", .user = "",
			     .cgroup = "", .command = "", .hottest = "", .reason = "" };
}

/* What share of a CPU a row that is no task takes: only an event of time can tell. */
static double
estimate_cpu(const struct report *r, const struct row *row)
{
	const struct report_source *src = r->src;

	if (src->counts_time && src->shown_event != UINT32_MAX && r->out->head.window_have_s > 0)
		return (double)row->period / 1e9 / r->out->head.window_have_s * 100;
	return NAN;
}

static void
row_of_group(struct report *r, const struct grouping *by, const struct group *g)
{
	const struct hot_key *hot = &r->src->profile->tables.hot[g->first];
	struct row row = row_blank();
	uint64_t total = r->total_period[hot->event];
	bool is_task = false;

	row.samples = g->samples;
	row.period = g->period;
	row.share = total > 0 ? (double)g->period / (double)total : 0;
	row.event = r->src->profile->events[hot->event].name;
	for (size_t k = 0; k < by->key_count; k++) {
		row_key(r, &row, by->keys[k], g->parts[k], g->first);
		is_task |= by->keys[k] == KEY_PID || by->keys[k] == KEY_TID;
	}
	if (!is_task || row.pid < 0) {
		row.id = hash_bytes(g->parts, by->key_count * sizeof(g->parts[0]));
		row.cpu = estimate_cpu(r, &row);
	}
	vec_reserve(&r->rows, &r->row_cap, r->row_len + 1, sizeof(*r->rows));
	r->rows[r->row_len++] = row;
}

/*
 * Groups again by the keys asked, without those that only the filter looks at: fine groups that
 * pass become part of coarse ones; @map tells which, plus one, 0 for what is left out.
 */
static void
filter_groups(struct report *r, const struct grouping *fine, uint32_t *map)
{
	for (size_t i = 0; i < fine->len; i++) {
		const struct group *f = &fine->items[i];
		struct group *g;

		r->row_len = 0;
		row_of_group(r, fine, f);
		if (!filter_keeps(r->src->filter, &r->rows[0])) {
			leave_out(r, f->samples, f->period,
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

/* The keys of the query and, if @more has bits 1 << key, those too. */
static void
choose_keys(const struct query *q, unsigned more, struct grouping *g)
{
	memcpy(g->keys, q->keys, q->key_count * sizeof(g->keys[0]));
	g->key_count = q->key_count;
	for (enum key k = 0; k < KEY_COUNT; k++) {
		bool have = false;

		for (size_t i = 0; i < g->key_count; i++)
			have |= g->keys[i] == k;
		if (!have && (more & 1u << k) && g->key_count < KEYS_MAX)
			g->keys[g->key_count++] = k;
	}
}

static void
group_and_filter(struct report *r)
{
	const struct query *q = r->query;
	unsigned events = q->all_events ? 1u << KEY_EVENT : 0;
	struct grouping fine;
	uint32_t *map;

	r->groups.profile = r->src->profile;
	r->groups.whole_process = q->by_view && q->view == VIEW_PROCESSES;
	if (r->src->filter == NULL) {
		choose_keys(q, events, &r->groups);
		group_entries(r);
		return;
	}
	choose_keys(q, events | filter_keys(r->src->filter), &r->groups);
	group_entries(r);
	fine = r->groups;
	r->groups = (struct grouping){ .profile = fine.profile,
				       .whole_process = fine.whole_process };
	choose_keys(q, events, &r->groups);
	map = xcalloc(fine.len + 1, sizeof(*map));
	filter_groups(r, &fine, map);
	for (size_t id = 1; id < r->src->profile->tables.cells[TABLE_HOT].len; id++)
		if (r->entry_group[id] != 0)
			r->entry_group[id] = map[r->entry_group[id] - 1];
	free(map);
	grouping_release(&fine);
}

/* One function in one group. */
struct part {
	uint64_t symbol, period;
	uint32_t group;
};

struct parts {
	struct part *items; /* from 0 */
	size_t len, cap;
	struct index index;
};

static struct part *
part_find(struct parts *parts, uint32_t group, uint64_t symbol)
{
	uint64_t hash = hash_mix(group, symbol);
	uint32_t n, pos;

	for (n = index_first(&parts->index, hash, &pos); n != 0;
	     n = index_next(&parts->index, hash, &pos))
		if (parts->items[n - 1].group == group && parts->items[n - 1].symbol == symbol)
			return &parts->items[n - 1];
	vec_reserve(&parts->items, &parts->cap, parts->len + 1, sizeof(*parts->items));
	parts->items[parts->len++] = (struct part){ symbol, 0, group };
	index_add(&parts->index, hash, (uint32_t)parts->len);
	return &parts->items[parts->len - 1];
}

/* The hottest function of each row, for views of tasks. */
static void
find_hottest(struct report *r)
{
	const struct profile *p = r->src->profile;
	const struct tables *t = &p->tables;
	struct parts parts = { 0 };
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		uint32_t group = r->entry_group[id];
		struct part *part;
		struct group *g;

		if (group == 0)
			continue;
		g = &r->groups.items[group - 1];
		part = part_find(&parts, group, group_part(&r->groups, KEY_SYMBOL, id));
		profile_window(p, &t->cells[TABLE_HOT].items[id], &samples, &period);
		part->period += period;
		if (part->period >= g->best_period) {
			g->best_period = part->period;
			g->best = id;
		}
	}
	for (size_t i = 0; i < r->groups.len; i++) {
		struct row row = row_blank();

		row_symbol(r, &row, locations_resolve(p->locations,
						      t->hot[r->groups.items[i].best].location));
		r->rows[i].hottest = row.symbol;
	}
	free(parts.items);
	index_release(&parts.index);
}

/* The serials of the shown event's last intervals, newest first.  How many. */
static size_t
last_intervals(const struct report *r, uint64_t *serials)
{
	const struct profile *p = r->src->profile;
	uint64_t first = p->log.first;
	size_t n = 0;

	if (r->src->shown_event == UINT32_MAX)
		return 0;
	first = MAX(first, p->events[r->src->shown_event].zero_serial);
	for (uint64_t s = p->log.first + p->log.len; s > first && n < TREND_LEN; s--)
		if (log_at(&p->log, s - 1)->event == r->src->shown_event)
			serials[n++] = s - 1;
	return n;
}

/* Rates of each group in the last intervals, scaled to the group's own maximum. */
static void
find_trends(struct report *r)
{
	const struct profile *p = r->src->profile;
	double *rates = xcalloc(r->groups.len * TREND_LEN + 1, sizeof(*rates));
	uint64_t serials[TREND_LEN];
	size_t n = last_intervals(r, serials), pos;
	struct delta d;

	for (size_t i = 0; i < n; i++) {
		const struct interval *iv = log_at(&p->log, serials[i]);
		double length = (double)MAX(iv->end_ns - iv->start_ns, 1);

		for (pos = 0; log_next(iv, &pos, &d);) {
			uint32_t group = d.table == TABLE_HOT ? r->entry_group[d.id] : 0;

			if (group != 0)
				rates[(group - 1) * TREND_LEN + TREND_LEN - 1 - i] +=
					(double)d.period / length;
		}
	}
	for (size_t g = 0; g < r->groups.len; g++) {
		const double *rate = rates + g * TREND_LEN;
		double most = 0;

		for (int i = 0; i < TREND_LEN; i++)
			most = MAX(most, rate[i]);
		for (int i = 0; i < TREND_LEN && most > 0; i++)
			r->rows[g].trend[i] = (uint8_t)ceil(rate[i] / most * 8);
	}
	free(rates);
}

/* Whether the tasks that were not sampled belong into this table too. */
static bool
lists_tasks(const struct report *r, enum view_id view)
{
	return is_screen(r->query) && r->query->by_view && r->query->view == view &&
	       r->src->filter == NULL;
}

/* A row of a task that lives but has no samples in the window. */
static void
row_of_facts(struct report *r, const struct task_facts *f, bool is_thread)
{
	struct model *m = r->src->profile->model;
	uint32_t id = model_task(m, f->pid, f->tid);
	struct row row = row_blank();

	model_learn_comm(m, id, f->comm);
	row_task(r, &row, id, is_thread);
	row_facts(&row, f);
	row.comm = str(r, m->tasks[id].comm);
	vec_reserve(&r->rows, &r->row_cap, r->row_len + 1, sizeof(*r->rows));
	r->rows[r->row_len++] = row;
}

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

static void
add_quiet_tasks(struct report *r, const struct task_facts *facts, size_t count, bool is_thread)
{
	size_t sampled = r->row_len;
	uint64_t *ids = xcalloc(sampled + 1, sizeof(*ids));

	for (size_t i = 0; i < sampled; i++)
		ids[i] = r->rows[i].id;
	qsort(ids, sampled, sizeof(*ids), compare_u64);
	for (size_t i = 0; i < count; i++) {
		uint64_t id = (uint64_t)(unsigned)facts[i].tid;

		if (bsearch(&id, ids, sampled, sizeof(*ids), compare_u64) == NULL)
			row_of_facts(r, &facts[i], is_thread);
	}
	free(ids);
}

static int
compare_rows(const void *a, const void *b, void *arg)
{
	const struct query *q = arg;
	const struct row *x = a, *y = b;
	int order = columns[q->sort].compare(x, y);

	if (order == 0)
		order = columns[COLUMN_SHARE].compare(x, y);
	if (order == 0 && !isnan(x->cpu) && !isnan(y->cpu))
		order = x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
	if (order == 0)
		return x->id < y->id ? -1 : x->id > y->id;
	return q->ascending ? order : -order;
}

/* Sorts, keeps as many as asked, sums up the rest in one. */
static void
sort_and_cut(struct report *r)
{
	struct query q = *r->query;
	struct snapshot *s = r->out;
	size_t keep = r->row_len;
	struct row rest = row_blank();

	if (r->row_len > 0)
		qsort_r(r->rows, r->row_len, sizeof(*r->rows), compare_rows, &q);
	if (q.max_rows > 0 && keep > q.max_rows) {
		keep = q.max_rows - 1;
		for (size_t i = keep; i < r->row_len; i++) {
			rest.samples += r->rows[i].samples;
			rest.period += r->rows[i].period;
			rest.share += r->rows[i].share;
		}
		rest.id = UINT64_MAX;
		rest.flags = ROW_REST;
		rest.symbol = arena_printf(&s->arena, "%zu more rows", r->row_len - keep);
	}
	s->rows = arena_alloc(&s->arena, (keep + 1) * sizeof(*s->rows));
	if (keep > 0)
		memcpy(s->rows, r->rows, keep * sizeof(*s->rows));
	s->row_count = keep;
	if (rest.flags & ROW_REST)
		s->rows[s->row_count++] = rest;
	/* Command lines belong to the /proc reader's answer, which the next one replaces. */
	for (size_t i = 0; i < s->row_count; i++)
		s->rows[i].command = arena_strdup(&s->arena, s->rows[i].command);
}

static void
fill_events(struct report *r)
{
	const struct profile *p = r->src->profile;
	struct snapshot *s = r->out;

	s->events = arena_alloc(&s->arena, (p->event_count + 1) * sizeof(*s->events));
	s->event_count = p->event_count;
	for (uint32_t i = 0; i < p->event_count; i++) {
		s->events[i] = (struct snapshot_event){
			.name = arena_strdup(&s->arena, p->events[i].name),
			.shown = i == r->src->shown_event, .open = p->events[i].open_since_ns != 0,
			.samples = r->total_samples[i], .period = r->total_period[i],
		};
		s->total_samples += r->total_samples[i];
		s->total_period += r->total_period[i];
	}
}

void
report_want_labels(struct profile *p, const struct query *q, const struct filter *filter)
{
	unsigned keys = filter != NULL ? filter_keys(filter) : 0;

	for (size_t i = 0; i < q->key_count; i++)
		keys |= 1u << q->keys[i];
	p->labels.want_cpu |= (keys & 1u << KEY_CPU) != 0;
	p->labels.want_address |= (keys & (1u << KEY_ADDRESS | 1u << KEY_SRCLINE)) != 0;
}

void
report_fill(struct snapshot *s, const struct report_source *src, const struct query *q)
{
	struct report r = { .src = src, .query = q, .out = s, .left_out = row_blank() };

	r.entry_group = xcalloc(src->profile->tables.cells[TABLE_HOT].len, sizeof(*r.entry_group));
	sum_events(&r);
	group_and_filter(&r);
	for (size_t i = 0; i < r.groups.len; i++)
		row_of_group(&r, &r.groups, &r.groups.items[i]);
	if (is_screen(q)) {
		find_trends(&r);
		if (q->by_view && (q->view == VIEW_PROCESSES || q->view == VIEW_THREADS))
			find_hottest(&r);
	}
	if (lists_tasks(&r, VIEW_PROCESSES) && q->process == 0)
		add_quiet_tasks(&r, src->processes, src->process_count, false);
	if (lists_tasks(&r, VIEW_THREADS) && q->process != 0)
		add_quiet_tasks(&r, src->threads, src->thread_count, true);
	sort_and_cut(&r);
	fill_events(&r);
	if (r.left_out.samples > 0) {
		r.left_out.flags = ROW_FILTERED;
		r.left_out.symbol = "[filtered]";
		s->filtered = arena_alloc(&s->arena, sizeof(*s->filtered));
		*s->filtered = r.left_out;
	}
	grouping_release(&r.groups);
	free(r.rows);
	free(r.entry_group);
}
