/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view counters: while it is shown, a thread of its own counts for whoever is looked at.  The
 * sampling, if there is any, goes on untouched.
 */
#include "base/clock.h"
#include "engine/place/place_lookup.h"
#include "engine/viewer/viewer_impl.h"
#include "live/session/refusal.h"
#include "live/session/session.h"
#include "view/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	HOST_BYTES = 128,
	OPENING_MS = 500, /* by then all is open */
};

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
	counter_past_release(&c->past);
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

/* COMMAND's is looked for while it stands at its exec. */
static int
find_place(void *viewer, struct event *ev, const int *pids, size_t count, struct err *err)
{
	const struct viewer *v = viewer;
	bool at_exec = v->env->counts_alone && count > 0 &&
		       pids[0] == session_command_pid(v->env->session);
	struct event_list one = { .items = ev, .len = 1 };

	return place_lookup(&one, &(struct place_processes){ pids, count, at_exec }, err);
}

/* The user's own events were parsed when sampling began; a tracepoint may have gone since. */
static void
prepare(struct viewer *v)
{
	struct counter_view *c = &v->counters;
	struct err err = { 0 };

	if (c->thread != NULL)
		return;
	c->finder = (struct counting_finder){ find_place, v, v->env->counts_alone };
	c->thread = counting_new(NULL, v->env->events, &c->finder, v->env->answers);
	if (counter_list_init(&c->list, v->env->events, v->env->config, &err) < 0) {
		notes_refuse(v->env->notes, "%s", err.text);
		counter_list_init(&c->list, v->env->events, NULL, NULL);
	}
}

static void
add_target(struct counter_view *c, const struct engine_config *config,
	   struct counter_target target)
{
	target.cpus = config->cpu_count > 0 ? config->cpus : NULL;
	target.cpu_count = config->cpu_count;
	VEC_ADD(c->targets, c->target_count, c->target_cap) = target;
}

/* Its addresses are known only where it stands at its exec. */
static bool
waits_for_command(const struct viewer *v)
{
	return v->env->counts_alone && v->env->config->command != NULL &&
	       place_is_wanted(&v->counters.list.events);
}

/* Of a report: each of -p, each of -t, COMMAND; the machine if there is none of them. */
static void
add_each_target(struct viewer *v)
{
	const struct engine_config *conf = v->env->config;
	struct counter_view *c = &v->counters;
	bool with_children = !conf->no_inherit;

	for (size_t i = 0; i < conf->pid_count; i++)
		add_target(c, conf, (struct counter_target){ .pid = conf->pids[i],
							     .with_children = with_children });
	for (size_t i = 0; i < conf->tid_count; i++)
		add_target(c, conf, (struct counter_target){ .tid = conf->tids[i] });
	if (conf->command != NULL)
		add_target(c, conf, (struct counter_target){
			.pid = session_command_pid(v->env->session), .with_children = with_children,
			.waits_for_exec = !waits_for_command(v) });
	if (c->target_count == 0)
		add_target(c, conf, (struct counter_target){ .pid = 0 });
}

static void
add_task(struct counter_view *c, const struct task *t)
{
	VEC_ADD(c->tasks, c->task_count, c->task_cap) = (struct counter_task){
		.pid = t->is_single ? 0 : t->pid, .tid = t->is_single ? t->tid : 0,
		.with_children = !t->is_lone };
}

/* What a target that has ended leaves: its descendants. */
static void
add_left(struct viewer *v, uint32_t target)
{
	const struct model *m = v->env->model;

	for (uint32_t id = 0; (id = model_next_of_target(m, target, id)) != 0;)
		add_task(&v->counters, &m->tasks[id]);
}

/* A thread whose process is sampled, too, is counted with it. */
static void
add_sampled(struct viewer *v, bool is_single)
{
	const struct measured *m = v->env->measured;

	for (size_t i = 0; i < m->target_count; i++) {
		const uint32_t id = m->targets[i].task;
		const struct task *t = &v->env->model->tasks[id];

		if (t->is_single != is_single || (!is_single && t->process != id))
			continue;
		if (t->died_ns == 0)
			add_task(&v->counters, t);
		else if (!is_single)
			add_left(v, m->targets[i].number);
	}
}

