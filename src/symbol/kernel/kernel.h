/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_KERNEL_H
#define PTOP_SYMBOL_KERNEL_KERNEL_H
/*
 * The kernel's image: the one that is kept from the last run, else from /proc/kallsyms; or from
 * files that the user named, which is never kept.  Any thread, one at a time.
 */
#include "symbol/image/image.h"
#include "symbol/kernel/kernel_cache.h"
#include "symbol/ask/ask.h"

#include <stdatomic.h>

struct kernel_load {
	const struct symbol_config *config;
	const struct symbol_ask *ask;
	struct image *base;      /* a vmlinux's, which names the kernel proper; NULL: none */
	const atomic_bool *stop; /* it ends early once this is true */

	/* What came of it. */
	struct image *image; /* the caller's; NULL: see err, or it is unchanged */
	bool is_unchanged;   /* since ask->state */
	uint64_t state;      /* for the next ask; 0: it does not change */
	struct err err;      /* beside an image: what is missing in it */

	/* For kernel_load_end(). */
	struct kernel_cache *cache;
	int keep;
};

void kernel_load(struct kernel_load *l);

/* Keeps it for the next run.  To be called after the image was answered. */
void kernel_load_end(struct kernel_load *l);

#endif
