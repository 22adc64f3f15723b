/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Up and down, in and out, in whatever list or page is in front. */
#include "ui/action_table.h"
#include "ui/place.h"

void
ui_move(struct ui *ui, long delta)
{
	if (ui->menu.is_open)
		menu_move(&ui->menu, delta);
	else if (ui->screen == SCREEN_PICKER)
		picker_move(&ui->picker, delta);
	else if (ui->screen == SCREEN_TEXT)
		textview_move(&ui->text, delta);
	else if (ui->screen == SCREEN_OUTPUT)
		textview_move(&ui->output_page, delta);
	else if (stacks_is_view(ui))
		stacks_move(ui, delta);
	else if (!ui_is_stale(ui))
		nav_move(nav_place(&ui->nav), ui->snap, delta);
}

static long
page(const struct ui *ui)
{
	size_t n = (size_t)MAX(ui->layout.row_count, 1);

	if (ui->menu.is_open)
		n = ui->menu.page;
	else if (ui->screen == SCREEN_PICKER)
		n = ui->picker.page;
	else if (ui->screen == SCREEN_TEXT)
		n = ui->text.page;
	else if (ui->screen == SCREEN_OUTPUT)
		n = ui->output_page.page;
	else if (stacks_is_view(ui))
		return stacks_page(ui);
	return n > 1 ? (long)n - 1 : 1;
}

static void
up(struct ui *ui)
{
	ui_move(ui, -1);
}

static void
down(struct ui *ui)
{
	ui_move(ui, 1);
}

static void
page_up(struct ui *ui)
{
	ui_move(ui, -page(ui));
}

static void
page_down(struct ui *ui)
{
	ui_move(ui, page(ui));
}

static void
home(struct ui *ui)
{
	if (stacks_is_view(ui) && !ui->menu.is_open)
		stacks_home(ui);
	else if (ui->screen == SCREEN_TABLE && !ui->menu.is_open)
		nav_unpin(nav_place(&ui->nav));
	else
		ui_move(ui, -INT32_MAX);
}

static void
end(struct ui *ui)
{
	if (ui->screen == SCREEN_OUTPUT && !ui->menu.is_open)
		textview_end(&ui->output_page);
	else
		ui_move(ui, INT32_MAX);
}

static void
pick_event(struct ui *ui)
{
	const struct catalogue_event *ev = picker_selected(&ui->picker);
	const char *typed = picker_typed(&ui->picker);

	if (ev == NULL && typed == NULL)
		return;
	if (ev != NULL && ev->state == EVENT_CANNOT) {
		ui_say(ui, true, "%s cannot be opened: %s", ev->name, ev->reason);
		return;
	}
	engine_switch_event(ui->engine, ev != NULL ? ev->name : typed);
	ui->screen = SCREEN_TABLE;
}

static void
take_menu(struct ui *ui)
{
	ui->menu.is_open = false;
	ui->menu.take(ui, ui->menu.items[ui->menu.selected].value);
}

static void
in(struct ui *ui)
{
	const struct row *row;
	const char *why;

	if (ui->menu.is_open) {
		take_menu(ui);
		return;
	}
	if (ui->screen == SCREEN_PICKER) {
		pick_event(ui);
		return;
	}
	if (stacks_is_view(ui)) {
		stacks_in(ui);
		return;
	}
	row = ui_selected(ui);
	if (row == NULL) {
		ui_say(ui, false, "no row to go into yet");
		return;
	}
	nav_to(nav_place(&ui->nav), ui->snap, nav_place(&ui->nav)->index);
	if (nav_in(&ui->nav, row, ui->query.hide_threads, &why))
		place_ask(ui, true);
	else if (row->location != 0 || row->dso_id != 0)
		ui_explain(ui, row); /* code: what there is behind it is its name */
	else
		ui_say(ui, false, "%s", why);
}

static void
out(struct ui *ui)
{
	if (ui->menu.is_open)
		ui->menu.is_open = false;
	else if (ui->screen != SCREEN_TABLE)
		ui->screen = SCREEN_TABLE;
	else if (stacks_is_view(ui) && stacks_out(ui))
		return;
	else if (nav_level(&ui->nav)->has_back)
		place_set_view(ui, nav_level(&ui->nav)->back);
	else if (nav_out(&ui->nav))
		place_ask(ui, true);
	else
		ui_say(ui, false, "this is the outermost level: q leaves ptop");
}

static void
left(struct ui *ui)
{
	if (stacks_is_view(ui) && !ui->menu.is_open)
		stacks_side(ui, -1);
	else
		out(ui);
}

static void
right(struct ui *ui)
{
	if (stacks_is_view(ui) && !ui->menu.is_open)
		stacks_side(ui, 1);
	else
		in(ui);
}

const struct action move_actions[] = {
	{ "in", "Enter", "in: process, threads, functions, then what i shows; take what is selected; "
	  "open or close; zoom", IN_LISTS, in, WITH_ROWS },
	{ "out", "Esc Backspace", "out again, to the row left behind; leave this page", IN_ANY, out },
	{ "left", "Left", "out again; in call trees: close, to the caller; in flame graphs: the box "
	  "to the left", IN_ANY, left },
	{ "right", "Right", "in; in call trees: open, to what it calls; in flame graphs: the box to "
	  "the right", IN_LISTS, right, WITH_ROWS },
	{ "up", "Up k WheelUp", "move up", IN_ANY, up, WITH_ROWS },
	{ "down", "Down j WheelDown", "move down", IN_ANY, down, WITH_ROWS },
	{ "page-up", "PgUp", "move up one page", IN_ANY, page_up, WITH_ROWS },
	{ "page-down", "PgDn", "move down one page", IN_ANY, page_down, WITH_ROWS },
	{ "home", "Home", "to the first row, and stay with whatever is first", IN_ANY, home,
	  WITH_ROWS },
	{ "end", "End", "to the last row", IN_ANY, end, WITH_ROWS },
	{ NULL },
};
