/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of samples: of processes, threads, functions and so on. */
#include "ui/action_table.h"
#include "ui/header.h"
#include "ui/other_keys.h"
#include "ui/pages.h"
#include "ui/place.h"
#include "ui/screen_words.h"
#include "ui/table.h"
#include "ui/title_menu.h"

#include "view/call_column.h"

enum { CALL_LINES = 3 };

struct table_page {
	struct table table; /* as drawn last */
	struct nav_place kept;
};

static const char *
why_no_locks(const struct ui *ui, const struct snapshot_event *event)
{
	if (event != NULL && event->is_looks && !event->is_traced)
		return "no thread waits for a lock in this window";
	return engine_config_samples(&ui->config->engine)
		? "this event does not tell of locks: L opens off-cpu, which does"
		: "no thread waits for a lock in this window: off-cpu and wall-clock see them";
}

static const char *
why_empty(struct ui *ui)
{
	const struct snapshot_event *event;

	if (ui->snap != NULL && ui->snap->why_empty != NULL)
		return ui->snap->why_empty;
	if (ui->snap == NULL || (ui->snap->elapsed_s < 2 && ui->snap->total_samples == 0))
		return "sampling...";
	if (ui->query.hide_kernel && ui->query.hide_user)
		return "kernel and user samples are both hidden: K and U show them again";
	if (ui->snap->filtered != NULL)
		return "no row passes the filter: \\ changes it";
	event = snapshot_shown(ui->snap);
	if (ui->query.locks && ui->snap->named != NULL && event != NULL && event->is_looks)
		return "no lock that has an owner is waited for; t shows where the rest waits";
	if (ui->query.locks && !ui->snap->head.switching)
		return why_no_locks(ui, event);
	if (ui->snap->named != NULL && !ui->query.locks)
		return "every sample has a name";
	if (ui->snap->head.switching)
		return "opening the event...";
	if (ui->snap->head.forgotten != NULL)
		return ui->snap->head.forgotten;
	if (event != NULL && event->is_looks && !ui->query.idle)
		return "no samples of this event here, in this window; idle time is hidden: O shows it";
	if (nav_level(&ui->nav)->process != 0)
		return "no samples of this event here, in this window";
	return "no samples of this event in this window yet";
}

/* Rows of tasks without a sample: they have not waited, or for work alone, which is hidden. */
static bool
is_idle_alone(const struct ui *ui)
{
	const struct snapshot *snap = ui->snap;
	const struct snapshot_event *event = snapshot_shown(snap);

	if (event == NULL || !event->is_looks || snap->query.idle || snap->filtered != NULL ||
	    snap->head.forgotten != NULL || !(snap->head.window_have_s >= 2))
		return false;
	for (size_t i = 0; i < snap->row_count; i++)
		if (snap->rows[i].samples > 0)
			return false;
	return snap->row_count > 0;
}

/* What was left out, below the last row; how many lines that takes. */
static int
draw_sums(struct ui *ui, int rows)
{
	const struct snapshot *snap = ui->snap;
	const struct row *all[] = { snap->named, snap->filtered };
	struct row sums[ARRAY_SIZE(all)];
	struct snapshot below = *snap;
	int count;

	below.rows = sums;
	below.row_count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] != NULL && rows - (int)below.row_count > 3)
			sums[below.row_count++] = *all[i];
	count = (int)below.row_count;
	table_draw_rows(&ui->table_page->table, &ui->canvas, &below,
			ui->layout.rows + (int)MIN((size_t)(rows - count), MAX(snap->row_count, 1)),
			count, 0, SIZE_MAX);
	return count;
}

/* "work  118/s  p50 1.2 ms  p99 3.1 ms  512 us .:#* 4.2 ms" */
static void
put_call(const struct canvas *canvas, struct buf *b, const struct call_row *c)
{
	buf_add_str(b, "# ");
	canvas_add_safe(canvas, b, c->shown);
	buf_addf(b, "  %.0f/s", c->per_second);
	if (c->is_timed) {
		buf_add_str(b, "  p50 ");
		call_put_ns(b, c->p50_ns);
		buf_add_str(b, "  p99 ");
		call_put_ns(b, c->p99_ns);
		buf_add_str(b, "  ");
		call_put_picture(b, c, canvas->ascii);
	}
	/* Times of before stay. */
	if (!c->is_timed || strcmp(c->state, "timed") != 0)
		buf_addf(b, "  %s", c->state);
}

