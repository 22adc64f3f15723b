/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_SEGS_H
#define PTOP_UI_SEGS_H
/*
 * A line made of pieces, of which the less important ones give way when it gets narrow.
 * Zero-initialise to begin; one thread.
 */
#include "ui/canvas.h"

enum { SEGS_MAX = 24, RANK_MUST = 100 };

struct seg {
	size_t start; /* in text */
	int rank;     /* the lowest gives way first */
	enum style style;
	int x, width; /* where it was drawn; width 0: it gave way */
};

struct segs {
	struct buf text; /* pieces, each with its NUL */
	struct seg items[SEGS_MAX];
	size_t len;
};

/* The text must be safe.  Empty pieces, and those beyond SEGS_MAX, are left out. */
void segs_add(struct segs *s, int rank, enum style style, const char *fmt, ...) PRINTF_LIKE(4, 5);

int segs_need(struct segs *s, const struct canvas *c, int gap); /* cells for all of them */

/* Draws what fits into @width cells, @gap blanks between; the cells used. */
int segs_draw(struct segs *s, struct canvas *c, int x, int y, int width, int gap);

void segs_release(struct segs *s);

#endif
