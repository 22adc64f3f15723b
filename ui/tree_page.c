/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call trees: the one from the outermost functions on, or bottom up; callers and callees of one. */
#include "base/text.h"
#include "ui/action_table.h"
#include "ui/calltree.h"
#include "ui/header.h"
#include "ui/place.h"
#include "ui/screen_words.h"

#include <math.h>
#include <string.h>

#define TREE_LEAST_SHARE 0.0005 /* there are no lines for less */

enum {
	MARGIN = 2,
	NUMBERS_WIDTH = 16, /* "%TOTAL  %SELF  " and a blank */
	TOTAL_WIDTH = 7,
	DSO_FROM = 60, DSO_WIDTH = 18, /* from this width of the screen on */
	SELF_FROM = 40,
	SUMS_FROM = 3,
};

struct tree_page {
	struct calltree tree, callers; /* each view with what is selected and open in it */
	uint32_t function; /* query.function */
	bool bottom_up;
};

/* The lines of the newest snapshot: of its view callers a list of their own. */
static struct calltree *
lines(const struct ui *ui)
{
	return ui->snap->query.view == VIEW_CALLERS ? &ui->tree_page->callers : &ui->tree_page->tree;
}

static void
release(struct ui *ui)
{
	calltree_release(&ui->tree_page->tree);
	calltree_release(&ui->tree_page->callers);
}

static void
put_query(const struct ui *ui, struct query *q)
{
	q->function = q->view == VIEW_CALLERS ? ui->tree_page->function : 0;
	q->bottom_up = q->view == VIEW_TREE && ui->tree_page->bottom_up;
	q->least_share = TREE_LEAST_SHARE;
}

static void
take_snapshot(struct ui *ui)
{
	calltree_update(lines(ui), ui->snap);
}

static void
draw_titles(const struct snapshot *s, struct canvas *c, int y, const char *right)
{
	const char *title = s->query.view == VIEW_CALLERS ? "FUNCTION"
			    : s->query.bottom_up ? "FUNCTION, below it who calls it"
						 : "FUNCTION, below it what it calls";
	int x = MARGIN + (c->width >= SELF_FROM ? NUMBERS_WIDTH : TOTAL_WIDTH + 1);
	bool per_second = s->query.shares == SHARES_PER_SECOND;

	canvas_fill(c, 0, y, c->width, STYLE_TITLE);
	canvas_put_right(c, 0, y, MARGIN + TOTAL_WIDTH, STYLE_TITLE,
			 per_second ? column_title(COLUMN_SHARE, &s->query, snapshot_shown(s))
				    : WORD(TOTAL_PERCENT));
	if (c->width >= SELF_FROM)
		canvas_put_right(c, MARGIN + TOTAL_WIDTH, y, 7, STYLE_TITLE,
				 snapshot_compares_nodes(s) ? "DELTA" : per_second ? "SELF" : WORD(SELF_PERCENT));
	canvas_put(c, x, y, c->width - x, STYLE_TITLE, title);
	if (*right != '\0')
		canvas_put_right(c, 0, y, c->width - 1, STYLE_SORTED, right);
	else if (c->width >= DSO_FROM)
		canvas_put(c, c->width - DSO_WIDTH, y, DSO_WIDTH, STYLE_TITLE, "DSO");
}

static enum style
name_style(const struct snapshot_node *n, bool found)
{
	if (found)
		return STYLE_FLAME_FOUND;
	if (n->depth == 0 || n->kind == NODE_COMM)
		return STYLE_CRUMB;
	if (n->kind == NODE_KERNEL || n->kind == NODE_WAITS)
		return STYLE_KERNEL;
	if (n->kind == NODE_REST || n->kind == NODE_UNKNOWN || n->kind == NODE_CUT)
		return STYLE_DIM;
	return STYLE_USER;
}

/* Whether @n called the function of the view callers. */
static bool
is_caller(const struct snapshot *s, const struct snapshot_node *n)
{
	return s->query.view == VIEW_CALLERS && n->depth > 0 && n < s->nodes + s->nodes[0].end;
}

