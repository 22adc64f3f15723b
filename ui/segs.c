/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/segs.h"

enum { LEAST_GAP = 2 };

void
segs_add(struct segs *s, int rank, enum style style, const char *fmt, ...)
{
	const size_t start = s->text.len;
	va_list ap;

	if (s->len == SEGS_MAX)
		return;
	va_start(ap, fmt);
	buf_addv(&s->text, fmt, ap);
	va_end(ap);
	if (s->text.len == start)
		return;
	buf_add_char(&s->text, '\0');
	s->items[s->len++] = (struct seg){ .start = start, .rank = rank, .style = style };
}

static void
measure(struct segs *s, const struct canvas *c)
{
	for (size_t i = 0; i < s->len; i++)
		s->items[i].width = canvas_text_width(c, s->text.data + s->items[i].start);
}

static int
segs_width(const struct segs *s, int gap)
{
	int width = 0;

	for (size_t i = 0; i < s->len; i++)
		if (s->items[i].width > 0)
			width += s->items[i].width + (width > 0 ? gap : 0);
	return width;
}

int
segs_need(struct segs *s, const struct canvas *c, int gap)
{
	measure(s, c);
	return segs_width(s, gap);
}

/* The lowest rank of those still there gives way, the last of equals first. */
static bool
drop_one(struct segs *s)
{
	struct seg *least = NULL;
	size_t there = 0;

	for (size_t i = 0; i < s->len; i++) {
		struct seg *seg = &s->items[i];

		if (seg->width == 0)
			continue;
		there++;
		if (least == NULL || seg->rank <= least->rank)
			least = seg;
	}
	if (there <= 1)
		return false;
	least->width = 0;
	return true;
}

int
segs_draw(struct segs *s, struct canvas *c, int x, int y, int width, int gap)
{
	int used = 0;

	measure(s, c);
	/* Rather closer together than without a piece, but never so close that they run into one. */
	while (gap > LEAST_GAP && segs_width(s, gap) > width)
		gap--;
	while (segs_width(s, gap) > width && drop_one(s))
		;
	for (size_t i = 0; i < s->len; i++) {
		struct seg *seg = &s->items[i];

		if (seg->width == 0)
			continue;
		used += used > 0 ? gap : 0;
		seg->x = x + used;
		used += canvas_put(c, seg->x, y, width - used, seg->style,
				   s->text.data + seg->start);
	}
	return used;
}

void
segs_release(struct segs *s)
{
	buf_release(&s->text);
	s->len = 0;
}
