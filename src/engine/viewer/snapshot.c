/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures: what a query gives at this moment. */
#include "engine/viewer/viewer_impl.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include "base/clock.h"
#include "view/column.h"

static const char *
task_crumb(const struct viewer *v, struct snapshot *s, uint32_t id, bool is_thread)
{
	const struct model *m = v->env->model;
	const struct task *t = &m->tasks[id];

	if (s->query.name != 0)
		return arena_printf(&s->arena, "%s%s", strs_get(&m->strs, s->query.name),
				    t->tid == TASK_ENDED_TID ? " (ended)" : "");
	return arena_printf(&s->arena, is_thread ? "thread %d %s" : "%d %s", t->tid,
			    strs_get(&m->strs, t->comm));
}

/* Of a value the name of its field. */
static const char *
group_name(const struct viewer *v, enum key key)
{
	const char *field = split_name(&v->env->profile->split, v->env->measured->shown);

	return key == KEY_FIELD && field != NULL ? field : key_name(key);
}

static void
fill_crumbs(const struct viewer *v, struct snapshot *s)
{
	const struct model *m = v->env->model;
	const struct query *q = &s->query;
	size_t n = 1; /* the first tells what is sampled: sampling's */

	if (s->crumbs[0] == NULL)
		s->crumbs[0] = "All";
	for (size_t i = 0; i < q->within_count; i++)
		s->crumbs[n++] = arena_printf(&s->arena, "%s %s", group_name(v, q->within[i].key),
					      q->within[i].name);
	if (q->process != 0 && q->process < m->task_len)
		s->crumbs[n++] = task_crumb(v, s, q->process, false);
	if (q->thread != 0 && q->thread < m->task_len && q->name == 0)
		s->crumbs[n++] = task_crumb(v, s, q->thread, true);
	if (q->lock != 0)
		s->crumbs[n++] = report_lock_name(v->env->profile, q->process, q->lock);
	if (q->dso != 0 && q->dso < m->dsos.len && n < ARRAY_SIZE(s->crumbs))
		s->crumbs[n] = strs_get(&m->strs, dsos_get(&m->dsos, q->dso)->name);
}

static const char *
user_name(const void *self, uint32_t uid)
{
	return users_name(self, uid);
}

/* A sample stands for many; of hosts nobody tells whether it does. */
static bool
is_picked(const struct viewer *v, const struct engine_event *ev)
{
	if (v->env->config->host_count > 0)
		return true;
	if (ev->attr.size > 0)
		return ev->attr.freq || ev->attr.sample_period > 1 || ev->pace.is_raised;
	return ev->is_freq || ev->rate > 1;
}

/* Interrupts come late: all events but those that the hardware places, or that are no interrupts. */
static bool
skids(const struct engine_event *ev)
{
	const struct event_attr *attr = &ev->attr;

	if (ev->spec.is_clock)
		return true;
	return attr->size > 0 && attr->precise_ip == 0 && attr->type != PERF_TYPE_SOFTWARE &&
	       attr->type != PERF_TYPE_TRACEPOINT && attr->type != PERF_TYPE_BREAKPOINT &&
	       ev->spec.looks == EVENT_LOOKS_NONE;
}

/*
 * Precision, hypervisors and guests are no other event: who opens one adds what it likes best of them.
 * What the kernel numbers anew with each boot is told by its name.
 */
static const char *
measures(struct arena *arena, const struct engine_event *ev)
{
	const struct event_attr *a = &ev->attr;

	if (a->size == 0 || a->type == PERF_TYPE_TRACEPOINT || a->type >= PERF_TYPE_BREAKPOINT ||
	    ev->spec.looks != EVENT_LOOKS_NONE || ev->spec.pair != NULL)
		return NULL;
	return arena_printf(arena, "%u %llx %llx %llx%s%s%s", a->type, (unsigned long long)a->config,
			    (unsigned long long)a->config1, (unsigned long long)a->config2,
			    a->exclude_user ? " no user" : "", a->exclude_kernel ? " no kernel" : "",
			    a->exclude_host ? " no host" : "");
}

