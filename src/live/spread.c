/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/spread.h"

#include "live/site.h"

#include <errno.h>
#include <unistd.h>

enum { ALL_TASKS = -1, ROUNDS_MAX = 16 };

static const size_t NO_SITE = SIZE_MAX;

/* One spread_open() under way. */
struct job {
	const struct spread *spread;
	struct open_plan *plan;
	const struct lane *lanes;
	size_t lane_count;
	enum spread_ring ring;
	struct event_fds *fds;
	struct err *err;
	struct tasks done;
};

static bool
counts_on(const struct event *spec, unsigned cpu)
{
	for (size_t i = 0; i < spec->cpu_count; i++)
		if (spec->cpus[i] == cpu)
			return true;
	return spec->cpus == NULL;
}

/* Makes it an event of another core PMU. */
static void
set_pmu(struct event_attr *attr, uint32_t type)
{
	const uint64_t event = UINT32_MAX;

	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		attr->config = (uint64_t)type << 32 | (attr->config & event);
	else
		attr->type = type;
}

/* On hybrid CPUs each has one of several core PMUs, the others are ENOENT there. */
static int
open_on_pmu(const struct job *j, int pid, unsigned cpu)
{
	const struct event *spec = &j->plan->spec;
	struct event_attr *attr = &j->plan->attr;
	uint32_t type = attr->type;
	uint64_t config = attr->config;
	int fd = -1;

	j->err->sys = ENOENT;
	if (counts_on(spec, cpu))
		fd = open_event(j->spread->sys, j->plan, pid, (int)cpu, j->err);
	for (size_t i = 0; i < spec->more_count && fd < 0 && j->err->sys == ENOENT; i++) {
		set_pmu(attr, spec->more_types[i]);
		fd = open_event(j->spread->sys, j->plan, pid, (int)cpu, j->err);
		attr->type = type;
		attr->config = config;
	}
	return fd;
}

/* At the event's @site, NO_SITE if it has none. */
static int
open_there(const struct job *j, int pid, unsigned cpu, size_t site)
{
	struct open_plan *p = j->plan;
	int fd;

	if (site == NO_SITE)
		return open_on_pmu(j, pid, cpu);
	site_put(&p->attr, &p->spec, &p->spec.sites[site]);
	fd = open_event(j->spread->sys, p, pid, (int)cpu, j->err);
	site_clear(&p->attr, &p->spec);
	return fd >= 0 ? fd : site_explain(j->err, &p->spec, &p->spec.sites[site]);
}

/* 0, also if its PMU does not count on that CPU; -1: see err.  @task NULL: all of the CPU. */
static int
open_one(const struct job *j, const struct sampled_task *task, const struct lane *lane,
	 size_t site)
{
	const struct sys *sys = j->spread->sys;
	int owner = j->ring == SPREAD_SIDEBAND ? lane->sideband_fd : lane->sample_fd;
	struct event_fd e = { .cpu = lane->cpu };

	if (task != NULL) {
		e.tid = task->tid;
		e.target = task->target;
	}
	if (!counts_on(&j->plan->spec, lane->cpu) && j->plan->spec.more_count == 0)
		return 0;
	e.fd = open_there(j, task != NULL ? task->tid : ALL_TASKS, lane->cpu, site);
	if (e.fd < 0)
		return -1;
	if (sys->set_output(sys, e.fd, owner) < 0 || sys->id(sys, e.fd, &e.id) < 0) {
		err_set(j->err, ERR_UNSUPPORTED, errno,
			"cannot switch event '%.80s' into the ring of CPU %u", j->plan->spec.name,
			lane->cpu);
		close(e.fd);
		return -1;
	}
	event_fds_add(j->fds, e);
	return 0;
}

/* All places of the event that are of @process. */
static int
open_sites(const struct job *j, int process, const struct sampled_task *task,
	   const struct lane *lane)
{
	const struct event *spec = &j->plan->spec;

	if (spec->site_count == 0)
		return open_one(j, task, lane, NO_SITE);
	for (size_t i = 0; i < spec->site_count; i++)
		if (event_site_is_of(&spec->sites[i], process) && open_one(j, task, lane, i) < 0)
			return -1;
	return 0;
}

/* A CPU that has just gone is left out: the watch will tell of it. */
static int
open_system(struct job *j)
{
	for (size_t i = 0; i < j->lane_count; i++) {
		if (open_sites(j, 0, NULL, &j->lanes[i]) < 0 && j->err->sys != ENODEV)
			return -1;
	}
	if (j->fds->len > 0 || j->lane_count == 0)
		return 0;
	if (j->err->code == ERR_NONE) {
		err_set(j->err, ERR_GONE, 0, "event '%.80s' is not counted on any of these CPUs",
			j->plan->spec.name);
		return err_hint(j->err, "it is on CPU %u: choose with -C",
				j->plan->spec.cpu_count > 0 ? j->plan->spec.cpus[0] : 0);
	}
	return -1;
}

