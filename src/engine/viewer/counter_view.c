/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view counters: while it is shown, a thread of its own counts for whoever is looked at.  The
 * sampling goes on untouched.
 */
#include "engine/engine_impl.h"
#include "engine/sampling/place_lookup.h"

#include <stdlib.h>
#include <string.h>

static void
forget_readings(struct counter_view *v)
{
	counting_msg_free(v->first);
	if (v->before != v->first)
		counting_msg_free(v->before);
	if (v->now != v->first && v->now != v->before)
		counting_msg_free(v->now);
	v->first = v->before = v->now = NULL;
}

static void
leave(struct engine *e)
{
	struct counter_view *v = &e->counters;

	if (!v->is_on)
		return;
	counting_leave(v->thread);
	forget_readings(v);
	v->is_on = v->is_asked = false;
}

static int
find_place(struct event *ev, int pid, struct err *err)
{
	struct event_list one = { .items = ev, .len = 1 };

	return place_lookup(&one, &pid, pid != 0, err);
}

static const struct counting_finder finder = { find_place };

/* The user's own events were parsed when sampling began; a tracepoint may have gone since. */
static void
prepare(struct engine *e)
{
	struct counter_view *v = &e->counters;
	struct err err = { 0 };

	if (v->thread != NULL)
		return;
	v->thread = counting_new(NULL, &e->env, &finder, e->in);
	if (counter_list_init(&v->list, &e->env, e->config, &err) < 0) {
		engine_send_status(e, true, "%s", err.text);
		counter_list_init(&v->list, &e->env, NULL, NULL);
	}
}

static void
enter(struct engine *e, uint32_t process, uint32_t thread)
{
	struct counter_view *v = &e->counters;
	const struct task *tasks = e->model->tasks;
	struct counter_target target = {
		.pid = thread == 0 && process != 0 ? tasks[process].pid : 0,
		.tid = thread != 0 ? tasks[thread].tid : 0,
	};

	prepare(e);
	if (e->config->cpu_count > 0) {
		target.cpus = e->config->cpus;
		target.cpu_count = e->config->cpu_count;
	}
	forget_readings(v);
	v->is_on = true;
	v->is_asked = true; /* the first reading comes by itself */
	v->err = (struct err){ 0 };
	v->process = process;
	v->thread_id = thread;
	v->token++;
	if ((process != 0 && target.pid + target.tid <= 0) || target.pid < 0 || target.tid < 0) {
		err_set(&v->err, ERR_GONE, 0, "this is no process that can be counted");
		counting_leave(v->thread);
		return;
	}
	counting_watch(v->thread, v->token, &target, v->list.events.items, v->list.events.len);
}

void
engine_counters_query(struct engine *e, const struct query *q)
{
	const struct counter_view *v = &e->counters;

	if (!q->by_view || q->view != VIEW_COUNTERS || e->file != NULL)
		leave(e);
	else if (!v->is_on || v->process != q->process || v->thread_id != q->thread)
		enter(e, q->process, q->thread);
}

void
engine_counters_ask(struct engine *e)
{
	struct counter_view *v = &e->counters;

	/* One at a time: a target of many threads may take longer than a refresh. */
	if (!v->is_on || v->is_asked || v->err.code != ERR_NONE)
		return;
	v->is_asked = true;
	counting_ask(v->thread);
}

void
engine_counters_take(struct engine *e, struct counting_msg *m)
{
	struct counter_view *v = &e->counters;

	if (!v->is_on || m->token != v->token) {
		counting_msg_free(m); /* of what is not looked at any more */
		return;
	}
	v->is_asked = false;
	if (m->err.code != ERR_NONE) {
		v->err = m->err;
		counting_msg_free(m);
	} else {
		if (v->before != v->first)
			counting_msg_free(v->before);
		v->before = v->now;
		v->now = m;
		if (m->is_first)
			v->first = m;
	}
	if (!e->query.frozen)
		engine_send_snapshot(e);
}

static const char *
why_of(const void *self, size_t event)
{
	return ((const struct counting_msg *)self)->whys[event];
}

static const char *
note_of(const void *self, size_t event)
{
	return ((const struct counting_msg *)self)->notes[event];
}

void
engine_counters_fill(struct engine *e, struct snapshot *s)
{
	const struct counter_view *v = &e->counters;
	struct counter_source src = { .why = why_of, .note = note_of, .self = v->first,
				      .pid = -1, .tid = -1, .comm = "" };

	s->rows = arena_alloc(&s->arena, (counter_list_rows(&v->list) + 1) * sizeof(*s->rows));
	if (e->file != NULL)
		s->why_empty = "a recording has samples, no counters";
	else if (v->err.code != ERR_NONE)
		s->why_empty = arena_strdup(&s->arena, v->err.text);
	else
		s->why_empty = "opening the counters...";
	if (v->now == NULL)
		return;
	src.now = v->now->values;
	src.now_ns = v->now->time_ns;
	if (v->before != NULL) {
		src.before = v->before->values;
		src.before_ns = v->before->time_ns;
	}
	counter_list_add_rows(&v->list, &src, s);
}

void
engine_counters_release(struct engine *e)
{
	struct counter_view *v = &e->counters;

	counting_free(v->thread);
	forget_readings(v);
	counter_list_release(&v->list);
}
