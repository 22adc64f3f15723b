/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CGROUP_LIST_H
#define PTOP_LIVE_CGROUP_LIST_H
/* The control groups that there are, of the hierarchy that perf events know.  Blocks. */
#include "base/buf.h"
#include "live/session.h"

/* Never NULL; empty where that hierarchy is not mounted. */
struct session_cgroups_msg *cgroup_list_read(void);

/*
 * The directory of ptop's own group there, to be closed; its path below the root is added to @path.
 * -1: there is no such hierarchy, or it cannot be read.
 */
int cgroup_open_own(struct buf *path, struct err *err);

#endif
