/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's side of a session.  The opener makes events and rings and gives them away by
 * message; from then on their descriptors are the engine's, until they go to the closer.
 */
#include "live/session/session_impl.h"

#include "live/sys/capabilities.h"
#include "live/sys/limits.h"
#include "live/session/event_opener.h"
#include "live/sys/rights.h"
#include "live/session/opener_thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLE_PAGES = 64 };

static void
copy_config(struct session *s, const struct session_config *config)
{
	s->config = *config;
	s->root = mem_strdup(config->env.root != NULL ? config->env.root : "");
	s->config.env.root = s->root;
	if (config->cpus == NULL)
		s->config.cpu_count = 0;
	s->cpus = mem_calloc(s->config.cpu_count + 1, sizeof(*s->cpus));
	if (s->config.cpu_count > 0)
		memcpy(s->cpus, config->cpus, s->config.cpu_count * sizeof(*s->cpus));
	s->config.cpus = s->cpus;
	if (s->config.sys == NULL)
		s->config.sys = &sys_kernel;
}

_Static_assert((int)OPEN_NOTICES_MAX == (int)SESSION_NOTICES_MAX, "the opener's fit in an answer");

/* perf_trace_event_perm() of the kernel. */
static bool
may_have_fields(const struct event_env *env)
{
	struct rights r;

	rights_read(&r, env);
	return rights_perfmon(&r) || r.paranoid < 0;
}

/* All but what depends on rights: to read those takes a dozen files. */
static void
set_options(struct open_options *options, const struct session_config *config)
{
	*options = (struct open_options){
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.is_freq = config->period == 0,
		.rate = config->period > 0 ? config->period : MAX(config->freq, 1),
		.is_rate_given = config->rate_given,
		.exclude_idle = !config->idle,
		.attrs = config->attrs,
		.clock = config->clock,
		.for_file = config->for_file,
		.for_stacks = config->for_stacks,
		.cgroup_fd = config->cgroup_fd,
	};
	if (config->cgroups)
		options->sample_type |= ABI_SAMPLE_CGROUP;
	if (!config->call_chains)
		return;
	open_options_set_chains(options, config->call_graph, config->stack_bytes);
	options->defer_chains = config->defer_chains;
}

void
session_open_options(const struct session_config *config, struct open_options *options)
{
	set_options(options, config);
	options->has_fields = config->wants_fields && may_have_fields(&config->env);
}

uint64_t
session_period(const struct session_config *config, const struct event *ev)
{
	struct open_options options;

	set_options(&options, config);
	return open_period(ev, &options);
}

static void
init_opener(struct session *s, struct queue *answers)
{
	const struct session_config *c = &s->config;
	struct event_opener *o = &s->opener;

	o->config = c;
	o->env = &c->env;
	o->answers = answers;
	o->everywhere.sys = c->sys;
	o->everywhere.targets = &o->targets;
	o->lanes.clock = c->clock;
	o->pages.sideband = LANE_SIDEBAND_PAGES;
	o->pages.sample = c->ring_pages > 0 ? c->ring_pages : SAMPLE_PAGES;
	session_open_options(c, &o->options);
	cpu_watch_open(&o->watch, o->env);
}

static void
note_fallbacks(struct session *s, const struct open_plan *plan)
{
	char *notices[OPEN_NOTICES_MAX];
	size_t n = open_plan_notices(plan, notices);

	for (size_t i = 0; i < n; i++)
		scope_note_add(&s->notes, notices[i], NULL);
}

static void
note_rings(struct session *s, const struct lane_pages *wanted, const char *why, const char *remedy)
{
	const struct lane_pages *got = &s->opener.pages;
	struct buf b = { 0 };

	if (lane_pages_bytes(got) == lane_pages_bytes(wanted))
		return;
	buf_addf(&b, "rings are only %zu KiB per CPU: %s",
		 (got->sample + got->sideband + got->past) * page_size() / 1024, why);
	scope_note_add(&s->notes, mem_strdup(b.data), remedy);
	buf_release(&b);
}

