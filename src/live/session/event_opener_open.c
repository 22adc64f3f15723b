/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/event_opener.h"

#include "event/pair.h"
#include "event/site.h"
#include "event/tracepoint.h"
#include "live/open/breakpoint.h"
#include "live/session/follow.h"
#include "live/session/value_names.h"
#include "live/sys/limits.h"
#include "record/call_args.h"

#include <stdlib.h>

enum { SWITCHES_MAX = 50000 };

static struct open_options
options_for(const struct event_opener *o, const struct event *spec)
{
	struct open_options options = o->options;

	/* Opened for tasks even where all else is opened for CPUs. */
	if (event_is_of_processes(spec)) {
		options.inherit = o->config->inherit;
		options.inherit_thread = !o->config->inherit;
	}
	if (event_is_probe(spec))
		options.inherit = options.inherit_thread = false;
	return options;
}

static void
keep_event(struct event_opener *o, struct session_event *ev, const struct open_plan *plan,
	   struct session_event *leader)
{
	VEC_ADD(o->events, o->event_count, o->event_cap) =
		(struct opened_event){ .event = ev, .plan = *plan, .leader = leader };
}

static struct session_event *
event_new(const struct event_opener *o, uint32_t token, const struct open_plan *plan)
{
	struct session_event *ev = mem_calloc(1, sizeof(*ev));

	ev->refs = 2; /* the engine's and the opener's */
	ev->token = token;
	ev->is_freq = plan->attr.freq;
	ev->is_clock = plan->spec.is_clock;
	ev->is_paced = plan->is_paced;
	ev->is_probe = event_is_probe(&plan->spec);
	ev->read_format = plan->attr.read_format;
	ev->inherits = o->everywhere.scope == SESSION_TASKS && plan->attr.inherit;
	ev->rate = plan->attr.sample_period;
	return ev;
}

/* What samples carry: arguments, or what tracefs tells now of the tracepoint. */
static struct payload_formats *
read_formats(const struct event_opener *o, const struct open_plan *plan)
{
	const struct event_pair *pair = plan->spec.pair;
	char *own = plan->spec.tracepoint != NULL ? plan->spec.tracepoint : plan->spec.name;
	const struct traced list[2] = {
		{ pair != NULL ? (char *)(uintptr_t)pair->begin : own, plan->spec.format },
		{ pair != NULL ? (char *)(uintptr_t)pair->end : NULL, NULL },
	};
	struct payload_formats *formats = NULL;
	uint64_t args = call_args_mask();
	struct buf b = { 0 };

	if (event_has_arguments(&plan->spec) && args != 0 &&
	    (plan->attr.sample_regs_user & args) == args)
		return call_args_formats(&plan->spec.arguments);
	if ((!plan->spec.is_tracepoint && plan->spec.tracepoint == NULL) ||
	    (plan->attr.sample_type & PERF_SAMPLE_RAW) == 0)
		return NULL;
	if (tracing_data_build(o->env, list, pair != NULL ? 2 : 1, &b, NULL) == 0)
		formats = payload_formats_new((struct bytes){ (const uint8_t *)b.data, b.len });
	if (formats != NULL)
		value_names_read(formats, list[0].name, o->env->root);
	if (formats != NULL && plan->spec.tracepoint != NULL)
		payload_formats_know(formats, plan->spec.arguments.items, ARGUMENTS_MAX);
	buf_release(&b);
	return formats;
}

static void
fill_opened(const struct event_opener *o, struct session_opened_msg *m,
	    const struct open_plan *plan, const struct event_fds *fds)
{
	event_copy(&m->spec, &plan->spec);
	m->ids = mem_calloc(fds->len, sizeof(*m->ids));
	m->tids = mem_calloc(fds->len, sizeof(*m->tids));
	m->id_count = fds->len;
	for (size_t i = 0; i < fds->len; i++) {
		m->ids[i] = fds->items[i].id;
		m->tids[i] = fds->items[i].tid;
	}
	m->attr = plan->attr;
	m->is_freq = plan->attr.freq;
	m->is_paced = plan->is_paced;
	m->rate = plan->attr.sample_period;
	if (plan->attr.type == PERF_TYPE_BREAKPOINT)
		m->hit_ns = breakpoint_hit_ns(o->everywhere.sys);
	m->user_only = plan->attr.exclude_kernel;
	m->notice_count = open_plan_notices(plan, m->notices);
	m->formats = read_formats(o, plan);
}

