/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of CPUs that go off line and come on line.  What a CPU had counted is kept when it goes;
 * the descriptors that are opened when it is back begin anew.
 */
#include "live/count/counter_impl.h"

static bool
is_open(const struct counters *c, size_t place)
{
	for (size_t s = 0; s < c->slot_count; s++)
		if (counters_fd(c, place, s)->fd >= 0)
			return true;
	return false;
}

static void
open_place(struct counters *c, size_t place)
{
	/* What is refused here is passed over the next time. */
	while (!counters_open_place(c, place))
		counters_close_place(c, place);
	for (size_t s = 0; s < c->slot_count; s++) {
		const struct counter_fd *f = counters_fd(c, place, s);

		if (f->fd >= 0 && f->leads)
			c->sys->enable(c->sys, f->fd);
	}
}

static bool
has_place(const struct counters *c, unsigned cpu)
{
	for (size_t p = 0; p < c->place_count; p++)
		if (c->places[p].cpu == (int)cpu)
			return true;
	return false;
}

static void
add_place(struct counters *c, unsigned cpu)
{
	size_t before = c->place_count * c->slot_count;

	VEC_ADD(c->places, c->place_count, c->place_cap) =
		(struct counter_place){ .tid = -1, .cpu = (int)cpu };
	c->fds = mem_realloc(c->fds, before + c->slot_count + 1, sizeof(*c->fds));
	for (size_t s = 0; s < c->slot_count; s++)
		c->fds[before + s] = (struct counter_fd){ .fd = -1 };
}

static void
follow(struct counters *c, const struct cpu_changes *changes, const struct cpus *online)
{
	/* Of the CPUs of a target each has a place: it was on line. */
	for (size_t i = 0; i < online->len && c->target.cpu_count == 0; i++)
		if (!has_place(c, online->items[i]))
			add_place(c, online->items[i]);
	for (size_t p = 0; p < c->place_count; p++) {
		unsigned cpu = (unsigned)c->places[p].cpu;
		bool is_there = cpus_has(online, cpu);

		if (is_open(c, p) && (!is_there || cpu_changes_were_off(changes, cpu))) {
			counters_read_place(c, p, c->ended);
			counters_close_place(c, p);
		}
		if (!is_open(c, p) && is_there)
			open_place(c, p);
	}
}

void
counters_follow_cpus(struct counters *c)
{
	struct cpu_changes changes;
	struct cpus online = { 0 };

	if (!counters_are_of_machine(c))
		return;
	cpu_watch_look(&c->watch, &changes);
	if (changes.any && cpus_read_online(c->env, &online, NULL) == 0)
		follow(c, &changes, &online);
	cpus_release(&online);
	cpu_changes_release(&changes);
}
