/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_IMAGE_CACHE_H
#define PTOP_SYMBOL_IMAGE_CACHE_H
/*
 * What is made of ELF files, kept on disk from one run to the next: images of their symbols, blocks
 * of their unwind rules.  A build-id is a note that anybody can forge, so that it alone opens
 * nothing: a block is found again by device, inode, size, times and owner of the very file that it
 * was made of.  So nothing may be in it that comes from another file, or it has to be looked at
 * anew whether that is so still.  One thread.
 */
#include "base/util.h"

struct image_cache;
struct stat;

enum image_cache_kind { IMAGE_CACHE_SYMBOLS, IMAGE_CACHE_RULES };

/* @path: the folder.  Never fails: without a folder nothing is kept or found. */
struct image_cache *image_cache_new(const char *path);
void image_cache_free(struct image_cache *c); /* what was not saved by then is dropped */

/*
 * A descriptor for image_open() or unwind_rules_open(), of a file of which stat(2) told @file; -1:
 * none is kept.
 */
int image_cache_load(const struct image_cache *c, enum image_cache_kind kind,
		     const struct stat *file);

/*
 * Notes that the block in @fd is to be kept, which stays the caller's.  @file was told before it
 * was made: what changes while it is made has another time then.
 */
void image_cache_keep(struct image_cache *c, enum image_cache_kind kind, const struct stat *file,
		      int fd);

/* Writes the next of those noted: for when there is nothing better to do.  false: there is none. */
bool image_cache_save(struct image_cache *c);

#endif
