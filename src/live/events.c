/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/events.h"

#include <stdlib.h>
#include <unistd.h>

void
event_fds_add(struct event_fds *fds, struct event_fd fd)
{
	vec_reserve(&fds->items, &fds->cap, fds->len + 1, sizeof(*fds->items));
	fds->items[fds->len++] = fd;
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

void
event_fds_append(struct event_fds *to, struct event_fds *from)
{
	for (size_t i = 0; i < from->len; i++)
		event_fds_add(to, from->items[i]);
	event_fds_release(from);
}

void
event_fds_take_cpus(struct event_fds *fds, const unsigned *cpus, size_t count,
		    struct event_fds *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < fds->len; i++) {
		bool is_taken = false;

		for (size_t j = 0; j < count; j++)
			is_taken |= fds->items[i].cpu == cpus[j];
		if (is_taken)
			event_fds_add(out, fds->items[i]);
		else
			fds->items[kept++] = fds->items[i];
	}
	fds->len = kept;
}

void
event_fds_take_target(struct event_fds *fds, uint32_t target, struct event_fds *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < fds->len; i++) {
		if (fds->items[i].target == target)
			event_fds_add(out, fds->items[i]);
		else
			fds->items[kept++] = fds->items[i];
	}
	fds->len = kept;
}

uint64_t
event_fds_lost(const struct event_fds *fds, const struct sys *sys)
{
	enum { VALUE, ID, LOST, COUNT }; /* PERF_FORMAT_ID | PERF_FORMAT_LOST */
	uint64_t sum = 0;

	for (size_t i = 0; i < fds->len; i++) {
		uint64_t v[COUNT];

		if (sys->read(sys, fds->items[i].fd, v, COUNT) == (int)sizeof(v))
			sum += v[LOST];
	}
	return sum;
}

void
event_fds_close(struct event_fds *fds)
{
	for (size_t i = 0; i < fds->len; i++)
		close(fds->items[i].fd);
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
	free(ev);
}
