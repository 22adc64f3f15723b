/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_KERNEL_STACK_H
#define PTOP_LIVE_WAIT_KERNEL_STACK_H
/*
 * Where in the kernel threads wait, by /proc/PID/task/TID/stack (proc(5)): functions, and no
 * addresses.  Those are found in /proc/kallsyms, which is read as a whole: for all names at once
 * that are new.  Needs CAP_SYS_ADMIN and CAP_SYSLOG.  One thread at a time; may block.
 */
#include "base/util.h"

enum { KERNEL_STACK_MAX = 24 }; /* frames: the innermost */

struct kernel_frame {
	uint32_t name; /* of kernel_stacks */
	uint32_t offset;
};

struct kernel_stacks;

struct kernel_stacks *kernel_stacks_new(void);
void kernel_stacks_free(struct kernel_stacks *ks); /* NULL is allowed */

struct kernel_reader {
	int proc_fd;     /* of /proc */
	int pid, tid;    /* whose stack */
	uint64_t common; /* those of one number wait alike: few of them are read, 0: it is read */
};

/* The stack of a thread that waits, innermost first.  How many; 0: it is not known. */
size_t kernel_stacks_read(struct kernel_stacks *ks, const struct kernel_reader *who,
			  struct kernel_frame frames[KERNEL_STACK_MAX]);

/* The same of the text of such a file. */
size_t kernel_stacks_parse(struct kernel_stacks *ks, const char *text, size_t len,
			   struct kernel_frame frames[KERNEL_STACK_MAX]);

/*
 * Looks for the addresses of names that are new, now and then: for a while, true: it did.  To be
 * called again soon as long as it is at it.
 */
bool kernel_stacks_step(struct kernel_stacks *ks, int proc_fd, uint64_t now_ns);

bool kernel_stacks_is_at_it(const struct kernel_stacks *ks);

/* Whether it is worth while to wait for that: it has not gone on for long. */
bool kernel_stacks_is_soon(const struct kernel_stacks *ks, uint64_t now_ns);

/* Where they return to, without those that have no address; 0: it is not known yet. */
size_t kernel_stacks_addresses(const struct kernel_stacks *ks, const struct kernel_frame *frames,
			       size_t len, uint64_t addrs[KERNEL_STACK_MAX]);

bool kernel_stacks_is_denied(const struct kernel_stacks *ks);

#endif
