/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_JOURNAL_H
#define PTOP_ENGINE_LEAF_JOURNAL_H
/*
 * What was said since the start, for who looks at the messages later: the newest, within a bound.
 * One thread.
 */
#include "base/buf.h"

#include <time.h>

struct journal {
	struct buf text; /* lines */
	size_t dropped;  /* lines that were older */
};

/* Adds a line with the local time of day; the oldest give way to it. */
void journal_add(struct journal *j, time_t now, const char *text);

/* Adds all of them to @out, the oldest first, and says how many are missing. */
void journal_put(const struct journal *j, struct buf *out);

void journal_release(struct journal *j);

#endif
