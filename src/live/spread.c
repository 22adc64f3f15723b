/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/spread.h"

#include <errno.h>
#include <unistd.h>

enum { ALL_TASKS = -1, ROUNDS_MAX = 16 };

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

/* 0, also if its PMU does not count on that CPU; -1: see err. */
static int
open_one(const struct job *j, int pid, const struct lane *lane)
{
	const struct sys *sys = j->spread->sys;
	int owner = j->ring == SPREAD_SIDEBAND ? lane->sideband_fd : lane->sample_fd;
	struct event_fd e = { .cpu = lane->cpu, .tid = MAX(pid, 0) };

	if (!counts_on(&j->plan->spec, lane->cpu) && j->plan->spec.more_count == 0)
		return 0;
	e.fd = open_on_pmu(j, pid, lane->cpu);
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

/* A CPU that has just gone is left out: the watch will tell of it. */
static int
open_system(struct job *j)
{
	for (size_t i = 0; i < j->lane_count; i++) {
		if (open_one(j, ALL_TASKS, &j->lanes[i]) < 0 && j->err->sys != ENODEV)
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

/* 1: opened, 0: passed over, -1: see err. */
static int
open_task(struct job *j, const struct task *task)
{
	struct event_attr *attr = &j->plan->attr;
	struct event_attr before = *attr;
	int res = 1;

	if (task->is_single)
		attr->inherit = attr->inherit_thread = 0;
	if (task->tid == j->spread->waiting_pid && j->ring == SPREAD_SAMPLES)
		attr->enable_on_exec = 1;
	for (size_t i = 0; i < j->lane_count && res > 0; i++) {
		if (open_one(j, task->tid, &j->lanes[i]) < 0)
			res = is_skipped(j, j->err->sys) ? 0 : -1;
	}
	/* A fallback that dropped inheritance stays. */
	if (task->is_single || !before.inherit) {
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
		const struct task *task = &tasks->items[i];

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
		targets_list(j->spread->targets, &tasks);
		fresh = open_new(j, &tasks);
	}
	tasks_release(&tasks);
	if (fresh < 0)
		return -1;
	if (j->fds->len == 0 && j->err->code == ERR_NONE)
		return err_set(j->err, ERR_GONE, 0, "the processes to be sampled have ended");
	return j->fds->len == 0 ? -1 : 0;
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

	if (s->scope == SESSION_SYSTEM)
		res = open_system(&j);
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
