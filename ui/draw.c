/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"
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

struct footer_key {
	const char *action, *label;
};

static const struct footer_key table_keys[] = {
	{ "help", "Help" }, { "event", "Event" }, { "view-next", "View" }, { "in", "In" },
	{ "out", "Out" }, { "find", "Find" }, { "filter", "Filter" }, { "sort-menu", "Sort" },
	{ "explain", "Why" }, { "quit", "Quit" }, { "callers", "Callers" }, { "flame", "Flame" },
	{ "tree", "Tree" }, { NULL },
};
static const struct footer_key tree_keys[] = {
	{ "help", "Help" }, { "event", "Event" }, { "view-next", "View" }, { "in", "Open" },
	{ "out", "Back" }, { "find", "Find" }, { "filter", "Filter" }, { "quit", "Quit" },
	{ "callers", "Callers" }, { "flame", "Flame" }, { "tree", "Tree" }, { NULL },
};
static const struct footer_key flame_keys[] = {
	{ "help", "Help" }, { "event", "Event" }, { "view-next", "View" }, { "in", "Zoom" },
	{ "out", "Back" }, { "find", "Find" }, { "filter", "Filter" }, { "quit", "Quit" },
	{ "callers", "Callers" }, { "flame", "Flame" }, { "tree", "Tree" }, { NULL },
};
static const struct footer_key text_keys[] = {
	{ "help", "Help" }, { "out", "Back" }, { "page-down", "More" }, { "quit", "Quit" }, { NULL },
};
static const struct footer_key picker_keys[] = {
	{ "in", "Switch" }, { "out", "Back" }, { "page-down", "More" }, { NULL },
};
static const struct footer_key menu_keys[] = {
	{ "in", "Take" }, { "out", "Back" }, { "quit", "Quit" }, { NULL },
};
static const struct footer_key output_keys[] = {
	{ "help", "Help" }, { "view-next", "View" }, { "out", "Back" }, { "quit", "Quit" }, { NULL },
};

/* By place: the keys of the last line, the most important ones first. */
static const struct {
	unsigned where;
	const struct footer_key *keys;
} footers[] = {
	{ IN_TABLE, table_keys },   { IN_TREE, tree_keys }, { IN_FLAME, flame_keys },
	{ IN_TEXT, text_keys },     { IN_MENU, menu_keys }, { IN_PICKER, picker_keys },
	{ IN_OUTPUT, output_keys },
};

static const struct footer_key *
footer_of(unsigned where)
{
	size_t i = 0;

	while (footers[i].where != where)
		i++;
	return footers[i].keys;
}

/* The first key of an action of this name. */
static const char *
key_of(const char *action, char name[16])
{
	const char *keys = action_find(action)->keys;

	key_next_name(&keys, name, 16);
	return name;
}

static void
draw_footer(struct ui *ui, int y)
{
	const struct footer_key *keys = footer_of(ui_where(ui));
	struct canvas *c = &ui->canvas;
	int gap = 2, x = 1, total = 1;
	char name[16];

	for (const struct footer_key *k = keys; k->action != NULL; k++)
		total += (int)(strlen(key_of(k->action, name)) + strlen(k->label)) + 1 + gap;
	if (total - gap > c->width)
		gap = 1;
	for (const struct footer_key *k = keys; k->action != NULL; k++) {
		int width = (int)(strlen(key_of(k->action, name)) + strlen(k->label)) + 1;

		if (x + width > c->width)
			break;
		canvas_put(c, x, y, c->width, STYLE_KEY, name);
		canvas_put_right(c, x, y, width, STYLE_LABEL, k->label);
		x += width + gap;
	}
}

/* The last line: prompt, else status, else the keys if there is room for them. */
static void
draw_last_line(struct ui *ui)
{
	struct canvas *c = &ui->canvas;
	int y = c->height - 1;

	if (ui->question != NULL) {
		prompt_draw(&ui->prompt, c, y, ui->prompt_label);
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
