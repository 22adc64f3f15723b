/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/open/open_impl.h"

#include "event/tracepoint.h"

#include <errno.h>

/* Errnos for a mistake in the expression; where it is, the event's file "filter" says. */
static bool
is_mistake(int sys)
{
	return sys == EINVAL || sys == EPERM || sys == ENOENT;
}

static int
refuse(const struct open_plan *p, int sys, struct err *err)
{
	struct buf fields = { 0 }, fault = { 0 };

	if (is_mistake(sys) && p->spec.is_tracepoint) {
		bool is_known = tracepoint_filter_fault(p->env, p->spec.name, p->spec.filter,
							&fault);

		err_set(err, ERR_USAGE, 0, "the kernel does not understand the filter '%.120s' of "
			"event '%.80s'%s%.80s", p->spec.filter, p->spec.name, is_known ? ": " : "",
			buf_str(&fault));
		if (tracepoint_fields(p->env, p->spec.name, &fields))
			err_hint(err, "its fields are %s", fields.data);
		if (err != NULL)
			err->sys = sys;
	} else {
		err_set(err, ERR_UNSUPPORTED, sys, "cannot filter event '%.80s'", p->spec.name);
		if (!event_takes_filter(&p->spec))
			err_hint(err, "filters are for tracepoints");
	}
	buf_release(&fields);
	buf_release(&fault);
	return -1;
}

int
filter_set(const struct sys *sys, int fd, const struct open_plan *p, struct err *err)
{
	if (p->spec.filter == NULL || sys->set_filter(sys, fd, p->spec.filter) == 0)
		return 0;
	return refuse(p, errno, err);
}
