/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_READ_H
#define PTOP_LIVE_WAIT_WAIT_READ_H
/*
 * What is read of a thread: its files of /proc, and its stack.  One thread at a time; all may
 * block.
 */
#include "live/wait/wait_state.h"

/* Whether @error says that a file is not there for want of descriptors. */
bool wait_read_is_starved(int error);

/* false: it is not there, or errno says why. */
bool wait_read_sched(struct wait_thread *t, struct wait_env *env, struct procfs_schedstat *out);

/*
 * Where it waits; false: it runs, or could, or as above.  Whether it may not be looked at, or has
 * ended, is noted in @t.
 */
bool wait_read_call(struct wait_thread *t, struct wait_env *env, struct procfs_syscall *call);

/* Its state by stat, 0: not known. */
char wait_read_state(const struct wait_thread *t, const struct wait_env *env);

/* How often it has left its CPU; false: not known. */
bool wait_read_switches(const struct wait_thread *t, const struct wait_env *env,
			struct procfs_switches *out);

/* The bytes that there are of @len from @sp on: up to a page that is not there. */
size_t wait_read_stack(const struct wait_thread *t, uint64_t sp, uint8_t *to, size_t len);

#endif
