/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Up and down, in and out, in whatever page is in front. */
#include "ui/action_table.h"
#include "ui/place.h"

static const struct page_ops *
page(const struct ui *ui)
{
	return pages[page_front(ui)];
}

/* One row of the page before stays to be seen. */
static long
page_rows(const struct ui *ui)
{
	size_t n = ui->rows[page_front(ui)];

	return n > 1 ? (long)n - 1 : 1;
}

static void
step_row(struct ui *ui, int by)
{
	page_move(ui, by);
}

static void
step_page(struct ui *ui, int by)
{
	page_move(ui, by * page_rows(ui));
}

static void
home(struct ui *ui)
{
	if (page(ui)->home != NULL)
		page(ui)->home(ui);
	else
		page_move(ui, -INT32_MAX);
}

static void
end(struct ui *ui)
{
	if (page(ui)->end != NULL)
		page(ui)->end(ui);
	else
		page_move(ui, INT32_MAX);
}

static void
in(struct ui *ui)
{
	page(ui)->in(ui);
}

static void
out(struct ui *ui)
{
	if (page(ui)->out != NULL && page(ui)->out(ui))
		return;
	if (ui->box != PAGE_NONE)
		page_open_box(ui, PAGE_NONE);
	else if (ui->page != PAGE_NONE)
		page_show(ui, PAGE_NONE);
	else
		place_out(ui);
}

static void
step_sideways(struct ui *ui, int by)
{
	if (page(ui)->side != NULL)
		page(ui)->side(ui, by);
	else if (by < 0)
		out(ui);
	else
		in(ui);
}

const struct action move_actions[] = {
	{ "in", "Enter", "in: process, threads if there are several, functions, then instructions, or what i "
	  "shows; take what is selected; open or close; zoom; follow a call", IN_LISTS, in, WITH_ROWS },
	{ "out", "Esc Backspace", "out again, to the row left behind; leave this page", IN_ANY, out },
	{ "left", "Left", "out again; in call trees: close, to the caller; in flame graphs: the box "
	  "to the left", IN_ANY, .step = step_sideways, .by = -1 },
	{ "right", "Right", "in; in call trees: open, to what it calls; in flame graphs: the box to "
	  "the right", IN_LISTS, .step = step_sideways, .by = 1, .when = WITH_ROWS },
	{ "up", "Up k WheelUp", "move up", IN_ANY, .step = step_row, .by = -1, .when = WITH_ROWS },
	{ "down", "Down j WheelDown", "move down", IN_ANY, .step = step_row, .by = 1,
	  .when = WITH_ROWS },
	{ "page-up", "PgUp", "move up one page", IN_ANY, .step = step_page, .by = -1,
	  .when = WITH_ROWS },
	{ "page-down", "PgDn", "move down one page", IN_ANY, .step = step_page, .by = 1,
	  .when = WITH_ROWS },
	{ "home", "Home", "to the first row, and stay at the top", IN_ANY, home,
	  WITH_ROWS },
	{ "end", "End", "to the last row", IN_ANY, end, WITH_ROWS },
	{ NULL },
};
