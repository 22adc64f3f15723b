/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What uprobes that are sampled take of the time of who is probed.  Beside each, its hits are
 * counted as the calls of a function are (live/calls/): before it is opened, which is its trial, and
 * as long as it is open.  What takes too much is closed.
 */
#include "engine/leaf/session_config.h"
#include "engine/sampling/sampling_impl.h"
#include "live/calls/call_counter.h"

#include <stdlib.h>

/* The room calls counts, too, from 1 on. */
enum { GUARD_IDS = 1 << 30 };

struct probe_guard {
	uint32_t id, event;
	uint32_t search; /* it is on trial: event_places.c waits */
	bool is_over;    /* it took too much: the event is being closed, or is not opened */
	bool is_closing; /* it was open: SESSION_MSG_CLOSED will come */
	uint64_t over_ns, told_by_ns;
	double per_second, cost_percent; /* as last told */
};

struct probe_guards {
	struct call_counter *thread;
	struct probe_guard *items;
	size_t len, cap;
	uint32_t last_id;
};

static struct probe_guard *
find(const struct sampling *sp, uint32_t id)
{
	struct probe_guards *g = sp->guards;

	for (size_t i = 0; g != NULL && i < g->len; i++)
		if (g->items[i].id == id)
			return &g->items[i];
	return NULL;
}

static void
drop(struct sampling *sp, struct probe_guard *g)
{
	struct probe_guards *all = sp->guards;

	call_counter_end(all->thread, g->id);
	*g = all->items[--all->len];
}

static bool
is_guarded(const struct sampling *sp, const struct event *ev)
{
	return !sp->config->force_probe &&
	       (ev->place == EVENT_PLACE_UPROBE || ev->place == EVENT_PLACE_URETPROBE);
}

static struct call_use
use_of(const struct sampling *sp, const struct event *ev)
{
	const struct session_config config = session_config_of(sp->config, sp->event_env);

	return (struct call_use){
		.is_sampled = true, .period = session_period(&config, ev),
		.has_returns = ev->place == EVENT_PLACE_URETPROBE,
	};
}

/* One that could not be opened after all has left its own. */
static void
forget_over(struct sampling *sp, uint32_t event)
{
	struct probe_guards *all = sp->guards;

	for (size_t i = all->len; i-- > 0;)
		if (all->items[i].event == event && all->items[i].is_over)
			drop(sp, &all->items[i]);
}

/* As it is sampled. */
static struct call_root
root_of(const struct sampling *sp, int pid)
{
	uint32_t task = model_task(sp->model, pid, pid);

	return (struct call_root){
		.pid = pid,
		.with_children = !sp->config->no_inherit && !sp->model->tasks[task].is_lone,
	};
}

bool
probe_guard_begin(struct sampling *sp, const struct probe_trial *t)
{
	const struct engine_config *c = sp->config;
	struct probe_guard g = { .event = t->event, .search = t->search };
	struct call_order o = {
		.root_count = t->pid_count, .is_guard = true,
		.is_for_cpus = c->command != NULL || c->uid_count > 0,
	};

	if (!is_guarded(sp, t->found))
		return false;
	if (sp->guards == NULL) {
		sp->guards = mem_calloc(1, sizeof(*sp->guards));
		sp->guards->thread = call_counter_new(NULL, sp->event_env, NULL, sp->answers);
	}
	forget_over(sp, t->event);
	g.id = GUARD_IDS + ++sp->guards->last_id;
	VEC_ADD(sp->guards->items, sp->guards->len, sp->guards->cap) = g;
	event_copy(&o.event, t->found);
	o.id = g.id;
	o.roots = mem_calloc(t->pid_count + 1, sizeof(*o.roots));
	for (size_t i = 0; i < t->pid_count; i++)
		o.roots[i] = root_of(sp, t->pids[i]);
	o.use = use_of(sp, t->found);
	o.event.place = EVENT_PLACE_UPROBE;
	o.event.config = 0;
	call_counter_begin(sp->guards->thread, &o);
	free(o.roots);
	event_release(&o.event);
	return true;
}

void
probe_guard_end(struct sampling *sp, uint32_t event)
{
	struct probe_guards *all = sp->guards;
	bool is_open = sp->measured->events[event].live != NULL;

	for (size_t i = all != NULL ? all->len : 0; i-- > 0;) {
		struct probe_guard *g = &all->items[i];

		if (g->event != event)
			continue;
		if (g->is_over)
			g->is_closing |= is_open;
		else
			drop(sp, g);
	}
}

bool
probe_guard_is_closing(const struct sampling *sp)
{
	const struct probe_guards *all = sp->guards;

	for (size_t i = 0; all != NULL && i < all->len; i++)
		if (all->items[i].is_closing)
			return true;
	return false;
}