/* Functions whose calls are counted, above the footer in all views but their own; how many lines. */
static int
draw_calls(struct ui *ui, int rows)
{
	const struct snapshot *s = ui->snap;
	int count = 0, y = ui->layout.rows + rows - 1;
	struct buf b = { 0 };

	if (s->query.by_view && s->query.view == VIEW_CALLS)
		return 0;
	for (size_t i = s->call_count; i-- > 0 && count < MIN(CALL_LINES, rows / 4);) {
		if (!s->calls[i]->is_on)
			continue;
		buf_reset(&b);
		put_call(&ui->canvas, &b, s->calls[i]);
		canvas_put(&ui->canvas, 0, y - count++, ui->canvas.width, STYLE_NOTICE, b.data);
	}
	buf_release(&b);
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
	rows -= draw_calls(ui, rows);
	rows -= draw_sums(ui, rows);
	if (rows > 1 && is_idle_alone(ui)) {
		rows--;
		canvas_put(c, 2, l->rows + (int)MIN((size_t)rows, snap->row_count), c->width - 2,
			   STYLE_NOTICE, "no waits here, in this window; idle time is hidden: O shows it");
	}
	if (!stale)
		nav_scroll(p, snap->row_count, (size_t)MAX(rows, 0));
	table_draw_rows(&ui->table_page->table, c, snap, l->rows, rows, stale ? 0 : p->top,
			stale ? SIZE_MAX : p->index);
}

static void
draw(struct ui *ui)
{
	const struct snapshot *snap = ui->snap;
	const struct query *q = snap != NULL ? &snap->query : &ui->query;
	struct table *table = &ui->table_page->table;
	struct canvas *c = &ui->canvas;
	const struct snapshot_event *event = snap != NULL ? snapshot_shown(snap) : NULL;
	struct column_list list;

	header_draw(c, &ui->layout, snap, &ui->query, ui->header, &ui->strip);
	column_list_make(&list, q, !engine_config_samples(&ui->config->engine), event);
	if (snap != NULL)
		column_list_drop_empty(&list, snap);
	table_fit(table, &list, q->by_view ? ui->columns[q->view].widths : NULL, event, c->width);
	table->short_commands = ui->short_commands;
	table->tags = ui->tags;
	table->tag_count = ui->tag_count;
	ui->rows[PAGE_TABLE] = (size_t)ui->layout.row_count;
	if (ui->layout.titles >= 0)
		table_draw_titles(table, c, ui->layout.titles, q, event);
	draw_rows(ui);
}

static const char above_rows[] =
	"\nAbove the rows\n"
	"  999 Hz x 8 cpu   samples per second and CPU; 120 of 999 Hz: fewer than asked\n"
	"                   for, so that ptop keeps to its --budget: see !\n"
	"  lost, throttled  samples that the kernel had no room or time for: see !\n"
	"  other processes  samples of those that you did not ask for: not shown\n"
	"  merged           rare stacks became one to keep to --memory: sums stay exact\n"
	"  self             CPU time and memory of ptop itself\n"
	"  window 10 s      rows sum up the last 10 seconds, or less: (2 so far)\n"
	"  % of shown       what shares are of: of the place that you are in, less what\n"
	"                   filters leave out; the key % changes it\n"
	"  [Threads]        the view, of what is named before it: Tab and v change it\n"
	"\nColumns\n";

/* "  htop      k: kill, or signal   F9" */
static void
put_other_keys(const struct ui *ui, struct buf *b)
{
	buf_add_str(b, "\nKeys of other programs, and those that do it here\n");
	for (size_t i = 0; i < other_key_count; i++) {
		buf_addf(b, "  %-9s %-23s ", other_keys[i].program, other_keys[i].does);
		other_key_put_here(b, &ui->keymap, &other_keys[i]);
		buf_add_char(b, '\n');
	}
}

static void
put_help(struct ui *ui, struct buf *b)
{
	struct column_list list;
	const char *name, *about;

	row_signs_put(b);
	buf_add_str(b, above_rows);
	place_columns(ui, &list);
	for (size_t i = 0; i < list.count; i++)
		buf_addf(b, "  %-9s %s\n", columns[list.ids[i]].title, columns[list.ids[i]].help);
	buf_add_str(b, "\nThe menu of a column's title\n");
	for (size_t i = 0; (about = title_menu_help(i, &name)) != NULL; i++)
		buf_addf(b, "  %-9s %s\n", name, about);
	put_other_keys(ui, b);
}

