/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_CACHE_H
#define PTOP_SYMBOL_KERNEL_CACHE_H
/*
 * The kernel's image kept on disk from one run to the next: reading it takes 1 ms, making it 60.
 * It is good for one boot of one kernel with the same modules at the same addresses and the same
 * BPF programs.  One image is kept; the directory is made 0700, and nothing is read that anyone
 * else could have put there.
 */
#include "base/buf.h"
#include "base/err.h"

struct kernel_cache;

/*
 * The ids of the BPF programs there are: they rise with each one loaded, so that equal lists are
 * equal programs at equal addresses.  To ask takes CAP_SYS_ADMIN, which ptop gives up early.
 */
struct kernel_programs {
	struct buf ids;
	bool is_known; /* false without the right to ask */
};

void kernel_programs_read(struct kernel_programs *p);
void kernel_programs_release(struct kernel_programs *p);

/*
 * @dir is where it is kept, @proc is "/proc"; @programs NULL: they are asked for now.  NULL when
 * nothing can be kept: no such directory, or one that is not ours alone.
 */
struct kernel_cache *kernel_cache_open(const char *dir, const char *proc,
				       const struct kernel_programs *programs);
void kernel_cache_close(struct kernel_cache *c); /* NULL is allowed */

/* A descriptor for image_open(), -1 when there is none for the kernel as it is now. */
int kernel_cache_load(const struct kernel_cache *c);

/* Keeps a copy of @image_fd, removes the others.  Failing to is no error. */
void kernel_cache_save(const struct kernel_cache *c, int image_fd);

/* Whether it may be kept although it names BPF programs: their coming and going is seen. */
bool kernel_cache_knows_bpf(const struct kernel_cache *c);

#endif
