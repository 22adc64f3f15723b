/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/event_opener.h"

#include "base/buf.h"
#include "base/file.h"
#include "event/site.h"
#include "live/session/follow.h"
#include "live/sys/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMM_BYTES_MAX = 64 };

/* Each thread on each CPU: the side-band, what is open, and an event to switch to. */
static int
check_descriptors(struct event_opener *o, uint32_t target, struct err *err)
{
	struct tasks tasks = { 0 };
	size_t need;

	targets_list(&o->targets, target, &tasks);
	need = tasks.len * o->lanes.len * (o->event_count + 2);
	tasks_release(&tasks);
	return limits_need_descriptors(need, err);
}

/* The side-band first, so that no map of what is sampled is missed. */
static int
open_all(struct event_opener *o, const struct everywhere *everywhere, struct event_fds *sideband,
	 struct rings_msg *m, struct err *err)
{
	if (open_everywhere(everywhere, &o->sideband_plan, o->lanes.items, o->lanes.len, NULL,
			    EVERYWHERE_SIDEBAND, sideband, err) < 0)
		return -1;
	event_fds_enable(sideband, everywhere->sys);
	for (size_t i = 0; i < o->event_count; i++) {
		size_t part = m->part_count;

		/*
		 * Probes are open for all tasks, or follow; addresses in the process are not known
		 * yet.
		 */
		if (o->events[i].leader != NULL ||
		    o->events[i].plan.spec.place != EVENT_PLACE_NONE)
			continue;
		if (event_opener_open_again(o, everywhere, i, o->lanes.items, o->lanes.len, NULL, m,
					    err) < 0)
			return -1;
		m->parts[part].begins = true;
	}
	return 0;
}

/* All or nothing. */
static int
open_target(struct event_opener *o, int pid, uint32_t target, struct rings_msg *m, struct err *err)
{
	struct everywhere everywhere = o->everywhere;
	struct event_fds sideband = { 0 };

	everywhere.target = target;
	if (check_descriptors(o, target, err) < 0 ||
	    open_all(o, &everywhere, &sideband, m, err) < 0) {
		closer_take(o->closer, &sideband);
		return err_wrap(err, "process %d", pid);
	}
	event_fds_append(&o->sideband, &sideband);
	return 0;
}

static void
read_comm(struct session_attached_msg *m)
{
	struct buf b = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", m->pid);
	if (file_read(path, &b, COMM_BYTES_MAX) == 0)
		snprintf(m->comm, sizeof(m->comm), "%.*s", (int)strcspn(buf_str(&b), "\n"),
			 buf_str(&b));
	buf_release(&b);
}

static int
try_attach(struct event_opener *o, struct session_attached_msg *m, struct rings_msg *rings)
{
	enum follow follow = m->descendants ? FOLLOW_CHILDREN : FOLLOW_THREADS;
	bool was_empty = o->targets.is_empty_on_purpose;

	if (o->everywhere.scope == SESSION_NONE) {
		m->err = o->why_none;
		return -1;
	}
	if (targets_attach(&o->targets, m->pid, follow, &m->err) < 0)
		return -1;
	m->target = o->targets.last_target;
	if (o->everywhere.scope == SESSION_TASKS &&
	    open_target(o, m->pid, m->target, rings, &m->err) < 0) {
		targets_remove(&o->targets, m->target);
		o->targets.is_empty_on_purpose = was_empty;
		return -1;
	}
	read_comm(m);
	m->pids = targets_pids(&o->targets, m->target, &m->pid_count);
	return 0;
}

static void
free_attached(struct msg *msg)
{
	struct session_attached_msg *m = (struct session_attached_msg *)msg;

	free(m->pids);
	free(m);
}

void
attach_process(struct event_opener *o, int pid, bool descendants)
{
	struct session_attached_msg *m = mem_calloc(1, sizeof(*m));
	struct rings_msg *rings = rings_msg_new();
	bool is_attached;

	m->msg = (struct msg){ .type = SESSION_MSG_ATTACHED, .free = free_attached };
	m->pid = pid;
	m->descendants = descendants;
	is_attached = try_attach(o, m, rings) == 0;
	queue_send(o->answers, &m->msg);
	if (is_attached && o->everywhere.scope == SESSION_TASKS)
		event_opener_send_rings(o, rings);
	else
		msg_free(&rings->pub.msg);
	if (is_attached)
		follow_tasks(o);
}

