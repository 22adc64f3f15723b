/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_JIT_JIT_OPEN_H
#define PTOP_SYMBOL_JIT_JIT_OPEN_H
/*
 * Opens what a runtime wrote of its code: only a regular file that the process itself could have
 * made, in its own root.  May hang on a dead file system.  Any thread.
 */
#include <sys/types.h>

#include "base/err.h"
#include "symbol/ask/ask.h"

enum { JIT_PIDS_MAX = 32 };

/* What is known of a process while it lives; enough to find its files when it is gone. */
struct jit_owner {
	int root;           /* O_PATH, its root directory; -1: not looked at yet */
	uid_t uid, root_uid; /* its own, and that of its namespace's root */
	gid_t gid;
	uint64_t born_ns;   /* CLOCK_REALTIME, as near as clock ticks tell */
	uint64_t until_ns;  /* CLOCK_REALTIME: files made later are not its own; 0: it lives */
	unsigned pids[JIT_PIDS_MAX]; /* in each of its pid namespaces, the innermost last */
	size_t pid_count;
};

/* Looks at @pid.  -1: it cannot be looked at.  Close with jit_owner_release(). */
int jit_owner_init(struct jit_owner *o, const char *proc, int pid, struct err *err);
void jit_owner_release(struct jit_owner *o);

/*
 * The same of a process that was recorded on this machine until @until_ns, and may be gone: then
 * its files are looked for in this process's own root, and have to be its own user's or root's.
 */
int jit_owner_init_recorded(struct jit_owner *o, const char *proc, int pid, uint64_t until_ns,
			    struct err *err);

/* /tmp/perf-PID.map of the process.  A descriptor to read, or -1; ERR_GONE: there is none. */
int jit_open_map(const struct jit_owner *o, struct err *err);

/* The jitdump that it has mapped, as @ask says.  A descriptor to read, or -1. */
int jit_open_dump(const struct jit_owner *o, const struct symbol_ask *ask, const char *proc,
		  struct err *err);

#endif
