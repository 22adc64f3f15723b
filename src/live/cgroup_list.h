/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CGROUP_LIST_H
#define PTOP_LIVE_CGROUP_LIST_H
/* The control groups that there are, of the hierarchy that perf events know.  Blocks. */
#include "live/session.h"

/* Never NULL; empty where that hierarchy is not mounted. */
struct session_cgroups_msg *cgroup_list_read(void);

#endif
