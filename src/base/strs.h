/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_STRS_H
#define PTOP_BASE_STRS_H
/*
 * Interned strings: equal bytes, equal id.  Id 0 is "".  Strings live until strs_release() and
 * never move, so a pointer from strs_get() may be kept that long.  One thread.
 */
#include "base/arena.h"
#include "base/index.h"

struct strs {
	struct arena arena;
	struct index index;
	const char **items;
	size_t len, cap;
};

uint32_t strs_find(const struct strs *s, const char *text, size_t len); /* 0: it is not there, or "" */
uint32_t strs_add(struct strs *s, const char *text, size_t len);
uint32_t strs_add_str(struct strs *s, const char *text);
const char *strs_get(const struct strs *s, uint32_t id);
void strs_release(struct strs *s);

#endif
