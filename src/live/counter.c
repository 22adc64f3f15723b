/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens counters: every slot at every place, as groups, all of them or none of a slot.  Descriptors
 * are opened disabled.  Should a thread have begun meanwhile, whether it has inherited them is not
 * to be known, so all is opened anew, until nothing new has come; then they are enabled.
 */
#include "live/counter_impl.h"

#include "live/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 16 };

/* struct sys that opens into a group: what open_event() is given in place of the kernel. */
struct group_sys {
	struct sys sys; /* first: the function gets it */
	const struct sys *real;
	int leader_fd;
};

static int
open_in_group(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	const struct group_sys *g = (const struct group_sys *)(const void *)self;

	return g->real->open_in(g->real, attr, pid, cpu, g->leader_fd);
}

/* The formats that kernels take, tried on an event of ptop's own that counts nothing. */
static uint64_t
probe_format(const struct sys *sys)
{
	static const uint64_t extras[] = {
		PERF_FORMAT_GROUP | ABI_FORMAT_LOST, /* kernel 6.0 */
		PERF_FORMAT_GROUP,
		0, /* before 4.3, not of events that are inherited */
	};
	uint64_t base = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			PERF_FORMAT_TOTAL_TIME_RUNNING;

	for (size_t i = 0; i < ARRAY_SIZE(extras); i++) {
		struct event_attr attr = {
			.type = PERF_TYPE_SOFTWARE, .size = ABI_ATTR_SIZE_MIN,
			.config = PERF_COUNT_SW_DUMMY, .read_format = base | extras[i],
			.disabled = 1, .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1,
		};
		int fd = sys->open(sys, &attr, 0, -1);

		if (fd >= 0) {
			close(fd);
			return base | extras[i];
		}
		if (errno != EINVAL)
			break;
	}
	return base | PERF_FORMAT_GROUP;
}

static void
add_slot(struct counters *c, size_t event, const struct event *spec, unsigned group)
{
	const struct counter_target *t = &c->target;
	struct open_options options = {
		.inherit = t->pid != 0 && t->with_children,
		.inherit_thread = t->pid != 0 && !t->with_children,
		.enable_on_exec = t->waits_for_exec,
	};
	struct counter_slot *s;

	vec_reserve(&c->slots, &c->slot_cap, c->slot_count + 1, sizeof(*c->slots));
	s = &c->slots[c->slot_count++];
	*s = (struct counter_slot){ .event = event, .group = group,
				    .is_user_only = spec->exclude_kernel };
	open_plan_counting(&s->plan, c->env, spec, &options);
	s->plan.attr.read_format = c->format;
}

/* The same event on another core PMU of a hybrid machine. */
static void
set_pmu(struct event *ev, uint32_t type)
{
	if (ev->type == PERF_TYPE_HARDWARE || ev->type == PERF_TYPE_HW_CACHE)
		ev->config = (ev->config & UINT32_MAX) | (uint64_t)type << 32;
	else
		ev->type = type;
}

static void
add_slots(struct counters *c, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_slot(c, i, &events[i], events[i].group);
	for (size_t i = 0; i < count; i++) {
		for (size_t n = 0; n < events[i].more_count; n++) {
			struct event ev;

			event_copy(&ev, &events[i]);
			set_pmu(&ev, events[i].more_types[n]);
			/* Groups cannot span PMUs: they are made alone there. */
			add_slot(c, i, &ev, 0);
			event_release(&ev);
		}
	}
}

