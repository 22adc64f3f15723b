/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/canvas.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static const struct {
	uint32_t wide;
	char ascii;
} glyphs[GLYPH_COUNT] = {
	[GLYPH_MORE]    = { 0x2026, '~' }, /* … */
	[GLYPH_DEAD]    = { 0x2020, 'x' }, /* † */
	[GLYPH_FALLING] = { 0x25bc, 'v' }, /* ▼ */
	[GLYPH_RISING]  = { 0x25b2, '^' }, /* ▲ */
};

enum { BAR_STEPS = 8 };

void
canvas_resize(struct canvas *c, int width, int height)
{
	c->width = MAX(width, 1);
	c->height = MAX(height, 1);
	c->cells = mem_realloc(c->cells, (size_t)c->width * (size_t)c->height, sizeof(*c->cells));
	canvas_clear(c);
}

void
canvas_clear(struct canvas *c)
{
	size_t n = (size_t)c->width * (size_t)c->height;
	const struct cell blank = { .ch = ' ', .style = STYLE_NORMAL, .width = 1 };

	memset(c->cells, 0, n * sizeof(*c->cells)); /* padding too: lines are compared whole */
	for (size_t i = 0; i < n; i++) {
		c->cells[i].ch = blank.ch;
		c->cells[i].width = blank.width;
	}
}

void
canvas_release(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){ 0 };
}

static struct cell *
cell_at(struct canvas *c, int x, int y)
{
	if (x < 0 || y < 0 || x >= c->width || y >= c->height)
		return NULL;
	return &c->cells[(size_t)y * (size_t)c->width + (size_t)x];
}

uint32_t
canvas_next(const char **s)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const unsigned char *p = (const unsigned char *)*s;
	unsigned n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	uint32_t ch = p[0];

	if (p[0] == 0)
		return 0;
	if (n > 1)
		ch = (uint32_t)(p[0] - lead[n]) & 0x1f;
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			*s += 1;
			return '?';
		}
		ch = ch << 6 | (p[i] & 0x3fu);
	}
	*s += n;
	return ch;
}

int
canvas_char_width(const struct canvas *c, uint32_t ch)
{
	int w;

	if (ch < 0x7f || c->ascii)
		return 1;
	w = wcwidth((wchar_t)ch);
	return w < 0 ? 1 : MIN(w, 2);
}

int
canvas_text_width(const struct canvas *c, const char *text)
{
	int width = 0;
	uint32_t ch;

	while ((ch = canvas_next(&text)) != 0)
		width += canvas_char_width(c, ch);
	return width;
}

/* A wide character that is half overwritten leaves a blank. */
static void
cell_split(struct canvas *c, int x, int y)
{
	struct cell *cell = cell_at(c, x, y), *other;

	if (cell == NULL || cell->width == 1)
		return;
	other = cell_at(c, cell->width == 2 ? x + 1 : x - 1, y);
	if (other != NULL) {
		other->ch = ' ';
		other->mark = 0;
		other->width = 1;
	}
}

void
canvas_put_char(struct canvas *c, int x, int y, enum style style, uint32_t ch)
{
	struct cell *cell = cell_at(c, x, y), *second;
	int width;

	if (cell == NULL)
		return;
	if (ch < ' ' || ch == 0x7f || (ch > 0x7e && (c->ascii || wcwidth((wchar_t)ch) < 0)))
		ch = '?';
	width = MAX(canvas_char_width(c, ch), 1);
	second = width == 2 ? cell_at(c, x + 1, y) : NULL;
	if (width == 2 && second == NULL) {
		ch = ' ';
		width = 1;
	}
	cell_split(c, x, y);
	cell->ch = ch;
	cell->mark = 0;
	cell->style = (uint8_t)style;
	cell->width = (uint8_t)width;
	if (width == 2) {
		cell_split(c, x + 1, y);
		second->ch = second->mark = 0;
		second->style = (uint8_t)style;
		second->width = 0;
	}
}

static void
put_mark(struct canvas *c, int x, int y, uint32_t ch)
{
	struct cell *cell = cell_at(c, x, y);

	if (cell != NULL && cell->width == 0)
		cell = cell_at(c, x - 1, y);
	if (cell != NULL && cell->mark == 0)
		cell->mark = ch;
}

static uint32_t
glyph_char(const struct canvas *c, enum glyph g)
{
	return c->ascii ? (uint32_t)glyphs[g].ascii : glyphs[g].wide;
}

int
canvas_put(struct canvas *c, int x, int y, int max, enum style style, const char *text)
{
	bool cut = max > 0 && canvas_text_width(c, text) > max;
	int room = cut ? max - 1 : max, used = 0, w;
	uint32_t ch;

	while ((ch = canvas_next(&text)) != 0) {
		w = canvas_char_width(c, ch);
		if (used + w > room)
			break;
		if (w > 0)
			canvas_put_char(c, x + used, y, style, ch);
		else if (used > 0)
			put_mark(c, x + used - 1, y, ch);
		used += w;
	}
	if (cut) {
		while (used < max - 1)
			canvas_put_char(c, x + used++, y, style, ' ');
		canvas_put_glyph(c, x + used++, y, style, GLYPH_MORE);
	}
	return used;
}

