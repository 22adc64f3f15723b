/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_OPEN_EVERYWHERE_H
#define PTOP_LIVE_SESSION_OPEN_EVERYWHERE_H
/*
 * Opens one event everywhere: on each CPU, or for each task on each CPU, switched into the rings
 * of its CPU.  One thread at a time.
 */
#include "live/sys/events.h"
#include "live/session/lanes.h"
#include "live/open/open.h"
#include "live/sys/targets.h"

enum open_everywhere_ring { EVERYWHERE_SIDEBAND, EVERYWHERE_SAMPLES };

struct everywhere {
	const struct sys *sys;
	enum session_scope scope;
	struct targets *targets; /* of SESSION_TASKS */
	uint32_t target;         /* only what came with this number, 0: all */
	size_t tasks_max;        /* 0: no limit */
	int waiting_pid;         /* COMMAND before it is let go: sampled from its exec on; else 0 */
	bool keeps_past;         /* each event that is no group is opened a second time, for that */
	bool probes_by_task;     /* uprobes are opened for tasks, which whoever opened them follows */
};

/*
 * Opens @plan, disabled, on @lanes and adds to @fds.  @only: these tasks (NULL: all targets, the
 * list read again until nothing is new).  Tasks that end meanwhile are left out.  -1: nothing was
 * added.  Probes are opened for all tasks in any scope, the samples of others are to be dropped,
 * unless open_everywhere_is_followed().
 */
int open_everywhere(const struct everywhere *s, struct open_plan *plan, const struct lane *lanes,
		    size_t lane_count, const struct tasks *only, enum open_everywhere_ring ring,
		    struct event_fds *fds, struct err *err);

/*
 * Whether @ev is opened for tasks, and not inherited: it is to be opened anew for those that begin
 * later.
 */
bool open_everywhere_is_followed(const struct everywhere *s, const struct event *ev);

/* One event of a group. */
struct open_everywhere_event {
	struct open_plan *plan;
	struct event_fds *fds; /* where its descriptors are added */
};

/*
 * Likewise, as one group wherever it is opened: the first leads, and is what is to be enabled.  An
 * event with places can be no part of one.  Tasks and CPUs where the leader is not counted have
 * none of it.
 */
int open_everywhere_group(const struct everywhere *s, const struct open_everywhere_event *events,
			  size_t count, const struct lane *lanes, size_t lane_count,
			  const struct tasks *only, enum open_everywhere_ring ring,
			  struct err *err);

/* Enables them, but those of a waiting COMMAND. */
void open_everywhere_enable(const struct everywhere *s, const struct event_fds *fds);

#endif
