/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call tree as boxes, each as wide as its part of what is shown, below who calls it; one of them
 * is selected, and one fills the width.
 */
#include "ui/action_table.h"

#include "base/text.h"
#include "ui/crumbs.h"
#include "ui/place.h"
#include "ui/segs.h"

#include <math.h>
#include <stdlib.h>

#define CELL_PART 0.5 /* of a cell: smaller boxes are not asked for */

enum { ZOOMS_MAX = 32, FOOTER_FROM = 12, CRUMBS_FROM = 7, LEGEND_FROM = 6 };

struct box {
	int x, width; /* width 0: not to be seen */
};

struct flame_page {
	struct nodepath selected, zoom; /* zoom.len 0: all */
	size_t zooms[ZOOMS_MAX];        /* lengths of zoom before it was what it is */
	size_t zoom_count;
	uint32_t node, zoom_node;       /* in the snapshot seen last */
	struct box *boxes;              /* by node */
	size_t box_cap;
	uint64_t *weights;              /* by node: how wide its box is */
	size_t weight_cap;
	uint64_t *starts;               /* where in its row the next child begins, by node */
	size_t start_cap;
	uint32_t top;                   /* depth of the first row */
	int y, rows;                    /* where it was drawn */
	bool hovers;                    /* the mouse was moved last, to there, not a key pressed */
	int hover_x, hover_y;
};

static void
release(struct ui *ui)
{
	struct flame_page *f = ui->flame_page;

	nodepath_release(&f->selected);
	nodepath_release(&f->zoom);
	free(f->boxes);
	free(f->weights);
	free(f->starts);
}

/* THEN, as if it had as much in all as NOW. */
static double
then_weight(const struct snapshot_node *n, const struct snapshot_node *root)
{
	double then = (double)root->difference->then_period;

	if (then <= 0 || root->total.period == 0)
		return (double)n->difference->then_period;
	return (double)n->difference->then_period * (double)root->total.period / then;
}

/*
 * What is compared is as wide as the larger of NOW and THEN, and no narrower than what is below it:
 * what is gone has its place.
 */
static void
weigh(struct flame_page *f, const struct snapshot *s)
{
	uint64_t *below = mem_calloc(s->node_count, sizeof(*below));

	for (size_t i = s->node_count; i-- > 0;) {
		const struct snapshot_node *n = &s->nodes[i];

		f->weights[i] = n->total.period;
		if (n->difference == NULL)
			continue;
		f->weights[i] = MAX(f->weights[i], (uint64_t)then_weight(n, &s->nodes[0]));
		f->weights[i] = MAX(f->weights[i], below[i]);
		if (n->depth > 0)
			below[n->parent] += f->weights[i];
	}
	free(below);
}

/* The boxes from the root down to the one that fills the width do so, too. */
static void
layout_path(struct flame_page *f, const struct snapshot *s, int width)
{
	uint32_t i = f->zoom_node;

	f->boxes[i] = (struct box){ 0, width };
	while (s->nodes[i].depth > 0) {
		i = s->nodes[i].parent;
		f->boxes[i] = (struct box){ 0, width };
	}
}

/* Children lie beside each other from where their parent begins; both ends are rounded down. */
static void
layout_below(struct flame_page *f, const struct snapshot *s, int width)
{
	const struct snapshot_node *zoom = &s->nodes[f->zoom_node];
	uint64_t all = f->weights[f->zoom_node];
	double scale = all > 0 ? width / (double)all : 0;

	f->starts[f->zoom_node] = 0;
	for (uint32_t i = f->zoom_node + 1; i < zoom->end; i++) {
		const struct snapshot_node *n = &s->nodes[i];
		uint64_t start = f->starts[n->parent], end = start + f->weights[i];
		int x = (int)((double)start * scale);

		f->starts[n->parent] = end;
		f->starts[i] = start;
		f->boxes[i] = (struct box){ x, (int)((double)end * scale) - x };
	}
}