static void
move(struct ui *ui, long delta)
{
	if (!ui_is_stale(ui))
		nav_move(nav_place(&ui->nav), ui->snap, delta);
}

static void
home(struct ui *ui)
{
	nav_unpin(nav_place(&ui->nav));
}

static void
explain_line(struct ui *ui)
{
	const struct snapshot_node *n = &ui->snap->nodes[pages[page_of_place(ui)]->selected(ui)];

	if (n->location == 0)
		ui_say(ui, false, "select a function first: it tells where its name comes from");
	else
		text_page_explain_line(ui, n->location, n->is_irq_on);
}

static void
explain(struct ui *ui)
{
	const struct row *row = ui_selected(ui);

	if (ui_has_nodes(ui)) {
		explain_line(ui);
		return;
	}
	if (row == NULL) {
		ui_say(ui, false, "no row to explain: %s", why_empty(ui));
		return;
	}
	text_page_explain(ui, row->id);
}

/* Stacks do not tell when a lock was held. */
static void
show_inside(struct ui *ui, const struct row *row)
{
	const struct snapshot_event *e = snapshot_shown(ui->snap);

	place_ask(ui, true);
	if (row->lock_id != 0 && row->thread != 0)
		ui_say(ui, false, "all %s of %d %s, not only while it holds the lock",
		       e != NULL ? e->name : "samples", row->owner, row->owner_comm);
}

static void
in(struct ui *ui)
{
	const struct row *row = ui_selected(ui);
	const char *why;

	if (row == NULL) {
		ui_say(ui, false, "no row to go into: %s", why_empty(ui));
		return;
	}
	nav_to(nav_place(&ui->nav), ui->snap, nav_place(&ui->nav)->index);
	if (view_defs[nav_level(&ui->nav)->view].into < 0 && row->location != 0 &&
	    (row->flags & ROW_UNNAMED) == 0)
		annotate_page_show(ui);
	else if (nav_in(&ui->nav, row, ui->query.hide_threads, &why))
		show_inside(ui, row);
	else if (row->location != 0 || row->dso_id != 0)
		explain(ui); /* code: what there is behind it is its name */
	else
		ui_say(ui, false, "%s", why);
}

static size_t
count(const struct ui *ui)
{
	return ui_is_stale(ui) ? 0 : ui->snap->row_count;
}

static size_t
selected(struct ui *ui)
{
	return nav_place(&ui->nav)->index;
}

static void
select_row(struct ui *ui, size_t i)
{
	nav_to(nav_place(&ui->nav), ui->snap, i);
}

static bool
click(struct ui *ui, int x, int y)
{
	const struct layout *l = &ui->layout;
	int column = table_column_at(&ui->table_page->table, x);
	size_t i = nav_place(&ui->nav)->top + (size_t)(y - l->rows);

	if (ui_is_stale(ui))
		return false;
	if (y == ui->layout.titles && column >= 0)
		place_set_sort(ui, column);
	if (y < l->rows || y >= l->rows + l->row_count || i >= ui->snap->row_count)
		return false;
	select_row(ui, i);
	return true;
}

/* On a title: its menu. */
static bool
right_click(struct ui *ui, int x, int y)
{
	int column = table_column_at(&ui->table_page->table, x);

	if (ui_is_stale(ui) || y != ui->layout.titles || column < 0)
		return false;
	title_menu_open(ui, (enum column_id)column);
	return true;
}

static void
open_title_menu(struct ui *ui)
{
	title_menu_open(ui, (enum column_id)ui->query.sort);
}

static bool
holds(const struct ui *ui, size_t i)
{
	struct column_list list;
	struct buf b = { 0 };
	bool found;

	place_columns(ui, &list);
	table_put_text(&b, &list, &ui->snap->rows[i], ui->canvas.ascii);
	found = strcasestr(buf_str(&b), ui->find) != NULL;
	buf_release(&b);
	return found;
}

static void
keep(struct ui *ui)
{
	ui->table_page->kept = *nav_place(&ui->nav);
}

static void
go_back(struct ui *ui)
{
	*nav_place(&ui->nav) = ui->table_page->kept;
	if (!ui_is_stale(ui))
		nav_find(nav_place(&ui->nav), ui->snap);
}

static void
step_sort(struct ui *ui, int by)
{
	const struct table *table = &ui->table_page->table;
	struct column_list list;
	int at = 0, to;

	place_columns(ui, &list);
	for (size_t i = 0; i < list.count; i++)
		if (list.ids[i] == ui->query.sort)
			at = (int)i;
	to = at + by;
	while (to >= 0 && to < (int)list.count && !table_has(table, list.ids[to]))
		to += by;
	if (to >= 0 && to < (int)list.count)
		place_set_sort(ui, list.ids[to]);
	else
		ui_say(ui, false, "no further column");
}

