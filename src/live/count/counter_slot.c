/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is opened at a place: a descriptor for each slot, in groups. */
#include "live/count/counter_impl.h"

#include "live/sys/close_together.h"
#include "live/sys/limits.h"
#include "live/open/breakpoint.h"
#include "live/open/open_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static bool
has_children(const struct counter_target *t)
{
	bool has = t->with_children;

	for (size_t i = 0; i < t->beside_count; i++)
		has |= t->besides[i].with_children;
	return has;
}

static struct counter_slot *
add_slot(struct counters *c, size_t event, const struct event *spec, unsigned group)
{
	const struct counter_target *t = &c->target;
	struct open_options options = {
		.inherit = t->pid != 0 && has_children(t),
		.inherit_thread = t->pid != 0 && !has_children(t),
		.enable_on_exec = t->waits_for_exec,
	};
	struct counter_slot *s;

	s = &VEC_ADD(c->slots, c->slot_count, c->slot_cap);
	*s = (struct counter_slot){ .event = event, .group = group, .site = SIZE_MAX,
				    .is_user_only = spec->exclude_kernel };
	open_plan_counting(&s->plan, c->env, spec, &options);
	s->plan.attr.read_format = c->format;
	return s;
}

/* Probes are never inherited: the kernel would fail the task's fork(2), see open_everywhere.c. */
static void
add_sites(struct counters *c, size_t event, const struct event *spec)
{
	for (size_t i = 0; i < spec->site_count; i++) {
		struct counter_slot *s = add_slot(c, event, spec, 0);

		s->site = i;
		if (event_is_probe(spec))
			s->plan.attr.inherit = s->plan.attr.inherit_thread = 0;
	}
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

/* Of what would be 0 for ever: the slots from @first on. */
static void
refuse_silent(struct counters *c, const struct event *spec, size_t first)
{
	if (spec->type != PERF_TYPE_BREAKPOINT || first == c->slot_count || breakpoints_fire(c->sys))
		return;
	for (size_t s = first; s < c->slot_count; s++)
		counters_refuse(c, s, "breakpoints never fire on this machine");
}

void
counters_add_slots(struct counters *c, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const size_t first = c->slot_count;

		if (events[i].site_count > 0 && events[i].looks == EVENT_LOOKS_NONE &&
		    events[i].pair == NULL)
			add_sites(c, i, &events[i]);
		else
			add_slot(c, i, &events[i], events[i].group);
		if (events[i].looks == EVENT_LOOKS_EXACT)
			counters_refuse(c, c->slot_count - 1, "waits are sampled, not counted");
		if (events[i].pair != NULL)
			counters_refuse(c, c->slot_count - 1, "times are sampled, not counted");
		if (events[i].site_count == 0 && events[i].place != EVENT_PLACE_NONE)
			counters_refuse(c, c->slot_count - 1, "its place is not found");
		else
			refuse_silent(c, &events[i], first);
	}
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

void
counters_refuse(struct counters *c, size_t slot, const char *why)
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

void
counters_close_place(struct counters *c, size_t place)
{
	/* Siblings first: without their leader they would become leaders for a moment. */
	for (size_t s = c->slot_count; s-- > 0;)
		close_fd(c, place, s);
}

/* Side by side, since of probes each close waits; one that leads no group. */
void
counters_stop(struct counters *c, size_t i, const char *why)
{
	int *fds = mem_calloc(c->place_count * c->slot_count + 1, sizeof(*fds));
	size_t count = 0;

	for (size_t s = 0; s < c->slot_count; s++) {
		if (c->slots[s].event != i)
			continue;
		counters_refuse(c, s, why);
		c->slots[s].opened = 0;
		for (size_t p = 0; p < c->place_count; p++) {
			struct counter_fd *f = counters_fd(c, p, s);

			fds[count++] = f->fd;
			f->fd = -1;
		}
	}
	close_together(fds, count);
	free(fds);
}

/* false: it is as it was. */
static bool
set_follow(struct event_attr *attr, enum follow follow)
{
	const struct event_attr before = *attr;

	attr->inherit &= follow != FOLLOW_NOTHING;
	attr->inherit_thread |= follow == FOLLOW_THREADS;
	attr->inherit_thread &= attr->inherit;
	return attr->inherit != before.inherit || attr->inherit_thread != before.inherit_thread;
}

/* -1: errno and @err.  The plan stays as it was but for what fallbacks changed. */
static int
open_fd(struct counters *c, const struct counter_place *at, struct counter_slot *s, int leader_fd,
	struct err *err)
{
	const struct open_leader leader = { .fd = leader_fd, .name = "the first" };
	struct event_attr *attr = &s->plan.attr;
	struct event_attr before = *attr;
	bool follows_otherwise;
	int fd;

	/* The leader is what is enabled; its siblings run when it does. */
	attr->disabled = leader_fd < 0;
	attr->enable_on_exec = before.enable_on_exec && leader_fd < 0;
	if (leader_fd >= 0)
		attr->pinned = attr->exclusive = 0;
	follows_otherwise = set_follow(attr, at->follow);
	if (s->site != SIZE_MAX)
		site_put(attr, &s->plan.spec, &s->plan.spec.sites[s->site]);
	s->plan.leader = leader_fd >= 0 ? &leader : NULL;
	fd = open_event(c->sys, &s->plan, at->tid, at->cpu, err);
	s->plan.leader = NULL;
	site_clear(attr, &s->plan.spec);
	attr->disabled = before.disabled;
	attr->enable_on_exec = before.enable_on_exec;
	attr->pinned = before.pinned;
	attr->exclusive = before.exclusive;
	if (follows_otherwise) {
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

/* Each process has addresses of its own; an uncore PMU counts on some CPUs for all. */
static bool
is_wanted_here(const struct counter_slot *s, const struct counter_place *at)
{
	const struct event *spec = &s->plan.spec;

	if (s->site != SIZE_MAX && !event_site_is_of(&spec->sites[s->site], at->owner))
		return false;
	if (spec->cpus == NULL || at->tid >= 0 || spec->more_count > 0)
		return true;
	for (size_t i = 0; i < spec->cpu_count; i++)
		if ((int)spec->cpus[i] == at->cpu)
			return true;
	return false;
}

static void
refuse_opening(struct counters *c, size_t slot, const struct err *err)
{
	struct counter_event *e = &c->events[c->slots[slot].event];

	if (e->why == NULL && err->code == ERR_DENIED)
		e->remedy = mem_strdup(err->hint);
	counters_refuse(c, slot, err->text);
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
			refuse_opening(c, slot, &err);
		return out;
	}
	s->opened++;
	f->leads = leader_fd < 0;
	if (c->sys->id(c->sys, f->fd, &f->id) < 0) {
		counters_refuse(c, slot, "the kernel does not tell the counter's id");
		return REFUSED;
	}
	return OPENED;
}

bool
counters_open_place(struct counters *c, size_t place)
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
