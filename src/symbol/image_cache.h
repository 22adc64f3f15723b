/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_IMAGE_CACHE_H
#define PTOP_SYMBOL_IMAGE_CACHE_H
/*
 * Images of ELF files kept on disk from one run to the next.  A build-id is a note that anybody
 * can forge, so that it alone opens nothing: an image is found again by device, inode, size, times
 * and owner of the very file that it was made of.  One thread.
 */
#include "base/util.h"

struct image_cache;
struct stat;

/* @path: the folder.  Never fails: without a folder nothing is kept or found. */
struct image_cache *image_cache_new(const char *path);
void image_cache_free(struct image_cache *c); /* what was not saved by then is dropped */

/* A descriptor for image_open() of a file of which stat(2) told @file; -1: none is kept. */
int image_cache_load(const struct image_cache *c, const struct stat *file);

/*
 * Notes that the image in @image_fd is to be kept, which stays the caller's.  @file was told before
 * the image was made: what changes while it is made has another time then.
 */
void image_cache_keep(struct image_cache *c, const struct stat *file, int image_fd);

/* Writes the next of those noted: for when there is nothing better to do.  false: there is none. */
bool image_cache_save(struct image_cache *c);

#endif
