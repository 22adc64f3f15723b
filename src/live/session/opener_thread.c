/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/opener_thread.h"

#include "base/clock.h"
#include "base/thread.h"
#include "live/session/event_opener.h"
#include "live/proc/cgroup_list.h"
#include "live/proc/libraries.h"
#include "live/session/follow.h"
#include "live/session/stack_copies.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 1000, COMMAND_TICK_MS = 20, FOLLOW_MS = 100 };

static void
request_free(struct opener_request *r)
{
	for (size_t i = 0; i < r->count; i++)
		event_release(&r->events[i]);
	free(r->events);
	free(r->filter);
	free(r->tokens);
	free(r->stacks.events);
	free(r);
}

static void
handle_open(struct event_opener *o, struct opener_request *r)
{
	struct session_opened_msg *m = session_opened_msg_new(r->token);

	if (o->everywhere.scope == SESSION_NONE)
		m->err = o->why_none;
	for (size_t i = 0; i < r->count && o->everywhere.scope != SESSION_NONE; i++) {
		if (event_opener_open_event(o, &r->events[i], m) == 0)
			break;
	}
	queue_send(o->answers, &m->msg);
}

static void
handle_open_group(struct event_opener *o, struct opener_request *r)
{
	struct session_opened_msg *m;

	if (o->everywhere.scope == SESSION_NONE) {
		m = session_opened_msg_new(r->tokens[0]);
		m->err = o->why_none;
	} else {
		m = event_opener_open_group(o, r->tokens, r->events, r->count);
	}
	queue_send(o->answers, &m->msg);
}

static void
handle_closed(struct event_opener *o, struct opener_request *r, struct opened_event *e)
{
	if (e != NULL) {
		named_probes_forget(o->named, &e->plan.spec);
		opened_event_release(e);
		o->event_count--;
		memmove(e, e + 1, (size_t)(o->events + o->event_count - e) * sizeof(*e));
	}
	session_event_put(r->event);
}

static void
handle_rate(struct event_opener *o, const struct opener_request *r, struct opened_event *e)
{
	if (r->rate > 0)
		o->options.rate = r->rate;
	if (e != NULL)
		reopen_with_rate(o, e, r->rate, r->reopen);
}

static void
free_stopped(struct msg *msg)
{
	struct session_stopped_msg *m = (struct session_stopped_msg *)msg;

	for (size_t i = 0; i < m->file_count; i++)
		free(m->files[i]);
	free(m->files);
	free(m);
}

static void
handle_stop_at_exec(struct event_opener *o)
{
	struct session_stopped_msg *m = msg_new(sizeof(*m), SESSION_MSG_STOPPED, free_stopped);

	if (o->command == NULL) {
		err_set(&m->err, ERR_GONE, 0, "there is no command");
	} else if (command_stop_at_exec(o->command, &m->err) == 0) {
		o->everywhere.waiting_pid = 0; /* what is opened from here on begins at once */
		m->files = mem_calloc(LIBRARIES_MAX, sizeof(*m->files));
		m->file_count = libraries_list(command_pid(o->command), m->files);
	}
	queue_send(o->answers, &m->msg);
}

static void
handle_start(struct event_opener *o)
{
	if (o->command == NULL)
		return;
	command_start(o->command);
	o->everywhere.waiting_pid = 0;
}

static void
handle(struct event_opener *o, struct opener_request *r)
{
	/* NULL: it was closed meanwhile, or the request is of none. */
	struct opened_event *e = event_opener_find_event(o, r->event);

	switch ((enum opener_request_type)r->msg.type) {
	case OPENER_OPEN:
		handle_open(o, r);
		break;
	case OPENER_OPEN_GROUP:
		handle_open_group(o, r);
		break;
	case OPENER_CLOSED:
		handle_closed(o, r, e);
		break;
	case OPENER_RATE:
		handle_rate(o, r, e);
		break;
	case OPENER_PERIOD:
		if (e != NULL)
			reopen_with_period(o, e, r->rate);
		break;
	case OPENER_CHAINS:
		open_options_set_chains(&o->options, r->call_graph, r->stack_bytes);
		if (e != NULL)
			reopen_with_chains(o, e);
		break;
	case OPENER_FILTER:
		if (e != NULL)
			reopen_with_filter(o, e, r->filter);
		break;
	case OPENER_STOP_AT_EXEC:
		handle_stop_at_exec(o);
		break;
	case OPENER_START:
		handle_start(o);
		break;
	case OPENER_ATTACH:
		attach_process(o, r->pid, r->descendants);
		break;
	case OPENER_SITES:
		if (e != NULL)
			attach_sites(o, e, &r->events[0], r->target);
		break;
	case OPENER_DETACH:
		attach_end(o, r->target);
		break;
	case OPENER_STACKS:
		queue_send(o->answers, &stack_copies_open(o, &r->stacks)->msg);
		break;
	case OPENER_END:
		o->is_ended = true;
		break;
	}
	request_free(r);
}