/* The limit is so much for each CPU, of all that a user locks. */
static void
note_locked_memory(struct session *s, const struct lane_pages *wanted)
{
	char why[160];

	snprintf(why, sizeof(why), "the limit of locked memory: sudo sysctl "
		 "kernel.perf_event_mlock_kb=%zu, or raise ulimit -l", lane_pages_bytes(wanted) >> 10);
	note_rings(s, wanted, why, NULL);
}

/* perf_mmap() counts no pages against a limit then. */
static bool
may_lock_memory(const struct event_env *env)
{
	struct rights r;

	rights_read(&r, env);
	return rights_has(&r, CAP_NR_IPC_LOCK) || r.paranoid < 0;
}

/* Of thousands of CPUs they would be more memory than a tool that watches should take. */
static void
bound_rings(struct session *s, const struct cpus *cpus)
{
	struct lane_pages wanted;

	if (s->config.ring_pages_given)
		return;
	s->opener.may_grow_rings = may_lock_memory(&s->config.env);
	if (s->config.has_bursts && s->opener.may_grow_rings)
		lane_pages_raise(&s->opener.pages, cpus->len);
	wanted = s->opener.pages;
	lane_pages_bound(&s->opener.pages, cpus->len);
	note_rings(s, &wanted, "there are many CPUs", "-m 64 has them as on others, or fewer: -C");
}

/* A power of two for each CPU: together they are not more than was asked for. */
static void
size_past(struct session *s, const struct cpus *cpus)
{
	unsigned pages = (unsigned)MIN(s->config.past_bytes / page_size() / cpus->len, 1u << 20);

	s->opener.pages.past = pages > 0 ? 1u << (31 - __builtin_clz(pages)) : 0;
	s->opener.everywhere.keeps_past = pages > 0;
}

/* Rings first: events are switched into them. */
static int
open_sideband(struct session *s, const struct cpus *cpus, struct err *err)
{
	struct event_opener *o = &s->opener;
	struct lane_pages wanted;

	bound_rings(s, cpus);
	size_past(s, cpus);
	wanted = o->pages;
	if (lanes_open(&o->lanes, o->everywhere.sys, o->env, cpus, &o->pages, &s->rings,
		       &s->ring_count, err) < 0)
		return -1;
	note_locked_memory(s, &wanted);
	if (open_everywhere(&o->everywhere, &o->sideband_plan, o->lanes.items, o->lanes.len, NULL,
			    EVERYWHERE_SIDEBAND, &o->sideband, err) < 0)
		return -1;
	event_fds_enable(&o->sideband, o->everywhere.sys);
	s->sideband_attr = o->sideband_plan.attr;
	note_fallbacks(s, &o->sideband_plan);
	o->options.has_lost = o->sideband_plan.attr.read_format & ABI_FORMAT_LOST;
	/* What the side-band was refused need not be tried with every event. */
	if (!o->sideband_plan.attr.cgroup)
		o->options.sample_type &= ~(uint64_t)ABI_SAMPLE_CGROUP;
	o->options.inherit = o->options.inherit && o->sideband_plan.attr.inherit;
	o->options.inherit_thread = o->sideband_plan.attr.inherit_thread;
	return 0;
}

/*
 * A pid namespace under the /proc of another: /proc/self is this process by the numbers of that one.
 * All that is read there is of whoever has the number there.
 */
static void
note_other_proc(struct session *s)
{
	char self[32] = "";
	ssize_t len = readlink("/proc/self", self, sizeof(self) - 1);

	if (len > 0 && atoi(self) == getpid())
		return;
	scope_note_add(&s->notes, mem_strdup("/proc is that of another pid namespace: names, users and "
					     "maps are of other processes"),
		       "mount -t proc proc /proc in here, as unshare --mount-proc does");
}

