/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_DEBUG_FIND_H
#define PTOP_SYMBOL_DEBUG_FIND_H
/*
 * Files that the parser of a dso wants beside it: separate debug files.  A parser opens nothing
 * itself; it asks a finder, which may stand in front of another thread or process.
 */
#include "symbol/service.h"

enum debug_want {
	DEBUG_BY_ID, /* DIR/.build-id/xx/yyyy.debug */
	DEBUG_WANTS, /* how many there are */
};

struct debug_ask {
	enum debug_want want;
	uint8_t build_id[20]; /* of the wanted file; whether it is that is for the asker to see */
	uint8_t build_id_len;
};

struct debug_finder {
	/* A readable descriptor of a regular file, the caller's; -1: there is none. */
	int (*find)(const struct debug_finder *self, const struct debug_ask *ask);
	const char *dir; /* "/usr/lib/debug" */
};

/* Looks into @dir, at once: a find of struct debug_finder. */
int debug_find(const struct debug_finder *self, const struct debug_ask *ask);

#endif
