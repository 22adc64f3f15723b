/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/header.h"
#include "ui/state.h"

#include <string.h>

static const char *
why_empty(struct ui *ui)
{
	if (ui->snap != NULL && ui->snap->why_empty != NULL)
		return ui->snap->why_empty;
	if (ui->snap == NULL || (ui->snap->elapsed_s < 2 && ui->snap->total_samples == 0))
		return "sampling...";
	if (ui->query.hide_kernel && ui->query.hide_user)
		return "kernel and user samples are both hidden: K and U show them again";
	if (ui->snap->filtered != NULL)
		return "no row passes the filter: \\ changes it";
	if (ui->snap->named != NULL)
		return "every sample has a name";
	if (ui->snap->head.switching)
		return "opening the event...";
	if (nav_level(&ui->nav)->process != 0)
		return "no samples of this event here, in this window";
	return "no samples of this event in this window yet";
}

/* What was left out, below the last row; how many lines that takes. */
static int
draw_sums(struct ui *ui, int rows)
{
	const struct snapshot *snap = ui->snap;
	const struct row *all[] = { snap->named, snap->filtered };
	struct row sums[ARRAY_SIZE(all)];
	struct snapshot below = { .rows = sums };
	int count;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] != NULL && rows - (int)below.row_count > 3)
			sums[below.row_count++] = *all[i];
	count = (int)below.row_count;
	table_draw_rows(&ui->table, &ui->canvas, &below,
			ui->layout.rows + (int)MIN((size_t)(rows - count), MAX(snap->row_count, 1)),
			count, 0, SIZE_MAX);
	return count;
}

static void
draw_rows(struct ui *ui)
{
	struct canvas *c = &ui->canvas;
	const struct layout *l = &ui->layout;
	struct nav_place *p = nav_place(&ui->nav);
	const struct snapshot *snap = ui->snap;
	int rows = l->row_count;
	bool stale = ui_is_stale(ui);

	if (snap == NULL || snap->row_count == 0) {
		canvas_put(c, 2, l->rows, c->width - 2, STYLE_NORMAL, why_empty(ui));
		if (snap == NULL)
			return;
	}
	rows -= draw_sums(ui, rows);
	if (!stale)
		nav_scroll(p, snap->row_count, (size_t)MAX(rows, 0));
	table_draw_rows(&ui->table, c, snap, l->rows, rows, stale ? 0 : p->top,
			stale ? SIZE_MAX : p->index);
}

/* In some places a key does the same thing, but another word says it better. */
static const struct {
	unsigned where;
	enum action_id action;
	const char *label;
} other_labels[] = {
	{ IN_TREE, ACTION_IN, "Open" },
	{ IN_FLAME, ACTION_IN, "Zoom" },
	{ IN_TREE | IN_FLAME, ACTION_OUT, "Back" },
	{ IN_PICKER, ACTION_IN, "Switch" },
	{ IN_PICKER, ACTION_PAGE_DOWN, "More" },
	{ IN_MENU, ACTION_IN, "Take" },
	{ IN_PICKER | IN_MENU | IN_TEXT | IN_OUTPUT, ACTION_OUT, "Back" },
	{ IN_TEXT, ACTION_PAGE_DOWN, "More" },
};

/* What the footer calls an action, NULL: it is not there. */
static const char *
label_of(enum action_id action, unsigned where)
{
	if ((actions[action].where & where) == 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(other_labels); i++)
		if (other_labels[i].action == action && (other_labels[i].where & where) != 0)
			return other_labels[i].label;
	return actions[action].label;
}

