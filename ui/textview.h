/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_TEXTVIEW_H
#define PTOP_UI_TEXTVIEW_H
/*
 * A page of text to scroll in: help, messages, explanations, what COMMAND wrote.  Lines longer
 * than the page are wrapped.  Zero-initialise to begin.
 */
#include "ui/canvas.h"

struct text_line {
	size_t start; /* in the text */
	int indent;   /* cells that it is moved to the right */
};

struct textview {
	struct buf title, text; /* safe */
	bool hangs;             /* what is wrapped goes on below what it is about, not at the left */
	struct text_line *lines; /* each line on the screen */
	size_t line_count, line_cap;
	int wrapped_to;         /* width that lines is for, 0: none */
	size_t top, page;
	bool follow;            /* stays at the end while text comes */
	size_t found;           /* number of the line that a search found, from 1 on; 0: none */
};

/* @text may hold anything; lines end with a newline, tabs become blanks. */
void textview_set(struct textview *v, const struct canvas *c, const char *title, const char *text,
		  size_t len);
void textview_draw(struct textview *v, struct canvas *c, int y, int height);
void textview_move(struct textview *v, long lines);
void textview_end(struct textview *v);

/* Search: whether the line on the screen with that number, from 0 on, holds @text; shows it. */
bool textview_holds(const struct textview *v, size_t line, const char *text);
void textview_show(struct textview *v, size_t line);
void textview_release(struct textview *v);

#endif
