/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/title_menu.h"

#include "ui/column_width.h"
#include "ui/pages.h"
#include "ui/place.h"

#include <string.h>

enum { STEP_CELLS = 4 };

static struct column_choice *
choice_of(struct ui *ui)
{
	return &ui->columns[ui->query.view];
}

/* Whether it is one of those that F2 lists, not one that comes with what is shown. */
static bool
is_of_choice(const struct ui *ui, enum column_id id)
{
	const struct column_choice *c = &ui->columns[ui->query.view];
	const struct view_def *def = &view_defs[ui->query.view];

	if (!ui->query.by_view)
		return false;
	return c->count > 0 ? memchr(c->ids, (int)id, c->count) != NULL
			    : memchr(def->columns, (int)id, def->column_count) != NULL;
}

static bool
has_own_width(const struct ui *ui, enum column_id id)
{
	return is_of_choice(ui, id) && column_width_is_chosen(ui, id);
}

/* The next one on the screen that can be moved, to the left (-1) or right (1); @id: there is none. */
static enum column_id
neighbour(const struct ui *ui, enum column_id id, int by)
{
	struct column_list list;
	struct table t;
	int at = 0;

	place_shown_columns(ui, &list);
	table_fit(&t, &list, ui->columns[ui->query.view].widths,
		  ui->snap != NULL ? snapshot_shown(ui->snap) : NULL, ui->canvas.width);
	while (at < (int)t.len && t.columns[at].id != id)
		at++;
	for (at += by; at >= 0 && at < (int)t.len; at += by)
		if (is_of_choice(ui, t.columns[at].id))
			return t.columns[at].id;
	return id;
}

static void
apply(struct ui *ui)
{
	columns_settle(choice_of(ui), ui->query.view);
	place_ask(ui, false);
}

static bool
sort_by(struct ui *ui, enum column_id id, int unused)
{
	(void)unused;
	place_set_sort(ui, (int)id);
	return false;
}

static bool
hide(struct ui *ui, enum column_id id, int unused)
{
	struct column_choice *c = choice_of(ui);

	(void)unused;
	columns_spell_out(c, ui->query.view);
	if (c->count == 1)
		ui_say(ui, false, "a table has at least one column");
	else
		columns_take_out(c, id);
	apply(ui);
	return false;
}

static bool
shift(struct ui *ui, enum column_id id, int by)
{
	const enum column_id other = neighbour(ui, id, by);
	struct column_choice *c = choice_of(ui);

	if (other == id) {
		ui_say(ui, false, by < 0 ? "it is the first column already" : "it is the last column already");
		return true;
	}
	columns_spell_out(c, ui->query.view);
	columns_move(c, id, columns_place(c, other));
	apply(ui);
	return true;
}

static bool
widen(struct ui *ui, enum column_id id, int by)
{
	column_width_step(ui, id, by);
	return true;
}

static bool
reset_width(struct ui *ui, enum column_id id, int unused)
{
	(void)unused;
	column_width_reset(ui, id);
	return false;
}

static bool
explain(struct ui *ui, enum column_id id, int unused)
{
	struct buf b = { 0 };

	(void)unused;
	column_put_about(&b, id);
	ui_say(ui, false, "%s", buf_str(&b));
	buf_release(&b);
	return false;
}

static const struct entry {
	const char *name, *help;
	bool (*run)(struct ui *ui, enum column_id id, int by); /* true: the menu stays */
	int by;
	bool (*applies)(const struct ui *ui, enum column_id id); /* NULL: always */
} entries[] = {
	{ "sort", "order rows by this column; again: the other way round", sort_by, 0, NULL },
	{ "explain", "what this column shows", explain, 0, NULL },
	{ "hide", "take this column out; F2 puts it in again", hide, 0, is_of_choice },
	{ "left", "move this column to the left", shift, -1, is_of_choice },
	{ "right", "move this column to the right", shift, 1, is_of_choice },
	{ "wider", "four cells more; of what other columns leave", widen, STEP_CELLS, is_of_choice },
	{ "narrower", "four cells less; numbers are never cut", widen, -STEP_CELLS, is_of_choice },
	{ "own width", "as wide as it is by itself", reset_width, 0, has_own_width },
};

const char *
title_menu_help(size_t i, const char **name)
{
	if (i >= ARRAY_SIZE(entries))
		return NULL;
	*name = entries[i].name;
	return entries[i].help;
}

static void open_at(struct ui *ui, enum column_id id, size_t selected);

/* A value is of an entry and a column. */
static void
take(struct ui *ui, int value)
{
	const size_t i = (size_t)value / COLUMN_COUNT;
	const enum column_id id = (enum column_id)(value % COLUMN_COUNT);

	if (entries[i].run(ui, id, entries[i].by))
		open_at(ui, id, i);
}

static void
open_at(struct ui *ui, enum column_id id, size_t selected)
{
	const struct snapshot_event *event = ui->snap != NULL ? snapshot_shown(ui->snap) : NULL;

	menu_open(ui, column_title(id, &ui->query, event), take);
	menu_leave_titles(ui);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		if (entries[i].applies == NULL || entries[i].applies(ui, id))
			menu_add(ui, entries[i].name, entries[i].help,
				 (int)(i * COLUMN_COUNT + id), i == selected);
}

void
title_menu_open(struct ui *ui, enum column_id id)
{
	open_at(ui, id, 0);
}
