/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_MARKS_H
#define PTOP_ENGINE_LEAF_MARKS_H
/*
 * Moments that are marked, in the order of their times.  Bounded: where there are too many the oldest
 * that ptop has set go first, then the user's.  Engine thread only.
 */
#include "base/util.h"
#include "view/mark.h"

enum { MARKS_MAX = 512, MARK_TEXT_MAX = 80 };

struct mark {
	uint64_t at_ns;
	enum mark_kind kind;
	char text[MARK_TEXT_MAX]; /* printable: names in it are as text_add_safe() has them */
};

struct marks {
	struct mark items[MARKS_MAX];
	size_t len;
	size_t dropped;
};

/* A longer text is cut between two characters. */
void marks_add(struct marks *m, enum mark_kind kind, uint64_t at_ns, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

#endif