bool
probe_guard_is_over(const struct sampling *sp, uint32_t event)
{
	const struct probe_guards *all = sp->guards;

	for (size_t i = 0; all != NULL && i < all->len; i++)
		if (all->items[i].event == event && all->items[i].is_over)
			return true;
	return false;
}

static struct probe_verdict
end_trial(struct sampling *sp, struct probe_guard *g, const struct call_reading_msg *m)
{
	const char *name = sp->measured->events[g->event].spec.name;
	struct probe_verdict v = { .what = PROBE_MAY_OPEN, .event = g->event, .search = g->search };

	g->search = 0;
	if (m->reading.phase == CALL_CLOSED && g->is_over) {
		v.what = PROBE_IS_REFUSED;
		err_set(&v.why, ERR_LIMIT, 0, "event '%.100s' is not sampled: %s", name,
			m->reading.note);
	} else if (m->reading.phase == CALL_REFUSED) {
		notes_news(sp->notes, "what %s takes of its program's time is not known: %s", name,
			   m->err.text);
	}
	if (m->reading.phase != CALL_COUNTING)
		drop(sp, g);
	return v;
}

static void
learn(struct probe_guard *g, const struct call_reading *r)
{
	g->per_second = r->per_second;
	g->cost_percent = r->cost_percent;
	g->over_ns = r->over_ns;
	g->told_by_ns = r->told_by_ns;
	g->is_over |= r->phase == CALL_CLOSING && r->over_ns != 0;
}

bool
probe_guard_take(struct sampling *sp, const struct msg *msg, struct probe_verdict *v)
{
	const struct call_reading_msg *m = (const struct call_reading_msg *)msg;
	enum call_phase phase = m->reading.phase;
	struct probe_guard *g = find(sp, m->id);

	*v = (struct probe_verdict){ .what = PROBE_GOES_ON };
	if (m->id < GUARD_IDS)
		return false;
	if (g == NULL)
		return true;
	learn(g, &m->reading);
	if (g->search != 0 && phase > CALL_ON_TRIAL && phase != CALL_CLOSING)
		*v = end_trial(sp, g, m);
	else if (g->search == 0 && phase == CALL_CLOSING && g->is_over)
		*v = (struct probe_verdict){ .what = PROBE_IS_CLOSED, .event = g->event };
	return true;
}

/* That is told when it is done, since it takes its time. */
static void
tell_closed(struct sampling *sp, const struct probe_guard *g, const struct session_closed_msg *m)
{
	struct engine_event *ev = &sp->measured->events[g->event];

	measured_add_notice(ev, "%s is closed: it took more than %d %% of its program's CPU time "
			    "for %.0f ms (--force-probe); closing began after %.0f ms and took %.0f ms",
			    ev->spec.name, CALL_COUNTED_PERCENT, (double)g->told_by_ns / 1e6,
			    (double)(m->begin_ns - MIN(g->over_ns, m->begin_ns)) / 1e6,
			    (double)(m->end_ns - m->begin_ns) / 1e6);
	if (ev->notice_count > 0)
		notes_news(sp->notes, "%s", ev->notices[ev->notice_count - 1]);
	agenda_want(sp->agenda, AGENDA_ANSWER);
}

enum part_reply
probe_guard_on_closed(void *sampling, struct msg *msg)
{
	const struct session_closed_msg *m = (const struct session_closed_msg *)msg;
	struct sampling *sp = sampling;
	struct probe_guards *all = sp->guards;

	for (size_t i = all != NULL ? all->len : 0; i-- > 0;) {
		if (all->items[i].event != m->token || !all->items[i].is_over)
			continue;
		tell_closed(sp, &all->items[i], m);
		drop(sp, &all->items[i]);
	}
	return PART_DONE;
}

void
probe_guard_put(const struct sampling *sp, struct buf *b)
{
	const struct probe_guards *all = sp->guards;

	for (size_t i = 0; all != NULL && i < all->len; i++) {
		const struct probe_guard *g = &all->items[i];

		if (g->search == 0 && !g->is_over && g->cost_percent >= 0)
			buf_addf(b, "%s: %.0f hits a second take %.1f %% of its program's CPU time "
				 "(more than %d %%: it is closed)\n",
				 sp->measured->events[g->event].spec.name, g->per_second,
				 g->cost_percent, CALL_COUNTED_PERCENT);
	}
}

void
probe_guard_release(struct sampling *sp)
{
	if (sp->guards == NULL)
		return;
	call_counter_free(sp->guards->thread);
	free(sp->guards->items);
	free(sp->guards);
}
