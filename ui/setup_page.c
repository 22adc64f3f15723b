/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two lists, of which Tab leads to the other.  Which columns the table has, in which order, and how
 * wide: those that it has first, then those it could.  And which parts the header has.
 */
#include "ui/action_table.h"
#include "ui/choice.h"
#include "ui/column_width.h"
#include "ui/header_parts.h"
#include "ui/pages.h"
#include "ui/place.h"

#include <stdio.h>
#include <string.h>

enum { MARK_WIDTH = 4, TITLE_WIDTH = 14, NAME_WIDTH = 15, CELLS_WIDTH = 5 };
enum { LINES_MAX = 2 * CHOICE_MAX };

struct setup_page {
	bool is_header;               /* the second list: lines are enum header_part, @ids is not used */
	enum view_id view;
	unsigned char ids[LINES_MAX]; /* enum column_id */
	size_t len, shown;            /* the first of them are shown */
	struct choice choice;
};

static void
add(struct setup_page *p, unsigned char id)
{
	if (p->len < LINES_MAX && memchr(p->ids, id, p->len) == NULL)
		p->ids[p->len++] = id;
}

/* Where there is this machine alone its name tells nothing: that column is offered last. */
static void
add_usual(const struct ui *ui, struct setup_page *p, const struct view_def *def)
{
	for (size_t i = 0; i < def->column_count; i++)
		if (columns[def->columns[i]].of != COLUMN_OF_HOSTS || ui->config->engine.host_count > 0)
			add(p, def->columns[i]);
}

void
setup_page_show_header(struct ui *ui)
{
	struct setup_page *p = ui->setup_page;

	*p = (struct setup_page){ .is_header = true, .view = nav_level(&ui->nav)->view };
	p->len = HEADER_PARTS;
	choice_begin(&p->choice, p->len);
	page_show(ui, PAGE_SETUP);
}

static void
show(struct ui *ui)
{
	struct setup_page *p = ui->setup_page;
	const enum view_id view = nav_level(&ui->nav)->view;
	const struct view_def *def = &view_defs[view];
	const struct column_choice *own = &ui->columns[view];

	/* Stacks and code have no columns to choose from, and those of --by are its keys. */
	if (place_is_by_option(ui, view) || def->is_tree || def->is_code) {
		setup_page_show_header(ui);
		return;
	}
	*p = (struct setup_page){ .view = view };
	for (size_t i = 0; i < own->count; i++)
		add(p, own->ids[i]);
	if (own->count == 0)
		add_usual(ui, p, def);
	p->shown = p->len;
	add_usual(ui, p, def);
	for (size_t i = 0; i < def->offer_count; i++)
		add(p, def->offers[i]);
	for (size_t i = 0; i < def->column_count; i++)
		add(p, def->columns[i]);
	choice_begin(&p->choice, p->len);
	page_show(ui, PAGE_SETUP);
}

static void
switch_page(struct ui *ui)
{
	if (ui->setup_page->is_header)
		show(ui);
	else
		setup_page_show_header(ui);
}

static void
apply(struct ui *ui)
{
	struct setup_page *p = ui->setup_page;
	struct column_choice *c = &ui->columns[p->view];

	c->count = MIN(p->shown, (size_t)CHOICE_MAX);
	memcpy(c->ids, p->ids, c->count);
	columns_settle(c, p->view);
	place_ask(ui, false);
}

/* Moves the line that is chosen to where @to is. */
static void
move_line(struct setup_page *p, size_t to)
{
	size_t from = p->choice.selected;
	unsigned char id = p->ids[from];

	memmove(p->ids + from, p->ids + from + 1, p->len - from - 1);
	memmove(p->ids + to + 1, p->ids + to, p->len - 1 - to);
	p->ids[to] = id;
}

/* Its line stays where it was if it can, so that several can be put in one after another. */
static void
toggle_column(struct ui *ui)
{
	struct setup_page *p = ui->setup_page;

	if (p->choice.selected >= p->shown) {
		move_line(p, p->shown);
		p->shown++;
		choice_move(&p->choice, p->choice.selected + 1 < p->len ? 1 : 0);
	} else if (p->shown == 1) {
		ui_say(ui, false, "a table has at least one column");
		return;
	} else {
		move_line(p, p->shown - 1);
		p->shown--;
	}
	apply(ui);
}

