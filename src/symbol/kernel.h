/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_H
#define PTOP_SYMBOL_KERNEL_H
/*
 * The kernel's image from wherever it is had soonest: the one kept from last time, else
 * /proc/kallsyms.  Any thread, one at a time.
 */
#include "symbol/image.h"
#include "symbol/kernel_cache.h"
#include "symbol/service.h"

#include <stdatomic.h>

/*
 * Where the image is kept between runs, NULL if nowhere.  To be opened before kernel_image(): what
 * changes while it reads must make the image kept one of the past.
 */
struct kernel_cache *kernel_cache_for(const struct symbol_config *config);

/*
 * NULL: see @err and its hint.  Ends early once *@stop is true.  *@keep becomes a descriptor for
 * kernel_cache_save(), the caller's, or -1: the image is answered first and kept afterwards.
 */
struct image *kernel_image(const struct symbol_config *config, const struct kernel_cache *cache,
			   const atomic_bool *stop, int *keep, struct err *err);

#endif
