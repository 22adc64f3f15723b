/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/textview.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { TAB_STOP = 8, HANG_MAX = 24, HANG_APART = 4 };

static void
add_line(struct textview *v, const struct canvas *c, const char *line, size_t len)
{
	size_t start = v->text.len;
	char *piece;

	if (len > 0 && line[len - 1] == '\r')
		len--;
	while (len > 0) {
		const char *tab = memchr(line, '\t', len);
		size_t n = tab == NULL ? len : (size_t)(tab - line);

		if (c->ascii) {
			piece = mem_strndup(line, n);
			text_add_ascii(&v->text, piece);
			free(piece);
		} else {
			text_add_safe(&v->text, line, n);
		}
		if (tab != NULL) {
			buf_add_fill(&v->text, ' ', TAB_STOP - (v->text.len - start) % TAB_STOP);
			n++;
		}
		line += n;
		len -= n;
	}
	buf_add_char(&v->text, '\n');
}

static void
line_add(struct textview *v, size_t start, int indent)
{
	VEC_ADD(v->lines, v->line_count, v->line_cap) = (struct text_line){ start, indent };
}

/* The last column of a line, behind two blanks and more, not far from its beginning. */
struct last_column {
	const char *gap, *begin; /* where the blanks before it begin, and itself; NULL: there is none */
	int x;
};

static struct last_column
last_column(const struct textview *v, const struct canvas *c, size_t start, size_t end)
{
	const char *p = buf_str(&v->text) + start, *stop = buf_str(&v->text) + end, *gap = p;
	struct last_column col = { NULL, NULL, 0 };
	int x = 0, blanks = 0;

	while (v->hangs && p < stop && x <= HANG_MAX) {
		const char *at = p;
		uint32_t ch = canvas_next(&p);

		if (ch != ' ' && blanks >= 2)
			col = (struct last_column){ gap, at, x };
		if (ch == ' ' && blanks == 0)
			gap = at;
		blanks = ch == ' ' ? blanks + 1 : 0;
		x += canvas_char_width(c, ch);
	}
	return col;
}

static bool
is_wider(const struct textview *v, const struct canvas *c, size_t start, size_t end, int width)
{
	const char *p = buf_str(&v->text) + start, *stop = buf_str(&v->text) + end;
	int used = 0;

	while (p < stop && used <= width)
		used += canvas_char_width(c, canvas_next(&p));
	return used > width;
}

/*
 * Breaks at the last blank that fits, else in the middle of a word.  The last column goes on below its
 * beginning; where that leaves no room it has lines of its own.
 */
static void
wrap_line(struct textview *v, const struct canvas *c, size_t start, size_t end, int width)
{
	const char *base = buf_str(&v->text), *p = base + start;
	const struct last_column col = last_column(v, c, start, end);
	const bool is_apart = col.x > width / 2 && col.gap > p && is_wider(v, c, start, end, width);
	const int hang = is_apart ? MIN(HANG_APART, width / 2) : col.x <= width / 2 ? col.x : 0;
	const char *blank = NULL;
	int used = 0;

	line_add(v, start, 0);
	while (p < base + end) {
		const char *at = p;
		uint32_t ch = canvas_next(&p);

		if (is_apart && at >= col.gap && at < col.begin)
			continue;
		if (is_apart && at == col.begin) {
			line_add(v, (size_t)(at - base), hang);
			blank = NULL;
			used = hang;
		}
		used += canvas_char_width(c, ch);
		if (ch == ' ')
			blank = p;
		if (used <= width)
			continue;
		p = blank != NULL ? blank : at;
		if (p <= base + v->lines[v->line_count - 1].start)
			canvas_next(&p); /* wider than the page itself */
		line_add(v, (size_t)(p - base), hang);
		blank = NULL;
		used = hang;
	}
}

