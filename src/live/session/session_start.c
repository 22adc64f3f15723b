/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a session begins: whom it watches, its rings and the side-band. */
#include "live/session/session_impl.h"

#include "live/session/opener_thread.h"
#include "live/sys/capabilities.h"
#include "live/sys/limits.h"
#include "live/sys/rights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLE_PAGES = 64 };

_Static_assert((int)OPEN_NOTICES_MAX == (int)SESSION_NOTICES_MAX, "the opener's fit in an answer");

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
		 "kernel.perf_event_mlock_kb=%llu, or raise ulimit -l",
		 (unsigned long long)limits_mlock_kb_for(&s->config.env, lane_pages_bytes(wanted)));
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

/* How large rings of samples are better, where memory may be locked; 0: they need not be larger. */
static size_t
better_bytes(const struct session_config *c)
{
	if (c->has_bursts)
		return LANE_BURST_BYTES;
	return c->call_graph == CALL_GRAPH_AUTO || c->call_graph == CALL_GRAPH_DWARF
		       ? LANE_COPIES_BYTES : 0;
}

/* Of thousands of CPUs they would be more memory than a tool that watches should take. */
static void
bound_rings(struct session *s, const struct cpus *cpus)
{
	struct lane_pages wanted;

	if (s->config.ring_pages_given)
		return;
	s->opener.may_grow_rings = may_lock_memory(&s->config.env);
	if (s->opener.may_grow_rings)
		lane_pages_raise(&s->opener.pages, better_bytes(&s->config), cpus->len);
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
	o->closer = closer_new(o->answers);
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
