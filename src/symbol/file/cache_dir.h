/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FILE_CACHE_DIR_H
#define PTOP_SYMBOL_FILE_CACHE_DIR_H
/*
 * The folder where images are kept from one run to the next.  It is made 0700, and nothing is read
 * that anyone else could have put there: neither a folder nor a file that is not ours alone, nor
 * one behind a link.  Any thread, one at a time.
 */
#include "base/buf.h"

/* Adds the path of ptop's folder, as the environment has it.  false: there is none. */
bool cache_dir_path(struct buf *b);

/* A descriptor of @path, the caller's; -1: nothing can be kept there. */
int cache_dir_open(const char *path);
int cache_dir_open_shared(int at, const char *path); /* the same below @at: others may read there */

/* A descriptor for image_open(), -1: there is none of that name. */
int cache_dir_load(int dir, const char *name);

/* Keeps a copy of @image_fd under @name.  false: it could not be. */
bool cache_dir_save(int dir, const char *name, int image_fd);

/*
 * Removes files whose names begin with @prefix, those changed longest ago first, until the others
 * have @bytes_max together; not @keep, NULL: none is to stay.
 */
void cache_dir_trim(int dir, const char *prefix, const char *keep, uint64_t bytes_max);

#endif