static void
toggle(struct ui *ui)
{
	if (ui->setup_page->is_header)
		ui->header ^= HEADER_BIT(ui->setup_page->choice.selected);
	else
		toggle_column(ui);
}

static void
shift(struct ui *ui, int by)
{
	struct setup_page *p = ui->setup_page;
	size_t to = p->choice.selected + (size_t)by;

	if (p->is_header) {
		ui_say(ui, false, "the parts of the header have an order of their own");
		return;
	}
	if (p->choice.selected >= p->shown) {
		ui_say(ui, false, "Space puts this column in first");
		return;
	}
	if (to >= p->shown)
		return;
	move_line(p, to);
	choice_move(&p->choice, by);
	apply(ui);
}

static void
widen(struct ui *ui, int by)
{
	const struct setup_page *p = ui->setup_page;

	if (p->is_header)
		ui_say(ui, false, "the parts of the header are as wide as they need");
	else if (p->choice.selected >= p->shown)
		ui_say(ui, false, "Space puts this column in first");
	else
		column_width_step(ui, (enum column_id)p->ids[p->choice.selected], by);
}

static void
set_default(struct ui *ui)
{
	if (ui->setup_page->is_header) {
		ui->header = HEADER_BY_ITSELF;
		setup_page_show_header(ui);
		return;
	}
	ui->columns[ui->setup_page->view] = (struct column_choice){ .count = 0 };
	place_ask(ui, false);
	show(ui);
}

/* Why the table of what is shown now has it not, put in or not; NULL: it can. */
static const char *
why_not(const struct ui *ui, unsigned char chosen)
{
	const bool is_recording = !engine_config_samples(&ui->config->engine);
	const enum column_id id = column_of_view((enum column_id)chosen, is_recording);
	const struct view_def *def = &view_defs[ui->setup_page->view];

	for (size_t i = 0; i < def->key_count; i++)
		if ((enum column_id)def->keys[i] == id)
			return NULL;
	if (query_compares(&ui->query) && column_is_of_window(id))
		return "not where two times are compared";
	return column_why_not(id, ui->snap != NULL ? snapshot_shown(ui->snap) : NULL);
}

static void
explain(struct ui *ui)
{
	const struct setup_page *p = ui->setup_page;
	struct buf b = { 0 };

	if (p->is_header) {
		ui_say(ui, false, "%s: %s", header_parts[p->choice.selected].name,
		       header_parts[p->choice.selected].help);
		return;
	}
	column_put_about(&b, (enum column_id)p->ids[p->choice.selected]);
	if (why_not(ui, p->ids[p->choice.selected]) != NULL)
		buf_addf(&b, "; not now: %s", why_not(ui, p->ids[p->choice.selected]));
	ui_say(ui, false, "%s", buf_str(&b));
	buf_release(&b);
}

static void
move(struct ui *ui, long delta)
{
	choice_move(&ui->setup_page->choice, delta);
}

static bool
click(struct ui *ui, int x, int y)
{
	(void)x;
	return choice_hit(&ui->setup_page->choice, y);
}

/* The mark and @title; where the rest of the line begins. */
static int
draw_mark(struct canvas *c, int y, enum style style, const char *mark, const char *title)
{
	int x = 1;

	canvas_put(c, x, y, MARK_WIDTH, style, mark);
	x += MARK_WIDTH;
	canvas_put(c, x, y, MIN(TITLE_WIDTH, c->width - x), style, title);
	return x + TITLE_WIDTH;
}

/* Dim where it is the column's own, or what others leave to it. */
static void
draw_width(struct ui *ui, int x, int y, enum column_id id)
{
	const int cells = column_width_now(ui, id), room = MIN(CELLS_WIDTH - 1, ui->canvas.width - x);
	const enum style style = column_width_is_chosen(ui, id) ? STYLE_GOOD : STYLE_DIM;
	char text[12] = "rest";

	if (cells > 0)
		snprintf(text, sizeof(text), "%d", cells);
	canvas_put(&ui->canvas, x, y, room, style, text);
}

