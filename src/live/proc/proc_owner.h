/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_PROC_OWNER_H
#define PTOP_LIVE_PROC_PROC_OWNER_H
/* Who a process belongs to.  One thread; takes no lock of the process. */
#include "live/proc/proc_msg.h"

/* The effective user of @pid below @proc_fd.  0 or an errno. */
int proc_owner_of(int proc_fd, int pid, uint32_t *uid);

/* The answer for @pid, an error inside it.  Never NULL. */
struct proc_owner_msg *proc_owner_read(int proc_fd, int pid);
struct proc_owner_msg *proc_owner_error(int pid, int error);

#endif
