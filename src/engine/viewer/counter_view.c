/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view counters: while it is shown, a thread of its own counts for whoever is looked at.  The
 * sampling goes on untouched.
 */
#include "engine/place/place_lookup.h"
#include "engine/viewer/viewer_impl.h"

static void
forget_reading(struct counting_msg *m)
{
	if (m != NULL)
		msg_free(&m->msg);
}

static void
forget_readings(struct counter_view *c)
{
	forget_reading(c->first);
	if (c->before != c->first)
		forget_reading(c->before);
	if (c->now != c->first && c->now != c->before)
		forget_reading(c->now);
	c->first = c->before = c->now = NULL;
}

static void
leave(struct viewer *v)
{
	struct counter_view *c = &v->counters;

	if (!c->is_on)
		return;
	counting_leave(c->thread);
	forget_readings(c);
	c->is_on = c->is_asked = false;
}

static int
find_place(struct event *ev, int pid, struct err *err)
{
	struct event_list one = { .items = ev, .len = 1 };

	return place_lookup(&one, &(struct place_processes){ &pid, pid != 0, false }, err);
}

static const struct counting_finder finder = { find_place };

/* The user's own events were parsed when sampling began; a tracepoint may have gone since. */
static void
prepare(struct viewer *v)
{
	struct counter_view *c = &v->counters;
	struct err err = { 0 };

	if (c->thread != NULL)
		return;
	c->thread = counting_new(NULL, v->env->events, &finder, v->env->answers);
	if (counter_list_init(&c->list, v->env->events, v->env->config, &err) < 0) {
		notes_refuse(v->env->notes, "%s", err.text);
		counter_list_init(&c->list, v->env->events, NULL, NULL);
	}
}

static void
enter(struct viewer *v, uint32_t process, uint32_t thread)
{
	struct counter_view *c = &v->counters;
	const struct task *tasks = v->env->model->tasks;
	struct counter_target target = {
		.pid = thread == 0 && process != 0 ? tasks[process].pid : 0,
		.tid = thread != 0 ? tasks[thread].tid : 0,
	};

	prepare(v);
	if (v->env->config->cpu_count > 0) {
		target.cpus = v->env->config->cpus;
		target.cpu_count = v->env->config->cpu_count;
	}
	forget_readings(c);
	c->is_on = true;
	c->is_asked = true; /* the first reading comes by itself */
	c->err = (struct err){ 0 };
	c->process = process;
	c->thread_id = thread;
	c->token++;
	if ((process != 0 && target.pid + target.tid <= 0) || target.pid < 0 || target.tid < 0) {
		err_set(&c->err, ERR_GONE, 0, "this is no process that can be counted");
		counting_leave(c->thread);
		return;
	}
	counting_watch(c->thread, c->token, &target, c->list.events.items, c->list.events.len);
}

void
counter_view_query(struct viewer *v, const struct query *q)
{
	const struct counter_view *c = &v->counters;

	if (!q->by_view || q->view != VIEW_COUNTERS || v->env->policy->no_counters != NULL)
		leave(v);
	else if (!c->is_on || c->process != q->process || c->thread_id != q->thread)
		enter(v, q->process, q->thread);
}

void
viewer_ask_counters(struct viewer *v)
{
	struct counter_view *c = &v->counters;

	/* One at a time: a target of many threads may take longer than a refresh. */
	if (!c->is_on || c->is_asked || c->err.code != ERR_NONE)
		return;
	c->is_asked = true;
	counting_ask(c->thread);
}

enum part_reply
counter_view_on_reading(void *viewer, struct msg *msg)
{
	struct counting_msg *m = (struct counting_msg *)msg;
	struct viewer *v = viewer;
	struct counter_view *c = &v->counters;

	if (!c->is_on || m->token != c->token)
		return PART_DONE; /* of what is not looked at any more */
	c->is_asked = false;
	if (m->err.code != ERR_NONE) {
		c->err = m->err;
		forget_reading(m);
	} else {
		if (c->before != c->first)
			forget_reading(c->before);
		c->before = c->now;
		c->now = m;
		if (m->is_first)
			c->first = m;
	}
	if (!v->query.frozen)
		agenda_want(v->env->agenda, AGENDA_ANSWER);
	return PART_KEEPS;
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
counter_view_fill(struct viewer *v, struct snapshot *s)
{
	const struct counter_view *c = &v->counters;
	struct counter_source src = { .why = why_of, .note = note_of, .self = c->first,
				      .pid = -1, .tid = -1, .comm = "" };

	s->rows = arena_alloc(&s->arena, (counter_list_rows(&c->list) + 1) * sizeof(*s->rows));
	if (v->env->policy->no_counters != NULL)
		s->why_empty = v->env->policy->no_counters;
	else if (c->err.code != ERR_NONE)
		s->why_empty = arena_strdup(&s->arena, c->err.text);
	else
		s->why_empty = "opening the counters...";
	if (c->now == NULL)
		return;
	src.now = c->now->values;
	src.now_ns = c->now->time_ns;
	if (c->before != NULL) {
		src.before = c->before->values;
		src.before_ns = c->before->time_ns;
	}
	counter_list_add_rows(&c->list, &src, s);
}

void
counter_view_release(struct viewer *v)
{
	struct counter_view *c = &v->counters;

	counting_free(c->thread);
	forget_readings(c);
	counter_list_release(&c->list);
}
