/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_MAPPED_H
#define PTOP_SYMBOL_FIND_MAPPED_H
/*
 * Whether a file is the one that a process maps: device and inode of the map tell, and the inode's
 * generation, since a number is given again when its file has gone.  May hang on a dead file
 * system, as whatever looks at a file.
 */
#include "symbol/ask/ask.h"

struct stat;

/* What stat(2) tells of a file fits the map.  False on overlayfs and btrfs: they have others. */
bool mapped_has_inode(const struct symbol_ask *ask, const struct stat *st);

/*
 * What a map of the file would be recorded as is what was recorded: it is mapped for a moment to
 * see that.  @fd must be readable.
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
