/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens counters: every slot at every place, as groups, all of them or none of a slot.  Descriptors
 * are opened disabled.  Should a thread have begun meanwhile, whether it has inherited them is not
 * to be known, so all is opened anew, until nothing new has come; then they are enabled.
 */
#include "live/count/counter_impl.h"

#include "event/site.h"
#include "live/sys/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS_MAX = 16 };

/* The formats that kernels take, tried on an event of ptop's own that counts nothing. */
static uint64_t
probe_format(const struct sys *sys)
{
	static const uint64_t extras[] = {
		PERF_FORMAT_GROUP | ABI_FORMAT_LOST, /* kernel 6.0 */
		PERF_FORMAT_GROUP,
		0, /* before 4.13, not of events that are inherited */
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
close_places(struct counters *c)
{
	for (size_t p = 0; p < c->place_count; p++)
		counters_close_place(c, p);
	free(c->fds);
	c->fds = NULL;
	c->place_count = 0;
}

static void
add_place(struct counters *c, struct counter_place place)
{
	VEC_ADD(c->places, c->place_count, c->place_cap) = place;
}

/* Tasks count wherever they run, but for the CPUs asked for. */
static void
list_places(struct counters *c, const struct tasks *tasks)
{
	struct counter_place system = { .tid = -1 };
	bool is_system = counters_are_of_machine(c);

	c->place_count = 0;
	for (size_t i = 0; is_system && i < c->cpus.len; i++) {
		system.cpu = (int)c->cpus.items[i];
		add_place(c, system);
	}
	for (size_t i = 0; i < tasks->len; i++) {
		struct counter_place p = { .tid = tasks->items[i].tid, .cpu = -1,
					   .owner = c->owners[tasks->items[i].target - 1],
					   .follow = tasks->items[i].follow };

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
	targets_list(&c->targets, 0, tasks);
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
		if (!counters_open_place(c, p))
			return ROUND_REFUSED;
	list_tasks(c, after);
	return has_new(tasks, after) ? ROUND_NEW_TASKS : ROUND_DONE;
}

/* In front of what is noted. */
static void
add_note(struct counter_event *e, const char *text)
{
	struct buf b = { 0 };

	buf_addf(&b, "%s%s%s", text, e->note != NULL ? "; " : "", e->note != NULL ? e->note : "");
	free(e->note);
	e->note = b.data;
}

static void
note_all(struct counters *c, const char *text)
{
	for (size_t i = 0; i < c->event_count; i++)
		add_note(&c->events[i], text);
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

/* The first sentence on what a slot leaves out, to be freed; NULL: nothing. */
static char *
note_of(const struct counters *c, const struct counter_slot *s)
{
	const struct event_attr *attr = &s->plan.attr;
	char *notices[OPEN_NOTICES_MAX], *note = NULL;
	struct buf b = { 0 };
	size_t n;

	/* Clocks run in the kernel as well, whatever is excluded. */
	if (counter_lost_kernel(s) && attr->type == PERF_TYPE_SOFTWARE &&
	    (attr->config == PERF_COUNT_SW_TASK_CLOCK || attr->config == PERF_COUNT_SW_CPU_CLOCK))
		return NULL;
	if (counter_lost_kernel(s)) {
		buf_addf(&b, "without the kernel's part: perf_event_paranoid is %d",
			 limits_paranoid(c->env));
		note = mem_strdup(b.data);
		buf_release(&b);
		return note;
	}
	if (event_is_probe(&s->plan.spec) && c->target.pid != 0)
		return mem_strdup("threads and children that begin later are not counted");
	n = open_plan_notices(&s->plan, notices);
	if (n > 0)
		note = notices[0];
	for (size_t i = 1; i < n; i++)
		free(notices[i]);
	return note;
}

static void
note_fallbacks(struct counters *c)
{
	for (size_t i = 0; i < c->slot_count; i++) {
		struct counter_event *e = &c->events[c->slots[i].event];

		if (e->note == NULL)
			e->note = note_of(c, &c->slots[i]);
	}
}

static bool
has_place_in(const struct counters *c, size_t event, int owner)
{
	for (size_t i = 0; i < c->slot_count; i++) {
		const struct counter_slot *s = &c->slots[i];

		if (s->event == event &&
		    (s->site == SIZE_MAX || event_site_is_of(&s->plan.spec.sites[s->site], owner)))
			return true;
	}
	return false;
}

/* The sum lacks those that do not have its place, or do not let it be found. */
static void
note_places(struct counters *c)
{
	for (size_t i = 0; i < c->event_count; i++) {
		const size_t all = c->targets.last_target;
		struct buf b = { 0 };
		size_t found = 0;

		for (size_t t = 0; t < all; t++)
			found += has_place_in(c, i, c->owners[t]);
		if (found < all) {
			buf_addf(&b, "found in %zu of %zu processes", found, all);
			add_note(&c->events[i], b.data);
		}
		buf_release(&b);
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
				counters_refuse(c, s, "it counts on none of these CPUs or tasks");
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
find_task(struct counters *c, const struct counter_task *task, struct err *err)
{
	enum follow follow = task->with_children ? FOLLOW_CHILDREN : FOLLOW_THREADS;
	int res = task->pid != 0 ? targets_add_process(&c->targets, task->pid, follow, err)
				 : targets_add_thread(&c->targets, task->tid, err);

	if (res == 0)
		c->owners[c->targets.last_target - 1] = task->pid + task->tid;
	return res;
}

/* Of several some may have ended. */
static int
find_target(struct counters *c, struct err *err)
{
	const struct counter_target *t = &c->target;
	const struct counter_task first = { t->pid, t->tid, t->with_children };
	struct err why = { 0 };

	if (counters_are_of_machine(c))
		return 0;
	c->owners = mem_calloc(t->beside_count + 1, sizeof(*c->owners));
	find_task(c, &first, &why);
	for (size_t i = 0; i < t->beside_count; i++)
		find_task(c, &t->besides[i], &why);
	if (c->targets.last_target > 0)
		return 0;
	*err = why;
	return -1;
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
	if (counters_are_of_machine(c))
		cpu_watch_open(&c->watch, env);
	if (choose_cpus(c, err) < 0 || find_target(c, err) < 0)
		goto fail;
	c->format = probe_format(c->sys);
	counters_add_slots(c, events, count);
	c->ended = mem_calloc(c->slot_count + 1, sizeof(*c->ended));
	open_all(c);
	if (count > 0 && !is_any_open(c)) {
		err_set(err, ERR_GONE, 0, "what was to be counted has ended");
		goto fail;
	}
	refuse_absent(c);
	note_fallbacks(c);
	note_places(c);
	if (!target->waits_for_exec)
		enable_all(c);
	c->target.cpus = NULL; /* the caller's */
	c->target.besides = NULL;
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
		free(c->events[i].remedy);
		free(c->events[i].note);
	}
	free(c->slots);
	free(c->events);
	free(c->places);
	free(c->owners);
	free(c->ended);
	if (counters_are_of_machine(c))
		cpu_watch_close(&c->watch);
	cpus_release(&c->cpus);
	targets_release(&c->targets);
	free(c);
}

uint64_t
counters_read(struct counters *c, struct counter_value *values)
{
	counters_follow_cpus(c);
	return counters_sum(c, values);
}

const char *
counter_why(const struct counters *c, size_t i)
{
	return c->events[i].why != NULL ? c->events[i].why : "";
}

const char *
counter_remedy(const struct counters *c, size_t i)
{
	return c->events[i].remedy != NULL ? c->events[i].remedy : "";
}

const char *
counter_note(const struct counters *c, size_t i)
{
	return c->events[i].note != NULL ? c->events[i].note : "";
}
