/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/session/open_everywhere.h"

#include "live/open/open_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALL_TASKS = -1, ROUNDS_MAX = 16 };

static const size_t NO_SITE = SIZE_MAX;

/* One open_everywhere_group() under way. */
struct job {
	const struct everywhere *everywhere;
	const struct open_everywhere_event *events; /* the first leads */
	size_t event_count;
	struct event_fds *opened;          /* by event */
	const struct lane *lanes;
	size_t lane_count;
	enum open_everywhere_ring ring;
	struct err *err;
	struct tasks done; /* passed over, too */
	size_t taken;      /* of them, those that have events */
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
open_on_pmu(const struct job *j, struct open_plan *p, int pid, unsigned cpu)
{
	const struct event *spec = &p->spec;
	struct event_attr *attr = &p->attr;
	uint32_t type = attr->type;
	uint64_t config = attr->config;
	int fd = -1;

	j->err->sys = ENOENT;
	if (counts_on(spec, cpu))
		fd = open_event(j->everywhere->sys, p, pid, (int)cpu, j->err);
	for (size_t i = 0; i < spec->more_count && fd < 0 && j->err->sys == ENOENT; i++) {
		set_pmu(attr, spec->more_types[i]);
		fd = open_event(j->everywhere->sys, p, pid, (int)cpu, j->err);
		attr->type = type;
		attr->config = config;
	}
	return fd;
}

/* At the event's @site, NO_SITE if it has none. */
static int
open_there(const struct job *j, struct open_plan *p, int pid, unsigned cpu, size_t site)
{
	const struct event_attr before = p->attr;
	int fd;

	if (site == NO_SITE)
		return open_on_pmu(j, p, pid, cpu);
	site_put(&p->attr, &p->spec, &p->spec.sites[site]);
	fd = open_event(j->everywhere->sys, p, pid, (int)cpu, j->err);
	if (event_is_second(&p->spec, site))
		p->attr = before;
	else
		site_clear(&p->attr, &p->spec);
	return fd >= 0 ? fd : site_explain(j->err, &p->spec, &p->spec.sites[site]);
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

/* As open_there(), with what is special about the task.  Members begin with their leader. */
static int
open_for_task(const struct job *j, struct open_plan *p, const struct sampled_task *task,
	      unsigned cpu, size_t site)
{
	struct event_attr *attr = &p->attr;
	struct event_attr before = *attr;
	int fd;

	set_follow(p, task->follow);
	if (task->tid == j->everywhere->waiting_pid && j->ring == EVERYWHERE_SAMPLES &&
	    p->leader == NULL)
		attr->enable_on_exec = 1;
	fd = open_there(j, p, task->tid, cpu, site);
	/* A fallback that dropped inheritance stays. */
	if (task->follow != FOLLOW_THREADS || !before.inherit_thread) {
		attr->inherit = before.inherit;
		attr->inherit_thread = before.inherit_thread;
	}
	attr->enable_on_exec = before.enable_on_exec;
	return fd;
}

/* Into the CPU's ring, and among what is open. */
static int
take_fd(const struct job *j, size_t event, const struct lane *lane, struct event_fd *e)
{
	const struct sys *sys = j->everywhere->sys;
	int owner = j->ring == EVERYWHERE_SIDEBAND ? lane->sideband_fd : lane->sample_fd;

	if (e->is_past)
		owner = lane->past_fd;
	if (sys->set_output(sys, e->fd, owner) < 0 || sys->id(sys, e->fd, &e->id) < 0) {
		err_set(j->err, ERR_UNSUPPORTED, errno,
			"cannot switch event '%.80s' into the ring of CPU %u",
			j->events[event].plan->spec.name, lane->cpu);
		close(e->fd);
		return -1;
	}
	event_fds_add(&j->opened[event], *e);
	return 0;
}

static int
open_fd(const struct job *j, size_t event, const struct sampled_task *task,
	const struct lane *lane, size_t site, bool is_past)
{
	struct open_plan *p = j->events[event].plan;
	struct event_fd e = { .cpu = lane->cpu, .is_past = is_past };

	if (task == NULL) {
		e.fd = open_there(j, p, ALL_TASKS, lane->cpu, site);
	} else {
		e.tid = task->tid;
		e.target = task->target;
		e.fd = open_for_task(j, p, task, lane->cpu, site);
	}
	return e.fd < 0 ? -1 : take_fd(j, event, lane, &e);
}

/*
 * Once more, into the ring of the past: rings that are read take no such events.  Some copies of
 * stacks would fill it.
 */
static int
open_past(const struct job *j, const struct sampled_task *task, const struct lane *lane,
	  size_t site)
{
	struct event_attr *attr = &j->events[0].plan->attr;
	int res;

	if (!j->everywhere->keeps_past || j->ring != EVERYWHERE_SAMPLES || j->event_count > 1 ||
	    attr->sample_type & PERF_SAMPLE_STACK_USER || attr->context_switch)
		return 0;
	attr->write_backward = 1;
	res = open_fd(j, 0, task, lane, site, true);
	attr->write_backward = 0;
	return res < 0 ? err_wrap(j->err, "a second time, for --overwrite") : 0;
}

/* 0, also if its PMU does not count on that CPU; -1: see err.  @task NULL: all of the CPU. */
static int
open_one(const struct job *j, size_t event, const struct sampled_task *task,
	 const struct lane *lane, size_t site)
{
	const struct event *spec = &j->events[event].plan->spec;

	if (!counts_on(spec, lane->cpu) && spec->more_count == 0)
		return 0;
	if (open_fd(j, event, task, lane, site, false) < 0)
		return -1;
	return open_past(j, task, lane, site);
}

/* The others of a group, into that of the leader that was just opened there. */
static int
open_members(const struct job *j, const struct sampled_task *task, const struct lane *lane)
{
	const struct event_fds *leaders = &j->opened[0];
	int res = 0;

	for (size_t i = 1; i < j->event_count && res == 0; i++) {
		struct open_plan *p = j->events[i].plan;
		const struct open_leader leader = {
			.fd = leaders->items[leaders->len - 1].fd,
			.name = j->events[0].plan->spec.name,
		};

		p->leader = &leader;
		res = open_one(j, i, task, lane, NO_SITE);
		p->leader = NULL;
	}
	return res;
}

/* Of the leader that was just opened there: its PMU traces into it. */
static int
map_aux(const struct job *j, const struct lane *lane)
{
	struct event_fd *e = &j->opened[0].items[j->opened[0].len - 1];
	const struct open_plan *p = j->events[0].plan;
	void *map;

	if (!p->in_aux_group)
		return 0;
	map = j->everywhere->sys->map_aux(j->everywhere->sys, e->fd, AUX_BYTES, lane->aux_at);
	if (map == MAP_FAILED) {
		err_set(j->err, ERR_LIMIT, errno,
			"cannot map the AUX area of event '%.80s' on CPU %u", p->spec.name, lane->cpu);
		return err_hint(j->err, "end other tracers of this PMU; ulimit -l says how much "
				"memory may be locked");
	}
	e->aux = map;
	return 0;
}

static int
open_group(const struct job *j, const struct sampled_task *task, const struct lane *lane)
{
	size_t before = j->opened[0].len;

	if (open_one(j, 0, task, lane, NO_SITE) < 0)
		return -1;
	if (j->opened[0].len == before)
		return 0;
	return map_aux(j, lane) < 0 ? -1 : open_members(j, task, lane);
}

/* All places of the event that are of @process. */
static int
open_sites(const struct job *j, int process, const struct sampled_task *task,
	   const struct lane *lane)
{
	const struct event *spec = &j->events[0].plan->spec;

	if (spec->site_count == 0)
		return open_group(j, task, lane);
	for (size_t i = 0; i < spec->site_count; i++)
		if (event_site_is_of(&spec->sites[i], process) &&
		    (task == NULL || !event_is_second(spec, i) || !event_second_is_elsewhere(spec)) &&
		    open_one(j, 0, task, lane, i) < 0)
			return -1;
	return 0;
}

/* A CPU that has just gone is left out: the watch will tell of it. */
static int
open_system(struct job *j)
{
	const struct event *spec = &j->events[0].plan->spec;

	for (size_t i = 0; i < j->lane_count; i++) {
		if (open_sites(j, 0, NULL, &j->lanes[i]) < 0 && j->err->sys != ENODEV)
			return -1;
	}
	if (j->opened[0].len > 0 || j->lane_count == 0)
		return 0;
	if (j->err->code == ERR_NONE) {
		err_set(j->err, ERR_GONE, 0, "event '%.80s' is not counted on any of these CPUs",
			spec->name);
		return err_hint(j->err, "it is on CPU %u: choose with -C",
				spec->cpu_count > 0 ? spec->cpus[0] : 0);
	}
	return -1;
}

/* Whether the task can be passed over: it has ended, or it is one of many that are not ours. */
static bool
is_skipped(const struct job *j, int sys)
{
	if (sys == ESRCH || sys == ENODEV)
		return true;
	return j->everywhere->targets->all_of_user && (sys == EACCES || sys == EPERM);
}

/* 1: opened, 0: passed over, -1: see err. */
static int
open_task(struct job *j, const struct sampled_task *task)
{
	int process = 0;

	/* Of a thread that was named by itself only its own number is known. */
	if (event_is_of_processes(&j->events[0].plan->spec))
		process = task->follow == FOLLOW_NOTHING ? targets_process_of(task->tid)
							 : task->pid;
	for (size_t i = 0; i < j->lane_count; i++) {
		if (open_sites(j, process, task, &j->lanes[i]) < 0)
			return is_skipped(j, j->err->sys) ? 0 : -1;
	}
	return 1;
}

/* The number of tasks that were new, -1 on error. */
static int
open_new(struct job *j, const struct tasks *tasks)
{
	int fresh = 0, res;

	for (size_t i = 0; i < tasks->len; i++) {
		const struct sampled_task *task = &tasks->items[i];

		if (tasks_has(&j->done, task->tid))
			continue;
		if (j->everywhere->tasks_max > 0 && j->taken >= j->everywhere->tasks_max)
			break;
		fresh++;
		tasks_add(&j->done, *task);
		res = open_task(j, task);
		if (res < 0)
			return -1;
		j->taken += (size_t)res;
	}
	return fresh;
}

static int
open_targets(struct job *j)
{
	struct tasks tasks = { 0 };
	int fresh = 1;

	for (int round = 0; round < ROUNDS_MAX && fresh > 0; round++) {
		targets_refresh(j->everywhere->targets);
		targets_list(j->everywhere->targets, j->everywhere->target, &tasks);
		fresh = open_new(j, &tasks);
	}
	tasks_release(&tasks);
	if (fresh < 0)
		return -1;
	if (j->everywhere->targets->is_empty_on_purpose)
		return 0;
	if (j->opened[0].len == 0 && j->err->code == ERR_NONE)
		return err_set(j->err, ERR_GONE, 0, "the processes to be sampled have ended");
	return j->opened[0].len == 0 ? -1 : 0;
}

bool
open_everywhere_is_followed(const struct everywhere *s, const struct event *ev)
{
	return s->probes_by_task &&
	       (ev->place == EVENT_PLACE_UPROBE || ev->place == EVENT_PLACE_URETPROBE);
}

/*
 * Addresses of a process are opened for its tasks in any scope.  Probes are never inherited: a task
 * that forks while it has such a one has the kernel read the probe's path at ptop's address in that
 * task's memory, and its fork fails.  So they are for tasks where those that begin are followed.
 */
static bool
is_for_cpus(const struct everywhere *s, const struct event *spec)
{
	if (s->scope == SESSION_SYSTEM)
		return !event_is_of_processes(spec);
	return event_is_probe(spec) && !open_everywhere_is_followed(s, spec);
}

/*
 * Who wakes a task, or takes the interrupt of a disk, is another one, and what happens there is seen
 * on its CPU alone: events of the task itself have no samples of it (6.18).  Who may not see all does
 * without wakings; a pair is nothing without its end.
 */
static int
open_elsewhere(const struct job *j)
{
	struct event *spec = &j->events[0].plan->spec;
	const struct err before = *j->err;

	if (j->everywhere->target != 0 || !event_second_is_elsewhere(spec))
		return 0;
	for (size_t i = 0; i < j->lane_count && event_is_second(spec, 1); i++) {
		if (open_one(j, 0, NULL, &j->lanes[i], 1) == 0 || j->err->sys == ENODEV)
			continue;
		if (spec->pair != NULL)
			return -1;
		event_drop_waking(spec);
	}
	*j->err = before;
	return 0;
}

static int
run(struct job *j, const struct tasks *only)
{
	if (is_for_cpus(j->everywhere, &j->events[0].plan->spec))
		return only != NULL && j->everywhere->scope == SESSION_TASKS ? 0 : open_system(j);
	if (only != NULL)
		return open_new(j, only) < 0 ? -1 : 0;
	if (open_targets(j) < 0)
		return -1;
	return open_elsewhere(j);
}

int
open_everywhere_group(const struct everywhere *s, const struct open_everywhere_event *events,
		      size_t count, const struct lane *lanes, size_t lane_count,
		      const struct tasks *only, enum open_everywhere_ring ring, struct err *err)
{
	struct event_fds *opened = mem_calloc(count, sizeof(*opened));
	struct err why = { 0 };
	struct job j = { .everywhere = s, .events = events, .event_count = count, .opened = opened,
			 .lanes = lanes, .lane_count = lane_count, .ring = ring, .err = &why };
	int res = run(&j, only);

	tasks_release(&j.done);
	/* Members first: what is without its leader would be an event of its own. */
	for (size_t i = count; i-- > 0;) {
		if (res < 0)
			event_fds_close(&opened[i]);
		else
			event_fds_append(events[i].fds, &opened[i]);
	}
	free(opened);
	if (res < 0 && err != NULL)
		*err = why;
	return res;
}

int
open_everywhere(const struct everywhere *s, struct open_plan *plan, const struct lane *lanes,
		size_t lane_count, const struct tasks *only, enum open_everywhere_ring ring,
		struct event_fds *fds, struct err *err)
{
	const struct open_everywhere_event event = { plan, fds };

	return open_everywhere_group(s, &event, 1, lanes, lane_count, only, ring, err);
}

void
open_everywhere_enable(const struct everywhere *s, const struct event_fds *fds)
{
	for (size_t i = 0; i < fds->len; i++) {
		if (s->waiting_pid == 0 || fds->items[i].tid != s->waiting_pid)
			s->sys->enable(s->sys, fds->items[i].fd);
	}
}