static void
sort_invert(struct ui *ui)
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
open_sort_menu(struct ui *ui)
{
	const struct snapshot_event *event = ui->snap != NULL ? snapshot_shown(ui->snap) : NULL;
	struct column_list list;

	place_columns(ui, &list);
	menu_open(ui, "Sort by", sort_by);
	for (size_t i = 0; i < list.count; i++) {
		const struct column *col = &columns[list.ids[i]];

		menu_add(ui, column_title(list.ids[i], &ui->query, event), col->help, list.ids[i],
			 list.ids[i] == ui->query.sort);
	}
}

static const struct action actions[] = {
	{ "sort-menu", "F6", "menu of columns to sort by", IN_TABLE, open_sort_menu },
	{ "sort-left", "<", "sort by the column to the left", IN_TABLE, .step = step_sort,
	  .by = -1 },
	{ "sort-right", ">", "sort by the column to the right", IN_TABLE,
	  .step = step_sort, .by = 1 },
	{ "sort-invert", "I", "reverse the order", IN_TABLE, sort_invert },
	{ "column-menu", "^W", "menu of the column that rows are ordered by: hide, move, width; right click: of any",
	  IN_TABLE, open_title_menu },
	{ "explain", "i", "where this row's name comes from, or why it has none",
	  IN_TABLE | IN_TREE | IN_FLAME, explain, WITH_ROWS },
	{ NULL },
};

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "event", "Event" }, { "view-next", "View" }, { "in", "In" },
	{ "callers", "Callers" }, { "flame", "Flame" }, { "filter", "Filter" }, { "sort-menu", "Sort" },
	{ "quit", "Quit" }, { "out", "Out" }, { "find", "Find" }, { "explain", "Why" },
	{ "tree", "Tree" }, { NULL },
};

/* Where rows are processes or threads, and something can be done to them. */
static const struct footer_key task_footer[] = {
	{ "help", "Help" }, { "event", "Event" }, { "view-next", "View" }, { "in", "In" },
	{ "callers", "Callers" }, { "flame", "Flame" }, { "process-menu", "Act" }, { "filter", "Filter" },
	{ "quit", "Quit" }, { "sort-menu", "Sort" }, { "out", "Out" }, { "find", "Find" },
	{ "setup", "Columns" }, { "explain", "Why" }, { "tree", "Tree" }, { NULL },
};

/* Where rows are functions, and where they are what has no name. */
static const struct footer_key code_footer[] = {
	{ "help", "Help" }, { "event", "Event" }, { "view-next", "View" }, { "annotate", "Code" },
	{ "callers", "Callers" }, { "flame", "Flame" }, { "tree", "Tree" }, { "filter", "Filter" },
	{ "quit", "Quit" }, { "out", "Out" }, { "find", "Find" }, { "explain", "Why" },
	{ "sort-menu", "Sort" }, { NULL },
};

static const struct footer_key unnamed_footer[] = {
	{ "help", "Help" }, { "explain", "Why" }, { "in", "In" }, { "view-next", "View" },
	{ "event", "Event" }, { "filter", "Filter" }, { "sort-menu", "Sort" }, { "quit", "Quit" },
	{ "out", "Out" }, { "find", "Find" }, { NULL },
};

static const struct footer_key *
footer_of(const struct ui *ui)
{
	const struct query *q = &ui->query;

	if (q->by_view && q->unnamed)
		return unnamed_footer;
	if (q->by_view && (q->view == VIEW_PROCESSES || q->view == VIEW_THREADS) &&
	    ui->acting.broker != NULL)
		return task_footer;
	return q->by_view && q->view == VIEW_FUNCTIONS ? code_footer : footer;
}

const struct page_ops table_page = {
	.name = "table", .kinds = IN_SAMPLES | IN_VIEWS | IN_LISTS | IN_FULL,
	.actions = actions, .footer = footer, .footer_of = footer_of,
	.state_size = sizeof(struct table_page),
	.draw = draw, .help = "\nThe sign at the left of a row\n", .put_help = put_help,
	.move = move, .home = home, .in = in, .click = click, .right_click = right_click,
	.finds = "row", .count = count, .selected = selected, .select = select_row, .holds = holds,
	.keep = keep, .go_back = go_back,
};
