/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_CGROUP_LIST_H
#define PTOP_LIVE_PROC_CGROUP_LIST_H
/* The control groups that there are, of the hierarchy that perf events know.  Blocks. */
#include "base/buf.h"
#include "base/err.h"
#include "base/queue.h"

/* The ids that samples carry, and paths below the hierarchy's root.  New ones come as records. */
struct cgroup_list_msg {
	struct msg msg;
	struct cgroup_list_item {
		uint64_t id;
		char *path;
	} *items;
	size_t count, cap;
};

/* Never NULL; empty where that hierarchy is not mounted.  The message has no type yet. */
struct cgroup_list_msg *cgroup_list_read(void);

/* The directory of the group at @path of that hierarchy, to be closed.  -1: there is none. */
int cgroup_open(const char *path);

/*
 * The directory of ptop's own group there, to be closed; its path below the root is added to @path.
 * -1: there is no such hierarchy, or it cannot be read.
 */
int cgroup_open_own(struct buf *path, struct err *err);

#endif