void
canvas_cut(const struct canvas *c, struct buf *text, int width)
{
	const char *at = buf_str(text), *end = at;
	int used = 0;

	if (canvas_text_width(c, at) <= width)
		return;
	while (*at != '\0' && used < width) {
		end = at;
		used += canvas_char_width(c, canvas_next(&at));
	}
	text->len = (size_t)(end - text->data);
	canvas_add_utf8(text, glyph_char(c, GLYPH_MORE));
}

void
canvas_put_right(struct canvas *c, int x, int y, int width, enum style style, const char *text)
{
	int w = canvas_text_width(c, text);

	canvas_put(c, x + MAX(width - w, 0), y, MIN(w, width), style, text);
}

void
canvas_put_glyph(struct canvas *c, int x, int y, enum style style, enum glyph g)
{
	canvas_put_char(c, x, y, style, glyph_char(c, g));
}

void
canvas_put_bar(struct canvas *c, int x, int y, double value)
{
	static const char ascii[] = " .:-=+*#";
	static const enum style styles[BAR_STEPS] = {
		STYLE_BAR_LOW, STYLE_BAR_LOW, STYLE_BAR_LOW,  STYLE_BAR_LOW,
		STYLE_BAR_MID, STYLE_BAR_MID, STYLE_BAR_HIGH, STYLE_BAR_HIGH,
	};
	int step = value >= 1 ? BAR_STEPS - 1 : (int)(value * BAR_STEPS);

	if (!(value >= 0)) /* NaN too */
		return;
	canvas_put_char(c, x, y, styles[step],
			c->ascii ? (uint32_t)ascii[step] : 0x2581u + (uint32_t)step);
}

void
canvas_fill(struct canvas *c, int x, int y, int width, enum style style)
{
	for (int i = 0; i < width; i++) {
		struct cell *cell = cell_at(c, x + i, y);

		canvas_put_char(c, x + i, y, style, ' ');
		if (cell != NULL)
			cell->selected = 0; /* what was below is no longer seen */
	}
}

void
canvas_select(struct canvas *c, int y, int x, int width)
{
	for (int i = 0; i < width; i++) {
		struct cell *cell = cell_at(c, x + i, y);

		if (cell != NULL)
			cell->selected = 1;
	}
}

void
canvas_add_utf8(struct buf *b, uint32_t ch)
{
	char s[5] = "";

	if (ch < 0x80) {
		s[0] = (char)ch;
	} else if (ch < 0x800) {
		s[0] = (char)(0xc0 | ch >> 6);
		s[1] = (char)(0x80 | (ch & 0x3f));
	} else if (ch < 0x10000) {
		s[0] = (char)(0xe0 | ch >> 12);
		s[1] = (char)(0x80 | (ch >> 6 & 0x3f));
		s[2] = (char)(0x80 | (ch & 0x3f));
	} else {
		s[0] = (char)(0xf0 | ch >> 18);
		s[1] = (char)(0x80 | (ch >> 12 & 0x3f));
		s[2] = (char)(0x80 | (ch >> 6 & 0x3f));
		s[3] = (char)(0x80 | (ch & 0x3f));
	}
	buf_add_str(b, s);
}

void
canvas_line(const struct canvas *c, int y, struct buf *b)
{
	size_t start = b->len;

	for (int x = 0; x < c->width; x++) {
		const struct cell *cell = &c->cells[(size_t)y * (size_t)c->width + (size_t)x];

		if (cell->width == 0)
			continue;
		canvas_add_utf8(b, cell->ch);
		if (cell->mark != 0)
			canvas_add_utf8(b, cell->mark);
	}
	while (b->len > start && b->data[b->len - 1] == ' ')
		b->data[--b->len] = '\0';
}

void
canvas_add_safe(const struct canvas *c, struct buf *b, const char *text)
{
	if (c->ascii)
		text_add_ascii(b, text);
	else
		text_add_safe(b, text, strlen(text));
}

/* How much of the text goes on one line: up to the last blank that fits. */
static size_t
line_length(const struct canvas *c, const char *text, int width)
{
	const char *p = text, *blank = NULL, *at = text;
	int used = 0;

	while (*p != '\0') {
		at = p;
		used += canvas_char_width(c, canvas_next(&p));
		if (used > width)
			return (size_t)((blank != NULL ? blank : at) - text);
		if (*at == ' ')
			blank = p;
	}
	return (size_t)(p - text);
}

int
canvas_wrapped_lines(const struct canvas *c, const char *text)
{
	int lines = 1;

	/* Of a screen without width nothing is a line. */
	for (size_t len; (len = line_length(c, text, c->width - 1)) > 0 && text[len] != '\0'; lines++)
		text += len;
	return lines;
}

void
canvas_put_wrapped(struct canvas *c, int y, int lines, enum style style, const char *text)
{
	int width = c->width - 1;

	for (; lines > 1; lines--) {
		size_t len = line_length(c, text, width);
		char *line = mem_strndup(text, len);

		canvas_put(c, 1, y++, width, style, line);
		free(line);
		text += len;
	}
	canvas_put(c, 1, y, width, style, text);
}