/* New nodes, another width or zoom: finds what is selected and lays out all boxes. */
static void
update(struct ui *ui)
{
	struct flame_page *f = ui->flame_page;
	const struct snapshot *s = ui->snap;

	if (s->node_count == 0)
		return;
	f->zoom_node = f->zoom.len > 0 ? nodepath_find(&f->zoom, s) : 0;
	f->node = f->selected.len > 0 ? nodepath_find(&f->selected, s) : f->zoom_node;
	vec_reserve(&f->boxes, &f->box_cap, s->node_count, sizeof(*f->boxes));
	vec_reserve(&f->starts, &f->start_cap, s->node_count, sizeof(*f->starts));
	vec_reserve(&f->weights, &f->weight_cap, s->node_count, sizeof(*f->weights));
	weigh(f, s);
	memset(f->boxes, 0, s->node_count * sizeof(*f->boxes));
	layout_path(f, s, ui->canvas.width);
	layout_below(f, s, ui->canvas.width);
}

/* What part of all the box is that fills the width. */
static double
zoom_share(const struct flame_page *f, const struct snapshot *s)
{
	if (s->node_count == 0 || s->nodes[0].total.period == 0)
		return 1;
	return (double)s->nodes[f->zoom_node].total.period / (double)s->nodes[0].total.period;
}

static void
put_query(const struct ui *ui, struct query *q)
{
	bool zoomed = ui->snap != NULL && ui->snap->query.view == VIEW_FLAME;

	if (q->view == VIEW_FLAME)
		q->least_share = CELL_PART / MAX(ui->canvas.width, 20) *
				 (zoomed ? zoom_share(ui->flame_page, ui->snap) : 1);
}

static void
draw_box(const struct box *box, struct canvas *c, const struct snapshot_node *n, int y,
	 bool found, struct buf *b)
{
	struct node_look look = nodetext_look(n);
	enum style style = found ? STYLE_FLAME_FOUND : look.style;

	canvas_fill(c, box->x, y, box->width, style);
	canvas_put_char(c, box->x, y, style, (unsigned char)look.mark);
	if (box->width < 3)
		return;
	buf_reset(b);
	nodetext_name(b, c, n);
	if (n->difference != NULL)
		buf_addf(b, " %+.1f", n->difference->change.delta * 100);
	canvas_put(c, box->x + 1, y, box->width - 1, style, buf_str(b));
}

/* The first row such that the selected box is to be seen, and who calls it if there is room. */
static void
scroll(struct flame_page *f, const struct snapshot *s)
{
	uint32_t depth = s->nodes[f->node].depth, rows = (uint32_t)MAX(f->rows, 1);

	if (depth < f->top)
		f->top = depth;
	if (depth >= f->top + rows)
		f->top = depth - rows + 1;
}

static void
draw_boxes(struct ui *ui, int y, int rows)
{
	struct flame_page *f = ui->flame_page;
	const struct snapshot *s = ui->snap;
	struct canvas *c = &ui->canvas;
	struct buf b = { 0 };

	f->y = y;
	f->rows = rows;
	scroll(f, s);
	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct snapshot_node *n = &s->nodes[i];
		int line = y + (int)(n->depth - f->top);

		if (f->boxes[i].width == 0 || n->depth < f->top || line >= y + rows)
			continue;
		draw_box(&f->boxes[i], c, n, line, ui->found.count > 0 && ui->found.is[i], &b);
		if (i == f->node)
			canvas_select(c, line, f->boxes[i].x, f->boxes[i].width);
	}
	buf_release(&b);
}

