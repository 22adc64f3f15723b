/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/action_table.h"
#include "ui/header.h"
#include "ui/place.h"
#include "ui/segs.h"

/* Lines of call trees are not for less; of flame graphs, half a cell. */
#define TREE_LEAST_SHARE 0.0005
#define CELL_PART 0.5

enum { FOOTER_FROM = 12, CRUMBS_FROM = 7, LEGEND_FROM = 6, SUMS_FROM = 3 };

void
stacks_release(struct stack_view *st)
{
	calltree_release(&st->tree);
	calltree_release(&st->callers);
	flame_release(&st->flame);
	nodefound_release(&st->found);
	nodepath_release(&st->find_from);
}

static enum view_id
view_of(const struct ui *ui)
{
	return ui->nav.levels[ui->nav.depth].view;
}

static bool
is_flame(const struct ui *ui)
{
	return view_of(ui) == VIEW_FLAME;
}

/* The list of lines that is shown; of the view callers it is a list of its own. */
static struct calltree *
list_of(struct ui *ui, enum view_id view)
{
	return view == VIEW_TREE ? &ui->stacks.tree : &ui->stacks.callers;
}

bool
stacks_is_view(const struct ui *ui)
{
	return ui->screen == SCREEN_TABLE && view_defs[view_of(ui)].is_tree;
}

static bool
have_nodes(const struct ui *ui)
{
	return stacks_is_view(ui) && !ui_is_stale(ui) && ui->snap->node_count > 0;
}

void
stacks_put_query(const struct ui *ui, struct query *q)
{
	const struct stack_view *st = &ui->stacks;
	bool zoomed = ui->snap != NULL && ui->snap->query.view == VIEW_FLAME;

	q->function = q->view == VIEW_CALLERS ? st->function : 0;
	q->bottom_up = q->view == VIEW_TREE && st->bottom_up;
	q->least_share = TREE_LEAST_SHARE;
	if (q->view == VIEW_FLAME)
		q->least_share = CELL_PART / MAX(ui->canvas.width, 20) *
				 (zoomed ? flame_zoom_share(&st->flame, ui->snap) : 1);
}

void
stacks_take(struct ui *ui)
{
	const struct snapshot *s = ui->snap;

	nodefound_search(&ui->stacks.found, s, ui->find);
	if (s->query.view == VIEW_FLAME)
		flame_update(&ui->stacks.flame, s, ui->canvas.width);
	else
		calltree_update(list_of(ui, s->query.view), s);
}

/* What the search found, for as long as there is one. */
static void
put_found(const struct ui *ui, struct buf *b)
{
	const struct nodefound *f = &ui->stacks.found;

	if (ui->find[0] == '\0')
		return;
	buf_add_char(b, '\'');
	canvas_add_safe(&ui->canvas, b, ui->find);
	if (f->count > 0)
		buf_addf(b, "' %.2f%% in %zu", f->percent, f->count);
	else
		buf_add_str(b, "' not found");
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
		calltree_draw_sum(&ui->canvas, sums[i], y + i);
	return n;
}

static void
draw_list(struct ui *ui)
{
	const struct layout *l = &ui->layout;
	struct calltree *t = list_of(ui, ui->snap->query.view);
	struct buf found = { 0 };

	put_found(ui, &found);
	header_draw(&ui->canvas, l, ui->snap, &ui->query);
	if (l->titles >= 0)
		calltree_draw_titles(ui->snap, &ui->canvas, l->titles, buf_str(&found));
	calltree_draw(t, &ui->canvas, ui->snap, &ui->stacks.found, l->rows,
		      l->row_count - draw_sums(ui, t));
	buf_release(&found);
}

/* The box under the mouse, UINT32_MAX: none, or the mouse rests. */
static uint32_t
hovered(const struct ui *ui)
{
	const struct stack_view *st = &ui->stacks;

	return st->hovers ? flame_at(&st->flame, ui->snap, st->hover_x, st->hover_y) : UINT32_MAX;
}

/* The box under the mouse, else the selected one, in words: there is no room inside of most. */
static void
draw_box_line(struct ui *ui, int y)
{
	const struct snapshot *s = ui->snap;
	uint32_t under = hovered(ui);
	const struct snapshot_node *n =
		&s->nodes[under != UINT32_MAX ? under : ui->stacks.flame.node];
	const struct snapshot_node *zoom = &s->nodes[ui->stacks.flame.zoom_node];
	struct segs segs = { 0 };
	struct buf b = { 0 };

	nodetext_name(&b, &ui->canvas, n);
	segs_add(&segs, 99, STYLE_STATUS, "%s", buf_str(&b));
	segs_add(&segs, RANK_MUST, STYLE_HOT, "%.2f%%", nodetext_percent(s, n, &n->total));
	if (n->kind != NODE_REST && n->kind != NODE_ALL)
		segs_add(&segs, 90, STYLE_NORMAL, "self %.2f%%", nodetext_percent(s, n, &n->self));
	if (n->depth >= zoom->depth && zoom->depth > 0 && zoom->total.period > 0)
		segs_add(&segs, 85, STYLE_NORMAL, "of this zoom %.1f%%",
			 (double)n->total.period * 100 / (double)zoom->total.period);
	buf_reset(&b);
	canvas_add_safe(&ui->canvas, &b, n->dso);
	segs_add(&segs, 87, STYLE_NORMAL, "%s", buf_str(&b));
	segs_add(&segs, 80, STYLE_NORMAL, "%llu samples", (unsigned long long)n->total.samples);
	canvas_fill(&ui->canvas, 0, y, ui->canvas.width, STYLE_NORMAL);
	segs_draw(&segs, &ui->canvas, ui->canvas.width > 20 ? 1 : 0, y, ui->canvas.width - 1, 2);
	segs_release(&segs);
	buf_release(&b);
}