/* Each counts: per CPU two rings, the side-band and two events; of the past a ring and an event. */
static int
check_descriptors(const struct session *s, const struct cpus *cpus, struct err *err)
{
	if (limits_need_descriptors(cpus->len * (s->config.past_bytes > 0 ? 7 : 5), err) < 0)
		return err_wrap(err, "cannot sample %zu CPUs", cpus->len);
	return 0;
}

static int
start(struct session *s, struct err *err)
{
	struct event_opener *o = &s->opener;
	const struct session_config *c = &s->config;
	struct cpus online = { 0 }, cpus = { 0 };
	int res = -1;

	if (cpus_read_online(&c->env, &online, err) < 0 ||
	    cpus_choose(&online, c->cpus, c->cpu_count, &cpus, err) < 0)
		goto out;
	/* First of all: the child is to inherit the limits that ptop was given. */
	if (c->command != NULL) {
		o->command = command_new(c->command, c->command_env, c->capture_output, err);
		if (o->command == NULL)
			goto out;
		o->everywhere.waiting_pid = command_pid(o->command);
	}
	if (c->reduce != NULL)
		capabilities_reduce(c->reduce);
	o->closer = closer_new();
	if (scope_choose(o, &cpus, &s->notes, err) < 0)
		goto out;
	if (o->everywhere.scope != SESSION_NONE &&
	    (check_descriptors(s, &cpus, err) < 0 || open_sideband(s, &cpus, err) < 0))
		goto out;
	note_other_proc(s);
	event_opener_learn_cpus(o, &cpus);
	s->cpus_known = o->everywhere.scope != SESSION_NONE ? (unsigned)cpus.len : 0;
	opener_thread_start(o);
	s->is_running = true;
	res = 0;
out:
	cpus_release(&online);
	cpus_release(&cpus);
	return res;
}

struct session *
session_new(const struct session_config *config, struct queue *answers, struct err *err)
{
	struct session *s = mem_calloc(1, sizeof(*s));

	copy_config(s, config);
	init_opener(s, answers);
	if (start(s, err) < 0) {
		session_free(s);
		return NULL;
	}
	return s;
}

void
session_free(struct session *s)
{
	struct event_opener *o;

	if (s == NULL)
		return;
	o = &s->opener;
	if (s->is_running)
		opener_thread_stop(o);
	else
		closer_take(o->closer, &o->sideband);
	closer_free(o->closer);
	cpu_watch_close(&o->watch);
	cpus_release(&o->known);
	free(s->missing);
	free(s->missing_remedy);
	for (size_t i = 0; i < s->ring_count; i++)
		session_ring_close(&s->rings[i]);
	free(s->rings);
	command_free(o->command);
	open_plan_release(&o->sideband_plan);
	lanes_release(&o->lanes);
	targets_release(&o->targets);
	scope_notes_release(&s->notes);
	free(s->cpus);
	free(s->root);
	free(s);
}

enum session_scope
session_scope(const struct session *s)
{
	return s->opener.everywhere.scope;
}

const char *
session_notice(const struct session *s, size_t i)
{
	if (s != NULL && i == s->notes.len)
		return s->missing;
	return s != NULL && i < s->notes.len ? s->notes.items[i].text : NULL;
}

const char *
session_remedy(const struct session *s, size_t i)
{
	if (i == s->notes.len)
		return s->missing_remedy;
	return i < s->notes.len ? s->notes.items[i].remedy : NULL;
}

unsigned
session_cpus_known(const struct session *s)
{
	return s != NULL ? s->cpus_known : 0;
}

static struct event *
copy_events(const struct event *events, size_t count)
{
	struct event *copies = mem_calloc(count, sizeof(*copies));

	for (size_t i = 0; i < count; i++)
		event_copy(&copies[i], &events[i]);
	return copies;
}

