/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/run.h"

#include "engine/viewer/counter_list.h"
#include "engine/place/place_lookup.h"
#include "app/report_out.h"
#include "base/clock.h"
#include "base/file.h"
#include "live/sys/capabilities.h"
#include "live/session/command.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	COMM_BYTES = 64,
	COMMAND_TICK_MS = 20, /* where the kernel does not tell of its end */
};

/* A process, a thread, or the machine. */
struct counted {
	struct counter_target target;
	struct counters *counters;
	struct counter_value *now, *before;
	uint64_t now_ns, before_ns;
	char comm[COMM_BYTES]; /* as last seen: it stays when the task has ended */
};

struct run {
	const struct config *config;
	struct err *err;
	struct event_env env;
	struct counter_list list;
	struct counted *items;
	size_t len;
	struct command *command;
	struct report_out out;
	struct report_run how;
	int signal_fd;
	uint64_t start_ns;
	bool is_at_exec; /* COMMAND is stopped there: its addresses are known */
	bool is_done, is_failed;
	int status;
};

bool
counters_wanted(const struct config *config)
{
	return config->view == VIEW_COUNTERS && config->engine.input == NULL;
}

static void
fail(struct run *r)
{
	r->is_failed = r->is_done = true;
	r->status = err_status(r->err);
}

static void
learn_comm(struct counted *k)
{
	int id = k->target.pid != 0 ? k->target.pid : k->target.tid;
	struct buf b = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", id);
	if (id != 0 && file_read(path, &b, sizeof(k->comm) - 1) == 0 && b.len > 0) {
		b.len -= b.data[b.len - 1] == '\n';
		memcpy(k->comm, b.data, b.len);
		k->comm[b.len] = '\0';
	}
	buf_release(&b);
}

/* Each process has addresses of its own. */
static struct counters *
open_counters(struct run *r, const struct counter_target *target)
{
	struct event_list events = { 0 };
	struct counters *counters = NULL;
	int pid = target->pid != 0 ? target->pid : target->tid;
	const struct place_processes processes = {
		&pid, pid != 0, r->is_at_exec && pid == command_pid(r->command),
	};

	vec_reserve(&events.items, &events.cap, r->list.events.len + 1, sizeof(*events.items));
	while (events.len < r->list.events.len) {
		event_copy(&events.items[events.len], &r->list.events.items[events.len]);
		events.len++;
	}
	if (place_lookup(&events, &processes, r->err) == 0)
		counters = counters_open(NULL, &r->env, target, events.items, events.len, r->err);
	event_list_release(&events);
	return counters;
}

static int
add_target(struct run *r, struct counter_target target)
{
	const struct config *c = r->config;
	struct counted *k = &r->items[r->len];

	if (c->engine.cpu_count > 0) {
		target.cpus = c->engine.cpus;
		target.cpu_count = c->engine.cpu_count;
	}
	k->counters = open_counters(r, &target);
	if (k->counters == NULL)
		return -1;
	k->target = target;
	k->now = mem_calloc(r->list.events.len, sizeof(*k->now));
	k->before = mem_calloc(r->list.events.len, sizeof(*k->before));
	r->len++;
	return 0;
}

/* Each of -p, each of -t, COMMAND; the machine if there is none of them. */
static int
add_targets(struct run *r)
{
	const struct config *c = r->config;
	bool with_children = !c->engine.no_inherit;

	r->items = mem_calloc(c->engine.pid_count + c->engine.tid_count + 2, sizeof(*r->items));
	for (size_t i = 0; i < c->engine.pid_count; i++)
		if (add_target(r, (struct counter_target){ .pid = c->engine.pids[i],
							   .with_children = with_children }) < 0)
			return -1;
	for (size_t i = 0; i < c->engine.tid_count; i++)
		if (add_target(r, (struct counter_target){ .tid = c->engine.tids[i] }) < 0)
			return -1;
	if (r->command != NULL)
		return add_target(r, (struct counter_target){ .pid = command_pid(r->command),
							      .with_children = with_children,
							      .waits_for_exec = !r->is_at_exec });
	return r->len > 0 ? 0 : add_target(r, (struct counter_target){ .pid = 0 });
}

static const char *
why_of(const void *self, size_t event)
{
	return counter_why(self, event);
}

static const char *
note_of(const void *self, size_t event)
{
	return counter_note(self, event);
}

static void
read_target(struct counted *k)
{
	struct counter_value *before = k->before;

	k->before = k->now;
	k->now = before;
	k->before_ns = k->now_ns;
	k->now_ns = counters_read(k->counters, k->now);
	learn_comm(k);
}

static struct snapshot *
make_snapshot(struct run *r)
{
	struct snapshot *s = snapshot_new();

	config_query(r->config, &s->query);
	s->rows = arena_alloc(&s->arena, (r->len * counter_list_rows(&r->list) + 1) *
						 sizeof(*s->rows));
	for (size_t i = 0; i < r->len; i++) {
		struct counted *k = &r->items[i];

		read_target(k);
		counter_list_add_rows(&r->list, &(struct counter_source){
			.now = k->now, .before = k->before, .why = why_of, .note = note_of,
			.self = k->counters, .now_ns = k->now_ns, .before_ns = k->before_ns,
			.pid = k->target.pid != 0 ? k->target.pid : -1,
			.tid = k->target.tid != 0 ? k->target.tid : -1, .comm = k->comm }, s);
	}
	s->elapsed_s = (double)(clock_mono_ns() - r->start_ns) / 1e9;
	return s;
}

