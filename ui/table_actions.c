/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"
#include "ui/place.h"

static void
step(struct ui *ui, int by)
{
	struct column_list list;
	int at = 0, to;

	place_columns(ui, &list);
	for (size_t i = 0; i < list.count; i++)
		if (list.ids[i] == ui->query.sort)
			at = (int)i;
	to = at + by;
	if (to >= 0 && to < (int)list.count)
		place_set_sort(ui, list.ids[to]);
	else
		ui_say(ui, false, "no further column");
}

static void
sort_left(struct ui *ui)
{
	step(ui, -1);
}

static void
sort_right(struct ui *ui)
{
	step(ui, 1);
}

static void
invert(struct ui *ui)
{
	place_set_sort(ui, ui->query.sort);
}

static void
sort_by(struct ui *ui, int column)
{
	if (column != ui->query.sort)
		place_set_sort(ui, column);
}

static void
open_menu(struct ui *ui)
{
	struct column_list list;

	place_columns(ui, &list);
	menu_open(&ui->menu, "Sort by", sort_by);
	for (size_t i = 0; i < list.count; i++) {
		const struct column *col = &columns[list.ids[i]];

		menu_add(&ui->menu, col->title, col->help, list.ids[i],
			 list.ids[i] == ui->query.sort);
	}
}

static void
explain(struct ui *ui)
{
	const struct row *row = ui_selected(ui);

	if (row == NULL)
		ui_say(ui, false, "no row to explain yet");
	else
		ui_explain(ui, row);
}

const struct action table_actions[] = {
	{ "sort-menu", "F6", "menu of columns to sort by", IN_TABLE, open_menu },
	{ "sort-left", "<", "sort by the column to the left", IN_TABLE, sort_left },
	{ "sort-right", ">", "sort by the column to the right", IN_TABLE, sort_right },
	{ "sort-invert", "I", "turn the order round", IN_TABLE, invert },
	{ "explain", "i", "where this row's name comes from, or why it has none", IN_TABLE, explain,
	  WITH_ROWS },
	{ NULL },
};
