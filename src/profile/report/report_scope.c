/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples and stacks are part of a report, and what it leaves out. */
#include "profile/report/report_impl.h"

#include "profile/place/irq_on.h"
#include "profile/place/location.h"
#include "profile/report/report_key.h"

#include <stdlib.h>
#include <string.h>

/* A screen shows nothing idle, unless asked to. */
void
report_find_idle(struct report *r)
{
	const struct model *m = r->src->profile->model;

	if (r->query->idle || !is_screen(r->query))
		return;
	r->is_idle = mem_calloc(m->who_len, sizeof(*r->is_idle));
	for (size_t w = 1; w < m->who_len; w++)
		r->is_idle[w] = m->whos[w].is_used && m->tasks[m->whos[w].task].tid == IDLE_TID;
}

/* A control group has what is in those below it. */
static bool
is_below(const struct report *r, uint64_t part, uint64_t want)
{
	const char *path = report_str(r, (uint32_t)part), *top = report_str(r, (uint32_t)want);
	size_t len = strlen(top);

	if (strcmp(top, "/") == 0)
		return *path == '/';
	return *top == '/' && strncmp(path, top, len) == 0 && path[len] == '/';
}

static bool
is_in(const struct report *r, const struct query_within *in, const struct hot_entry *e)
{
	uint64_t part = report_keys[in->key].part(e);

	if (in->key == KEY_HOST && r->query->of_others)
		return part != in->part;
	return part == in->part || (in->key == KEY_CGROUP && is_below(r, part, in->part));
}

/* Whether it has all parts that one went into, of those keys that are in @keys. */
static bool
is_within(const struct report *r, const struct hot_entry *e, key_set keys)
{
	for (size_t i = 0; i < r->query->within_count; i++) {
		const struct query_within *in = &r->query->within[i];

		if ((keys & KEY_BIT(in->key)) && !is_in(r, in, e))
			return false;
	}
	return true;
}

static bool
is_who_within(const struct report *r, uint32_t who)
{
	struct hot_entry e;

	if (r->within == NULL)
		return true;
	if (r->within[who] == 0) {
		e = hot_entry_of_who(r->src->profile, who);
		r->within[who] = is_within(r, &e, WHO_KEYS) ? 1 : -1;
	}
	return r->within[who] > 0;
}

/* As if it had a sample now. */
static struct hot_entry
entry_of_task(const struct report *r, uint32_t task, struct who *who)
{
	const struct profile *p = r->src->profile;
	const struct task *t = &p->model->tasks[task];

	*who = (struct who){ .task = task, .comm = t->comm, .cgroup = t->cgroup };
	return (struct hot_entry){ .profile = p, .label = &p->labels.items[0], .who = who, .task = t };
}

bool
report_is_task_within(const struct report *r, uint32_t task)
{
	struct who who;
	const struct hot_entry e = entry_of_task(r, task, &who);

	for (size_t i = 0; i < r->query->within_count; i++)
		if (!(WHO_KEYS & KEY_BIT(r->query->within[i].key)))
			return false;
	return is_within(r, &e, WHO_KEYS);
}

bool
report_is_who_asked(const struct report *r, uint32_t who)
{
	const struct model *m = r->src->profile->model;
	const struct query *q = r->query;
	uint32_t task = m->whos[who].task;

	if (!is_who_within(r, who))
		return false;
	if (q->name != 0 && m->whos[who].comm != q->name)
		return false;
	if (q->thread != 0)
		return task == q->thread;
	return q->process == 0 || m->tasks[task].process == q->process;
}

bool
report_is_of_all(const struct report *r, uint32_t who)
{
	return r->is_idle == NULL || !r->is_idle[who];
}

bool
report_is_work(const struct report *r, uint32_t who, uint32_t location)
{
	if (r->is_idle == NULL)
		return true;
	if (location >= LOCATION_WAITING && location < LOCATION_FIRST)
		return !wait_kind_defs[location - LOCATION_WAITING].is_idle;
	return report_is_of_all(r, who);
}