/* What was opened becomes @m's.  @leader: as of opened_event. */
static void
take_opened(struct event_opener *o, struct session_opened_msg *m, const struct open_plan *plan,
	    const struct event_fds *fds, struct session_event *leader)
{
	m->err = (struct err){ 0 };
	m->event = event_new(o, m->token, plan);
	fill_opened(o, m, plan, fds);
	m->event->fds = *fds;
	keep_event(o, m->event, plan, leader);
	follow_learn(o, &o->events[o->event_count - 1], fds);
}

/* A command's own begins when it executes; all else when its ids are known. */
static void
begin(const struct event_opener *o, struct session_opened_msg *m)
{
	if (o->everywhere.waiting_pid == 0)
		m->begins = true;
	else
		open_everywhere_enable(&o->everywhere, &m->event->fds);
}

/* Programs do most things in bursts, so that samples of each come faster than rings are emptied. */
static void
grow_rings(struct event_opener *o, const struct open_plan *plan)
{
	struct lane_pages wanted = o->pages;
	struct rings_msg *m;

	if (plan->attr.freq || plan->attr.sample_period > SESSION_BURST_PERIOD_MAX ||
	    !o->may_grow_rings)
		return;
	lane_pages_raise(&wanted, LANE_BURST_BYTES, o->lanes.len);
	if (wanted.sample == o->pages.sample)
		return;
	m = rings_msg_new();
	if (lanes_grow(&o->lanes, o->everywhere.sys, o->env, wanted.sample, &m->pub.added,
		       &m->pub.added_count) == 0)
		o->pages = wanted;
	event_opener_send_rings(o, m);
}

static int
open_alone(struct event_opener *o, struct open_plan *plan, struct session_opened_msg *m)
{
	struct event_fds fds = { 0 };

	if (open_plan_check(plan, &m->err) < 0 ||
	    open_everywhere(&o->everywhere, plan, o->lanes.items, o->lanes.len, NULL,
			    EVERYWHERE_SAMPLES, &fds, &m->err) < 0) {
		named_probes_forget(o->named, &plan->spec);
		open_plan_release(plan);
		return -1;
	}
	take_opened(o, m, plan, &fds, NULL);
	begin(o, m);
	return 0;
}

/*
 * Each is a sample, of all tasks: the machine is to be watched, not slowed down.  For some tasks only
 * wakeups would be of all.
 */
static int
check_switches(const struct event_opener *o, struct event *spec, struct err *err)
{
	uint64_t each_second;

	if (spec->looks != EVENT_LOOKS_EXACT || spec->terms.force)
		return 0;
	each_second = limits_switches(o->env);
	if (each_second <= SWITCHES_MAX)
		return 0;
	event_drop_waking(spec);
	if (o->everywhere.scope != SESSION_SYSTEM)
		return 0;
	err_set(err, ERR_LIMIT, 0, "event '%.80s' would sample %llu switches a second: more than "
		"%d slow down this machine", spec->name, (unsigned long long)each_second,
		SWITCHES_MAX);
	return err_hint(err, "name fewer threads (-p, -t), look at them now and then (off-cpu), or "
			"off-cpu/exact,force/");
}

int
event_opener_make_named(struct event_opener *o, struct event *spec, struct err *err)
{
	if (spec->strings == NULL || !o->options.has_fields)
		return 0;
	return named_probes_make(&o->named, o->env, spec, err);
}

/* A flood that goes on need not be found out by samples of each: the kernel's counts tell it at once. */
static void
begin_pace(const struct event_opener *o, struct open_plan *plan)
{
	uint64_t each_second, period = 1;

	if (!plan->is_paced || o->everywhere.scope != SESSION_SYSTEM)
		return;
	each_second = limits_happens(o->env, plan->spec.config);
	while (each_second / period > o->options.rate * o->lanes.len * SESSION_PERIOD_STEP)
		period *= SESSION_PERIOD_STEP;
	open_plan_set_period(plan, period);
}

int
event_opener_open_event(struct event_opener *o, const struct event *spec,
			struct session_opened_msg *m)
{
	struct open_options options = options_for(o, spec);
	struct open_plan plan;