/* All of the screen but for the lines that say what is seen. */
static void
draw_flame(struct ui *ui)
{
	struct canvas *c = &ui->canvas;
	int y = 0, height = c->height;
	struct layout crumbs = { .width = c->width, .height = height, .machine = -1, .event = -1,
				 .strip = -1, .notices = -1, .crumbs = -1 };
	struct buf found = { 0 };

	put_found(ui, &found);
	if (ui->snap->filtered != NULL && found.len == 0)
		buf_addf(&found, "%s %.2f%%", ui->snap->filtered->symbol,
			 ui->snap->filtered->share * 100);
	if (height >= CRUMBS_FROM) {
		crumbs.crumbs = y++;
		header_draw(c, &crumbs, ui->snap, &ui->query);
	}
	if (height >= LEGEND_FROM)
		flame_draw_legend(c, y++, buf_str(&found));
	ui->layout.footer = height >= FOOTER_FROM ? height - 1 : -1;
	height -= ui->layout.footer >= 0 ? 2 : 1;
	flame_update(&ui->stacks.flame, ui->snap, c->width);
	flame_draw(&ui->stacks.flame, c, ui->snap, &ui->stacks.found, y, height - y);
	draw_box_line(ui, height);
	buf_release(&found);
}

void
stacks_draw(struct ui *ui)
{
	if (ui->snap->query.view == VIEW_FLAME)
		draw_flame(ui);
	else
		draw_list(ui);
}

void
stacks_move(struct ui *ui, long delta)
{
	long most;

	if (!have_nodes(ui))
		return;
	most = (long)ui->snap->node_count;
	if (is_flame(ui))
		flame_move(&ui->stacks.flame, ui->snap, 0, (int)MAX(MIN(delta, most), -most));
	else
		calltree_move(list_of(ui, view_of(ui)), ui->snap, delta);
}

void
stacks_home(struct ui *ui)
{
	if (!have_nodes(ui))
		return;
	if (is_flame(ui))
		flame_select(&ui->stacks.flame, ui->snap, ui->stacks.flame.zoom_node);
	else
		calltree_home(list_of(ui, view_of(ui)), ui->snap);
}

long
stacks_page(const struct ui *ui)
{
	long n = is_flame(ui) ? ui->stacks.flame.rows : ui->layout.row_count;

	return MAX(n - 1, 1);
}

void
stacks_in(struct ui *ui)
{
	if (!have_nodes(ui))
		return;
	if (!is_flame(ui)) {
		calltree_toggle(list_of(ui, view_of(ui)), ui->snap);
		return;
	}
	flame_zoom(&ui->stacks.flame, ui->snap);
	flame_update(&ui->stacks.flame, ui->snap, ui->canvas.width);
	place_ask(ui, false); /* smaller ones can be seen now */
}

bool
stacks_out(struct ui *ui)
{
	if (!is_flame(ui) || !flame_unzoom(&ui->stacks.flame))
		return false;
	if (have_nodes(ui))
		flame_update(&ui->stacks.flame, ui->snap, ui->canvas.width);
	place_ask(ui, false);
	return true;
}

void
stacks_side(struct ui *ui, int direction)
{
	if (!have_nodes(ui))
		return;
	if (is_flame(ui))
		flame_move(&ui->stacks.flame, ui->snap, direction, 0);
	else if (direction > 0)
		calltree_in(list_of(ui, view_of(ui)), ui->snap);
	else
		calltree_out(list_of(ui, view_of(ui)), ui->snap);
}

static void
set_line(struct ui *ui, bool open)
{
	if (have_nodes(ui))
		calltree_set(list_of(ui, view_of(ui)), ui->snap, open);
}

static void
open_line(struct ui *ui)
{
	set_line(ui, true);
}

static void
close_line(struct ui *ui)
{
	set_line(ui, false);
}

bool
stacks_click(struct ui *ui, int x, int y)
{
	if (!have_nodes(ui))
		return false;
	if (is_flame(ui))
		return flame_click(&ui->stacks.flame, ui->snap, x, y);
	return calltree_click(list_of(ui, view_of(ui)), ui->snap, y - ui->layout.rows);
}

