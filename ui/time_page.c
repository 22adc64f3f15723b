/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line of time: a row for each second, for each ten seconds, for each minute, below each the same
 * of the process or function that was selected; then all marks.  A tier or a mark is selected.
 */
#include "base/text.h"
#include "ui/action_table.h"
#include "ui/header.h"
#include "ui/pages.h"
#include "ui/place.h"

#include <math.h>

enum { LABEL_CELLS = 12, SCALE_CELLS = 5, GRAPH_MOST = 16, MARKS_LEAST = 3, MARKS_PART = 6 };

struct time_page {
	size_t selected;   /* a tier, then the marks, the newest first */
	size_t top;        /* the first mark that is shown */
	struct strip strips[TIMELINE_ROWS];
	size_t per[TIMELINE_ROWS]; /* steps in a cell */
};

static const char *const tier_names[TIMELINE_ROWS] = { "1 s", "10 s", "1 min" };

static size_t
item_count(const struct ui *ui)
{
	return TIMELINE_ROWS + (ui->snap != NULL ? ui->snap->mark_count : 0);
}

/* The @n-th mark from the newest on. */
static const struct snapshot_mark *
mark_at(const struct ui *ui, size_t n)
{
	return &ui->snap->marks[ui->snap->mark_count - 1 - n];
}

/* A row of time may begin before sampling did. */
static uint64_t
moment_ns(const struct moments *m, double at_s)
{
	double ns = (double)m->begin_ns + at_s * 1e9;

	return ns > 0 ? (uint64_t)ns : 0;
}

/* A column of dots for each half of a cell, from below: four levels. */
static uint32_t
braille(double left, double right)
{
	static const unsigned char dots[2][4] = { { 0x40, 0x04, 0x02, 0x01 }, { 0x80, 0x20, 0x10, 0x08 } };
	double values[2] = { left, right };
	uint32_t ch = 0x2800;

	for (int half = 0; half < 2; half++)
		for (int level = 0; level < 4 && values[half] > level / 4.0; level++)
			ch |= dots[half][level];
	return ch;
}

/* The highest of some steps; below 0: none of them is known. */
static double
highest(const struct snapshot *s, int tier, long first, size_t count, enum strip_of of, double most)
{
	double value = -1;

	for (size_t k = 0; k < count; k++)
		if (first + (long)k >= 0)
			value = MAX(value, strip_value(s, tier, (size_t)first + k, of, most));
	return value;
}

static int
rows_of_graph(double value, int y, int rows, double *part)
{
	*part = value * rows - (rows - 1 - y);
	return *part > 0;
}

/* In the colour of all of them, as its height says what it is. */
static void
draw_bar(struct canvas *c, int x, int y, double part)
{
	canvas_put_bar(c, x, y, part);
	c->cells[(size_t)y * (size_t)c->width + (size_t)x].style = STYLE_BAR_MID;
}

/* One cell of a graph of @rows lines: braille where two steps share it, else a bar. */
static void
draw_cell(struct canvas *c, int x, int y, int rows, double left, double right, bool is_braille)
{
	for (int line = 0; line < rows; line++) {
		double l, r;
		bool some = rows_of_graph(left, line, rows, &l);

		some |= rows_of_graph(right, line, rows, &r);
		if (!some)
			continue;
		if (is_braille)
			canvas_put_char(c, x, y + line, STYLE_BAR_MID,
					braille(MIN(MAX(l, 0), 1), MIN(MAX(r, 0), 1)));
		else
			draw_bar(c, x, y + line, MIN(MAX(MAX(l, r), 0.01), 1));
	}
}

static void
draw_graph(struct ui *ui, int tier, int y, int rows, enum strip_of of)
{
	struct time_page *t = ui->time_page;
	const struct snapshot *s = ui->snap;
	const struct timeline_row *row = &s->timeline[tier];
	struct strip *strip = &t->strips[tier];
	double most = strip_most(s, tier, of);
	size_t per = t->per[tier];
	bool is_braille = !ui->canvas.ascii && per > 1;
	long first = (long)row->len - (long)per * strip->cells;

	for (int i = 0; i < strip->cells; i++, first += (long)per) {
		double left = highest(s, tier, first, is_braille ? (per + 1) / 2 : per, of, most);
		double right = is_braille ? highest(s, tier, first + (long)(per + 1) / 2, per / 2, of, most)
					  : left;

		draw_cell(&ui->canvas, strip->x + i, y, rows, left, right, is_braille);
	}
}

