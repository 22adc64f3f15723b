/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From view to view; what COMMAND wrote is the last of them. */
#include "ui/action_table.h"
#include "ui/pages.h"
#include "ui/place.h"

static void
show(struct ui *ui, int view)
{
	if (view == VIEW_COUNT)
		output_page_show(ui);
	else
		place_set_view(ui, (enum view_id)view);
}

static void
step(struct ui *ui, int by)
{
	int count = VIEW_COUNT + (ui->config->engine.command != NULL);
	int now = ui->page == PAGE_OUTPUT ? VIEW_COUNT : (int)nav_level(&ui->nav)->view;
	int to = (now + by + count) % count;

	show(ui, to == VIEW_CALLEES ? to + by : to); /* callees are the lower half of callers */
}

static void
open_menu(struct ui *ui)
{
	enum view_id now = nav_level(&ui->nav)->view;
	bool output = ui->page == PAGE_OUTPUT;

	menu_open(ui, "View", show);
	for (enum view_id v = 0; v < VIEW_COUNT; v++)
		if (v != VIEW_CALLEES)
			menu_add(ui, view_defs[v].title,
				 place_is_by_option(ui, v) ? "samples by the keys of --by"
							   : view_defs[v].help,
				 (int)v, !output && v == now);
	if (ui->config->engine.command != NULL)
		menu_add(ui, "Output", "what the command wrote", VIEW_COUNT, output);
}

/* Only events that are looks know of locks. */
static void
show_locks(struct ui *ui)
{
	const struct snapshot_event *e = ui->snap != NULL ? snapshot_shown(ui->snap) : NULL;

	place_set_view(ui, VIEW_LOCKS);
	if (ui->config->engine.input == NULL && (e == NULL || !e->is_looks))
		engine_switch_event(ui->engine, "off-cpu");
}

static void
show_calls(struct ui *ui)
{
	place_set_view(ui, VIEW_CALLS);
}

const struct action view_actions[] = {
	{ "view-next", "Tab", "next view", IN_VIEWS, .step = step, .by = 1 },
	{ "view-previous", "Shift-Tab", "previous view", IN_VIEWS, .step = step,
	  .by = -1 },
	{ "view-menu", "v", "menu of views", IN_VIEWS, open_menu },
	{ "locks", "L", "locks that are waited for, and who holds them; opens the event off-cpu",
	  IN_VIEWS, show_locks },
	{ "calls", "B", "functions whose calls are counted, with their times inside", IN_VIEWS,
	  show_calls },
	{ NULL },
};
