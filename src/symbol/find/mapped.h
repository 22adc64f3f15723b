/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_MAPPED_H
#define PTOP_SYMBOL_FIND_MAPPED_H
/*
 * Whether a file is the one that a process maps: by the map's device and inode, and by the inode's
 * generation, since the number of a removed file is used again.  May hang on a dead file system.
 */
#include "symbol/ask/ask.h"

struct stat;

/* Whether stat(2) and the map agree.  On overlayfs and btrfs they differ even for the same file. */
bool mapped_has_inode(const struct symbol_ask *ask, const struct stat *st);

/*
 * Whether a map of the file has the device and inode that was asked for: it is mapped for a moment
 * to see that.  @fd must be readable.
 */
bool mapped_as_asked(const struct symbol_ask *ask, int fd);

/* Whether maps of that file may have another device and inode than stat(2) tells. */
bool mapped_is_renumbered(int fd);

/* Tells apart the files that had an inode's number one after another; 0: not known. */
uint32_t mapped_generation(int fd);

/* false: the number has been given to another file since.  @fd must be readable. */
bool mapped_is_same_generation(const struct symbol_ask *ask, int fd);

/*
 * Where process @ask->pid maps the asked file now, executable; maps are cut and joined as code
 * changes their rights.  false: nowhere, or that cannot be read.
 */
bool mapped_find(const struct symbol_ask *ask, const char *proc, uint64_t *start, uint64_t *end);

#endif
