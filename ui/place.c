/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/place.h"

#include <string.h>

void
place_columns(const struct ui *ui, struct column_list *list)
{
	column_list_make(list, &ui->query, ui->config->engine.input != NULL);
}

enum view_id
place_first_view(const struct config *config)
{
	return config->view == VIEW_CALLEES ? VIEW_CALLERS : config->view;
}

bool
place_has_keys(const struct ui *ui, enum view_id view)
{
	return ui->config->key_count > 0 && ui->nav.depth == 0 &&
	       view == place_first_view(ui->config);
}

static void
choose_keys(struct ui *ui, enum view_id view)
{
	const struct view_def *def = &view_defs[view];
	struct query *q = &ui->query;

	q->view = view;
	q->by_view = !place_has_keys(ui, view);
	q->key_count = q->by_view ? def->key_count : ui->config->key_count;
	memcpy(q->keys, q->by_view ? def->keys : ui->config->keys,
	       q->key_count * sizeof(q->keys[0]));
}

void
place_ask(struct ui *ui, bool moved)
{
	const struct nav_level *l = nav_level(&ui->nav);
	struct query *q = &ui->query;
	struct column_list list;
	bool has;

	choose_keys(ui, l->view);
	place_columns(ui, &list);
	has = column_list_has(&list, ui->sort);
	q->seq++;
	q->process = l->process;
	q->thread = l->thread;
	q->name = l->name;
	q->dso = l->dso;
	q->unnamed = l->unnamed || (q->by_view && view_defs[l->view].is_unnamed);
	q->sort = has ? ui->sort : COLUMN_SHARE;
	q->ascending = has && ui->ascending;
	stacks_put_query(ui, q);
	if (moved)
		ui->need_seq = q->seq;
	engine_query(ui->engine, q);
	ui_touch(ui);
}

void
place_set_view(struct ui *ui, enum view_id view)
{
	ui->screen = SCREEN_TABLE;
	nav_level(&ui->nav)->has_back = false;
	nav_level(&ui->nav)->view = view;
	place_ask(ui, true);
}

void
place_set_sort(struct ui *ui, int column)
{
	if (column == ui->query.sort)
		ui->ascending = !ui->query.ascending;
	else
		ui->ascending = !columns[column].is_number;
	ui->sort = column;
	place_ask(ui, false);
}
