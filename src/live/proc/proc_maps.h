/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_PROC_MAPS_H
#define PTOP_LIVE_PROC_PROC_MAPS_H
/*
 * Reads the executable maps of a process, those of its files' other parts if asked for, which can hang on its mmap lock, and the names of its
 * threads.  One thread.
 */
#include "base/buf.h"
#include "live/proc/proc_msg.h"

/* What is known before the first process is asked for. */
struct proc_maps_env {
	int proc_fd;         /* the root of /proc, -1: root_errno says why */
	int root_errno;
	bool has_gate;
	struct proc_map gate; /* [vsyscall], which belongs to no process */
};

void proc_maps_env_init(struct proc_maps_env *env, const char *root);
void proc_maps_env_release(struct proc_maps_env *env);

/* Maps as they are gathered.  Zero-initialise to begin. */
struct proc_maps {
	bool has_data; /* those of files that are not executable, too */
	struct proc_map *items;
	size_t len, cap;
	struct buf names; /* begins with "" */
};

/*
 * Adds the maps of an open /proc/PID/maps, by asking for them one by one (kernel 6.11)
 * or from the text.  0 or an errno; ENOTTY: the kernel cannot be asked.  No [vsyscall] by query.
 */
int proc_maps_query(int fd, struct proc_maps *m);
int proc_maps_text(int fd, struct proc_maps *m);
void proc_maps_release(struct proc_maps *m);

/* The answer for @pid, an error inside it.  Never NULL. */
struct proc_maps_msg *proc_maps_read(const struct proc_maps_env *env, int pid, uint32_t cookie,
				     bool has_data);

/* The answer for the name of a thread, an error inside it.  Never NULL. */
struct proc_comm_msg *proc_comm_read(const struct proc_maps_env *env, int pid, int tid,
				     uint32_t cookie);
struct proc_comm_msg *proc_comm_error(int pid, int tid, uint32_t cookie, int error);

/* An answer without maps. */
struct proc_maps_msg *proc_maps_error(int pid, uint32_t cookie, int error);

#endif