/* One that is put in, but that this event lacks, has no tick: there is none of it on the screen. */
static void
draw_column(struct ui *ui, int y, enum column_id id, bool is_shown)
{
	struct canvas *c = &ui->canvas;
	const struct column *col = &columns[id];
	const char *why = why_not(ui, (unsigned char)id);
	int x = draw_mark(c, y, why != NULL ? STYLE_DIM : STYLE_STRONG,
			  !is_shown ? "[ ]" : why != NULL ? "[-]" : "[x]", col->title);

	canvas_put(c, x, y, MIN(NAME_WIDTH, c->width - x), STYLE_DIM, col->name);
	x += NAME_WIDTH;
	draw_width(ui, x, y, id);
	x += CELLS_WIDTH;
	canvas_put(c, x, y, c->width - x, why != NULL ? STYLE_DIM : STYLE_NORMAL,
		   why != NULL ? why : col->help);
}

static void
draw_part(struct canvas *c, int y, enum header_part part, bool is_shown)
{
	int x = draw_mark(c, y, STYLE_STRONG, is_shown ? "[x]" : "[ ]", header_parts[part].name);

	canvas_put(c, x, y, c->width - x, STYLE_NORMAL, header_parts[part].help);
}

static void
put_title(const struct setup_page *p, char *title, size_t size)
{
	if (p->is_header)
		snprintf(title, size, "Header: what the lines above tables show");
	else
		snprintf(title, size, "Columns of %s: which, in which order, how many cells wide",
			 view_defs[p->view].title);
}

static void
draw(struct ui *ui)
{
	struct setup_page *p = ui->setup_page;
	struct canvas *c = &ui->canvas;
	struct choice *list = &p->choice;
	int top = c->height >= 4;
	char title[80];

	if (top > 0) {
		put_title(p, title, sizeof(title));
		canvas_fill(c, 0, 0, c->width, STYLE_TITLE);
		canvas_put(c, 1, 0, c->width - 1, STYLE_TITLE, title);
	}
	choice_place(list, top, layout_above_footer(&ui->layout) - top);
	ui->rows[PAGE_SETUP] = list->rows;
	for (size_t i = list->top; i < MIN(list->top + list->rows, list->count); i++) {
		int y = list->y + (int)(i - list->top);

		if (p->is_header)
			draw_part(c, y, (enum header_part)i, (ui->header & HEADER_BIT(i)) != 0);
		else
			draw_column(ui, y, (enum column_id)p->ids[i], i < p->shown);
		if (i == list->selected)
			canvas_select(c, y, 0, c->width);
	}
}

static const struct footer_key footer[] = {
	{ "column-toggle", "In/out" }, { "setup-next", "Header" }, { "column-earlier", "Left" },
	{ "column-later", "Right" }, { "column-wider", "Wider" }, { "column-about", "About" },
	{ "columns-default", "Reset" }, { "out", "Back" }, { "column-narrower", "Narrower" }, { NULL },
};

static const struct footer_key header_footer[] = {
	{ "column-toggle", "In/out" }, { "setup-next", "Columns" }, { "column-about", "About" },
	{ "columns-default", "Reset" }, { "out", "Back" }, { NULL },
};

static const struct footer_key *
footer_of(const struct ui *ui)
{
	return ui->setup_page->is_header ? header_footer : footer;
}

static const struct action actions[] = {
	{ "setup", "F2", "columns of this table, in which order, how wide; Tab: the header", IN_SAMPLES, show },
	{ "setup-next", "Tab", "the other of the two: columns of the table, parts of the header",
	  IN_SETUP, switch_page },
	{ "column-toggle", "Space", "put this column or part in, or take it out", IN_SETUP, toggle },
	{ "column-earlier", "F7", "this column further to the left", IN_SETUP, .step = shift, .by = -1 },
	{ "column-later", "F8", "this column further to the right", IN_SETUP, .step = shift, .by = 1 },
	{ "column-wider", "+", "this column wider by a cell", IN_SETUP, .step = widen, .by = 1 },
	{ "column-narrower", "-", "this column narrower by a cell", IN_SETUP, .step = widen, .by = -1 },
	{ "columns-default", "Delete",
	  "the columns that this table has by itself; of the header its parts", IN_SETUP, set_default },
	{ "column-about", "F1 ?", "what this column shows", IN_SETUP, explain },
	{ NULL },
};

const struct page_ops setup_page = {
	.name = "setup", .kinds = IN_LISTS, .actions = actions, .footer = footer, .footer_of = footer_of,
	.state_size = sizeof(struct setup_page),
	.draw = draw, .move = move, .in = toggle, .click = click,
};