/* What happens in the kernel alone would read 0 where the kernel may not be counted. */
static bool
is_void_without_kernel(const struct counter_slot *s)
{
	const struct event_attr *attr = &s->plan.attr;

	return attr->type == PERF_TYPE_SOFTWARE && attr->exclude_kernel && !s->is_user_only &&
	       (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		attr->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static void
refuse(struct counters *c, size_t slot, const char *why)
{
	struct counter_slot *s = &c->slots[slot];
	struct counter_event *e = &c->events[s->event];

	s->is_refused = true;
	e->is_refused = true;
	if (e->why == NULL)
		e->why = mem_strdup(why);
}

static void
close_fd(struct counters *c, size_t place, size_t slot)
{
	struct counter_fd *f = counters_fd(c, place, slot);

	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	c->slots[slot].opened--;
}

static void
close_places(struct counters *c)
{
	for (size_t p = 0; p < c->place_count; p++) {
		/* Siblings first: without their leader they would become leaders for a moment. */
		for (size_t s = c->slot_count; s-- > 0;)
			close_fd(c, p, s);
	}
	free(c->fds);
	c->fds = NULL;
	c->place_count = 0;
}

/* -1: errno and @err.  The plan stays as it was but for what fallbacks changed. */
static int
open_fd(struct counters *c, const struct counter_place *at, struct counter_slot *s, int leader_fd,
	struct err *err)
{
	struct group_sys group = { .sys = *c->sys, .real = c->sys, .leader_fd = leader_fd };
	struct event_attr *attr = &s->plan.attr;
	struct event_attr before = *attr;
	int fd;

	group.sys.open = open_in_group;
	/* The leader is what is enabled; its siblings run when it does. */
	attr->disabled = leader_fd < 0;
	attr->enable_on_exec = before.enable_on_exec && leader_fd < 0;
	if (leader_fd >= 0)
		attr->pinned = attr->exclusive = 0;
	if (at->is_single)
		attr->inherit = attr->inherit_thread = 0;
	fd = open_event(leader_fd >= 0 ? &group.sys : c->sys, &s->plan, at->tid, at->cpu, err);
	attr->disabled = before.disabled;
	attr->enable_on_exec = before.enable_on_exec;
	attr->pinned = before.pinned;
	attr->exclusive = before.exclusive;
	if (at->is_single) {
		attr->inherit = before.inherit;
		attr->inherit_thread = before.inherit_thread;
	}
	return fd;
}

enum outcome { OPENED, PLACE_GONE, NOT_HERE, REFUSED };

static enum outcome
outcome_of(const struct counters *c, const struct counter_place *at, const struct counter_slot *s,
	   int sys)
{
	bool has_more = s->plan.spec.more_count > 0;

	if ((at->tid >= 0 && sys == ESRCH) || (at->cpu >= 0 && sys == ENODEV))
		return PLACE_GONE;
	/* A CPU of a hybrid machine belongs to one of its core PMUs. */
	if (has_more && at->tid < 0 && sys == ENOENT && c->target.pid == 0)
		return NOT_HERE;
	return REFUSED;
}

/* The descriptor that leads the group of @slot at this place, -1: it is to lead. */
static int
leader_of(const struct counters *c, size_t place, size_t slot)
{
	const struct counter_slot *s = &c->slots[slot];

	for (size_t i = 0; i < slot && s->group != 0 && !s->is_alone; i++) {
		const struct counter_fd *f = counters_fd(c, place, i);

		if (c->slots[i].group == s->group && f->fd >= 0 && f->leads &&
		    !c->slots[i].is_alone)
			return f->fd;
	}
	return -1;
}

/* An uncore PMU counts on some CPUs for all. */
static bool
is_wanted_here(const struct counter_slot *s, const struct counter_place *at)
{
	const struct event *spec = &s->plan.spec;

	if (spec->cpus == NULL || at->tid >= 0 || spec->more_count > 0)
		return true;
	for (size_t i = 0; i < spec->cpu_count; i++)
		if ((int)spec->cpus[i] == at->cpu)
			return true;
	return false;
}

static enum outcome
open_slot(struct counters *c, size_t place, size_t slot)
{
	const struct counter_place *at = &c->places[place];
	struct counter_slot *s = &c->slots[slot];
	struct counter_fd *f = counters_fd(c, place, slot);
	int leader_fd = leader_of(c, place, slot);
	struct err err = { 0 };
	enum outcome out;

	if (s->is_refused || !is_wanted_here(s, at))
		return NOT_HERE;
	f->fd = open_fd(c, at, s, leader_fd, &err);
	if (f->fd < 0 && leader_fd >= 0 &&
	    outcome_of(c, at, s, err.sys) == REFUSED && err.sys != EMFILE) {
		/* The PMU cannot count all of the group at once: they take turns. */
		s->is_alone = true;
		leader_fd = -1;
		f->fd = open_fd(c, at, s, leader_fd, &err);
	}
	if (f->fd < 0) {
		out = outcome_of(c, at, s, err.sys);
		if (out == REFUSED)
			refuse(c, slot, err.text);
		return out;
	}
	s->opened++;
	f->leads = leader_fd < 0;
	if (c->sys->id(c->sys, f->fd, &f->id) < 0) {
		refuse(c, slot, "the kernel does not tell the counter's id");
		return REFUSED;
	}
	if (is_void_without_kernel(s)) {
		err_set(&err, ERR_DENIED, 0, "it happens in the kernel, which may not be counted "
			"(perf_event_paranoid is %d)", limits_paranoid(c->env));
		refuse(c, slot, err.text);
		return REFUSED;
	}
	return OPENED;
}

/* false: a slot that is open at other places was refused, so that all has to begin anew. */
static bool
open_place(struct counters *c, size_t place)
{
	for (size_t s = 0; s < c->slot_count; s++) {
		enum outcome out = open_slot(c, place, s);

		if (out == PLACE_GONE)
			break;
		if (out != REFUSED)
			continue;
		close_fd(c, place, s);
		if (c->slots[s].opened > 0)
			return false;
	}
	return true;
}

static void
add_place(struct counters *c, struct counter_place place)
{
	vec_reserve(&c->places, &c->place_cap, c->place_count + 1, sizeof(*c->places));
	c->places[c->place_count++] = place;
}

/* Tasks count wherever they run, but for the CPUs asked for. */
static void
list_places(struct counters *c, const struct tasks *tasks)
{
	struct counter_place system = { .tid = -1 };
	bool is_system = c->target.pid == 0 && c->target.tid == 0;

	c->place_count = 0;
	for (size_t i = 0; is_system && i < c->cpus.len; i++) {
		system.cpu = (int)c->cpus.items[i];
		add_place(c, system);
	}
	for (size_t i = 0; i < tasks->len; i++) {
		struct counter_place p = { .tid = tasks->items[i].tid, .cpu = -1,
					   .is_single = tasks->items[i].is_single };

		for (size_t n = 0; n < c->cpus.len; n++) {
			p.cpu = (int)c->cpus.items[n];
			add_place(c, p);
		}
		if (c->cpus.len == 0)
			add_place(c, p);
	}
}

static void
list_tasks(struct counters *c, struct tasks *tasks)
{
	targets_refresh(&c->targets);
	targets_list(&c->targets, tasks);
}

static bool
has_new(const struct tasks *before, const struct tasks *now)
{
	for (size_t i = 0; i < now->len; i++)
		if (!tasks_has(before, now->items[i].tid))
			return true;
	return false;
}

enum round { ROUND_DONE, ROUND_REFUSED, ROUND_NEW_TASKS };

/* But for ROUND_DONE, what was opened is not what is to be counted. */
static enum round
open_round(struct counters *c, const struct tasks *tasks, struct tasks *after)
{
	list_places(c, tasks);
	c->fds = mem_calloc(c->place_count * c->slot_count + 1, sizeof(*c->fds));
	for (size_t i = 0; i < c->place_count * c->slot_count; i++)
		c->fds[i].fd = -1;
	for (size_t p = 0; p < c->place_count; p++)
		if (!open_place(c, p))
			return ROUND_REFUSED;
	list_tasks(c, after);
	return has_new(tasks, after) ? ROUND_NEW_TASKS : ROUND_DONE;
}

static void
note_all(struct counters *c, const char *text)
{
	for (size_t i = 0; i < c->event_count; i++) {
		struct buf b = { 0 };

		buf_addf(&b, "%s%s%s", c->events[i].note != NULL ? c->events[i].note : "",
			 c->events[i].note != NULL ? "; " : "", text);
		free(c->events[i].note);
		c->events[i].note = mem_strdup(b.data);
		buf_release(&b);
	}
}

/* A slot is refused once at most; tasks may begin for ever. */
static void
open_all(struct counters *c)
{
	struct tasks now = { 0 }, next = { 0 };
	int rounds = 0;
	enum round res;

	list_tasks(c, &now);
	while ((res = open_round(c, &now, &next)) != ROUND_DONE) {
		if (res == ROUND_NEW_TASKS && ++rounds == ROUNDS_MAX) {
			note_all(c, "threads began faster than counters could be opened: "
				 "some may be missing");
			break;
		}
		close_places(c);
		list_tasks(c, &now);
	}
	tasks_release(&now);
	tasks_release(&next);
}

static void
note_fallbacks(struct counters *c)
{
	for (size_t s = 0; s < c->slot_count; s++) {
		struct counter_event *e = &c->events[c->slots[s].event];
		char *notices[OPEN_NOTICES_MAX];
		size_t n = open_plan_notices(&c->slots[s].plan, notices);

		for (size_t i = 0; i < n; i++) {
			if (e->note == NULL)
				e->note = mem_strdup(notices[i]);
			free(notices[i]);
		}
	}
}

/* An event that is nowhere, though there are places for it, counts nothing. */
static void
refuse_absent(struct counters *c)
{
	for (size_t i = 0; i < c->event_count; i++) {
		size_t opened = 0;

		for (size_t s = 0; s < c->slot_count; s++)
			opened += c->slots[s].event == i ? c->slots[s].opened : 0;
		for (size_t s = 0; s < c->slot_count && opened == 0; s++)
			if (c->slots[s].event == i)
				refuse(c, s, "it counts on none of these CPUs or tasks");
	}
}

static bool
is_any_open(const struct counters *c)
{
	for (size_t s = 0; s < c->slot_count; s++)
		if (c->slots[s].opened > 0 || c->slots[s].is_refused)
			return true;
	return false;
}

static void
enable_all(struct counters *c)
{
	for (size_t i = 0; i < c->place_count * c->slot_count; i++)
		if (c->fds[i].fd >= 0 && c->fds[i].leads)
			c->sys->enable(c->sys, c->fds[i].fd);
}

static int
choose_cpus(struct counters *c, struct err *err)
{
	const struct counter_target *t = &c->target;
	struct cpus online = { 0 };
	int res = 0;

	if (t->cpus == NULL && (t->pid != 0 || t->tid != 0))
		return 0;
	if (cpus_read_online(c->env, &online, err) < 0 ||
	    cpus_choose(&online, t->cpus, t->cpu_count, &c->cpus, err) < 0)
		res = -1;
	cpus_release(&online);
	return res;
}

static int
find_target(struct counters *c, struct err *err)
{
	const struct counter_target *t = &c->target;

	c->targets.with_children = t->with_children;
	if (t->pid != 0)
		return targets_add_process(&c->targets, t->pid, err);
	if (t->tid != 0)
		return targets_add_thread(&c->targets, t->tid, err);
	return 0;
}

struct counters *
counters_open(const struct sys *sys, const struct event_env *env,
	      const struct counter_target *target, const struct event *events, size_t count,
	      struct err *err)
{
	struct counters *c = mem_calloc(1, sizeof(*c));

	c->sys = sys != NULL ? sys : &sys_kernel;
	c->env = env;
	c->target = *target;
	c->events = mem_calloc(count + 1, sizeof(*c->events));
	c->event_count = count;
	if (choose_cpus(c, err) < 0 || find_target(c, err) < 0)
		goto fail;
	c->format = probe_format(c->sys);
	add_slots(c, events, count);
	open_all(c);
	if (count > 0 && !is_any_open(c)) {
		err_set(err, ERR_GONE, 0, "what was to be counted has ended");
		goto fail;
	}
	refuse_absent(c);
	note_fallbacks(c);
	if (!target->waits_for_exec)
		enable_all(c);
	c->target.cpus = NULL; /* the caller's */
	return c;
fail:
	counters_close(c);
	return NULL;
}

void
counters_close(struct counters *c)
{
	if (c == NULL)
		return;
	close_places(c);
	for (size_t i = 0; i < c->slot_count; i++)
		open_plan_release(&c->slots[i].plan);
	for (size_t i = 0; i < c->event_count; i++) {
		free(c->events[i].why);
		free(c->events[i].note);
	}
	free(c->slots);
	free(c->events);
	free(c->places);
	cpus_release(&c->cpus);
	targets_release(&c->targets);
	free(c);
}

const char *
counter_why(const struct counters *c, size_t i)
{
	return c->events[i].why != NULL ? c->events[i].why : "";
}

const char *
counter_note(const struct counters *c, size_t i)
{
	return c->events[i].note != NULL ? c->events[i].note : "";
}
