/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_guard.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { INSTRUCTION_BYTES = 16 };

static bool
is_stepped(const struct event_site *site)
{
	int fd = open(site->target, O_RDONLY | O_CLOEXEC);
	uint8_t bytes[INSTRUCTION_BYTES];
	ssize_t n = -1;

	if (fd >= 0) {
		n = pread(fd, bytes, sizeof(bytes), (off_t)site->at);
		close(fd);
	}
	return call_point_is_stepped(bytes, n > 0 ? (size_t)n : 0);
}

struct call_function *
call_guard_open(const struct sys *sys, const struct event_env *env, const struct call_cost *cost,
		const struct call_target *target, struct err *err)
{
	const struct event *ev = target->event;
	struct call_point *points = mem_calloc(ev->site_count + 1, sizeof(*points));
	struct call_target t = *target;
	struct call_function *f;

	for (size_t i = 0; i < ev->site_count; i++)
		points[i] = (struct call_point){
			.kind = CALL_BEGIN, .offset = ev->sites[i].at, .site = (unsigned)i,
			.is_stepped = is_stepped(&ev->sites[i]),
		};
	t.points = points;
	t.count = t.begins = ev->site_count;
	f = call_function_open(sys, env, cost, &t, err);
	free(points);
	return f;
}