/* Which cells are of the window, and which have marks: below the graph. */
static void
draw_rule(struct ui *ui, const struct strip *strip, int y)
{
	const struct snapshot *s = ui->snap;
	const struct snapshot_head *h = &s->head;
	double now_s = h->frozen_s > 0 ? h->frozen_s : h->span_s;
	double end_s = h->window_end_s > 0 ? h->window_end_s : now_s;
	double begin_s = end_s - (h->window_s < 0 ? h->span_s : h->window_s);

	for (int i = 0; i < strip->cells; i++) {
		double from_s = strip->from_s + strip->cell_s * i, to_s = from_s + strip->cell_s;

		if (from_s < end_s && to_s > begin_s)
			canvas_put_char(&ui->canvas, strip->x + i, y,
					h->window_end_s > 0 ? STYLE_ALARM : STYLE_STRONG, '=');
		for (size_t m = 0; m < s->mark_count; m++)
			if (s->marks[m].at_s >= from_s && s->marks[m].at_s < to_s)
				canvas_put_char(&ui->canvas, strip->x + i, y, STYLE_NOTICE, '^');
	}
}

/* The times at both ends, and what a cell stands for. */
static void
draw_times(struct ui *ui, int tier, int y)
{
	const struct strip *strip = &ui->time_page->strips[tier];
	const struct moments *m = &ui->snap->head.moments;
	struct buf b = { 0 };

	moment_put(&b, m, moment_ns(m, strip->from_s));
	canvas_put(&ui->canvas, strip->x, y, strip->cells, STYLE_DIM, b.data);
	buf_reset(&b);
	if (ui->time_page->per[tier] > 1) {
		buf_add_str(&b, "highest of ");
		moment_put_length(&b, (uint64_t)(strip->cell_s * 1e9));
		buf_add_str(&b, ", to ");
	}
	moment_put(&b, m, m->now_ns);
	canvas_put_right(&ui->canvas, strip->x, y, strip->cells, STYLE_DIM, b.data);
	buf_release(&b);
}

static bool
has_mine(const struct ui *ui)
{
	return ui->snap->timeline[0].mine != NULL;
}

/* Where the steps of a tier go: as many in a cell as it takes to show all. */
static void
place_tier(struct ui *ui, int tier, int y)
{
	struct time_page *t = ui->time_page;
	const struct timeline_row *row = &ui->snap->timeline[tier];
	int x = LABEL_CELLS, cells = MAX(ui->canvas.width - LABEL_CELLS - 1, 1);
	size_t per = MAX((row->len + (size_t)cells - 1) / (size_t)cells, 1);

	/* All end at the right: what is above each other there is now. */
	x += cells - (int)MIN((size_t)cells, (row->len + per - 1) / per);
	cells = (int)MIN((size_t)cells, (row->len + per - 1) / per);
	t->per[tier] = per;
	t->strips[tier] = (struct strip){
		.x = x, .y = y, .cells = cells, .cell_s = row->step_s * (double)per,
		.from_s = row->from_s + row->step_s * ((double)row->len - (double)per * cells),
	};
}

/* What the highest and the lowest line of the graph stand for. */
static void
draw_scale(struct ui *ui, int tier, int y, int rows)
{
	const struct snapshot *s = ui->snap;
	struct buf b = { 0 };

	if (strip_shows_load(s))
		buf_add_str(&b, "100%");
	else
		text_add_count(&b, strip_most(s, tier, STRIP_ALL));
	canvas_put_right(&ui->canvas, LABEL_CELLS - 1 - SCALE_CELLS, y, SCALE_CELLS, STYLE_DIM, buf_str(&b));
	if (rows > 1)
		canvas_put_right(&ui->canvas, LABEL_CELLS - 1 - SCALE_CELLS, y + rows - 1, SCALE_CELLS,
				 STYLE_DIM, "0");
	buf_release(&b);
}

