/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_KERNEL_CACHE_H
#define PTOP_SYMBOL_KERNEL_KERNEL_CACHE_H
/*
 * The kernel's image kept on disk from one run to the next: reading it takes 1 ms, making it 60.
 * It is good for one boot of one kernel with the same modules at the same addresses and the same
 * BPF programs.  One image is kept.
 */
#include "symbol/kernel/kernel_state.h"

struct kernel_cache;

/*
 * @dir is where it is kept, @state what it is good for.  NULL when nothing can be kept: no such
 * directory, or one that is not ours alone.
 */
struct kernel_cache *kernel_cache_open(const char *dir, const struct kernel_state *state);
void kernel_cache_close(struct kernel_cache *c); /* NULL is allowed */

/* A descriptor for image_open(), -1 when there is none for the kernel as it is now. */
int kernel_cache_load(const struct kernel_cache *c);

/* Keeps a copy of @image_fd, removes the others.  Failing to is no error. */
void kernel_cache_save(const struct kernel_cache *c, int image_fd);

#endif
