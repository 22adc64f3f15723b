/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open.h"

#include "live/fallback.h"
#include "live/open_error.h"

#include <errno.h>
#include <unistd.h>

enum { INTERRUPTIONS_MAX = 100 }; /* EINTR is also said of probes that ftrace holds */

/* Where the attributes lead into memory: the plan owns what they lead to, so it is set late. */
static void
point_at_place(struct event_attr *attr, const struct event *spec)
{
	const char *name = NULL;

	if (spec->place == EVENT_PLACE_UPROBE || spec->place == EVENT_PLACE_URETPROBE)
		name = spec->path;
	else if (spec->place == EVENT_PLACE_KPROBE || spec->place == EVENT_PLACE_KRETPROBE)
		name = spec->symbol;
	if (name == NULL)
		return;
	attr->config1 = (uint64_t)(uintptr_t)name;
	attr->config2 = spec->symbol_offset;
}

/* The kernel's errno is in @errno. */
static int
set_filter(const struct sys *sys, const struct open_plan *p, int fd)
{
	int res, why;

	if (p->spec.filter == NULL)
		return 0;
	res = sys->set_filter(sys, fd, p->spec.filter);
	why = errno;
	if (res < 0)
		close(fd);
	errno = why;
	return res;
}

int
open_event(const struct sys *sys, struct open_plan *p, int pid, int cpu, struct err *err)
{
	struct open_plan before = *p;
	unsigned interruptions = 0;

	event_copy(&before.spec, &p->spec);
	for (;;) {
		struct event_attr attr = p->attr;
		struct refusal r;
		int fd;

		point_at_place(&attr, &p->spec);
		fd = sys->open(sys, &attr, pid, cpu);
		r = (struct refusal){ .sys = errno, .size = attr.size };
		if (fd >= 0) {
			open_plan_release(&before);
			if (set_filter(sys, p, fd) < 0)
				return open_error_filter(err, p, errno);
			return fd;
		}
		if (r.sys == EINTR && ++interruptions < INTERRUPTIONS_MAX)
			continue;
		if (fall_back(sys, p, &r))
			continue;
		open_plan_release(p);
		*p = before;
		errno = r.sys;
		return open_error_set(err, sys, p, pid, cpu, r.sys);
	}
}