/* How many of the targets ended by then. */
static size_t
count_dead(const struct viewer *v, uint64_t until_ns)
{
	const struct measured *m = v->env->measured;
	size_t n = 0;

	for (size_t i = 0; i < m->target_count; i++) {
		const uint64_t died_ns = v->env->model->tasks[m->targets[i].task].died_ns;

		n += died_ns != 0 && died_ns <= until_ns;
	}
	return n;
}

/* Where nobody is looked at: all that is sampled, as one.  false: there is nothing. */
static bool
add_all_sampled(struct viewer *v)
{
	struct counter_view *c = &v->counters;
	struct counter_target all = { 0 };

	c->task_count = 0;
	c->listed_ns = clock_mono_ns();
	c->dead_count = count_dead(v, UINT64_MAX);
	add_sampled(v, false);
	add_sampled(v, true);
	if (c->task_count > 0) {
		all.pid = c->tasks[0].pid;
		all.tid = c->tasks[0].tid;
		all.with_children = c->tasks[0].with_children;
		all.besides = &c->tasks[1];
		all.beside_count = c->task_count - 1;
	}
	add_target(c, v->env->config, all);
	return c->task_count > 0 || !v->env->measured->has_targets;
}

static bool
add_one(struct viewer *v, uint32_t process, uint32_t thread)
{
	const struct task *tasks = v->env->model->tasks;
	const struct counter_target one = {
		.pid = thread == 0 ? tasks[process].pid : 0,
		.tid = thread != 0 ? tasks[thread].tid : 0,
	};

	add_target(&v->counters, v->env->config, one);
	return one.pid + one.tid > 0;
}

/* Why nobody can be counted, NULL: all is well. */
static const char *
choose_targets(struct viewer *v, uint32_t process, uint32_t thread)
{
	v->counters.target_count = 0;
	v->counters.target_changes = v->env->measured->target_changes;
	if (v->env->counts_alone)
		add_each_target(v);
	else if (process == 0 && thread == 0)
		return add_all_sampled(v) ? NULL : "what was sampled has ended";
	else if (!add_one(v, process, thread))
		return "this is no process that can be counted";
	return NULL;
}

/* What none of the targets has: it cannot be counted, and a report of it alone is none. */
static void
give_up(struct viewer *v, const struct err *why)
{
	v->counters.err = *why;
	if (v->env->counts_alone)
		agenda_end(v->env->agenda, why);
}

static void
watch(struct viewer *v)
{
	struct counter_view *c = &v->counters;

	counting_watch(c->thread, &(struct counting_order){
		c->token, c->targets, c->target_count, c->list.events.items, c->list.events.len,
		v->env->config->force_probe });
}

static void
enter(struct viewer *v, uint32_t process, uint32_t thread)
{
	struct counter_view *c = &v->counters;
	const char *why;

	prepare(v);
	forget_readings(c);
	c->is_on = true;
	c->is_asked = true; /* the first reading comes by itself */
	c->err = (struct err){ 0 };
	c->process = process;
	c->thread_id = thread;
	c->token++;
	why = choose_targets(v, process, thread);
	if (why != NULL) {
		err_set(&c->err, ERR_GONE, 0, "%s", why);
		counting_leave(c->thread);
		return;
	}
	if (v->env->counts_alone)
		v->env->agenda->next_refresh_ns = UINT64_MAX; /* until all is open */
	if (waits_for_command(v))
		session_stop_at_exec(v->env->session);
	else
		watch(v);
}