bool
report_has_event(const struct report *r, uint32_t event)
{
	return r->query->all_events || event == r->src->shown_event;
}

/* How many looks there were says nothing of how sure their time is; a comparison needs them. */
bool
report_wants_sums(const struct report *r, uint32_t event)
{
	const struct event_facts *facts = r->src->events;
	const struct query *q = r->query;

	return facts == NULL || !facts[event].is_looks || q->is_then ||
	       q->compare != COMPARE_NOTHING || q->shares == SHARES_PER_SECOND;
}

bool
report_in_scope(const struct report *r, uint32_t id)
{
	const struct profile *p = r->src->profile;
	const struct hot_key *hot = &p->tables.hot[id];
	const struct locations *l = p->locations;

	if (!report_is_who_asked(r, hot->who))
		return false;
	if (r->within != NULL) {
		const struct hot_entry e = hot_entry_at(p, id);

		if (!is_within(r, &e, ~WHO_KEYS))
			return false;
	}
	if (r->query->lock != 0 && report_lock_of(p, id) != r->query->lock)
		return false;
	return r->query->dso == 0 ||
	       dso_source_alike(l, r->query->dso,
				l->items[locations_resolve(l, hot->location)].dso);
}

bool
report_is_rest(const struct report *r, uint32_t location)
{
	const struct locations *l = r->src->profile->locations;

	if (r->query->unnamed && location_is_named(&l->items[locations_resolve(l, location)]))
		return true;
	return r->query->locks && location != LOCATION_WAITING + WAIT_LOCK;
}

bool
report_is_irq_on(const struct report *r, uint32_t event, const char *name)
{
	return r->src->events != NULL && r->src->events[event].is_timer && irq_on_in(name);
}

/* Which is to be hidden.  Each is asked once: of many entries few are whose. */
static bool
is_self(const struct report *r, uint32_t who)
{
	if (r->self == NULL)
		return false;
	if (r->self[who] == 0)
		r->self[who] = report_is_self(r, who) ? 1 : -1;
	return r->self[who] > 0;
}

bool
report_hides(const struct report *r, uint32_t who, uint32_t location)
{
	const struct locations *l = r->src->profile->locations;
	const struct query *q = r->query;

	if (is_self(r, who) || report_is_rest(r, location))
		return true;
	/* It is asked of each entry, and where its code is lies elsewhere in memory. */
	if (!q->hide_kernel && !q->hide_user)
		return false;
	return l->items[locations_resolve(l, location)].is_kernel ? q->hide_kernel : q->hide_user;
}

void
report_add_to_sum(struct report_sum *sum, uint64_t samples, uint64_t period, uint32_t event)
{
	sum->samples[event] += samples;
	sum->period[event] += period;
}

uint64_t
report_base(const struct report *r, uint32_t event, uint64_t shown)
{
	return r->query->shares == SHARES_OF_SHOWN ? shown : r->total_period[event];
}

bool
report_entry(const struct report *r, uint32_t id, uint64_t *samples, uint64_t *period)
{
	const struct profile *p = r->src->profile;
	const struct hot_key *hot = &p->tables.hot[id];

	if (!report_has_event(r, hot->event))
		return false;
	profile_window(p, &p->tables.cells[TABLE_HOT].items[id], samples, period);
	return *samples > 0 && report_is_work(r, hot->who, hot->location);
}

/* Whether this report leaves out anything that is in scope. */
static bool
leaves_out(const struct report *r)
{
	const struct query *q = r->query;

	return r->src->filter != NULL || q->unnamed || q->locks || q->hide_kernel || q->hide_user ||
	       q->hide_self;
}

