/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/filter.h"

#include "event/tracepoint.h"

#include <errno.h>

/* The kernel's errno is the same for every mistake: all is in the expression. */
static int
refuse(const struct open_plan *p, int sys, struct err *err)
{
	struct buf fields = { 0 };

	if (sys == EINVAL && p->spec.is_tracepoint) {
		err_set(err, ERR_USAGE, 0, "the kernel does not understand the filter '%.120s' of "
			"event '%.80s'", p->spec.filter, p->spec.name);
		if (tracepoint_fields(p->env, p->spec.name, &fields))
			err_hint(err, "its fields are %s", fields.data);
		if (err != NULL)
			err->sys = sys;
	} else {
		err_set(err, ERR_UNSUPPORTED, sys, "cannot filter event '%.80s'", p->spec.name);
		if (!p->spec.is_tracepoint)
			err_hint(err, "filters are for tracepoints");
	}
	buf_release(&fields);
	return -1;
}

int
filter_set(const struct sys *sys, int fd, const struct open_plan *p, struct err *err)
{
	if (p->spec.filter == NULL || sys->set_filter(sys, fd, p->spec.filter) == 0)
		return 0;
	return refuse(p, errno, err);
}