enum part_reply
counter_view_on_stopped(void *viewer, struct msg *msg)
{
	const struct session_stopped_msg *m = (const struct session_stopped_msg *)msg;

	if (m->err.code != ERR_NONE && waits_for_command(viewer))
		give_up(viewer, &m->err);
	else if (waits_for_command(viewer))
		watch(viewer);
	return PART_DONE;
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

bool
viewer_awaits_counters(const struct viewer *v)
{
	return v->counters.is_asked && v->counters.err.code == ERR_NONE;
}

/*
 * What is attached or detached is begun to be counted, or no more.  Who ended before all was open,
 * which is known later, was left out, and may have left others.
 */
static bool
are_others_sampled(const struct viewer *v)
{
	const struct counter_view *c = &v->counters;

	return c->err.code == ERR_GONE || c->target_changes != v->env->measured->target_changes ||
	       count_dead(v, c->listed_ns + OPENING_MS * NSEC_PER_MSEC) > c->dead_count;
}

void
viewer_ask_counters(struct viewer *v)
{
	struct counter_view *c = &v->counters;

	if (c->is_on && c->process == 0 && c->thread_id == 0 && !v->env->counts_alone &&
	    are_others_sampled(v)) {
		if (c->now != NULL)
			notes_news(v->env->notes, "what is sampled has changed: counters begin anew");
		enter(v, 0, 0);
		return;
	}
	/* One at a time: a target of many threads may take longer than a refresh. */
	if (!c->is_on || c->is_asked || c->err.code != ERR_NONE)
		return;
	c->is_asked = true;
	counting_ask(c->thread);
}

/* All is open.  Of COMMAND's whole life there is one report. */
static void
begin_reports(struct viewer *v)
{
	const struct engine_config *c = v->env->config;
	struct agenda *a = v->env->agenda;

	session_start_command(v->env->session);
	if (a->next_refresh_ns == UINT64_MAX && !engine_config_is_whole_life(c))
		a->next_refresh_ns = clock_mono_ns() + a->delay_ns;
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
		give_up(v, &m->err);
		forget_reading(m);
	} else {
		if (c->before != c->first)
			forget_reading(c->before);
		c->before = c->now;
		c->now = m;
		if (m->is_first)
			c->first = m;
		if (!v->env->counts_alone && c->before != NULL)
			counter_past_add(&c->past, &c->before->parts[0], &c->now->parts[0],
					 c->list.events.len);
	}
	if (v->env->counts_alone && m == c->first)
		begin_reports(v);
	else if (!v->env->counts_alone && !v->query.frozen)
		agenda_want(v->env->agenda, AGENDA_ANSWER);
	return PART_KEEPS;
}

/* The row has it in place of a count: texts of rows are those of the first reading. */
enum part_reply
counter_view_on_limit(void *viewer, struct msg *msg)
{
	const struct counting_stopped_msg *m = (const struct counting_stopped_msg *)msg;
	struct viewer *v = viewer;
	struct counter_view *c = &v->counters;
	char **why;

	if (!c->is_on || m->token != c->token || c->first == NULL)
		return PART_DONE;
	why = &c->first->whys[m->place.target * c->list.events.len + m->place.event];
	free(*why);
	*why = mem_strdup(m->why);
	notes_news(v->env->notes, "%s is not counted any more: %s",
		   c->list.events.items[m->place.event].name, m->why);
	return PART_DONE;
}

/* What the window is compared with; false: nothing, or nothing that counters know of. */
static bool
stretches(const struct viewer *v, const struct query *q, struct counter_stretch *window,
	  struct counter_stretch *then)
{
	const uint64_t begin_ns = v->env->clock->begin_ns, length_ns = q->window_ns;

	if ((q->compare != COMPARE_BEFORE && q->compare != COMPARE_MOMENT) || length_ns == WINDOW_ALL ||
	    v->counters.now == NULL)
		return false;
	window->to_ns = q->end_ns != 0 ? begin_ns + q->end_ns : v->counters.now->parts->time_ns;
	window->from_ns = window->to_ns - MIN(window->to_ns, length_ns);
	then->to_ns = q->compare == COMPARE_BEFORE ? window->from_ns : begin_ns + q->then_end_ns;
	then->from_ns = then->to_ns - MIN(then->to_ns, length_ns);
	return true;
}

/* Nothing was counted before the view was entered, and of that the oldest is forgotten. */
static bool
lacks_then(const struct viewer *v, struct snapshot *s, const struct counter_stretch *then)
{
	const struct counter_view *c = &v->counters;
	struct buf b = { 0 };

	if (counter_past_known_s(&c->past, then) > 0)
		return false;
	moment_put(&b, &s->head.moments,
		   c->past.len > 0 ? counter_past_begin_ns(&c->past) : c->now->parts->time_ns);
	s->then.lacks = arena_printf(&s->arena, "nothing is known THEN: counters are kept from %s on",
				     buf_str(&b));
	buf_release(&b);
	return true;
}

