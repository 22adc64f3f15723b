/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_CHECK_EVENT_H
#define PTOP_APP_CHECK_EVENT_H
/* What --check tries by opening events, disabled, and closing them at once.  Main thread. */
#include "base/buf.h"
#include "live/sys/cpus.h"
#include "live/sys/sys.h"

/* One run; err and text are of the item at hand. */
struct check {
	const struct sys *sys;
	const struct event_env *env;
	struct cpus cpus;    /* on line */
	unsigned ring_pages; /* of the sampling ring */
	bool ring_pages_given;
	int *pids;           /* processes there are, at most some thousands */
	size_t pid_count;
	bool may_system, may_hardware;
	struct err err;      /* why not, and what would grant it */
	struct buf text;     /* more than yes */
};

/* Each: true, or false with the reason in @c->err. */
bool check_own(struct check *c);
bool check_system(struct check *c);
bool check_kernel(struct check *c);
bool check_other_user(struct check *c);
bool check_hardware(struct check *c);
bool check_precise(struct check *c);
bool check_branches(struct check *c);
bool check_tracepoint(struct check *c);
bool check_tracepoint_fields(struct check *c);
bool check_breakpoint(struct check *c);
bool check_uprobe(struct check *c);
bool check_kprobe(struct check *c);
bool check_cgroups(struct check *c);
bool check_stack_dump(struct check *c);

#endif
