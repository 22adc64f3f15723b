/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_CANVAS_H
#define PTOP_UI_CANVAS_H
/*
 * A grid of cells in memory: views draw on it, ui/term.c brings it to the terminal, tests read it.
 * All drawing is clipped to the canvas.  Text must be safe already (base/text.h).  One thread.
 */
#include "base/buf.h"
#include "ui/style.h"

struct cell {
	uint32_t ch;   /* code point; 0 in the second half of a wide one */
	uint32_t mark; /* a combining code point on top, 0: none */
	uint8_t style; /* enum style */
	uint8_t selected;
	uint8_t width; /* 1, 2; 0: second half of a wide one */
};

struct canvas {
	int width, height;
	bool ascii; /* nothing above 0x7e is drawn */
	struct cell *cells;
};

enum glyph { GLYPH_MORE, GLYPH_DEAD, GLYPH_FALLING, GLYPH_RISING, GLYPH_COUNT };

void canvas_resize(struct canvas *c, int width, int height); /* and clears */
void canvas_clear(struct canvas *c);
void canvas_release(struct canvas *c);

/*
 * Writes @text from (@x, @y) into at most @max cells; what does not fit is cut and the last cell
 * says so.  The number of cells used.
 */
int canvas_put(struct canvas *c, int x, int y, int max, enum style style, const char *text);

/* The same, aligned to the right end of the @width cells. */
void canvas_put_right(struct canvas *c, int x, int y, int width, enum style style,
		      const char *text);

void canvas_put_char(struct canvas *c, int x, int y, enum style style, uint32_t ch);
void canvas_put_glyph(struct canvas *c, int x, int y, enum style style, enum glyph g);

/* One cell showing @value of 0..1 by its height; below 0 nothing. */
void canvas_put_bar(struct canvas *c, int x, int y, double value);

void canvas_fill(struct canvas *c, int x, int y, int width, enum style style);
void canvas_select(struct canvas *c, int y, int x, int width); /* those cells as selected */

int canvas_text_width(const struct canvas *c, const char *text);

/* Cuts @text at its end until it has at most @width cells, and says so in the last. */
void canvas_cut(const struct canvas *c, struct buf *text, int width);

/* Adds the text of line @y as UTF-8, without blanks at the end. */
void canvas_line(const struct canvas *c, int y, struct buf *b);

/* Adds @text, which may hold anything, as this canvas can show it. */
void canvas_add_safe(const struct canvas *c, struct buf *b, const char *text);

/* Adds a code point as UTF-8. */
void canvas_add_utf8(struct buf *b, uint32_t ch);

/* The next code point of safe UTF-8 at *@s, which moves on; 0 at the end. */
uint32_t canvas_next(const char **s);

/* Cells that @ch takes on this canvas: 0 for a combining mark. */
int canvas_char_width(const struct canvas *c, uint32_t ch);

/* How many lines canvas_put_wrapped() needs for all of it; at least 1. */
int canvas_wrapped_lines(const struct canvas *c, const char *text);

/* From the second cell of line @y on, on @lines lines, broken at blanks; the last is cut. */
void canvas_put_wrapped(struct canvas *c, int y, int lines, enum style style, const char *text);

#endif
