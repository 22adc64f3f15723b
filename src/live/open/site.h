/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_OPEN_SITE_H
#define PTOP_LIVE_OPEN_SITE_H
/* One address of an event: how the kernel is asked for it, and what its refusal means. */
#include "event/site.h"
#include "record/abi.h"

/* Points @attr at @site, whose strings must live until it was opened. */
void site_put(struct event_attr *attr, const struct event *ev, const struct event_site *site);

/* Takes back what is an address of this process: attributes are written to files. */
void site_clear(struct event_attr *attr, const struct event *ev);

/*
 * Rewords what perf_event_open() refused with @err->sys by what it means for a place; leaves @err
 * as it is if that adds nothing.  Always -1.
 */
int site_explain(struct err *err, const struct event *ev, const struct event_site *site);

#endif
