/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/events.h"

#include "record/record.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CPUS_MAX = 8192,            /* what kernels are built for at most */
	READ_WORDS_MAX = 16384 / 8, /* the kernel takes no group whose values are longer */
};

void
event_fds_add(struct event_fds *fds, struct event_fd fd)
{
	VEC_ADD(fds->items, fds->len, fds->cap) = fd;
}

void
event_fds_enable(const struct event_fds *fds, const struct sys *sys)
{
	for (size_t i = 0; i < fds->len; i++)
		sys->enable(sys, fds->items[i].fd);
}

void
event_fds_disable(const struct event_fds *fds, const struct sys *sys)
{
	for (size_t i = 0; i < fds->len; i++)
		sys->disable(sys, fds->items[i].fd);
}

/* The thread stays where it is if the CPU is gone, or not for this process. */
static void
move_to(unsigned cpu)
{
	const size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *only = CPU_ALLOC(cpu + 1);

	if (only == NULL)
		return;
	CPU_ZERO_S(size, only);
	CPU_SET_S(cpu, size, only);
	sched_setaffinity(0, size, only);
	CPU_FREE(only);
}

/* Those of one CPU, and the next higher one that has any; UINT_MAX: none has. */
static unsigned
disable_there(const struct event_fds *fds, const struct sys *sys, unsigned cpu)
{
	unsigned next = UINT_MAX;
	bool is_there = false;

	for (size_t i = 0; i < fds->len; i++) {
		if (fds->items[i].cpu > cpu)
			next = MIN(next, fds->items[i].cpu);
		if (fds->items[i].cpu != cpu)
			continue;
		if (!is_there)
			move_to(cpu);
		is_there = true;
		sys->disable(sys, fds->items[i].fd);
	}
	return next;
}

void
event_fds_disable_there(const struct event_fds *fds, const struct sys *sys)
{
	const size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
	cpu_set_t *before = CPU_ALLOC(CPUS_MAX);

	if (before != NULL && sched_getaffinity(0, size, before) == 0) {
		for (unsigned cpu = 0; cpu != UINT_MAX;)
			cpu = disable_there(fds, sys, cpu);
		sched_setaffinity(0, size, before);
	} else {
		event_fds_disable(fds, sys);
	}
	CPU_FREE(before);
}

void
event_fds_append(struct event_fds *to, struct event_fds *from)
{
	for (size_t i = 0; i < from->len; i++)
		event_fds_add(to, from->items[i]);
	event_fds_release(from);
}

void
event_fds_take(struct event_fds *fds, const unsigned *cpus, size_t count, uint32_t target,
	       struct event_fds *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < fds->len; i++) {
		bool is_taken = target != 0 && fds->items[i].target == target;

		for (size_t j = 0; j < count; j++)
			is_taken |= fds->items[i].cpu == cpus[j];
		if (is_taken)
			event_fds_add(out, fds->items[i]);
		else
			fds->items[kept++] = fds->items[i];
	}
	fds->len = kept;
}

/* What a reading of it tells of its own: it may be of a whole group. */
static void
tally_one(const struct event_fd *fd, const struct sys *sys, uint64_t read_format,
	  struct tallies *sum)
{
	uint64_t words[READ_WORDS_MAX];
	int len = sys->read(sys, fd->fd, words, READ_WORDS_MAX);
	struct record_values v;

	if (len <= 0)
		return;
	v = record_read_begin(read_format, (struct bytes){ (const uint8_t *)words, (size_t)len });
	while (record_read_next(&v)) {
		if (v.id != fd->id && (read_format & PERF_FORMAT_GROUP))
			continue;
		tallies_add(sum, &(struct tally){ fd->cpu, v.value, v.lost });
		return;
	}
}

void
event_fds_tally(const struct event_fds *fds, const struct sys *sys, uint64_t read_format,
		struct tallies *sum)
{
	for (size_t i = 0; i < fds->len; i++)
		if (!fds->items[i].is_past)
			tally_one(&fds->items[i], sys, read_format, sum);
}

void
event_fds_close(struct event_fds *fds)
{
	for (size_t i = 0; i < fds->len; i++) {
		if (fds->items[i].aux != NULL)
			munmap(fds->items[i].aux, AUX_BYTES);
		close(fds->items[i].fd);
	}
	event_fds_release(fds);
}

void
event_fds_release(struct event_fds *fds)
{
	free(fds->items);
	*fds = (struct event_fds){ 0 };
}

struct session_event *
session_event_get(struct session_event *ev)
{
	__atomic_add_fetch(&ev->refs, 1, __ATOMIC_RELAXED);
	return ev;
}

void
session_event_put(struct session_event *ev)
{
	if (ev == NULL || __atomic_sub_fetch(&ev->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	event_fds_close(&ev->fds);
	tallies_release(&ev->gone);
	free(ev);
}
