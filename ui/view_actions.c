/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From view to view; what COMMAND wrote is the last of them. */
#include "ui/action_table.h"
#include "ui/place.h"

static bool
has_output(const struct ui *ui)
{
	return ui->config->engine.command != NULL;
}

static void
show(struct ui *ui, int view)
{
	if (view == VIEW_COUNT)
		ui_show_output(ui);
	else
		place_set_view(ui, (enum view_id)view);
}

static void
step(struct ui *ui, int by)
{
	int count = VIEW_COUNT + (has_output(ui) ? 1 : 0);
	int now = ui->screen == SCREEN_OUTPUT ? VIEW_COUNT : (int)nav_level(&ui->nav)->view;
	int to = (now + by + count) % count;

	show(ui, to == VIEW_CALLEES ? to + by : to); /* callees are the lower half of callers */
}

static void
next(struct ui *ui)
{
	step(ui, 1);
}

static void
previous(struct ui *ui)
{
	step(ui, -1);
}

static void
open_menu(struct ui *ui)
{
	enum view_id now = nav_level(&ui->nav)->view;
	bool output = ui->screen == SCREEN_OUTPUT;

	menu_open(&ui->menu, "View", show);
	for (int v = 0; v < VIEW_COUNT; v++)
		if (v != VIEW_CALLEES)
			menu_add(&ui->menu, view_defs[v].title,
				 place_has_keys(ui, (enum view_id)v) ? "samples by the keys of --by"
								     : view_defs[v].help,
				 v, !output && v == (int)now);
	if (has_output(ui))
		menu_add(&ui->menu, "Output", "what the command wrote", VIEW_COUNT, output);
}

const struct action view_actions[] = {
	{ "view-next", "Tab", "next view", IN_VIEWS, next },
	{ "view-previous", "Shift-Tab", "previous view", IN_VIEWS, previous },
	{ "view-menu", "v", "menu of views", IN_VIEWS, open_menu },
	{ NULL },
};
