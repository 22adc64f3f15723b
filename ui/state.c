/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/state.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_S = 6 };

void
ui_init(struct ui *ui, const struct config *config)
{
	memset(ui, 0, sizeof(*ui));
	ui->config = config;
	config_query(config, &ui->query);
	ui->query.seq = ui->need_seq = 1;
	ui->query.trends = true;
	ui->sort = ui->query.sort =
		(int)column_of_view((enum column_id)ui->query.sort, config->engine.input != NULL);
	ui->ascending = ui->query.ascending;
	ui->query.process = ui->query.thread = 0;
	/* Callees are the lower half of one view. */
	if (ui->query.view == VIEW_CALLEES)
		ui->query.view = VIEW_CALLERS;
	ui->keyed_view = ui->query.view;
	nav_init(&ui->nav, ui->query.view);
	stacks_put_query(ui, &ui->query);
	ui->output_page.follow = true;
	ui_touch(ui);
}

void
ui_release(struct ui *ui)
{
	snapshot_put(ui->snap);
	textview_release(&ui->text);
	textview_release(&ui->output_page);
	output_release(&ui->output);
	picker_release(&ui->picker);
	stacks_release(&ui->stacks);
	buf_release(&ui->status.text);
	canvas_release(&ui->canvas);
}

bool
ui_is_stale(const struct ui *ui)
{
	return ui->snap == NULL || ui->snap->query.seq < ui->need_seq;
}

const struct view_def *
ui_view(struct ui *ui)
{
	return &view_defs[nav_level(&ui->nav)->view];
}

const struct row *
ui_selected(struct ui *ui)
{
	const struct nav_place *p = nav_place(&ui->nav);

	if (ui_is_stale(ui) || p->index >= ui->snap->row_count)
		return NULL;
	return &ui->snap->rows[p->index];
}

void
ui_touch(struct ui *ui)
{
	if (!ui->dirty)
		ui->dirty_ns = clock_mono_ns();
	ui->dirty = true;
}

void
ui_columns(const struct ui *ui, struct column_list *list)
{
	column_list_make(list, &ui->query, ui->config->engine.input != NULL);
}

bool
ui_has_keys(const struct ui *ui, enum view_id view)
{
	return ui->config->key_count > 0 && ui->nav.depth == 0 && view == ui->keyed_view;
}

static void
choose_keys(struct ui *ui, enum view_id view)
{
	const struct view_def *def = &view_defs[view];
	struct query *q = &ui->query;

	q->view = view;
	q->by_view = !ui_has_keys(ui, view);
	q->key_count = q->by_view ? def->key_count : ui->config->key_count;
	memcpy(q->keys, q->by_view ? def->keys : ui->config->keys,
	       q->key_count * sizeof(q->keys[0]));
}

void
ui_ask(struct ui *ui, bool moved)
{
	const struct nav_level *l = nav_level(&ui->nav);
	struct query *q = &ui->query;
	struct column_list list;
	bool has;

	choose_keys(ui, l->view);
	ui_columns(ui, &list);
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
ui_set_view(struct ui *ui, enum view_id view)
{
	ui->screen = SCREEN_TABLE;
	nav_level(&ui->nav)->has_back = false;
	nav_level(&ui->nav)->view = view;
	ui_ask(ui, true);
}

void
ui_set_sort(struct ui *ui, int column)
{
	if (column == ui->query.sort)
		ui->ascending = !ui->query.ascending;
	else
		ui->ascending = !columns[column].is_number;
	ui->sort = column;
	ui_ask(ui, false);
}

bool
ui_has_output(const struct ui *ui)
{
	return ui->config->engine.command != NULL;
}

void
ui_say(struct ui *ui, bool is_error, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		die("out of memory");
	buf_reset(&ui->status.text);
	canvas_add_safe(&ui->canvas, &ui->status.text, text);
	ui->status.is_error = is_error;
	ui->status.until_ns = clock_mono_ns() + STATUS_S * NSEC_PER_SEC;
	free(text);
	ui_touch(ui);
}
