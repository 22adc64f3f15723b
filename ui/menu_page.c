/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"
#include "ui/keys.h"
#include "ui/pages.h"

#include <stdio.h>
#include <strings.h>

enum { LEFT = 3, PAD = 1, WIDTH_LEAST = 80, ITEMS_MAX = 40, HELP_MAX = 160, TITLE_MAX = 128 };

struct menu_page {
	char title[TITLE_MAX];
	void (*take)(struct ui *ui, int value);
	struct menu_item {
		const char *name;
		char help[HELP_MAX];
		int value;
	} items[ITEMS_MAX];
	size_t len, selected, top;
	size_t typed; /* so many bytes of the selected one's name */
	bool leaves_titles;
	int names; /* how wide the widest name is, and the title */
	int helps; /* and the widest help */
	int x, y, width; /* where its items were drawn */
};

void
menu_open(struct ui *ui, const char *title, void (*take)(struct ui *ui, int value))
{
	struct menu_page *m = ui->menu_page;

	*m = (struct menu_page){ .take = take, .names = canvas_text_width(&ui->canvas, title) };
	snprintf(m->title, sizeof(m->title), "%s", title);
	page_open_box(ui, PAGE_MENU);
}

void
menu_add(struct ui *ui, const char *name, const char *help, int value, bool selected)
{
	struct menu_page *m = ui->menu_page;
	struct menu_item *item = &m->items[m->len];

	if (m->len == ITEMS_MAX)
		return;
	if (selected)
		m->selected = m->len;
	m->len++;
	item->name = name;
	item->value = value;
	m->names = MAX(m->names, canvas_text_width(&ui->canvas, name));
	snprintf(item->help, sizeof(item->help), "%s", help);
	m->helps = MAX(m->helps, canvas_text_width(&ui->canvas, item->help));
}

void
menu_leave_titles(struct ui *ui)
{
	ui->menu_page->leaves_titles = true;
}

static void
move(struct ui *ui, long delta)
{
	struct menu_page *m = ui->menu_page;
	long to = (long)m->selected + delta, last = (long)m->len - 1;

	m->selected = to < 0 ? 0 : (size_t)MIN(to, last);
	m->typed = 0;
}

/* Whether the entry's name goes on with the key where the selected one's is typed up to. */
static bool
goes_on(const struct menu_page *m, size_t i, int key)
{
	const char *name = m->items[i].name, letter = (char)key;

	return strncasecmp(name, m->items[m->selected].name, m->typed) == 0 &&
	       strncasecmp(name + m->typed, &letter, 1) == 0;
}

/* The first from @from on that goes on with the key, or @ends with it; the count of all: none. */
static size_t
find_entry(const struct menu_page *m, size_t from, int key, bool ends)
{
	for (size_t n = 0; n < m->len; n++) {
		size_t i = (from + n) % m->len;

		if (goes_on(m, i, key) && (!ends || m->items[i].name[m->typed + 1] == '\0'))
			return i;
	}
	return m->len;
}

/* A name that is typed to its end is meant rather than a longer one. */
static bool
select_typed(struct menu_page *m, size_t from, int key)
{
	size_t found = m->typed > 0 ? find_entry(m, from, key, true) : m->len;

	if (found == m->len)
		found = find_entry(m, from, key, false);
	if (found == m->len)
		return false;
	m->selected = found;
	m->typed++;
	return true;
}

/*
 * A key that moves, or leaves, is a letter inside of a name; one that moves is so where a name begins
 * with it, too.  The first letter again leads to the next entry that begins so.
 */
static bool
find_typed(struct ui *ui, int key, const struct action *action)
{
	struct menu_page *m = ui->menu_page;
	bool is_second = m->typed == 1;
	struct buf b = { 0 };

	if (key < ' ' || key > '~')
		return false;
	if (m->typed > 0 && select_typed(m, m->selected, key))
		return true;
	m->typed = 0;
	if (action != NULL && (action->step == NULL || find_entry(m, 0, key, false) == m->len))
		return false;
	if (!select_typed(m, is_second && goes_on(m, m->selected, key) ? m->selected + 1 : 0, key)) {
		key_put_name(&b, key);
		ui_say(ui, false, "no entry begins with '%s'", buf_str(&b));
		buf_release(&b);
	}
	return true;
}

static void
take(struct ui *ui)
{
	page_open_box(ui, PAGE_NONE);
	ui->menu_page->take(ui, ui->menu_page->items[ui->menu_page->selected].value);
}

/* Below the header of a view of samples. */
static void
draw(struct ui *ui)
{
	struct menu_page *m = ui->menu_page;
	struct canvas *c = &ui->canvas;
	int y = ui->page == PAGE_NONE ? MAX(ui->layout.titles + m->leaves_titles, 0) : 0;
	int height = layout_above_footer(&ui->layout) - y;
	size_t page = (size_t)MAX(height - 1, 1);
	int x = c->width > 40 ? LEFT : 0, width = c->width - x;

	ui->rows[PAGE_MENU] = page;
	if (m->selected < m->top)
		m->top = m->selected;
	if (m->selected >= m->top + page)
		m->top = m->selected - page + 1;
	m->x = x;
	m->y = y + (height > 1 ? 1 : 0);
	m->width = width = MIN(width, MAX(WIDTH_LEAST, PAD + m->names + m->helps + 4));
	if (height > 1) {
		canvas_fill(c, 0, y, c->width, STYLE_NORMAL);
		canvas_fill(c, x, y, width, STYLE_TITLE);
		canvas_put(c, x + PAD, y, width - PAD, STYLE_TITLE, m->title);
	}
	for (size_t i = 0; i < page && m->top + i < m->len; i++) {
		const struct menu_item *item = &m->items[m->top + i];
		int line = m->y + (int)i;

		canvas_fill(c, 0, line, c->width, STYLE_NORMAL);
		canvas_put(c, x + PAD, line, width - PAD, STYLE_STRONG, item->name);
		canvas_put(c, x + PAD + m->names + 2, line, width - m->names - 3 - PAD, STYLE_NORMAL,
			   item->help);
		if (m->top + i == m->selected)
			canvas_select(c, line, x, width);
	}
}

/* Takes the item that was hit; beside the box, closes it. */
static bool
click(struct ui *ui, int x, int y)
{
	struct menu_page *m = ui->menu_page;
	size_t i = m->top + (size_t)(y - m->y);

	if (y < m->y || x < m->x || x >= m->x + m->width || i >= m->len) {
		page_open_box(ui, PAGE_NONE);
		return false;
	}
	m->selected = i;
	take(ui);
	return false;
}

/* All of it, where the line had no room. */
static void
about(struct ui *ui)
{
	const struct menu_page *m = ui->menu_page;

	if (m->len > 0)
		ui_say(ui, false, "%s: %s", m->items[m->selected].name, m->items[m->selected].help);
}

static const struct action actions[] = {
	{ "menu-about", "F1 ?", "what this entry means", IN_MENU, about },
	{ NULL },
};

static const struct footer_key footer[] = {
	{ "in", "Take" }, { "out", "Back" }, { "menu-about", "About" }, { "quit", "Quit" }, { NULL },
};

const struct page_ops menu_page = {
	.name = "menu", .kinds = IN_LISTS, .actions = actions, .footer = footer,
	.state_size = sizeof(struct menu_page),
	.draw = draw, .move = move, .in = take, .find_typed = find_typed, .click = click,
};