static int
draw_tier(struct ui *ui, int tier, int y, int rows)
{
	struct canvas *c = &ui->canvas;
	bool is_selected = ui->time_page->selected == (size_t)tier;

	place_tier(ui, tier, y);
	draw_scale(ui, tier, y, rows);
	canvas_put(c, 1, y, LABEL_CELLS - 1 - SCALE_CELLS, is_selected ? STYLE_SELECTED : STYLE_STRONG,
		   tier_names[tier]);
	draw_graph(ui, tier, y, rows, STRIP_ALL);
	y += rows;
	if (has_mine(ui)) {
		canvas_put(c, 1, y, LABEL_CELLS - 1, STYLE_DIM, "row");
		draw_graph(ui, tier, y, 1, STRIP_MINE);
		y++;
	}
	draw_rule(ui, &ui->time_page->strips[tier], y);
	draw_times(ui, tier, y + 1);
	return y + 2;
}

/* What the graphs are of. */
static void
draw_title(struct ui *ui)
{
	const struct snapshot *s = ui->snap;
	struct canvas *c = &ui->canvas;
	struct buf b = { 0 };

	buf_addf(&b, "Time line: %s", strip_shows_load(s) ? "load of the machine" : "event ");
	if (!strip_shows_load(s))
		canvas_add_safe(c, &b, s->head.event);
	if (has_mine(ui)) {
		const struct row *row = ui_selected(ui);

		buf_add_str(&b, "; row: ");
		if (row != NULL && *row->symbol != '\0')
			canvas_add_safe(c, &b, row->symbol);
		else if (row != NULL)
			canvas_add_safe(c, &b, row->comm);
	}
	canvas_put(c, 1, 0, c->width - 1, STYLE_STRONG, b.data);
	buf_release(&b);
}

static void
draw_marks(struct ui *ui, int y, int rows)
{
	struct time_page *t = ui->time_page;
	const struct moments *m = &ui->snap->head.moments;
	struct canvas *c = &ui->canvas;
	size_t count = ui->snap->mark_count;
	struct buf b = { 0 };

	if (rows <= 0)
		return;
	buf_addf(&b, "%zu mark%s%s", count, text_plural(count), count == 0 ? ": m sets one" : "");
	canvas_put(c, 1, y++, c->width - 1, STYLE_TITLE, b.data);
	rows--;
	if (t->selected >= TIMELINE_ROWS) {
		size_t at = t->selected - TIMELINE_ROWS;

		t->top = MIN(t->top, at);
		if (at >= t->top + (size_t)MAX(rows, 1))
			t->top = at - (size_t)MAX(rows, 1) + 1;
	}
	for (size_t i = t->top; i < count && rows > 0; i++, y++, rows--) {
		const struct snapshot_mark *mark = mark_at(ui, i);

		buf_reset(&b);
		moment_put(&b, m, moment_ns(m, mark->at_s));
		buf_add_str(&b, mark->kind == MARK_OWN ? "  * " : "    ");
		canvas_add_safe(c, &b, mark->text);
		canvas_put(c, 1, y, c->width - 1, mark->kind == MARK_OWN ? STYLE_STRONG : STYLE_NORMAL,
			   b.data);
		if (t->selected == TIMELINE_ROWS + i)
			canvas_select(c, y, 0, c->width);
	}
	buf_release(&b);
}

static void
draw(struct ui *ui)
{
	int below = layout_above_footer(&ui->layout), y = 1, rows;

	if (ui->snap == NULL)
		return;
	ui->time_page->selected = MIN(ui->time_page->selected, item_count(ui) - 1);
	/* A tier has a graph, perhaps the row's, a rule and its times. */
	rows = (below - 1 - MAX(MARKS_LEAST, below / MARKS_PART)) / TIMELINE_ROWS - 2 - (has_mine(ui) ? 1 : 0);
	rows = MIN(MAX(rows, 1), GRAPH_MOST);
	draw_title(ui);
	for (int t = 0; t < TIMELINE_ROWS && y < below; t++)
		y = draw_tier(ui, t, y, rows);
	draw_marks(ui, y, below - y);
	ui->rows[PAGE_TIME] = (size_t)MAX(below - y, 1);
	ui->strip = ui->time_page->strips[MIN(ui->time_page->selected, TIMELINE_ROWS - 1)];
}

static void
move(struct ui *ui, long delta)
{
	long last = (long)item_count(ui) - 1;

	ui->time_page->selected = (size_t)MIN(MAX((long)ui->time_page->selected + delta, 0), last);
}

