/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_BUILD_STORE_H
#define PTOP_SYMBOL_FIND_BUILD_STORE_H
/*
 * Folders where programs keep files by build-id: perf's cache, that of debuginfod's clients, which
 * ptop shares, and /usr/lib/debug.  The environment says where they are.  Those in the user's home
 * are used only if they belong to ptop's user or root and nobody else can write there.  Any thread;
 * may hang.
 */
#include "base/buf.h"

/* What the names of source files in there begin with. */
#define BUILD_STORE_SOURCE "source"

enum build_store_want {
	BUILD_STORE_FILE,  /* what was mapped */
	BUILD_STORE_DEBUG, /* its debug file */
};

/*
 * Adds the path of the folder of debuginfod's clients: files are in it by "build-id/executable" and
 * "build-id/debuginfo".  false: there is none.
 */
bool build_store_client_dir(struct buf *b);

/*
 * Adds what such a client calls the source file at @path, below the folder of its build.  false: it
 * is not kept: no whole path, or one that is too long.
 */
bool build_store_source_name(const char *path, struct buf *b);

/*
 * A readable descriptor of the @nth regular ELF file with that build-id, which was read from the
 * file itself; -1: there are no more.
 */
int build_store_open(enum build_store_want want, const uint8_t *id, size_t len, unsigned nth);

/* Whether it is known without looking at a file system that there is none; never waits. */
bool build_store_is_none(enum build_store_want want, const uint8_t *id, size_t len);

#endif