static void
look_for_processes(struct event_opener *o)
{
	struct rings_msg *m;
	struct tasks tasks = { 0 };

	targets_find_new(&o->targets, &tasks);
	if (tasks.len > 0 && tasks.len * o->lanes.len < o->everywhere.tasks_max) {
		m = rings_msg_new();
		event_opener_extend_events(o, m, o->lanes.items, o->lanes.len, &tasks, NULL);
		event_opener_send_rings(o, m);
	}
	tasks_release(&tasks);
}

static void
tick(struct event_opener *o)
{
	uint64_t now = clock_mono_ns();

	if (o->everywhere.scope == SESSION_NONE)
		return;
	if (follow_is_wanted(o) && now >= o->next_follow_ns) {
		follow_tasks(o);
		o->next_follow_ns = clock_mono_ns() + FOLLOW_MS * NSEC_PER_MSEC;
	}
	if (now < o->next_tick_ns) {
		if (o->has_cpu_news)
			event_opener_follow_cpus(o);
		return;
	}
	o->next_tick_ns = now + TICK_MS * NSEC_PER_MSEC;
	event_opener_follow_cpus(o);
	if (o->everywhere.scope == SESSION_TASKS && o->targets.all_of_user)
		look_for_processes(o);
}

/* When there are samples that carry them. */
static void
send_cgroups(struct event_opener *o)
{
	struct cgroup_list_msg *m;

	if (o->has_sent_cgroups || o->event_count == 0 ||
	    !(o->options.sample_type & ABI_SAMPLE_CGROUP))
		return;
	o->has_sent_cgroups = true;
	m = cgroup_list_read();
	m->msg.type = SESSION_MSG_CGROUPS;
	queue_send(o->answers, &m->msg);
}

static void
look_for_end(struct event_opener *o)
{
	struct session_exited_msg *m;
	struct err err = { 0 };
	int status;

	if (o->command == NULL || o->is_command_over ||
	    command_ended(o->command, &status, &err) == 0)
		return;
	o->is_command_over = true;
	m = mem_calloc(1, sizeof(*m));
	m->msg.type = SESSION_MSG_EXITED;
	m->status = status;
	m->err = err;
	queue_send(o->answers, &m->msg);
}

static void
wait_for_work(struct event_opener *o)
{
	struct pollfd fds[3] = { { .fd = queue_fd(o->requests), .events = POLLIN },
				 { .fd = -1, .events = POLLIN },
				 { .fd = cpu_watch_fd(&o->watch), .events = POLLIN } };
	uint64_t now = clock_mono_ns();
	int timeout = o->everywhere.scope == SESSION_NONE ? -1 : 0;

	uint64_t next = follow_is_wanted(o) ? MIN(o->next_tick_ns, o->next_follow_ns)
					    : o->next_tick_ns;

	if (timeout == 0 && next > now)
		timeout = (int)((next - now) / NSEC_PER_MSEC) + 1;
	if (o->command != NULL && !o->is_command_over) {
		fds[1].fd = command_wait_fd(o->command);
		if (fds[1].fd < 0 && command_is_started(o->command))
			timeout = COMMAND_TICK_MS;
	}
	if (o->everywhere.scope == SESSION_NONE)
		fds[2].fd = -1;
	o->has_cpu_news = poll(fds, ARRAY_SIZE(fds), timeout) > 0 && fds[2].revents != 0;
}

static void *
run(void *arg)
{
	struct event_opener *o = arg;

	while (!o->is_ended) {
		struct msg *m;

		wait_for_work(o);
		while (!o->is_ended && (m = queue_take(o->requests)) != NULL)
			handle(o, (struct opener_request *)m);
		send_cgroups(o);
		look_for_end(o);
		tick(o);
	}
	return NULL;
}

void
opener_thread_start(struct event_opener *o)
{
	o->requests = queue_new();
	o->next_tick_ns = clock_mono_ns() + TICK_MS * NSEC_PER_MSEC;
	thread_start_or_die(&o->thread, NULL, run, o);
}

void
opener_thread_ask(struct event_opener *o, enum opener_request_type type,
		  const struct opener_request *request)
{
	struct opener_request *r = mem_calloc(1, sizeof(*r));

	*r = *request;
	r->msg.type = type;
	queue_send(o->requests, &r->msg);
}

void
opener_thread_stop(struct event_opener *o)
{
	opener_thread_ask(o, OPENER_END, &(struct opener_request){ 0 });
	pthread_join(o->thread, NULL);
	queue_free(o->requests);
	for (size_t i = 0; i < o->event_count; i++) {
		struct session_event *ev = o->events[i].event;

		event_fds_disable(&ev->fds, o->everywhere.sys);
		closer_take(o->closer, &ev->fds);
		opened_event_release(&o->events[i]);
		session_event_put(ev);
	}
	free(o->events);
	event_fds_disable(&o->sideband, o->everywhere.sys);
	closer_take(o->closer, &o->sideband);
}