void
report_leave_out(struct report *r, const struct cost *shown)
{
	const struct tables *t = &r->src->profile->tables;
	struct cost asked[EVENTS_MAX] = { { 0 } };
	uint64_t samples, period;

	for (uint32_t id = 1; leaves_out(r) && id < t->cells[TABLE_HOT].len; id++) {
		const struct hot_key *hot = &t->hot[id];

		if (!report_entry(r, id, &samples, &period) || !report_in_scope(r, id))
			continue;
		if (report_is_rest(r, hot->location)) {
			report_add_to_sum(&r->named, samples, period, hot->event);
			continue;
		}
		asked[hot->event].samples += samples;
		asked[hot->event].period += period;
	}
	for (uint32_t event = 0; event < r->src->profile->event_count; event++)
		if (asked[event].samples > shown[event].samples)
			report_add_to_sum(&r->left_out,
					  asked[event].samples - shown[event].samples,
					  asked[event].period - shown[event].period, event);
}

bool
report_filters_functions(const struct report *r)
{
	const struct query *q = r->query;

	return q->by_view && (q->view == VIEW_CALLERS || q->view == VIEW_CALLEES) &&
	       q->all_events && !q->stacks && r->src->filter != NULL &&
	       (filter_keys(r->src->filter) & ~FUNCTION_KEYS) == 0;
}

static void
fill_keys(struct report *r, struct row *row, const struct hot_entry *e, key_set keys)
{
	for (enum key k = 0; k < KEY_COUNT; k++)
		if (keys & KEY_BIT(k))
			report_key_fill(r, row, k, e, report_keys[k].part(e));
}

/* What the filter wants to know of a who beside its task. */
static void
fill_who(struct report *r, struct row *row, const struct hot_entry *e)
{
	fill_keys(r, row, e, filter_keys(r->src->filter) & WHO_KEYS);
}

void
report_fill_task_keys(struct report *r, struct row *row, uint32_t task)
{
	const struct task *t = &r->src->profile->model->tasks[task];
	struct who who;
	struct hot_entry e;

	e = entry_of_task(r, t->cgroup != 0 ? task : t->process, &who);
	fill_keys(r, row, &e, r->task_keys);
}

bool
report_keeps_task(struct report *r, struct row *row, uint32_t task)
{
	struct who who;
	const struct hot_entry e = entry_of_task(r, task, &who);

	fill_who(r, row, &e);
	return filter_keeps(r->src->filter, row);
}

bool
report_passes(struct report *r, uint32_t event, uint32_t who, uint32_t leaf, int cpu)
{
	const struct profile *p = r->src->profile;
	const struct who *w = &p->model->whos[who];
	struct row row = report_row_blank();
	struct hot_entry e;

	if (r->src->filter == NULL || report_filters_functions(r))
		return true;
	row.cpu_number = cpu;
	row.event = p->events[event].name;
	row.comm = report_str(r, w->comm);
	report_row_task(r, &row, w->task, true);
	e = hot_entry_of_who(p, who);
	fill_who(r, &row, &e);
	if (leaf != 0) {
		const struct location *loc = &p->locations->items[leaf];

		report_row_symbol(r, &row, leaf);
		row.dso = report_str(r, dsos_get(&p->model->dsos, loc->dso)->name);
	}
	return filter_keeps(r->src->filter, &row);
}

static bool
is_of_dso(const struct report *r, uint32_t leaf)
{
	const struct locations *l = r->src->profile->locations;

	return r->query->dso == 0 || dso_source_alike(l, r->query->dso, l->items[leaf].dso);
}

bool
report_has_stack(struct report *r, uint32_t event, uint32_t who, uint32_t leaf)
{
	leaf = locations_resolve(r->src->profile->locations, leaf);
	return report_has_event(r, event) && report_is_work(r, who, leaf) &&
	       report_is_who_asked(r, who) &&
	       !report_hides(r, who, leaf) && (r->is_waiter == NULL || r->is_waiter[who]) &&
	       is_of_dso(r, leaf) && report_passes(r, event, who, leaf, -1);
}
