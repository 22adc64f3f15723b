/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"
#include "ui/keys.h"
#include "ui/pages.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LEFT = 3, PAD = 1, WIDTH_LEAST = 80, ITEMS_MAX = 40, HELP_MAX = 160, TITLE_MAX = 128, TYPED_MAX = 32 };

/* How an entry's name has what is typed. */
enum fit { FIT_NONE, FIT_WORD, FIT_BEGIN, FIT_WHOLE };

struct menu_page {
	char title[TITLE_MAX];
	void (*take)(struct ui *ui, int value);
	struct menu_item {
		const char *name;
		char help[HELP_MAX];
		int value;
	} items[ITEMS_MAX];
	size_t len, selected, top;
	char typed[TYPED_MAX]; /* shown behind the title */
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
	m->typed[0] = '\0';
}

/* A name that is typed to its end is meant rather than a longer one, its begin rather than a word in it. */
static enum fit
fit_of(const struct menu_page *m, const char *name)
{
	const size_t len = strlen(m->typed);

	if (strncasecmp(name, m->typed, len) == 0)
		return name[len] == '\0' ? FIT_WHOLE : FIT_BEGIN;
	for (const char *word = name + 1; *name != '\0' && *word != '\0'; word++)
		if (!isalnum((unsigned char)word[-1]) && strncasecmp(word, m->typed, len) == 0)
			return FIT_WORD;
	return FIT_NONE;
}

/* What has it best, the first from @from on; FIT_NONE: nothing, and @found is left. */
static enum fit
find_entry(const struct menu_page *m, size_t from, size_t *found)
{
	enum fit best = FIT_NONE;

	for (size_t n = 0; n < m->len; n++) {
		const size_t i = (from + n) % m->len;
		const enum fit fit = fit_of(m, m->items[i].name);

		if (fit > best) {
			best = fit;
			*found = i;
		}
	}
	return best;
}

static bool
select_typed(struct menu_page *m, size_t from)
{
	return find_entry(m, from, &m->selected) != FIT_NONE;
}

/* What is typed nothing has: what is selected is not meant. */
static bool
fits_none(const struct menu_page *m)
{
	return m->typed[0] != '\0' && (m->len == 0 || fit_of(m, m->items[m->selected].name) == FIT_NONE);
}

static bool
add_letter(struct menu_page *m, char letter)
{
	const size_t len = strlen(m->typed);

	if (len + 1 == TYPED_MAX)
		return false;
	m->typed[len] = letter;
	m->typed[len + 1] = '\0';
	return true;
}

/* Whether the key, which does something here, is the first letter of a name. */
static bool
begins_name(const struct menu_page *m, const struct action *action)
{
	size_t found;

	return action == NULL || (action->step != NULL && find_entry(m, 0, &found) >= FIT_BEGIN);
}

static bool
take_back(struct menu_page *m)
{
	const size_t len = strlen(m->typed);

	if (len == 0)
		return false;
	m->typed[len - 1] = '\0';
	if (len > 1)
		select_typed(m, 0);
	return true;
}

static void
say_none(struct ui *ui)
{
	ui_say(ui, false, "no entry has '%s': Backspace takes it back", ui->menu_page->typed);
}

/*
 * A key that moves, or leaves, is a letter inside of a name; one that moves is so where a name begins
 * with it, too.  The first letter again leads to the next entry that begins so.
 */
static bool
find_typed(struct ui *ui, int key, const struct action *action)
{
	struct menu_page *m = ui->menu_page;
	const size_t len = strlen(m->typed);
	const bool is_again = len == 1 && tolower(key) == tolower((unsigned char)m->typed[0]);
	bool is_lost;

	if (key == KEYCODE_BACKSPACE)
		return take_back(m);
	if (key < ' ' || key > '~')
		return false;
	is_lost = fits_none(m);
	if (!add_letter(m, (char)key))
		return true;
	if (is_lost) {
		say_none(ui);
		return true;
	}
	if (len == 0 ? begins_name(m, action) && select_typed(m, 0) : select_typed(m, m->selected))
		return true;
	m->typed[len] = '\0';
	if (is_again) {
		select_typed(m, m->selected + 1);
	} else if (action != NULL) {
		m->typed[0] = '\0';
		return false;
	} else {
		add_letter(m, (char)key);
		say_none(ui);
	}
	return true;
}

static void
take(struct ui *ui)
{
	struct menu_page *m = ui->menu_page;

	if (fits_none(m)) {
		say_none(ui);
		return;
	}
	page_open_box(ui, PAGE_NONE);
	ui->menu_page->take(ui, ui->menu_page->items[ui->menu_page->selected].value);
}

static void
put_typed(struct canvas *c, const struct menu_page *m, int y)
{
	const int at = PAD + canvas_text_width(c, m->title) + 2;

	canvas_put(c, m->x + at, y, m->width - at, STYLE_TITLE, m->typed);
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
		put_typed(c, m, y);
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