bool
stacks_can_hover(const struct ui *ui)
{
	return have_nodes(ui) && is_flame(ui) && !ui->menu.is_open;
}

void
stacks_hover(struct ui *ui, int x, int y)
{
	struct stack_view *st = &ui->stacks;
	uint32_t before;

	if (!stacks_can_hover(ui))
		return;
	before = hovered(ui);
	st->hovers = true;
	st->hover_x = x;
	st->hover_y = y;
	if (hovered(ui) != before)
		ui_touch(ui);
}

void
stacks_hover_end(struct ui *ui)
{
	ui->stacks.hovers = false;
}

static uint32_t
selected(struct ui *ui)
{
	return is_flame(ui) ? ui->stacks.flame.node
			    : calltree_selected(list_of(ui, view_of(ui)));
}

static void
select_node(struct ui *ui, uint32_t node)
{
	if (is_flame(ui))
		flame_select(&ui->stacks.flame, ui->snap, node);
	else
		calltree_reveal(list_of(ui, view_of(ui)), ui->snap, node);
}

bool
stacks_find(struct ui *ui, int step, bool from_next)
{
	size_t n;
	uint32_t to;

	if (!have_nodes(ui))
		return false;
	stacks_take(ui);
	n = ui->snap->node_count;
	to = (uint32_t)((selected(ui) + n + (size_t)(from_next ? (long)step : 0)) % n);
	to = nodefound_next(&ui->stacks.found, ui->snap, to, step);
	if (to != UINT32_MAX)
		select_node(ui, to);
	return to != UINT32_MAX;
}

void
stacks_find_begin(struct ui *ui)
{
	ui->stacks.find_from.len = 0;
	if (have_nodes(ui))
		nodepath_set(&ui->stacks.find_from, ui->snap, selected(ui));
}

void
stacks_find_leave(struct ui *ui)
{
	if (!have_nodes(ui))
		return;
	stacks_take(ui);
	if (ui->stacks.find_from.len > 0)
		select_node(ui, nodepath_find(&ui->stacks.find_from, ui->snap));
}

/* Into a view that Esc leads out of again. */
static void
show(struct ui *ui, enum view_id view)
{
	struct nav_level *l = nav_level(&ui->nav);

	if (!view_defs[l->view].is_tree) {
		l->back = l->view;
		l->has_back = true;
	}
	ui->screen = SCREEN_TABLE;
	l->view = view;
	place_ask(ui, true);
}

static void
show_callers(struct ui *ui)
{
	const struct row *row = stacks_is_view(ui) ? NULL : ui_selected(ui);
	uint32_t location = row != NULL ? row->location : 0;

	if (have_nodes(ui))
		location = ui->snap->nodes[selected(ui)].location;
	if (location == 0) {
		ui_say(ui, false, "select a function first: it has callers and callees");
		return;
	}
	ui->stacks.function = location;
	ui->stacks.callers.selected.len = 0;
	ui->stacks.callers.top = 0;
	show(ui, VIEW_CALLERS);
}

/* What is selected in the flame graph is so in the call tree, and the other way round. */
static void
carry_to_tree(struct ui *ui)
{
	struct stack_view *st = &ui->stacks;

	if (have_nodes(ui) && is_flame(ui) && !st->bottom_up && st->flame.node != 0)
		calltree_reveal(&st->tree, ui->snap, st->flame.node);
}

static void
carry_to_flame(struct ui *ui)
{
	struct stack_view *st = &ui->stacks;

	if (!have_nodes(ui) || view_of(ui) != VIEW_TREE || st->bottom_up ||
	    ui->snap->query.bottom_up || selected(ui) == 0)
		return;
	flame_unzoom_all(&st->flame);
	flame_select(&st->flame, ui->snap, selected(ui));
}

static void
show_tree(struct ui *ui)
{
	carry_to_tree(ui);
	if (view_of(ui) == VIEW_TREE && ui->screen == SCREEN_TABLE) {
		ui->stacks.bottom_up = !ui->stacks.bottom_up;
		ui->stacks.tree.selected.len = 0;
		ui->stacks.tree.top = 0;
		ui_say(ui, false, ui->stacks.bottom_up ? "bottom up: functions, and who calls them"
						       : "top down: functions, and what they call");
	}
	show(ui, VIEW_TREE);
}

static void
show_flame(struct ui *ui)
{
	carry_to_flame(ui);
	show(ui, VIEW_FLAME);
}

const struct action stack_actions[] = {
	{ "open", "+", "open the selected line", IN_TREE, open_line, WITH_ROWS },
	{ "close", "-", "close the selected line", IN_TREE, close_line, WITH_ROWS },
	{ "callers", "c", "who calls the selected function, and what it calls", IN_SAMPLES,
	  show_callers, WITH_ROWS },
	{ "flame", "f", "flame graph: Enter zooms, Esc goes back, / marks", IN_SAMPLES, show_flame },
	{ "tree", "t", "call tree from the outermost functions on; again: bottom up", IN_SAMPLES,
	  show_tree },
	{ NULL },
};
