/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EVENT_TERM_H
#define PTOP_EVENT_TERM_H
/* The terms between an event's slashes: "/period=1000,call-graph=fp/". */
#include "event/pmu.h"

/*
 * Parses the terms into @ev.  @at is the first slash; *@rest becomes what is behind the second.
 * @pmu: whose fields and events are terms too, NULL: none.  0, or -1: see the spec's err.
 */
int terms_parse(const struct spec *s, const char *at, const struct pmu *pmu, struct event *ev,
		const char **rest);

/* The same of a PMU's own event, whose @text is sysfs's; @at is where it is named. */
int terms_parse_alias(const struct spec *s, const char *at, const char *text,
		      const struct pmu *pmu, struct event *ev);

#endif
