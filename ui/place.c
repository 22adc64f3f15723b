/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/place.h"

#include "ui/refusal.h"

#include <string.h>

void
place_columns(const struct ui *ui, struct column_list *list)
{
	column_list_make(list, &ui->query, !engine_config_samples(&ui->config->engine),
			 ui->snap != NULL ? snapshot_shown(ui->snap) : NULL);
}

void
place_shown_columns(const struct ui *ui, struct column_list *list)
{
	place_columns(ui, list);
	if (ui->snap != NULL)
		column_list_drop_empty(list, ui->snap);
}

/* Callees are the lower half of one view. */
static enum view_id
first_view(const struct config *config)
{
	return config->view == VIEW_CALLEES ? VIEW_CALLERS : config->view;
}

static void
choose_columns(struct ui *ui)
{
	const struct column_choice *c = &ui->columns[ui->query.view];

	memcpy(ui->query.columns, c->ids, c->count);
	ui->query.column_count = c->count;
}

void
place_leave_difference(struct ui *ui)
{
	if (ui->query.compare != COMPARE_NOTHING || !column_is_of_difference((enum column_id)ui->sort))
		return;
	ui->sort = COLUMN_SHARE;
	ui->ascending = false;
}

void
place_init(struct ui *ui)
{
	struct query *q = &ui->query;
	struct column_list list;

	config_query(ui->config, q);
	q->seq = ui->need_seq = 1;
	q->view = first_view(ui->config);
	ui->sort = (int)column_of_view((enum column_id)q->sort,
				       !engine_config_samples(&ui->config->engine));
	ui->ascending = q->ascending;
	/* What was compared last time is not now. */
	if (config_recalls(ui->config, "sort") != NULL)
		place_leave_difference(ui);
	choose_columns(ui);
	place_columns(ui, &list);
	/* Whoever names a column here means it, though the view may not show it. */
	q->sort = config_names(ui->config, "sort") || column_list_has(&list, ui->sort) ? ui->sort
											  : COLUMN_SHARE;
	nav_init(&ui->nav, q->view);
	memcpy(nav_level(&ui->nav)->field, q->field, sizeof(q->field));
	page_put_query(ui, q);
	ui_touch(ui);
}

bool
place_is_by_option(const struct ui *ui, enum view_id view)
{
	return ui->config->key_count > 0 && ui->nav.depth == 0 &&
	       view == first_view(ui->config);
}

static void
choose_keys(struct ui *ui, enum view_id view)
{
	const struct view_def *def = &view_defs[view];
	struct query *q = &ui->query;

	q->view = view;
	q->by_view = !place_is_by_option(ui, view);
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

	/* What is looked for in one view is nothing that another one lacks. */
	if (l->view != q->view)
		ui->find[0] = '\0';
	choose_keys(ui, l->view);
	choose_columns(ui);
	place_columns(ui, &list);
	has = column_list_has(&list, ui->sort);
	q->seq++;
	q->process = l->process;
	q->thread = l->thread;
	q->name = l->name;
	q->dso = l->dso;
	q->lock = l->lock;
	q->within_count = l->within_count;
	memcpy(q->within, l->within, sizeof(q->within));
	memcpy(q->field, l->field, sizeof(q->field));
	q->locks = l->lock != 0 || (q->by_view && view_defs[l->view].is_locks);
	q->unnamed = l->unnamed || (q->by_view && view_defs[l->view].is_unnamed);
	q->sort = has ? ui->sort : COLUMN_SHARE;
	q->ascending = has && ui->ascending;
	memcpy(q->find, ui->find, sizeof(q->find));
	page_put_query(ui, q);
	if (moved)
		ui->need_seq = q->seq;
	engine_query(ui->engine, q);
	ui_touch(ui);
}

bool
place_refuses(struct ui *ui, enum view_id view)
{
	struct buf why = { 0 };
	const bool res = refusal_of_view(ui, view, &why);

	if (res)
		ui_say(ui, false, "%s", buf_str(&why));
	buf_release(&why);
	return res;
}

/* Esc leads to those of its level's views that keys led from which are left, @backs. */
static void
show_view(struct ui *ui, enum view_id view, size_t backs)
{
	struct nav_level *l = nav_level(&ui->nav);

	if (place_refuses(ui, view))
		return;
	page_show(ui, PAGE_NONE);
	l->back_count = backs;
	l->view = view;
	place_ask(ui, true);
}

/* Only looks at who waits tell who holds a lock. */
static bool
tells_of_locks(const struct ui *ui)
{
	const struct snapshot_event *e = ui->snap != NULL ? snapshot_shown(ui->snap) : NULL;

	return e != NULL && e->is_looks && !e->is_traced;
}

static void
need_event_of(struct ui *ui, enum view_id view)
{
	if (view_defs[view].is_locks && engine_config_samples(&ui->config->engine) && !tells_of_locks(ui))
		engine_need_event(ui->engine, "off-cpu");
}

/* Who steps through views opens nothing by that. */
void
place_choose_view(struct ui *ui, enum view_id view)
{
	if (place_refuses(ui, view))
		return;
	place_set_view(ui, view);
	need_event_of(ui, view);
}

void
place_set_view(struct ui *ui, enum view_id view)
{
	show_view(ui, view, 0);
}

void
place_enter_list(struct ui *ui, enum view_id view)
{
	struct nav_level *l = nav_level(&ui->nav);

	/* From one such list to another the way out stays. */
	if (l->back_count == 0)
		l->back[0] = l->view;
	show_view(ui, view, l->back[0] != view);
	need_event_of(ui, view);
}

void
place_enter_view(struct ui *ui, enum view_id view)
{
	struct nav_level *l = nav_level(&ui->nav);
	const struct row *row = view_defs[l->view].is_locks ? ui_selected(ui) : NULL;

	if (place_refuses(ui, view))
		return;
	if (row != NULL && row->lock_id != 0 && ui->nav.depth + 1 < NAV_LEVELS) {
		nav_in_lock(&ui->nav, row, view);
		place_ask(ui, true);
		return;
	}
	if (!view_defs[l->view].is_tree)
		l->back[l->back_count++] = l->view;
	l->view = view;
	place_ask(ui, true);
}

void
place_out(struct ui *ui)
{
	const struct nav_level *l = nav_level(&ui->nav);

	if (l->back_count > 0)
		show_view(ui, l->back[l->back_count - 1], l->back_count - 1);
	else if (nav_out(&ui->nav))
		place_ask(ui, true);
	else
		ui_say(ui, false, "this is the outermost level: q leaves ptop");
}

void
place_set_sort(struct ui *ui, int column)
{
	if (column == ui->query.sort)
		ui->ascending = !ui->query.ascending;
	else
		ui->ascending = !column_falls((enum column_id)column);
	ui->sort = column;
	place_ask(ui, false);
}
