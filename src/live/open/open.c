/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/open.h"

#include "live/open/open_impl.h"
#include "live/open/open_error.h"

#include <errno.h>
#include <unistd.h>

enum { INTERRUPTIONS_MAX = 100 }; /* EINTR is also said of probes that ftrace holds */

/* The filter is the last thing that can go wrong. */
static int
finish(const struct sys *sys, const struct open_plan *p, int fd, struct err *err)
{
	if (filter_set(sys, fd, p, err) == 0)
		return fd;
	close(fd);
	return -1;
}

int
open_attempt(const struct sys *sys, const struct open_plan *p, struct event_attr *attr, int pid,
	     int cpu)
{
	if (p->leader == NULL && p->cgroup_fd > 0 && pid < 0)
		return sys->open_cgroup(sys, attr, p->cgroup_fd, cpu);
	if (p->leader == NULL)
		return sys->open(sys, attr, pid, cpu);
	return sys->open_in(sys, attr, pid, cpu, p->leader->fd);
}

/*
 * The reason is that of the last attempt, with all that fallbacks left out before it; the plan is
 * @before again, and its name is the event's.
 */
static void
refuse(const struct sys *sys, struct open_plan *p, struct open_plan *before, int pid, int cpu, int why,
       struct err *err)
{
	char *name = p->spec.name;

	p->spec.name = before->spec.name;
	open_error_set(err, sys, p, pid, cpu, why);
	p->spec.name = name;
	open_plan_release(p);
	*p = *before;
}

int
open_event(const struct sys *sys, struct open_plan *p, int pid, int cpu, struct err *err)
{
	struct open_plan before = *p;
	unsigned interruptions = 0;

	event_copy(&before.spec, &p->spec);
	for (;;) {
		struct event_attr attr = p->attr;
		int fd = open_attempt(sys, p, &attr, pid, cpu);
		struct refusal r = { .sys = errno, .size = attr.size };

		if (fd >= 0) {
			open_plan_release(&before);
			return finish(sys, p, fd, err);
		}
		if (r.sys == EINTR && ++interruptions < INTERRUPTIONS_MAX)
			continue;
		if (fall_back(sys, p, &r))
			continue;
		refuse(sys, p, &before, pid, cpu, r.sys, err);
		errno = r.sys;
		return -1;
	}
}