static void
report(struct run *r)
{
	struct snapshot *s = make_snapshot(r);
	char host[128] = "";
	int res;

	gethostname(host, sizeof(host) - 1);
	s->head.host = host;
	s->head.self_cpu = s->head.window_have_s = NAN;
	r->how.is_first = r->out.reports == 0;
	res = report_out_write(&r->out, s, &r->how, r->err);
	r->is_done |= res <= 0 || r->out.reports == r->config->engine.iterations;
	if (res < 0)
		fail(r);
	snapshot_put(s);
}

/* All counts are 0 at the beginning: what has been counted by then is not of an interval. */
static void
begin(struct run *r)
{
	r->start_ns = clock_mono_ns();
	if (r->command != NULL)
		command_start(r->command);
	for (size_t i = 0; i < r->len; i++) {
		struct counted *k = &r->items[i];

		k->now_ns = r->start_ns;
		/* Until COMMAND has executed, its name is ptop's. */
		if (k->target.waits_for_exec)
			snprintf(k->comm, sizeof(k->comm), "%.15s",
				 basename(r->config->engine.command[0]));
		else
			learn_comm(k);
	}
}

static void
look_for_end(struct run *r)
{
	struct err why = { 0 };
	int status;

	if (r->is_done || r->command == NULL || command_ended(r->command, &status, &why) == 0)
		return;
	r->is_done = true;
	if (why.code != ERR_NONE) {
		*r->err = why;
		fail(r);
	} else {
		report(r);
	}
	r->status = report_command_exit(status);
}

static int
timeout_ms(const struct run *r, uint64_t next_ns, bool has_wait_fd)
{
	uint64_t now = clock_mono_ns();
	int ms = -1;

	if (next_ns != UINT64_MAX)
		ms = next_ns > now ? (int)((next_ns - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC) : 0;
	if (r->command != NULL && !has_wait_fd && (ms < 0 || ms > COMMAND_TICK_MS))
		ms = COMMAND_TICK_MS;
	return ms;
}

static void
run_loop(struct run *r)
{
	const struct config *c = r->config;
	bool whole_life = r->command != NULL && c->engine.iterations == 0;
	uint64_t delay_ns = (uint64_t)(c->engine.delay_s * 1e9);
	uint64_t next_ns = whole_life ? UINT64_MAX : r->start_ns + delay_ns;
	struct pollfd fds[] = {
		{ .fd = r->signal_fd, .events = POLLIN },
		{ .fd = r->command != NULL ? command_wait_fd(r->command) : -1, .events = POLLIN },
		{ .fd = r->out.fd, .events = 0 }, /* shows that nobody reads any more */
	};

	while (!r->is_done) {
		int n = poll(fds, ARRAY_SIZE(fds), timeout_ms(r, next_ns, fds[1].fd >= 0));

		if (n < 0 && errno == EINTR)
			continue;
		if ((fds[2].revents & POLLNVAL) != 0)
			fds[2].fd = -1; /* closed: writing will say so */
		if ((fds[2].revents & (POLLERR | POLLHUP)) != 0)
			break;
		look_for_end(r);
		if (r->is_done)
			break;
		if ((fds[0].revents & POLLIN) != 0) {
			report(r);
			break;
		}
		if (clock_mono_ns() >= next_ns) {
			report(r);
			/* On the beat, unless the machine was too busy or asleep. */
			next_ns = MAX(next_ns + delay_ns, clock_mono_ns());
		}
	}
}

static int
start(struct run *r)
{
	const struct config *c = r->config;

	if (report_out_open(&r->out, c, r->how.is_series, r->err) < 0)
		return -1;
	event_env_open(&r->env);
	if (counter_list_init(&r->list, &r->env, &c->engine, r->err) < 0)
		return -1;
	/* Before any limit is raised: the child is to have those that ptop was given. */
	if (c->engine.command != NULL) {
		r->command = command_new(c->engine.command, c->engine.command_env, false, r->err);
		if (r->command == NULL)
			return -1;
		r->is_at_exec = place_is_wanted(&r->list.events);
		if (r->is_at_exec && command_stop_at_exec(r->command, r->err) < 0)
			return -1;
	}
	return add_targets(r);
}

static void
release(struct run *r)
{
	for (size_t i = 0; i < r->len; i++) {
		counters_close(r->items[i].counters);
		free(r->items[i].now);
		free(r->items[i].before);
	}
	free(r->items);
	command_free(r->command);
	counter_list_release(&r->list);
	event_env_close(&r->env);
}

int
counters_run(const struct config *config, int *status, struct err *err)
{
	struct run r = { .config = config, .err = err, .signal_fd = -1 };
	sigset_t old;

	r.how.is_series = config->engine.iterations != 1 &&
			  !(config->engine.command != NULL && config->engine.iterations == 0);
	r.signal_fd = report_watch_signals(&old);
	if (start(&r) == 0) {
		/* All that is counted is open, and COMMAND forked. */
		if (config->engine.owns_process)
			capabilities_reduce(&(struct capability_needs){
				.files = config->output != NULL,
				.replaced = config->output != NULL && config->engine.force });
		begin(&r);
		run_loop(&r);
	} else {
		fail(&r);
	}
	release(&r);
	if (report_out_close(&r.out, r.is_failed ? NULL : r.err) < 0 && !r.is_failed)
		fail(&r);
	close(r.signal_fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	*status = r.status;
	return r.is_failed ? -1 : 0;
}