void
session_open(struct session *s, uint32_t token, const struct event *candidates, size_t count)
{
	opener_thread_ask(&s->opener, OPENER_OPEN, &(struct opener_request){
		.token = token, .events = copy_events(candidates, count), .count = count });
}

void
session_open_group(struct session *s, const uint32_t *tokens, const struct event *events,
		   size_t count)
{
	uint32_t *copies = mem_calloc(count, sizeof(*copies));

	memcpy(copies, tokens, count * sizeof(*copies));
	opener_thread_ask(&s->opener, OPENER_OPEN_GROUP, &(struct opener_request){
		.tokens = copies, .events = copy_events(events, count), .count = count });
}

void
session_stop(struct session *s, struct session_event *ev, bool exact)
{
	ev->is_stopped = true;
	(exact ? event_fds_disable_there : event_fds_disable)(&ev->fds, s->config.sys);
}

void
session_pause(struct session *s, struct session_event *ev, bool is_paused)
{
	ev->is_stopped = is_paused;
	(is_paused ? event_fds_disable : event_fds_enable)(&ev->fds, s->config.sys);
}

void
session_close(struct session *s, struct session_event *ev)
{
	ev->is_closed = true;
	session_stop(s, ev, false);
	closer_take(s->opener.closer, &ev->fds);
	opener_thread_ask(&s->opener, OPENER_CLOSED, &(struct opener_request){ .event = ev });
}

uint64_t
session_set_freq(struct session *s, struct session_event *ev, uint64_t hz)
{
	const struct sys *sys = s->config.sys;

	if (!ev->is_freq || ev->is_closed)
		return ev->rate;
	hz = MAX(MIN(hz, limits_max_rate(&s->config.env)), 1);
	/*
	 * Clocks made a period of their frequency when they were opened.  IOC_PERIOD gives them
	 * another one, but their samples go on to carry the first: each would weigh too much or too
	 * little.
	 */
	for (size_t i = 0; i < ev->fds.len && !ev->is_clock; i++) {
		if (sys->set_period(sys, ev->fds.items[i].fd, hz) < 0 && !ev->inherits)
			return ev->rate;
	}
	if (!ev->is_clock)
		ev->rate = hz;
	opener_thread_ask(&s->opener, OPENER_RATE, &(struct opener_request){
		.event = ev, .rate = hz, .reopen = ev->is_clock || ev->inherits });
	return hz;
}

uint64_t
session_rate(const struct session_event *ev)
{
	return ev->rate;
}

void
session_set_call_graph(struct session *s, struct session_event *ev, enum event_call_graph how,
		       uint32_t bytes)
{
	opener_thread_ask(&s->opener, OPENER_CHAINS, &(struct opener_request){
		.event = ev, .call_graph = how, .stack_bytes = bytes });
}

void
session_set_filter(struct session *s, struct session_event *ev, const char *filter)
{
	opener_thread_ask(&s->opener, OPENER_FILTER, &(struct opener_request){
		.event = ev, .filter = filter != NULL ? mem_strdup(filter) : NULL });
}

void
session_attach(struct session *s, int pid, bool descendants)
{
	opener_thread_ask(&s->opener, OPENER_ATTACH, &(struct opener_request){
		.pid = pid, .descendants = descendants });
}

void
session_add_sites(struct session *s, struct session_event *ev, const struct event *found,
		  uint32_t target)
{
	opener_thread_ask(&s->opener, OPENER_SITES, &(struct opener_request){
		.event = ev, .events = copy_events(found, 1), .count = 1, .target = target });
}

void
session_detach(struct session *s, uint32_t target)
{
	opener_thread_ask(&s->opener, OPENER_DETACH, &(struct opener_request){ .target = target });
}