/* Behind one half of the view callers that has no lines. */
static void
put_no_lines(struct buf *b, const struct snapshot *s, uint32_t half)
{
	const struct snapshot_head *h = &s->head;

	if (h->chain_ends == NULL || (h->has_chains && (half > 0 || nodetext_is_outermost(&s->nodes[half]))))
		buf_add_str(b, ": none");
	else
		buf_addf(b, " unknown: %s", h->chain_ends);
}

static void
put_name(struct buf *b, const struct canvas *c, const struct snapshot *s, const struct calltree *t,
	 uint32_t node)
{
	bool is_half = s->nodes[node].depth == 0 && s->query.view == VIEW_CALLERS;

	buf_add_str(b, calltree_mark(t, s, node));
	if (is_half)
		buf_add_str(b, node == 0 ? "callers of " : "callees of ");
	nodetext_name(b, c, &s->nodes[node]);
	if (is_half && s->nodes[node].end == node + 1)
		put_no_lines(b, s, node);
	if (s->nodes[node].difference != NULL && s->nodes[node].difference->is_gone)
		buf_add_str(b, "  gone");
	if (nodetext_lacks_callers(s, node))
		nodetext_put_lack(b, ": ", s);
}

/* Two places, as far as they fit; - where there is none. */
static void
put_share(struct canvas *c, int x, int y, enum style style, double share)
{
	struct buf b = { 0 };

	if (isnan(share))
		buf_add_char(&b, '-');
	else if (share < 9999.995)
		buf_addf(&b, "%.2f", share);
	else
		text_add_count(&b, share);
	canvas_put_right(c, x, y, TOTAL_WIDTH, style, buf_str(&b));
	buf_release(&b);
}

/* In place of the node's own share. */
static void
draw_delta(struct canvas *c, const struct snapshot_node *n, int y)
{
	struct buf b = { 0 };

	if (c->width < SELF_FROM)
		return;
	buf_addf(&b, "%+.2f", n->difference->change.delta * 100);
	canvas_put_right(c, MARGIN + TOTAL_WIDTH, y, TOTAL_WIDTH, nodetext_look(n).style, buf_str(&b));
	buf_release(&b);
}

static void
draw_numbers(struct canvas *c, const struct snapshot *s, const struct snapshot_node *n, int y)
{
	const struct snapshot_event *e = &s->events[n->event];
	double part = e->base > 0 ? (double)n->self.period / (double)e->base : 0;

	put_share(c, MARGIN, y, STYLE_NORMAL, nodetext_share(s, n, &n->total));
	if (n->difference != NULL) {
		draw_delta(c, n, y);
		return;
	}
	/* Of callers it would be what the function has by them. */
	if (c->width >= SELF_FROM && n->kind != NODE_REST && !is_caller(s, n))
		put_share(c, MARGIN + TOTAL_WIDTH, y,
			  part >= 0.05 ? STYLE_HOT : part >= 0.005 ? STYLE_WARM : STYLE_NORMAL,
			  nodetext_share(s, n, &n->self));
}

/* What is told of the function stands in place of its kind, but behind what has become of it. */
static void
draw_signs(struct canvas *c, const struct snapshot *s, const struct snapshot_node *n, int y,
	   enum style style)
{
	const bool is_counted = snapshot_counts_calls(s, n->location);
	const char of_function = is_counted ? '#' : n->is_irq_on ? '!' : '\0';
	const int x = n->difference != NULL ? 1 : 0;

	if (n->kind != NODE_ALL && n->kind != NODE_REST)
		canvas_put_char(c, 0, y, style, (unsigned char)nodetext_look(n).mark);
	if (of_function != '\0')
		canvas_put_char(c, x, y, STYLE_NOTICE, (unsigned char)of_function);
}