/* The plan of @e at those places of @found alone where it is not open. */
static struct open_plan
plan_of_new(struct opened_event *e, const struct event *found)
{
	struct open_plan plan = e->plan;

	/* The process may have been a target before, as another program. */
	for (size_t i = 0; event_is_of_processes(found) && i < found->site_count; i++)
		event_remove_sites_of(&e->plan.spec, found->sites[i].pid);
	event_copy(&plan.spec, &e->plan.spec);
	event_sites_release(&plan.spec);
	for (size_t i = 0; i < found->site_count; i++) {
		const struct event_site *s = &found->sites[i];

		if (!event_has_site(&e->plan.spec, s))
			event_add_site(&plan.spec, s->target, s->at, s->pid);
	}
	return plan;
}

static int
open_new_sites(struct event_opener *o, struct opened_event *e, struct open_plan *plan,
	       uint32_t target, struct err *err)
{
	struct rings_msg *rings = rings_msg_new();
	struct rings_part *part = rings_msg_add(rings, e->event);
	struct everywhere everywhere = o->everywhere;
	const struct tasks *only = NULL;
	int res;

	part->begins = true;
	if (event_is_of_processes(&plan->spec))
		everywhere.target = target;
	else if (open_everywhere_is_followed(&everywhere, &plan->spec))
		only = &e->followed; /* the others get all sites as they are found */
	res = event_opener_make_named(o, &plan->spec, err);
	if (res == 0)
		res = open_everywhere(&everywhere, plan, o->lanes.items, o->lanes.len, only,
				      EVERYWHERE_SAMPLES, &part->fds, err);
	for (size_t i = 0; i < plan->spec.site_count && res == 0; i++) {
		const struct event_site *s = &plan->spec.sites[i];

		event_add_site(&e->plan.spec, s->target, s->at, s->pid)->tracepoint = s->tracepoint;
	}
	if (res < 0)
		named_probes_forget(o->named, &plan->spec);
	rings_msg_put_ids(rings, part);
	event_opener_send_rings(o, rings);
	return res;
}

void
attach_sites(struct event_opener *o, struct opened_event *e, const struct event *found,
	     uint32_t target)
{
	struct session_joined_msg *m = mem_calloc(1, sizeof(*m));
	struct open_plan plan = plan_of_new(e, found);

	m->msg.type = SESSION_MSG_JOINED;
	m->token = e->event->token;
	if (plan.spec.site_count > 0)
		open_new_sites(o, e, &plan, target, &m->err);
	open_plan_release(&plan);
	queue_send(o->answers, &m->msg);
}

/* The sampling events' descriptors are the engine's: the message has it close them. */
static void
close_target(struct event_opener *o, uint32_t target, struct event_fds *sideband)
{
	struct rings_msg *rings = rings_msg_new();

	event_fds_disable(sideband, o->everywhere.sys);
	closer_take(o->closer, sideband);
	rings->pub.detached = target;
	for (size_t i = 0; i < o->event_count; i++)
		rings_msg_add(rings, o->events[i].event);
	event_opener_send_rings(o, rings);
}

void
attach_end(struct event_opener *o, uint32_t target)
{
	struct session_detached_msg *m = mem_calloc(1, sizeof(*m));
	struct event_fds sideband = { 0 };
	bool found = target != 0 && targets_remove(&o->targets, target);

	m->msg.type = SESSION_MSG_DETACHED;
	m->target = target;
	/* If all have ended, they are in the list no more, but their descriptors are open. */
	event_fds_take(&o->sideband, NULL, 0, target, &sideband);
	if (!found && sideband.len == 0)
		err_set(&m->err, ERR_USAGE, 0, "target %u is not attached", target);
	else
		close_target(o, target, &sideband); /* sites of a process are open in any scope */
	follow_tasks(o);
	queue_send(o->answers, &m->msg);
}