static void
wrap(struct textview *v, const struct canvas *c, int width)
{
	size_t at = 0;

	if (v->wrapped_to == width)
		return;
	v->wrapped_to = width;
	v->line_count = 0;
	v->found = 0;
	while (at < v->text.len) {
		const char *nl = memchr(v->text.data + at, '\n', v->text.len - at);
		size_t end = (size_t)(nl - v->text.data);

		wrap_line(v, c, at, end, width);
		at = end + 1;
	}
}

static int
text_width(const struct canvas *c)
{
	return MAX(c->width - 2, 1);
}

void
textview_set(struct textview *v, const struct canvas *c, const char *title, const char *text,
	     size_t len)
{
	buf_reset(&v->title);
	buf_add_str(&v->title, title);
	buf_reset(&v->text);
	v->wrapped_to = 0;
	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t n = end == NULL ? len : (size_t)(end - text);

		add_line(v, c, text, n);
		n += end == NULL ? 0 : 1;
		text += n;
		len -= n;
	}
	/* What is typed ahead may search it before it is drawn. */
	wrap(v, c, text_width(c));
}

static size_t
top_max(const struct textview *v)
{
	return v->line_count > v->page ? v->line_count - v->page : 0;
}

/* Without blanks at its end, which it may have no room for.  The caller frees it. */
static char *
line_of(const struct textview *v, size_t i)
{
	size_t start = v->lines[i].start;
	size_t end = i + 1 < v->line_count ? v->lines[i + 1].start : v->text.len;
	char *line = mem_strndup(v->text.data + start, end - start);
	size_t len = strcspn(line, "\n");

	while (len > 0 && line[len - 1] == ' ')
		len--;
	line[len] = '\0';
	return line;
}

static void
draw_line(const struct textview *v, struct canvas *c, size_t i, int y)
{
	char *line = line_of(v, i);
	int x = 1 + v->lines[i].indent;

	canvas_put(c, x, y, c->width - x, STYLE_NORMAL, line);
	if (i + 1 == v->found)
		canvas_select(c, y, 0, c->width);
	free(line);
}

void
textview_draw(struct textview *v, struct canvas *c, int y, int height)
{
	struct buf b = { 0 };

	wrap(v, c, text_width(c));
	v->page = (size_t)MAX(height - 1, 0);
	v->top = v->follow ? top_max(v) : MIN(v->top, top_max(v));
	canvas_fill(c, 0, y, c->width, STYLE_TITLE);
	canvas_put(c, 1, y, c->width - 1, STYLE_TITLE, buf_str(&v->title));
	if (v->line_count > v->page && v->page > 0) {
		buf_addf(&b, "%zu-%zu of %zu", v->top + 1, v->top + v->page, v->line_count);
		if (c->width > (int)(v->title.len + b.len) + 3)
			canvas_put_right(c, 0, y, c->width - 1, STYLE_TITLE, b.data);
	}
	for (size_t i = 0; i < v->page && v->top + i < v->line_count; i++)
		draw_line(v, c, v->top + i, y + 1 + (int)i);
	buf_release(&b);
}

void
textview_move(struct textview *v, long lines)
{
	long top = (long)v->top + lines;

	v->top = top < 0 ? 0 : MIN((size_t)top, top_max(v));
	v->follow = v->follow && v->top == top_max(v);
}

void
textview_end(struct textview *v)
{
	v->top = top_max(v);
	v->follow = true;
}

bool
textview_holds(const struct textview *v, size_t line, const char *text)
{
	char *s = line_of(v, line);
	bool holds = strcasestr(s, text) != NULL;

	free(s);
	return holds;
}

void
textview_show(struct textview *v, size_t line)
{
	v->found = line + 1;
	if (line < v->top || line >= v->top + v->page)
		v->top = MIN(line, top_max(v));
	v->follow = false;
}

void
textview_release(struct textview *v)
{
	buf_release(&v->title);
	buf_release(&v->text);
	free(v->lines);
	*v = (struct textview){ 0 };
}
