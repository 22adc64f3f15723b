/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_OPEN_IMPL_H
#define PTOP_LIVE_OPEN_OPEN_IMPL_H
/*
 * What an open is made of beside its attributes: the address, the filter, and what is asked when
 * the kernel has refused.
 */
#include "event/site.h"
#include "live/open/open.h"
#include "record/abi.h"

/*
 * One address of an event: how the kernel is asked for it, and what its refusal means.  Points
 * @attr at @site, whose strings must live until it was opened.
 */
void site_put(struct event_attr *attr, const struct event *ev, const struct event_site *site);

/* Takes back what is an address of this process: attributes are written to files. */
void site_clear(struct event_attr *attr, const struct event *ev);

/*
 * Rewords what perf_event_open() refused with @err->sys by what it means for a place; leaves @err
 * as it is if that adds nothing.  Always -1.
 */
int site_explain(struct err *err, const struct event *ev, const struct event_site *site);

/*
 * Filters of tracepoints, kept by the kernel with each descriptor.  Gives @fd the filter of the
 * plan's event, if it has one.  -1: the kernel does not take it.
 */
int filter_set(const struct sys *sys, int fd, const struct open_plan *p, struct err *err);

/* One attempt that failed. */
struct refusal {
	int sys;
	uint32_t size; /* as the kernel wrote it back */
};

/*
 * Asks for less, by the table of what can be left out.  true: worth another attempt.  What an old kernel may lack is tried with an event
 * that asks for nothing else, so that nothing is left out by a guess.
 */
bool fall_back(const struct sys *sys, struct open_plan *p, const struct refusal *r);

#endif
