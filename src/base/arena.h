/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_ARENA_H
#define PTOP_BASE_ARENA_H
/*
 * Memory that is taken piece by piece and given back all at once.  Pieces never move.
 * Zero-initialise to begin.  One thread.
 */
#include "base/util.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t bytes; /* taken from malloc */
};

void *arena_alloc(struct arena *a, size_t size); /* zeroed, aligned to 8 */
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* A copy of @size bytes that malloc() gave, which are freed; NULL with none of them is allowed. */
void *arena_adopt(struct arena *a, void *bytes, size_t size);

void arena_release(struct arena *a);

#endif