static void
draw_line(struct ui *ui, const struct calltree *t, const struct calltree_line *line, int y)
{
	const struct snapshot *s = ui->snap;
	struct canvas *c = &ui->canvas;
	const struct snapshot_node *n = &s->nodes[line->node];
	enum style style = name_style(n, ui->found.count > 0 && ui->found.is[line->node]);
	int x = MARGIN + (c->width >= SELF_FROM ? NUMBERS_WIDTH : TOTAL_WIDTH + 1);
	bool has_dso = c->width >= DSO_FROM && !nodetext_lacks_callers(s, line->node);
	int end = c->width - (has_dso ? DSO_WIDTH + 1 : 0);
	struct buf b = { 0 };

	draw_signs(c, s, n, y, style);
	draw_numbers(c, s, n, y);
	x += (int)MIN(2 * line->indent, (uint32_t)MAX(end - x, 0) / 2);
	put_name(&b, c, s, t, line->node);
	canvas_put(c, x, y, end - x, style, buf_str(&b));
	buf_reset(&b);
	canvas_add_safe(c, &b, n->dso);
	if (has_dso)
		canvas_put(c, c->width - DSO_WIDTH, y, DSO_WIDTH, style, buf_str(&b));
	buf_release(&b);
}

static void
draw_sum(struct canvas *c, const struct snapshot *s, const struct row *sum, int y)
{
	const struct snapshot_event *e = snapshot_shown(s);
	bool has_self = c->width >= SELF_FROM, has_share = e != NULL && !isnan(sum->share);
	int x = MARGIN + (has_self ? NUMBERS_WIDTH : TOTAL_WIDTH + 1);
	double share = has_share ? snapshot_share(s, e, sum->period) : NAN;

	put_share(c, MARGIN, y, STYLE_DIM, share);
	if (has_self)
		put_share(c, MARGIN + TOTAL_WIDTH, y, STYLE_DIM, share);
	canvas_put(c, x, y, c->width - x, STYLE_DIM, sum->symbol);
}

/* What was left out, below the last line; how many lines that takes. */
static int
draw_sums(struct ui *ui, const struct calltree *t)
{
	const struct layout *l = &ui->layout;
	const struct row *all[] = { ui->snap->named, ui->snap->filtered }, *sums[ARRAY_SIZE(all)];
	int n = 0, y;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] != NULL && l->row_count - n > SUMS_FROM)
			sums[n++] = all[i];
	y = l->rows + (int)MIN((size_t)(l->row_count - n), t->len);
	for (int i = 0; i < n; i++)
		draw_sum(&ui->canvas, ui->snap, sums[i], y + i);
	return n;
}

static void
draw(struct ui *ui)
{
	const struct layout *l = &ui->layout;
	struct calltree *t = lines(ui);
	struct buf found = { 0 };

	nodefound_put(&ui->found, &found, &ui->canvas, ui->find);
	header_draw(&ui->canvas, l, ui->snap, &ui->query, ui->header, &ui->strip);
	ui->rows[PAGE_TREE] = (size_t)l->row_count;
	if (l->titles >= 0)
		draw_titles(ui->snap, &ui->canvas, l->titles, buf_str(&found));
	calltree_scroll(t, (size_t)MAX(l->row_count - draw_sums(ui, t), 0));
	for (size_t i = 0; i < t->page && t->top + i < t->len; i++) {
		draw_line(ui, t, &t->lines[t->top + i], l->rows + (int)i);
		if (t->top + i == t->index)
			canvas_select(&ui->canvas, l->rows + (int)i, 0, ui->canvas.width);
	}
	buf_release(&found);
}

static void
move(struct ui *ui, long delta)
{
	if (ui_has_nodes(ui))
		calltree_move(lines(ui), ui->snap, delta);
}

static void
in(struct ui *ui)
{
	if (ui_has_nodes(ui))
		calltree_toggle(lines(ui), ui->snap);
}

static void
side(struct ui *ui, int direction)
{
	if (ui_has_nodes(ui))
		calltree_side(lines(ui), ui->snap, direction);
}

/* Opens it (@by 1) or closes it (-1). */
static void
set_line(struct ui *ui, int by)
{
	if (ui_has_nodes(ui))
		calltree_set(lines(ui), ui->snap, by > 0);
}

static bool
click(struct ui *ui, int x, int y)
{
	(void)x;
	return ui_has_nodes(ui) && calltree_click(lines(ui), ui->snap, y - ui->layout.rows);
}

