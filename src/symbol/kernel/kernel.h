/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_KERNEL_H
#define PTOP_SYMBOL_KERNEL_KERNEL_H
/*
 * The kernel's image: the one that is kept from the last run, else from /proc/kallsyms; or from
 * files that the user named, which is never kept.  Any thread, one at a time.
 */
#include "symbol/ask/ask.h"
#include "symbol/image/image.h"
#include "symbol/kernel/kernel_state.h"

#include <stdatomic.h>

struct kernel_cache;

struct kernel_load {
	const struct symbol_config *config;
	const struct symbol_ask *ask;
	struct image *base;      /* a vmlinux's, which names the kernel proper; NULL: none */
	const atomic_bool *stop; /* it ends early once this is true */

	/* What came of it. */
	struct image *image; /* the caller's; NULL: see err, or it is unchanged */
	bool is_unchanged;   /* since ask->state, ask->programs */
	struct kernel_state state; /* for the next ask; all 0: it does not change */
	struct err err;      /* beside an image: what is missing in it */

	/* For kernel_load_end(). */
	struct kernel_cache *cache;
	int keep;
};

void kernel_load(struct kernel_load *l);

/* Keeps it for the next run.  To be called after the image was answered. */
void kernel_load_end(struct kernel_load *l);

/*
 * The kernel's image kept on disk from one run to the next: reading it takes 1 ms, making it 60.
 * It is good for one boot of one kernel with the same modules at the same addresses and the same
 * BPF programs.  One image is kept.
 *
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