	open_plan_sampling(&plan, o->env, spec, &options);
	if (check_switches(o, &plan.spec, &m->err) < 0 ||
	    breakpoint_check(o->everywhere.sys, &plan.spec, &m->err) < 0 ||
	    event_opener_make_named(o, &plan.spec, &m->err) < 0) {
		open_plan_release(&plan);
		return -1;
	}
	grow_rings(o, &plan);
	begin_pace(o, &plan);
	return open_alone(o, &plan, m);
}

/* A group under way: each in the order of the request. */
struct group {
	struct open_plan *plans;
	struct event_fds *fds;
	struct open_everywhere_event *events;
	size_t count;
};

static int
make_plans(struct event_opener *o, struct group *g, const struct event *events,
	   struct err *err)
{
	for (size_t i = 0; i < g->count; i++) {
		struct open_options options = options_for(o, &events[i]);

		options.in_group = true;
		options.in_aux_group = open_is_aux(&events[0]);
		options.is_member = i > 0;
		options.is_read = i > 0 && events[0].sample_read;
		open_plan_sampling(&g->plans[i], o->env, &events[i], &options);
		g->events[i] = (struct open_everywhere_event){ &g->plans[i], &g->fds[i] };
	}
	for (size_t i = 0; i < g->count; i++)
		if (open_plan_check(&g->plans[i], err) < 0 ||
		    breakpoint_check(o->everywhere.sys, &g->plans[i].spec, err) < 0)
			return -1;
	grow_rings(o, &g->plans[0]);
	return 0;
}

static int
open_as_one(struct event_opener *o, struct group *g, const struct event *events,
	    struct session_opened_msg *const msgs[], struct err *err)
{
	if (make_plans(o, g, events, err) < 0 ||
	    open_everywhere_group(&o->everywhere, g->events, g->count, o->lanes.items, o->lanes.len,
				  NULL, EVERYWHERE_SAMPLES, err) < 0) {
		for (size_t i = 0; i < g->count; i++)
			open_plan_release(&g->plans[i]);
		return -1;
	}
	for (size_t i = 0; i < g->count; i++)
		take_opened(o, msgs[i], &g->plans[i], &g->fds[i], i > 0 ? msgs[0]->event : NULL);
	begin(o, msgs[0]);
	return 0;
}

/* Forgets the newest @count events, and closes what they have. */
static void
drop_newest(struct event_opener *o, struct session_opened_msg *const msgs[], size_t count)
{
	for (size_t i = count; i-- > 0;) {
		struct opened_event *e = &o->events[--o->event_count];

		event_fds_disable(&e->event->fds, o->everywhere.sys);
		closer_take(o->closer, &e->event->fds);
		opened_event_release(e);
		session_event_put(msgs[i]->event);
		msgs[i]->event = NULL;
	}
}

/* Those of a group that cannot be one. */
static int
open_each(struct event_opener *o, const struct event *events,
	  struct session_opened_msg *const msgs[], size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		struct open_options options = options_for(o, &events[i]);
		struct open_plan plan;

		open_plan_sampling(&plan, o->env, &events[i], &options);
		plan.has_left_group = true;
		if (breakpoint_check(o->everywhere.sys, &plan.spec, &msgs[i]->err) < 0)
			open_plan_release(&plan);
		else if (open_alone(o, &plan, msgs[i]) == 0)
			continue;
		*err = msgs[i]->err;
		drop_newest(o, msgs, i);
		return -1;
	}
	return 0;
}

static bool
is_weak(const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (events[i].is_weak)
			return true;
	return false;
}

struct session_opened_msg *
event_opener_open_group(struct event_opener *o, const uint32_t *tokens, const struct event *events,
			size_t count)
{
	struct session_opened_msg **msgs = mem_calloc(count, sizeof(*msgs)), *first;
	struct group g = {
		.plans = mem_calloc(count, sizeof(*g.plans)),
		.fds = mem_calloc(count, sizeof(*g.fds)),
		.events = mem_calloc(count, sizeof(*g.events)),
		.count = count,
	};
	struct err err = { 0 };

	for (size_t i = 0; i < count; i++) {
		msgs[i] = session_opened_msg_new(tokens[i]);
		if (i > 0)
			msgs[i - 1]->next = msgs[i];
	}
	if (open_as_one(o, &g, events, msgs, &err) < 0 &&
	    (!is_weak(events, count) || open_each(o, events, msgs, count, &err) < 0))
		msgs[0]->err = err;
	first = msgs[0];
	free(g.plans);
	free(g.fds);
	free(g.events);
	free(msgs);
	return first;
}
