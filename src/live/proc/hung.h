/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_HUNG_H
#define PTOP_LIVE_PROC_HUNG_H
/*
 * The processes on which a reader of /proc hangs, as it does where their memory is of a file system
 * that does not answer.  Each costs a thread, so their number has a bound.  Anybody can make such
 * processes: one user's may take half of what others' have left; then nothing that can hang is
 * read of this user's other processes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HUNG_MAX = 16 };

/* Plain data: zero is empty, copies are as good. */
struct hung {
	struct hung_process {
		int pid;
		uint32_t uid; /* UINT32_MAX: not known */
	} items[HUNG_MAX];
	size_t count;
};

/* @h has room.  @proc_fd is of /proc. */
void hung_add(struct hung *h, int proc_fd, int pid);

/* The last takes its place. */
void hung_remove(struct hung *h, size_t index);

/* Whether nothing that can hang is to be read of the user's processes. */
bool hung_is_full_of(const struct hung *h, uint32_t uid);

/* Whether nothing that can hang is to be read of @pid: it hangs, or its user's have had their part. */
bool hung_keeps_off(const struct hung *h, int proc_fd, int pid);

#endif
