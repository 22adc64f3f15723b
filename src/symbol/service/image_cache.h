/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_SERVICE_IMAGE_CACHE_H
#define PTOP_SYMBOL_SERVICE_IMAGE_CACHE_H
/*
 * What is made of ELF files, kept on disk from one run to the next: images of their symbols, blocks
 * of their unwind rules.  Anybody can forge a build-id, so it is not the key: a block is found
 * again by device, inode, size, times and owner of the very file that it was made of.  Of
 * another file, as a debug file, only names may be in it.  The vdso is no file, but comes from the kernel: its
 * build-id is its key.  One thread.
 */
#include "base/util.h"

#include <stdint.h>

struct image_cache;
struct stat;

enum image_cache_kind { IMAGE_CACHE_SYMBOLS, IMAGE_CACHE_RULES };

enum { IMAGE_CACHE_NAME_BYTES = 160 };

/* What a block is found again by; "": it is not to be kept. */
struct image_cache_key {
	char name[IMAGE_CACHE_NAME_BYTES];
};

/*
 * Of the file with the stat(2) @file, read before the block was made: a file that changes meanwhile
 * has another time then.
 */
struct image_cache_key image_cache_key_of_file(enum image_cache_kind kind, const struct stat *file);

/* Of the running kernel's vdso. */
struct image_cache_key image_cache_key_of_vdso(enum image_cache_kind kind, const uint8_t *build_id,
					       size_t len);

/* @path: the folder.  Never fails: without a folder nothing is kept or found. */
struct image_cache *image_cache_new(const char *path);
void image_cache_free(struct image_cache *c); /* what was not saved by then is dropped */

/* A descriptor for image_open() or unwind_rules_open(); -1: none is kept. */
int image_cache_load(const struct image_cache *c, const struct image_cache_key *key);

/* Notes that the block in @fd is to be kept, which stays the caller's. */
void image_cache_keep(struct image_cache *c, const struct image_cache_key *key, int fd);

/* Writes the next of those noted: for when there is nothing better to do.  false: there is none. */
bool image_cache_save(struct image_cache *c);

#endif