static size_t
selected(struct ui *ui)
{
	const struct calltree *t = lines(ui);

	return t->index < t->len ? t->lines[t->index].node : 0;
}

static void
select_node(struct ui *ui, size_t i)
{
	calltree_reveal(lines(ui), ui->snap, (uint32_t)i);
}

/* Opens the view of callers and callees of the function that is selected. */
static void
show_callers(struct ui *ui)
{
	uint32_t function = page_location(ui);

	if (function == 0) {
		ui_say(ui, false, "select a function first: it has callers and callees");
		return;
	}
	ui->tree_page->function = function;
	ui->tree_page->callers.selected.len = 0;
	ui->tree_page->callers.top = 0;
	place_enter_view(ui, VIEW_CALLERS);
}

static void
turn(struct ui *ui)
{
	struct tree_page *p = ui->tree_page;

	p->bottom_up = !p->bottom_up;
	p->tree.selected.len = 0;
	p->tree.top = 0;
	ui_say(ui, false, p->bottom_up ? "bottom up: functions, and who calls them"
				       : "top down: functions, and what they call");
}

/* Each call is sampled where it begins: below the function is who calls it. */
static void
show_calls(struct ui *ui, const struct call_row *call)
{
	if (call->is_refused) {
		ui_say(ui, true, "no calls of %s: %s", call->function, call->note);
		return;
	}
	engine_need_event(ui->engine, call->event);
	ui->tree_page->bottom_up = true;
	place_enter_view(ui, VIEW_TREE);
	ui_say(ui, false, "samples are calls of %s; [ goes back to the event before", call->function);
}

/* What is selected in the flame graph is so in the call tree, too. */
static void
show_tree(struct ui *ui)
{
	const struct row *row = ui_selected(ui);
	enum view_id view = nav_level(&ui->nav)->view;
	size_t node = pages[PAGE_FLAME]->selected(ui);

	if (row != NULL && row->call != NULL) {
		show_calls(ui, row->call);
		return;
	}

	if (view == VIEW_FLAME && ui_has_nodes(ui) && !ui->tree_page->bottom_up && node != 0)
		select_node(ui, node);
	if (view == VIEW_TREE)
		turn(ui);
	place_enter_view(ui, VIEW_TREE);
}

static const struct action actions[] = {
	{ "open", "+", "open the selected line", IN_TREE, .step = set_line, .by = 1,
	  .when = WITH_ROWS },
	{ "close", "-", "close the selected line", IN_TREE, .step = set_line, .by = -1,
	  .when = WITH_ROWS },
	{ "callers", "c", "who calls the selected function, and what it calls", IN_SAMPLES,
	  show_callers, WITH_ROWS, .opens = VIEW_CALLERS },
	{ "tree", "t", "call tree from the outermost functions on; again: bottom up; of a function "
	  "whose calls are counted: who makes how many", IN_SAMPLES, show_tree,
	  .opens = VIEW_TREE },
	{ NULL },
};

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "event", "Event" }, { "view-next", "View" }, { "in", "Open" },
	{ "out", "Back" }, { "find", "Find" }, { "filter", "Filter" }, { "quit", "Quit" },
	{ "callers", "Callers" }, { "flame", "Flame" }, { "tree", "Tree" }, { NULL },
};

const struct page_ops tree_page = {
	.name = "tree", .kinds = IN_SAMPLES | IN_VIEWS | IN_LISTS | IN_FULL,
	.actions = actions, .footer = footer,
	.state_size = sizeof(struct tree_page), .release = release,
	.draw = draw,
	.help = "Of lines, - is open and + closed; | goes on with the\n"
		"only one that is called, or calls, there.  What has ! before it, or\n"
		"behind the sign of what is compared, lets interrupts on: a timer's\n"
		"samples of what ran before are there, too.\n",
	.move = move, .in = in, .side = side, .click = click,
	.finds = "function", .selected = selected, .select = select_node,
	.put_query = put_query, .take_snapshot = take_snapshot,
};