static void
show_around(struct ui *ui, double at_s)
{
	double length_s = ui->query.window_ns == UINT64_MAX ? 10 : (double)ui->query.window_ns / 1e9;
	double span_s = ui->snap->head.span_s, end_s = MIN(at_s + length_s / 2, span_s);

	time_show(ui, end_s - length_s, end_s);
}

/* The window is put to a mark, and its rows are shown. */
static void
in(struct ui *ui)
{
	size_t selected = ui->time_page->selected;

	if (ui->snap != NULL && selected >= TIMELINE_ROWS && selected < item_count(ui))
		show_around(ui, mark_at(ui, selected - TIMELINE_ROWS)->at_s);
	page_show(ui, PAGE_NONE);
}

/* The window goes by one cell of the tier that is selected. */
static void
side(struct ui *ui, int direction)
{
	size_t tier = MIN(ui->time_page->selected, TIMELINE_ROWS - 1);
	const struct snapshot_head *h = ui->snap != NULL ? &ui->snap->head : NULL;
	double end_s, length_s;

	if (h == NULL || ui->time_page->strips[tier].cells == 0)
		return;
	length_s = ui->query.window_ns == UINT64_MAX ? 10 : (double)ui->query.window_ns / 1e9;
	end_s = time_end_s(ui) + direction * ui->time_page->strips[tier].cell_s;
	if (end_s > h->span_s || end_s - length_s < h->past_s)
		ui_say(ui, false, end_s > h->span_s ? "this is the end of time: ^E goes on with it"
						    : "nothing earlier is kept");
	end_s = MIN(MAX(end_s, h->past_s + length_s), h->span_s);
	time_show(ui, end_s - length_s, end_s);
}

static void
to_end_of_time(struct ui *ui, bool is_begin)
{
	double length_s = ui->query.window_ns == UINT64_MAX ? 10 : (double)ui->query.window_ns / 1e9;

	if (ui->snap == NULL)
		return;
	if (is_begin)
		time_show(ui, ui->snap->head.past_s, ui->snap->head.past_s + length_s);
	else
		action_run(ui, action_find("present"));
}

static void
home(struct ui *ui)
{
	to_end_of_time(ui, true);
}

static void
end(struct ui *ui)
{
	to_end_of_time(ui, false);
}

static bool
click(struct ui *ui, int x, int y)
{
	double at_s;

	for (size_t t = 0; ui->snap != NULL && t < TIMELINE_ROWS; t++) {
		struct strip strip = ui->time_page->strips[t];
		int height = t + 1 < TIMELINE_ROWS ? ui->time_page->strips[t + 1].y - strip.y : 1;

		if (y < strip.y || y >= strip.y + height)
			continue;
		ui->time_page->selected = t;
		if (strip_at(&strip, x, strip.y, &at_s))
			show_around(ui, at_s);
	}
	return false;
}

/* The next mark is shown: the older ones first, as they are listed. */
static void
next_mark(struct ui *ui)
{
	size_t *selected = &ui->time_page->selected;

	if (ui->snap == NULL || ui->snap->mark_count == 0) {
		ui_say(ui, false, "there are no marks: m sets one");
		return;
	}
	*selected = *selected < TIMELINE_ROWS || *selected + 1 >= item_count(ui) ? TIMELINE_ROWS
										 : *selected + 1;
	show_around(ui, mark_at(ui, *selected - TIMELINE_ROWS)->at_s);
}

static const struct action actions[] = {
	{ "mark-next", "'", "the next mark, from the newest on", IN_TIME, next_mark },
	{ NULL },
};

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "out", "Back" }, { "in", "Rows" }, { "mark", "Mark" }, { "mark-next", "Next" },
	{ "stretch", "Time" }, { "present", "Present" }, { "longer", "Longer" }, { "quit", "Quit" },
	{ NULL },
};

const struct page_ops time_page = {
	.name = "time", .kinds = IN_FULL | IN_LISTS, .actions = actions, .footer = footer,
	.help = "Up and down choose a line or a mark, left and right move the window along it, Enter\n"
		"shows its rows. Home and End are the ends of time. = is the window, ^ a mark.\n",
	.state_size = sizeof(struct time_page),
	.draw = draw, .move = move, .home = home, .end = end, .in = in, .side = side, .click = click,
};