/* The profile's events are numbered alike, and there may be more of them. */
static const struct event_facts *
event_facts(const struct viewer *v, struct snapshot *s)
{
	struct event_facts *list;

	list = arena_alloc(&s->arena, (v->env->profile->event_count + 1) * sizeof(*list));

	for (uint32_t i = 0; i < v->env->measured->event_count; i++) {
		const struct event *spec = &v->env->measured->events[i].spec;

		list[i] = (struct event_facts){
			.window_s = head_window_s(v, i),
			.counts_time = spec->unit == EVENT_COUNTS_TIME,
			.counts_things = spec->unit == EVENT_COUNTS_THINGS,
			.is_timer = spec->is_clock,
			.skids = skids(&v->env->measured->events[i]),
			.is_looks = spec->looks != EVENT_LOOKS_NONE,
			.is_all_time = spec->looks == EVENT_LOOKS_BESIDE,
			.is_traced = spec->looks == EVENT_LOOKS_EXACT,
			.is_elapsed = spec->pair != NULL,
			.is_of_hosts = v->env->config->host_count > 0,
			.is_picked = is_picked(v, &v->env->measured->events[i]),
			.measures = measures(&s->arena, &v->env->measured->events[i]),
			.lacks_chains = !head_has_chains(v, &v->env->measured->events[i]),
		};
	}
	return list;
}

struct snapshot *
viewer_picture(struct viewer *v, const struct query *q, const struct filter *filter)
{
	bool is_counted = q->by_view && view_defs[q->view].is_counted;
	struct snapshot *s = snapshot_new();
	uint64_t now = clock_mono_ns();
	struct report_source src = {
		.profile = v->env->profile, .processes = v->processes, .threads = v->threads,
		.process_count = v->tick != NULL ? v->tick->process_count : 0,
		.thread_count = v->tick != NULL ? v->tick->thread_count : 0,
		.user_name = user_name, .self = v->env->users, .self_pid = getpid(),
		.shown_event = v->env->measured->shown, .filter = filter, .mono_ns = now,
		.targets_only = v->env->measured->has_targets, .real_ns = clock_real_ns(),
		.is_recording = !v->env->policy->has_processes, .kept = q->trends ? v->kept : NULL,
		.order = q->trends && !q->is_then ? &v->order : NULL,
		.marks = &v->caller_marks,
	};

	src.events = event_facts(v, s);
	if (v->env->config->clock_times)
		src.times_ahead_ns = wall_real_ns(&v->env->clock->wall, v->env->clock->begin_ns);
	s->query = *q;
	s->seq = v->seq;
	s->elapsed_s = (double)(now - v->started_ns) / 1e9;
	if (!is_counted)
		report_fill(s, &src, q);
	/* What is older than that has been counted, and nothing else. */
	if (s->code != NULL && s->code->location != 0)
		profile_watch(v->env->profile, s->code->location,
			      (filter_keys(filter) & KEY_BIT(KEY_CPU)) != 0,
			      v->env->clock->counted_to_ns);
	if (s->code != NULL && s->code->file != NULL && s->code->is_filtered)
		profile_watch_dso(v->env->profile, s->code->dso_id,
				  v->env->clock->counted_to_ns);
	for (uint32_t i = 0; i < s->event_count && i < v->env->measured->event_count; i++) {
		s->events[i].lost = measured_lost(&v->env->measured->events[i]);
		s->events[i].throttled = v->env->measured->events[i].throttled;
	}
	head_fill(v, s, now);
	marks_fill(v, s);
	if (q->trends && !q->is_then)
		timeline_fill(v, s);
	if (is_counted && q->view == VIEW_COUNTERS)
		counter_view_fill(v, s);
	for (uint32_t i = 0; i < s->event_count; i++)
		s->head.losses[LOSS_UNEXPLAINED] += s->events[i].unexplained;
	fill_crumbs(v, s);
	return s;
}
