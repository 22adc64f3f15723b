/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_ANNOTATE_LINES_H
#define PTOP_UI_ANNOTATE_LINES_H
/* The lines of the page annotate: a function's source and instructions, drawn; its text. */
#include "ui/canvas.h"
#include "view/annotate.h"

enum annotate_numbers { NUMBERS_NONE, NUMBERS_OFFSETS, NUMBERS_ADDRESSES, NUMBERS_COUNT };

enum { ANNOTATE_EVENTS_MAX = 4 }; /* columns of other events */

/* How lines are drawn; columns that do not fit give way. */
struct annotate_look {
	const struct snapshot *snap;
	const struct annotate *a;
	enum annotate_numbers numbers;
	bool jumps;     /* arrows, and counts of jumps to a line */
	size_t cursor;  /* the arrow is that of this line */
	uint32_t event; /* the one shown */
	uint32_t others[ANNOTATE_EVENTS_MAX]; /* that are sampled, too */
	size_t other_count;
};

void annotate_look_make(struct annotate_look *look, const struct snapshot *s,
			const struct annotate *a);

void annotate_draw_titles(const struct annotate_look *look, struct canvas *c, int y);
void annotate_draw_line(const struct annotate_look *look, struct canvas *c, int y, size_t line);

/* Adds the line's text, raw, without numbers: an instruction, a source line, who is inlined. */
void annotate_put_text(struct buf *b, const struct annotate *a, const struct annotate_line *l);

#endif