static void
draw_legend(struct canvas *c, int y, const char *right, bool compares)
{
	const struct node_look *looks = compares ? difference_looks : node_looks;
	size_t count = compares ? (size_t)DIFFERENCE_LOOKS : ARRAY_SIZE(node_looks);
	int x = 1;

	if (*right != '\0')
		canvas_put_right(c, 0, y, c->width - 1, STYLE_STRONG, right);
	for (size_t i = 0; i < count; i++) {
		const struct node_look *look = &looks[i];
		int width = look->name != NULL ? (int)strlen(look->name) + 3 : 0;

		if (look->name == NULL || x + width + (int)strlen(right) + 2 > c->width)
			continue;
		canvas_fill(c, x, y, width - 1, look->style);
		canvas_put_char(c, x, y, look->style, (unsigned char)look->mark);
		canvas_put(c, x + 1, y, width - 2, look->style, look->name);
		x += width;
	}
}

static void
select_node(struct ui *ui, size_t i)
{
	ui->flame_page->node = (uint32_t)i;
	nodepath_set(&ui->flame_page->selected, ui->snap, (uint32_t)i);
}

/* The widest box right below the selected one. */
static uint32_t
below(const struct flame_page *f, const struct snapshot *s)
{
	uint32_t best = f->node;
	int width = 0;

	for (uint32_t i = f->node + 1; i < s->nodes[f->node].end; i = s->nodes[i].end) {
		bool on_path = f->zoom_node >= i && f->zoom_node < s->nodes[i].end;

		if (f->boxes[i].width > width || on_path) {
			best = i;
			width = on_path ? INT32_MAX : f->boxes[i].width;
		}
	}
	return best;
}

/* The next box in the same row, whoever calls it. */
static uint32_t
beside(const struct flame_page *f, const struct snapshot *s, int dx)
{
	uint32_t depth = s->nodes[f->node].depth, i = f->node;

	while (dx > 0 ? ++i < s->node_count : i-- > 0)
		if (s->nodes[i].depth == depth && f->boxes[i].width > 0)
			return i;
	return f->node;
}

/* One of them is 0. */
static void
move_by(struct ui *ui, int dx, int dy)
{
	const struct flame_page *f = ui->flame_page;
	const struct snapshot *s = ui->snap;

	for (; dx != 0; dx -= dx > 0 ? 1 : -1)
		select_node(ui, beside(f, s, dx));
	for (; dy > 0; dy--) {
		uint32_t to = below(f, s);

		if (to == f->node)
			return;
		select_node(ui, to);
	}
	for (; dy < 0 && s->nodes[f->node].depth > 0; dy++)
		select_node(ui, s->nodes[f->node].parent);
}

/* The box that was drawn there, UINT32_MAX: none. */
static uint32_t
box_at(const struct flame_page *f, const struct snapshot *s, int x, int y)
{
	uint32_t depth = f->top + (uint32_t)(y - f->y);

	if (y < f->y || y >= f->y + f->rows)
		return UINT32_MAX;
	for (uint32_t i = 0; i < s->node_count; i++)
		if (s->nodes[i].depth == depth && x >= f->boxes[i].x &&
		    x < f->boxes[i].x + f->boxes[i].width)
			return i;
	return UINT32_MAX;
}

/* The box under the mouse, UINT32_MAX: none, or the mouse rests. */
static uint32_t
hovered(const struct ui *ui)
{
	const struct flame_page *p = ui->flame_page;

	return p->hovers ? box_at(p, ui->snap, p->hover_x, p->hover_y) : UINT32_MAX;
}

