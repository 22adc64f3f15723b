/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/menu.h"

#include <stdio.h>

enum { LEFT = 3, PAD = 1 };

void
menu_open(struct menu *m, const char *title, void (*take)(struct ui *ui, int value))
{
	*m = (struct menu){ .is_open = true, .title = title, .take = take };
}

void
menu_add(struct menu *m, const char *name, const char *help, int value, bool selected)
{
	struct menu_item *item = &m->items[m->len];

	if (m->len == MENU_MAX)
		return;
	if (selected)
		m->selected = m->len;
	m->len++;
	item->name = name;
	item->value = value;
	snprintf(item->help, sizeof(item->help), "%s", help);
}

void
menu_move(struct menu *m, long delta)
{
	long to = (long)m->selected + delta, last = (long)m->len - 1;

	m->selected = to < 0 ? 0 : (size_t)MIN(to, last);
}

static int
widest(const struct menu *m, const struct canvas *c)
{
	int width = canvas_text_width(c, m->title);

	for (size_t i = 0; i < m->len; i++)
		width = MAX(width, canvas_text_width(c, m->items[i].name));
	return width;
}

void
menu_draw(struct menu *m, struct canvas *c, int y, int height)
{
	int names = widest(m, c), x = c->width > 40 ? LEFT : 0, width = c->width - x;

	m->page = (size_t)MAX(height - 1, 1);
	if (m->selected < m->top)
		m->top = m->selected;
	if (m->selected >= m->top + m->page)
		m->top = m->selected - m->page + 1;
	m->x = x;
	m->y = y + (height > 1 ? 1 : 0);
	m->width = width = MIN(width, 80);
	if (height > 1) {
		canvas_fill(c, 0, y, c->width, STYLE_NORMAL);
		canvas_fill(c, x, y, width, STYLE_TITLE);
		canvas_put(c, x + PAD, y, width - PAD, STYLE_TITLE, m->title);
	}
	for (size_t i = 0; i < m->page && m->top + i < m->len; i++) {
		const struct menu_item *item = &m->items[m->top + i];
		int line = m->y + (int)i;

		canvas_fill(c, 0, line, c->width, STYLE_NORMAL);
		canvas_put(c, x + PAD, line, width - PAD, STYLE_STRONG, item->name);
		canvas_put(c, x + PAD + names + 2, line, width - names - 3 - PAD, STYLE_NORMAL,
			   item->help);
		if (m->top + i == m->selected)
			canvas_select(c, line, x, width);
	}
}

bool
menu_click(struct menu *m, int x, int y)
{
	size_t i = m->top + (size_t)(y - m->y);

	if (y < m->y || x < m->x || x >= m->x + m->width || i >= m->len)
		return false;
	m->selected = i;
	return true;
}
