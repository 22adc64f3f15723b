/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/stack_copies.h"

#include "live/sys/limits.h"

#include <stdlib.h>

enum { SPARE_DESCRIPTORS = 64 }; /* for all else that is opened meanwhile */

/* Refused before the first is opened: of thousands of threads even that takes its time. */
static int
check_count(const struct event_opener *o, const struct stacks_ask *ask,
	    const struct targets *targets, struct session_stacks_msg *m)
{
	struct tasks tasks = { 0 };
	size_t need;

	targets_list(targets, 0, &tasks);
	need = tasks.len * o->lanes.len * ask->count;
	tasks_release(&tasks);
	if (need > ask->descriptors_max) {
		m->needed = need;
		return err_set(&m->err, ERR_LIMIT, 0, "its threads would need %zu descriptors of at "
			       "most %zu", need, ask->descriptors_max);
	}
	return limits_need_descriptors(need + SPARE_DESCRIPTORS, &m->err);
}

/*
 * As the event was opened in the end, but for what a task's has.  Cycles that are precise to the third
 * degree count on one counter alone up to Cascade Lake (INST_RETIRED.PREC_DIST), and the event itself has it.
 */
static void
plan_for_task(struct open_plan *plan, const struct open_plan *of, uint32_t bytes)
{
	*plan = *of;
	event_copy(&plan->spec, &of->spec);
	open_plan_set_stack(plan, bytes);
	plan->attr.inherit = plan->attr.inherit_thread = 1;
	plan->attr.enable_on_exec = 0;
	plan->attr.precise_ip = MIN(plan->attr.precise_ip, 2);
}

static int
open_plan_for(const struct event_opener *o, struct targets *targets, struct open_plan *plan,
	      struct stacks_part *part, struct err *err)
{
	struct everywhere everywhere = o->everywhere;

	everywhere.scope = SESSION_TASKS;
	everywhere.targets = targets;
	everywhere.target = 0;
	everywhere.waiting_pid = 0;
	everywhere.tasks_max = 0;
	everywhere.keeps_past = false;
	if (open_plan_check(plan, err) < 0 ||
	    open_everywhere(&everywhere, plan, o->lanes.items, o->lanes.len, NULL,
			    EVERYWHERE_SAMPLES, &part->fds, err) < 0)
		return -1;
	/* Where threads that begin later were not followed, their samples would be missing. */
	if (!plan->attr.inherit_thread)
		return err_set(err, ERR_UNSUPPORTED, 0, "this kernel cannot follow the threads of "
			       "a process alone");
	part->read_format = plan->attr.read_format;
	return 0;
}

/* Events that were closed meanwhile are left out. */
static int
open_parts(struct event_opener *o, const struct stacks_ask *ask, struct targets *targets,
	   struct session_stacks_msg *m)
{
	struct session_stacks *stacks = m->stacks;

	for (size_t i = 0; i < ask->count; i++) {
		const struct opened_event *e = event_opener_find_event(o, ask->events[i]);
		struct stacks_part *part = &stacks->parts[stacks->count];
		struct open_plan plan;
		int res;

		if (e == NULL)
			continue;
		plan_for_task(&plan, &e->plan, ask->bytes);
		res = open_plan_for(o, targets, &plan, part, &m->err);
		part->token = m->events[stacks->count].token = e->event->token;
		m->events[stacks->count++].attr = plan.attr;
		open_plan_release(&plan);
		if (res < 0)
			return -1;
	}
	if (stacks->count == 0)
		return err_set(&m->err, ERR_GONE, 0, "its events were closed meanwhile");
	return 0;
}

static size_t
count_fds(const struct session_stacks *stacks)
{
	size_t n = 0;

	for (size_t i = 0; i < stacks->count; i++)
		n += stacks->parts[i].fds.len;
	return n;
}

static void
put_ids(struct session_stacks_msg *m)
{
	const struct session_stacks *stacks = m->stacks;
	size_t most = count_fds(stacks);

	m->ids = mem_calloc(most + 1, sizeof(*m->ids));
	for (size_t i = 0; i < stacks->count; i++) {
		const struct stacks_part *part = &stacks->parts[i];

		for (size_t k = 0; k < part->fds.len; k++)
			m->ids[m->id_count++] = (struct session_stacks_id){
				part->fds.items[k].id, part->token, part->fds.items[k].tid };
	}
}

static int
try_open(struct event_opener *o, const struct stacks_ask *ask, struct targets *targets,
	 struct session_stacks_msg *m)
{
	if (targets_attach(targets, ask->pid, FOLLOW_THREADS, &m->err) < 0 ||
	    check_count(o, ask, targets, m) < 0 ||
	    open_parts(o, ask, targets, m) < 0)
		return -1;
	/* More threads than when they were counted. */
	if (count_fds(m->stacks) > ask->descriptors_max)
		return err_set(&m->err, ERR_LIMIT, 0, "its threads need more than %zu descriptors",
			       ask->descriptors_max);
	put_ids(m);
	return 0;
}

static void
free_stacks(struct msg *msg)
{
	struct session_stacks_msg *m = (struct session_stacks_msg *)msg;

	session_stacks_free(m->stacks);
	free(m->events);
	free(m->ids);
	free(m);
}

struct session_stacks_msg *
stack_copies_open(struct event_opener *o, const struct stacks_ask *ask)
{
	struct session_stacks_msg *m = mem_calloc(1, sizeof(*m));
	struct targets targets = { 0 };

	m->msg = (struct msg){ .type = SESSION_MSG_STACKS, .free = free_stacks };
	m->token = ask->token;
	m->events = mem_calloc(ask->count + 1, sizeof(*m->events));
	m->stacks = mem_calloc(1, sizeof(*m->stacks));
	m->stacks->parts = mem_calloc(ask->count + 1, sizeof(*m->stacks->parts));
	if (try_open(o, ask, &targets, m) < 0) {
		session_stacks_free(m->stacks);
		m->stacks = NULL;
	} else {
		m->event_count = m->stacks->count;
	}
	targets_release(&targets);
	return m;
}

void
session_stacks_free(struct session_stacks *stacks)
{
	if (stacks == NULL)
		return;
	for (size_t i = 0; i < stacks->count; i++)
		event_fds_close(&stacks->parts[i].fds);
	free(stacks->parts);
	free(stacks);
}