/* The box under the mouse, else the selected one, in words: there is no room inside of most. */
static void
draw_box_line(struct ui *ui, int y)
{
	const struct snapshot *s = ui->snap;
	uint32_t under = hovered(ui);
	const struct snapshot_node *n =
		&s->nodes[under != UINT32_MAX ? under : ui->flame_page->node];
	const struct snapshot_node *zoom = &s->nodes[ui->flame_page->zoom_node];
	struct segs segs = { 0 };
	struct buf b = { 0 };

	nodetext_name(&b, &ui->canvas, n);
	segs_add(&segs, 99, STYLE_STATUS, "%s", buf_str(&b));
	segs_add(&segs, RANK_MUST, STYLE_HOT, "%.2f%s", nodetext_share(s, n, &n->total),
		 nodetext_unit(s, n));
	if (n->kind != NODE_REST && n->kind != NODE_ALL)
		segs_add(&segs, 90, STYLE_NORMAL, "self %.2f%s", nodetext_share(s, n, &n->self),
			 nodetext_unit(s, n));
	if (n->difference != NULL)
		segs_add(&segs, 95, STYLE_STRONG, "then %.2f%%, %+.2f points%s",
			 n->difference->change.then * 100, n->difference->change.delta * 100,
			 n->difference->is_gone ? ", gone" : n->difference->is_new ? ", new" : "");
	if (n->depth >= zoom->depth && zoom->depth > 0 && zoom->total.period > 0)
		segs_add(&segs, 85, STYLE_NORMAL, "of this zoom %.1f%%",
			 (double)n->total.period * 100 / (double)zoom->total.period);
	if (snapshot_counts_calls(s, n->location))
		segs_add(&segs, 83, STYLE_NOTICE, "# its calls are counted");
	if (n->is_irq_on)
		segs_add(&segs, 82, STYLE_NOTICE, "! also what ran before with interrupts off");
	buf_reset(&b);
	/* What stands for callers is in no file. */
	if (nodetext_lacks_callers(s, (uint32_t)(n - s->nodes))) {
		nodetext_put_lack(&b, "", s);
		segs_add(&segs, 98, STYLE_NOTICE, "%s", buf_str(&b));
	} else {
		canvas_add_safe(&ui->canvas, &b, n->dso);
		segs_add(&segs, 87, STYLE_NORMAL, "%s", buf_str(&b));
	}
	segs_add(&segs, 80, STYLE_NORMAL, "%llu sample%s", (unsigned long long)n->total.samples,
		 text_plural(n->total.samples));
	canvas_fill(&ui->canvas, 0, y, ui->canvas.width, STYLE_NORMAL);
	segs_draw(&segs, &ui->canvas, ui->canvas.width > 20 ? 1 : 0, y, ui->canvas.width - 1, 2);
	segs_release(&segs);
	buf_release(&b);
}

/* What is left out has no share of what is shown. */
static void
put_filtered(struct buf *b, const struct snapshot *s)
{
	const struct row *sum = s->filtered;
	const struct snapshot_event *e = snapshot_shown(s);

	buf_add_str(b, sum->symbol);
	if (e == NULL || isnan(sum->share))
		buf_addf(b, " %llu sample%s", (unsigned long long)sum->samples, text_plural(sum->samples));
	else
		buf_addf(b, " %.2f%s", snapshot_share(s, e, sum->period), snapshot_share_unit(s, e));
}

/* All of the screen but for the lines that say what is seen. */
static void
draw(struct ui *ui)
{
	struct canvas *c = &ui->canvas;
	int y = 0, height = c->height;
	struct buf found = { 0 };

	nodefound_put(&ui->found, &found, c, ui->find);
	if (ui->snap->filtered != NULL && found.len == 0)
		put_filtered(&found, ui->snap);
	if (height >= CRUMBS_FROM)
		crumbs_draw(c, y++, ui->snap, &ui->query, true);
	if (height >= LEGEND_FROM)
		draw_legend(c, y++, buf_str(&found), snapshot_compares_nodes(ui->snap));
	ui->layout.footer = height >= FOOTER_FROM ? height - 1 : -1;
	height -= ui->layout.footer >= 0 ? 2 : 1;
	update(ui);
	ui->rows[PAGE_FLAME] = (size_t)(height - y);
	draw_boxes(ui, y, height - y);
	draw_box_line(ui, height);
	buf_release(&found);
}

static void
move(struct ui *ui, long delta)
{
	long most = ui_has_nodes(ui) ? (long)ui->snap->node_count : 0;

	if (most > 0)
		move_by(ui, 0, (int)MAX(MIN(delta, most), -most));
}

static void
home(struct ui *ui)
{
	if (ui_has_nodes(ui))
		select_node(ui, ui->flame_page->zoom_node);
}