void
session_open_stacks(struct session *s, uint32_t token, int pid, uint32_t bytes,
		    size_t descriptors_max, struct session_event *const *events, size_t count)
{
	struct stacks_ask ask = {
		.token = token, .pid = pid, .bytes = bytes, .descriptors_max = descriptors_max,
		.events = mem_calloc(count + 1, sizeof(*ask.events)), .count = count,
	};

	memcpy(ask.events, events, count * sizeof(*events));
	opener_thread_ask(&s->opener, OPENER_STACKS, &(struct opener_request){ .stacks = ask });
}

void
session_begin_stacks(struct session *s, const struct session_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		event_fds_enable(&stacks->parts[i].fds, s->config.sys);
}

void
session_stop_stacks(struct session *s, const struct session_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		event_fds_disable(&stacks->parts[i].fds, s->config.sys);
}

void
session_close_stacks(struct session *s, struct session_stacks *stacks)
{
	for (size_t i = 0; i < stacks->count; i++)
		closer_take(s->opener.closer, &stacks->parts[i].fds);
	session_stacks_free(stacks);
}

uint64_t
session_stacks_lost(struct session *s, const struct session_stacks *stacks, uint32_t event)
{
	struct tallies sum = { 0 };
	uint64_t lost;

	for (size_t i = 0; i < stacks->count; i++) {
		const struct stacks_part *part = &stacks->parts[i];

		if (part->token == event && (part->read_format & ABI_FORMAT_LOST))
			event_fds_tally(&part->fds, s->config.sys, part->read_format, &sum);
	}
	lost = tallies_lost(&sum);
	tallies_release(&sum);
	return lost;
}

void
session_tally(struct session *s, const struct session_event *ev, struct tallies *sum)
{
	tallies_append(sum, &ev->gone);
	event_fds_tally(&ev->fds, s->config.sys, ev->read_format, sum);
}

uint64_t
session_lost(struct session *s, const struct session_event *ev)
{
	struct tallies sum = { 0 };
	uint64_t lost;

	if (!session_knows_lost(ev))
		return 0;
	session_tally(s, ev, &sum);
	lost = tallies_lost(&sum);
	tallies_release(&sum);
	return lost;
}

bool
session_knows_lost(const struct session_event *ev)
{
	return (ev->read_format & ABI_FORMAT_LOST) != 0;
}

int
session_probe(const struct session_config *config, const struct event *ev, struct err *err)
{
	const struct sys *sys = config->sys != NULL ? config->sys : &sys_kernel;
	const struct open_options options = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.is_freq = true,
		.rate = 1,
	};
	enum { ALL_TASKS = -1, OWN_TASK = 0 };
	int cpu = config->cpus != NULL && config->cpu_count > 0 ? (int)config->cpus[0] : 0;
	struct open_plan plan;
	int fd;

	open_plan_sampling(&plan, &config->env, ev, &options);
	fd = open_event(sys, &plan, ALL_TASKS, cpu, err);
	/* CPU 0 may be off line; and without the right to all tasks there is ptop's own. */
	if (fd < 0)
		fd = open_event(sys, &plan, OWN_TASK, -1, err);
	open_plan_release(&plan);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

void
session_stop_at_exec(struct session *s)
{
	opener_thread_ask(&s->opener, OPENER_STOP_AT_EXEC, &(struct opener_request){ 0 });
}

void
session_start_command(struct session *s)
{
	opener_thread_ask(&s->opener, OPENER_START, &(struct opener_request){ 0 });
}

int
session_command_pid(const struct session *s)
{
	return s->opener.command != NULL ? command_pid(s->opener.command) : 0;
}

int
session_output_fd(const struct session *s)
{
	return s->opener.command != NULL ? command_output_fd(s->opener.command) : -1;
}

int32_t
session_clock(const struct session *s)
{
	return s->config.clock != NULL ? s->config.clock->id : CLOCK_MONOTONIC;
}

const struct event_attr *
session_sideband_attr(const struct session *s)
{
	return &s->sideband_attr;
}

uint64_t
session_sample_type(const struct session *s)
{
	return s->opener.options.sample_type;
}