/* Whether the task can be passed over: it has ended, or it is one of many that are not ours. */
static bool
is_skipped(const struct job *j, int sys)
{
	if (sys == ESRCH || sys == ENODEV)
		return true;
	return j->spread->targets->all_of_user && (sys == EACCES || sys == EPERM);
}

/* Whether the kernel cannot follow threads alone is known by now. */
static void
set_follow(struct open_plan *plan, enum follow follow)
{
	const struct event_terms *terms = &plan->spec.terms;
	struct event_attr *attr = &plan->attr;
	bool has_threads = attr->inherit;

	if (((terms->given & 1u << TERM_INHERIT) && !terms->inherit) ||
	    event_is_probe(&plan->spec))
		follow = FOLLOW_NOTHING;
	attr->inherit = follow == FOLLOW_CHILDREN || (follow == FOLLOW_THREADS && has_threads);
	attr->inherit_thread = follow == FOLLOW_THREADS && has_threads;
}

/* 1: opened, 0: passed over, -1: see err. */
static int
open_task(struct job *j, const struct sampled_task *task)
{
	struct event_attr *attr = &j->plan->attr;
	struct event_attr before = *attr;
	int res = 1, process = 0;

	/* Of a thread that was named by itself only its own number is known. */
	if (event_is_of_processes(&j->plan->spec))
		process = task->follow == FOLLOW_NOTHING ? targets_process_of(task->tid)
							 : task->pid;
	set_follow(j->plan, task->follow);
	if (task->tid == j->spread->waiting_pid && j->ring == SPREAD_SAMPLES)
		attr->enable_on_exec = 1;
	for (size_t i = 0; i < j->lane_count && res > 0; i++) {
		if (open_sites(j, process, task, &j->lanes[i]) < 0)
			res = is_skipped(j, j->err->sys) ? 0 : -1;
	}
	/* A fallback that dropped inheritance stays. */
	if (task->follow != FOLLOW_THREADS || !before.inherit_thread) {
		attr->inherit = before.inherit;
		attr->inherit_thread = before.inherit_thread;
	}
	attr->enable_on_exec = before.enable_on_exec;
	return res;
}

/* The number of tasks that were new, -1 on error. */
static int
open_new(struct job *j, const struct tasks *tasks)
{
	int fresh = 0;

	for (size_t i = 0; i < tasks->len; i++) {
		const struct sampled_task *task = &tasks->items[i];

		if (tasks_has(&j->done, task->tid))
			continue;
		if (j->spread->tasks_max > 0 && j->done.len >= j->spread->tasks_max)
			break;
		fresh++;
		tasks_add(&j->done, *task);
		if (open_task(j, task) < 0)
			return -1;
	}
	return fresh;
}

static int
open_targets(struct job *j)
{
	struct tasks tasks = { 0 };
	int fresh = 1;

	for (int round = 0; round < ROUNDS_MAX && fresh > 0; round++) {
		targets_refresh(j->spread->targets);
		targets_list(j->spread->targets, j->spread->target, &tasks);
		fresh = open_new(j, &tasks);
	}
	tasks_release(&tasks);
	if (fresh < 0)
		return -1;
	if (j->spread->targets->is_let_go)
		return 0;
	if (j->fds->len == 0 && j->err->code == ERR_NONE)
		return err_set(j->err, ERR_GONE, 0, "the processes to be sampled have ended");
	return j->fds->len == 0 ? -1 : 0;
}

/*
 * Addresses of a process are opened for its tasks in any scope.  Probes never are: a task that
 * forks while it has an inherited one has the kernel read the probe's path at ptop's address in
 * that task's memory, and its fork fails.
 */
static bool
is_for_cpus(const struct spread *s, const struct event *spec)
{
	if (s->scope == SESSION_SYSTEM)
		return !event_is_of_processes(spec);
	return event_is_probe(spec);
}

int
spread_open(const struct spread *s, struct open_plan *plan, const struct lane *lanes,
	    size_t lane_count, const struct tasks *only, enum spread_ring ring,
	    struct event_fds *fds, struct err *err)
{
	struct event_fds opened = { 0 };
	struct err why = { 0 };
	struct job j = { .spread = s, .plan = plan, .lanes = lanes, .lane_count = lane_count,
			 .ring = ring, .fds = &opened, .err = &why };
	int res;

	if (is_for_cpus(s, &plan->spec))
		res = only != NULL && s->scope == SESSION_TASKS ? 0 : open_system(&j);
	else if (only != NULL)
		res = open_new(&j, only) < 0 ? -1 : 0;
	else
		res = open_targets(&j);
	tasks_release(&j.done);
	if (res < 0) {
		event_fds_close(&opened);
		if (err != NULL)
			*err = why;
		return -1;
	}
	event_fds_append(fds, &opened);
	return 0;
}

void
spread_enable(const struct spread *s, const struct event_fds *fds)
{
	for (size_t i = 0; i < fds->len; i++) {
		if (s->waiting_pid == 0 || fds->items[i].tid != s->waiting_pid)
			s->sys->enable(s->sys, fds->items[i].fd);
	}
}