/* Makes the selected box fill the width: smaller ones can be seen now. */
static void
in(struct ui *ui)
{
	struct flame_page *f = ui->flame_page;
	size_t len, before = MAX(f->zoom.len, (size_t)1);

	if (!ui_has_nodes(ui))
		return;
	len = ui->snap->nodes[f->node].depth + 1;
	if (len != before) {
		/* What it was before is on the way to it, or it is on the way to that. */
		while (f->zoom_count > 0 && f->zooms[f->zoom_count - 1] >= len)
			f->zoom_count--;
		if (before < len && f->zoom_count < ZOOMS_MAX)
			f->zooms[f->zoom_count++] = before;
		nodepath_set(&f->zoom, ui->snap, f->node);
		select_node(ui, f->node);
	}
	update(ui);
	place_ask(ui, false);
}

/* Back to what filled the width before. */
static bool
out(struct ui *ui)
{
	struct flame_page *f = ui->flame_page;

	if (f->zoom.len <= 1)
		return false;
	f->zoom.len = f->zoom_count > 0 ? f->zooms[--f->zoom_count] : 1;
	if (ui_has_nodes(ui))
		update(ui);
	place_ask(ui, false);
	return true;
}

static void
side(struct ui *ui, int direction)
{
	if (ui_has_nodes(ui))
		move_by(ui, direction, 0);
}

static bool
click(struct ui *ui, int x, int y)
{
	uint32_t node = ui_has_nodes(ui) ? box_at(ui->flame_page, ui->snap, x, y) : UINT32_MAX;

	if (node != UINT32_MAX)
		select_node(ui, node);
	return node != UINT32_MAX;
}

static void
hover(struct ui *ui, int x, int y)
{
	struct flame_page *p = ui->flame_page;
	uint32_t before;

	if (x < 0)
		p->hovers = false;
	if (x < 0 || !ui_has_nodes(ui))
		return;
	before = hovered(ui);
	p->hovers = true;
	p->hover_x = x;
	p->hover_y = y;
	if (hovered(ui) != before)
		ui_touch(ui);
}

static size_t
selected(struct ui *ui)
{
	return ui->flame_page->node;
}

/* What is selected in the call tree is so in the flame graph, too. */
static void
show_flame(struct ui *ui)
{
	if (nav_level(&ui->nav)->view == VIEW_TREE && ui_has_nodes(ui) &&
	    !ui->snap->query.bottom_up && pages[PAGE_TREE]->selected(ui) != 0) {
		ui->flame_page->zoom.len = ui->flame_page->zoom_count = 0;
		select_node(ui, pages[PAGE_TREE]->selected(ui));
	}
	place_enter_view(ui, VIEW_FLAME);
}

static const struct action actions[] = {
	{ "flame", "f", "flame graph: Enter zooms, Esc goes back, / marks", IN_SAMPLES, show_flame,
	  .opens = VIEW_FLAME },
	{ NULL },
};

static const struct footer_key footer[] = {
	{ "help", "Help" }, { "event", "Event" }, { "view-next", "View" }, { "in", "Zoom" },
	{ "out", "Back" }, { "find", "Find" }, { "filter", "Filter" }, { "quit", "Quit" },
	{ "callers", "Callers" }, { "flame", "Flame" }, { "tree", "Tree" }, { NULL },
};

const struct page_ops flame_page = {
	.name = "flame", .kinds = IN_SAMPLES | IN_VIEWS | IN_LISTS | IN_FULL,
	.actions = actions, .footer = footer,
	.state_size = sizeof(struct flame_page), .release = release,
	.draw = draw, .help = "What the mouse points to is told in words below.\n",
	.move = move, .home = home, .in = in, .out = out, .side = side,
	.click = click, .has_boxes = true, .hover = hover,
	.finds = "function", .selected = selected, .select = select_node,
	.put_query = put_query, .take_snapshot = update,
};