static void
draw_footer(struct ui *ui, int y)
{
	struct canvas *c = &ui->canvas;
	unsigned where = ui_where(ui);
	int gap = 2, x = 1, total = 1;

	for (int a = 0; a < ACTION_COUNT; a++)
		if (label_of((enum action_id)a, where) != NULL)
			total += (int)(strlen(key_of_action((enum action_id)a)) +
				       strlen(label_of((enum action_id)a, where))) + 1 + gap;
	if (total - gap > c->width)
		gap = 1;
	for (int a = 0; a < ACTION_COUNT; a++) {
		const char *key = key_of_action((enum action_id)a);
		const char *label = label_of((enum action_id)a, where);
		int width = (int)strlen(key) + 1;

		if (label == NULL)
			continue;
		width += (int)strlen(label);
		if (x + width > c->width)
			break;
		canvas_put(c, x, y, c->width, STYLE_KEY, key);
		canvas_put_right(c, x, y, width, STYLE_LABEL, label);
		x += width + gap;
	}
}

/* The last line: prompt, else status, else the keys if there is room for them. */
static void
draw_last_line(struct ui *ui)
{
	struct canvas *c = &ui->canvas;
	int y = c->height - 1;

	if (ui->prompt.kind != PROMPT_NONE) {
		prompt_draw(&ui->prompt, c, y, ui_prompt_label(ui));
	} else if (ui->status.text.len > 0) {
		canvas_fill(c, 0, y, c->width, STYLE_NORMAL);
		canvas_put(c, c->width > 20 ? 1 : 0, y, c->width - (c->width > 20 ? 1 : 0),
			   ui->status.is_error ? STYLE_ERROR : STYLE_STATUS, ui->status.text.data);
	} else if (ui->layout.footer >= 0) {
		draw_footer(ui, y);
	}
}

static void
draw_table(struct ui *ui)
{
	const struct snapshot *snap = ui->snap;
	const struct query *q = snap != NULL ? &snap->query : &ui->query;
	struct canvas *c = &ui->canvas;
	struct column_list list;

	if (snap != NULL && snap->node_count > 0) {
		stacks_draw(ui);
		return;
	}
	header_draw(c, &ui->layout, snap, &ui->query);
	column_list_make(&list, q, ui->config->engine.input != NULL);
	table_fit(&ui->table, &list, c->width);
	if (ui->layout.titles >= 0)
		table_draw_titles(&ui->table, c, ui->layout.titles, q);
	draw_rows(ui);
}

static void
draw_text(struct ui *ui)
{
	textview_draw(&ui->text, &ui->canvas, 0, ui->canvas.height - (ui->layout.footer >= 0));
}

static void
draw_picker(struct ui *ui)
{
	picker_draw(&ui->picker, &ui->canvas, ui->canvas.height - (ui->layout.footer >= 0));
}

static void
draw_output(struct ui *ui)
{
	struct buf b = { 0 };

	if (ui->output.fresh) {
		output_take(&ui->output, &b);
		textview_set(&ui->output_page, &ui->canvas,
			     ui->ended ? "Output of the command, which has ended"
				       : "Output of the command",
			     buf_str(&b), b.len);
		buf_release(&b);
	}
	textview_draw(&ui->output_page, &ui->canvas, 0,
		      ui->canvas.height - (ui->layout.footer >= 0));
}

static void (*const screens[SCREEN_COUNT])(struct ui *ui) = {
	[SCREEN_TABLE] = draw_table,
	[SCREEN_TEXT] = draw_text,
	[SCREEN_PICKER] = draw_picker,
	[SCREEN_OUTPUT] = draw_output,
};

void
ui_draw(struct ui *ui)
{
	struct canvas *c = &ui->canvas;
	size_t notices = ui->snap != NULL ? ui->snap->head.notice_count : 0;

	canvas_clear(c);
	ui->layout = layout_make(c->width, c->height, notices);
	screens[ui->screen](ui);
	if (ui->menu.is_open) {
		int y = ui->screen == SCREEN_TABLE ? MAX(ui->layout.titles, 0) : 0;

		menu_draw(&ui->menu, c, y, c->height - y - (ui->layout.footer >= 0));
	}
	draw_last_line(ui);
	ui->dirty = false;
}