/* Which rows differ by more than chance, and what they are compared with. */
static void
judge(const struct viewer *v, struct snapshot *s, const struct counter_stretch *then)
{
	struct share_change **changes = mem_calloc(s->row_count + 1, sizeof(*changes));
	struct buf label = { 0 };
	double needs_s = INFINITY;
	size_t count = 0;

	for (size_t i = 0; i < s->row_count; i++) {
		const struct difference *d = s->rows[i].difference;

		if (d != NULL)
			changes[count++] = (struct share_change *)(uintptr_t)&d->change;
	}
	share_judge(changes, count);
	for (size_t i = 0; i < count; i++)
		needs_s = MIN(needs_s, changes[i]->needs_s);
	free(changes);
	s->then.window_s = counter_past_known_s(&v->counters.past, then);
	s->then.needs_s = isinf(needs_s) ? 0 : needs_s;
	buf_addf(&label, "the %.1f s up to ", s->then.window_s);
	moment_put(&label, &s->head.moments, then->to_ns);
	s->then.label = arena_strdup(&s->arena, label.data);
	buf_release(&label);
	rows_sort(s->rows, s->row_count, &s->query);
}

/* What comes of one target.  On the screen the crumbs say who it is. */
static void
add_rows(const struct viewer *v, size_t i, struct snapshot *s)
{
	const struct counter_view *c = &v->counters;
	const struct counter_target *t = &c->targets[i];
	struct counter_source src = {
		.first = &c->first->parts[i], .now = &c->now->parts[i],
		.before = c->before != NULL ? &c->before->parts[i] : NULL,
		.pid = -1, .tid = -1, .comm = "",
	};

	if (v->env->counts_alone) {
		src.pid = t->pid != 0 ? t->pid : -1;
		src.tid = t->tid != 0 ? t->tid : -1;
		src.comm = t->waits_for_exec && *src.now->comm == '\0'
				   ? basename(v->env->config->command[0]) : src.now->comm;
	} else if (stretches(v, &s->query, &src.window, &src.then) && !lacks_then(v, s, &src.then)) {
		src.past = &c->past;
	}
	counter_list_add_rows(&c->list, &src, s);
	if (src.past != NULL)
		judge(v, s, &src.then);
}

/* /proc is not read; without samples there is no window, and nothing measures what they cost. */
static void
fill_head_alone(const struct counter_view *c, struct snapshot *s)
{
	char host[HOST_BYTES] = "";

	gethostname(host, sizeof(host) - 1);
	s->head.host = arena_strdup(&s->arena, host);
	s->head.self_cpu = s->head.window_have_s = NAN;
	if (c->now != NULL)
		s->elapsed_s = (double)(c->now->parts->time_ns - c->first->parts->time_ns) / 1e9;
}

void
counter_view_fill(struct viewer *v, struct snapshot *s)
{
	const struct counter_view *c = &v->counters;

	s->rows = arena_alloc(&s->arena, (c->target_count * counter_list_rows(&c->list) + 1) *
						 sizeof(*s->rows));
	if (v->env->policy->no_counters != NULL)
		s->why_empty = v->env->policy->no_counters;
	else if (c->err.code != ERR_NONE)
		s->why_empty = arena_strdup(&s->arena, c->err.text);
	else
		s->why_empty = "opening the counters...";
	for (size_t i = 0; c->now != NULL && i < c->target_count; i++)
		add_rows(v, i, s);
	if (v->env->counts_alone)
		fill_head_alone(c, s);
}

/* Of events that are refused for one reason that is told once. */
void
counter_view_put_limits(const struct viewer *v, struct part_notices *n)
{
	const struct counting_msg *m = v->counters.first;

	for (size_t i = 0; m != NULL && i < m->count; i++)
		if (*m->remedies[i] != '\0')
			part_notice(n, arena_printf(n->arena, "counters: %s: %s",
						    refusal_cause(n->arena, m->whys[i]), m->remedies[i]));
}

void
counter_view_release(struct viewer *v)
{
	struct counter_view *c = &v->counters;

	counting_free(c->thread);
	forget_readings(c);
	counter_list_release(&c->list);
	free(c->targets);
	free(c->tasks);
}
