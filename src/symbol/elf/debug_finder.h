/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_DEBUG_FINDER_H
#define PTOP_SYMBOL_ELF_DEBUG_FINDER_H
/*
 * Files that the parser of a dso wants beside it: separate debug files.  A parser opens nothing
 * itself; it asks a finder, which may stand in front of another thread or process.
 */
#include "symbol/ask/ask.h"

enum debug_want {
	DEBUG_BY_ID,   /* DIR/.build-id/xx/yyyy.debug, or in a folder of build_store.h */
	DEBUG_BY_LINK, /* @name beside the dso, in .debug there, or below DIR in the dso's folder */
	DEBUG_BY_PATH, /* @name as it is; if relative, from the dso's folder or DIR's copy of it */
	DEBUG_WANTS, /* how many there are */
};

enum {
	DEBUG_NAME_MAX = 256,
	DEBUG_NTH_MAX = 8, /* an asker that refused so many asks no more */
};

/* Plain data, which may cross from one process to another. */
struct debug_ask {
	enum debug_want want;
	uint8_t nth;          /* of the files that there are; 0, and then those behind it */
	uint8_t build_id[20]; /* DEBUG_BY_ID.  Whether it is that one is for the asker to see */
	uint8_t build_id_len;
	char name[DEBUG_NAME_MAX]; /* NUL-terminated.  DEBUG_BY_LINK: without a slash */
};

struct debug_finder {
	/*
	 * A readable descriptor of a regular ELF file, or a parcel with one, the caller's; -1:
	 * there is none.
	 */
	int (*find)(const struct debug_finder *self, const struct debug_ask *ask);
	const char *dir;               /* "/usr/lib/debug" */
	const char *proc;              /* "/proc" */
	const struct symbol_ask *file; /* the dso that they are for; NULL: not known */
};

#endif
