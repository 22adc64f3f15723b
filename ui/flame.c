/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/flame.h"

#include <stdlib.h>

/* The boxes from the root down to the one that fills the width do so, too. */
static void
layout_path(struct flame *f, const struct snapshot *s, int width)
{
	uint32_t i = f->zoom_node;

	f->boxes[i] = (struct flame_box){ 0, width };
	while (s->nodes[i].depth > 0) {
		i = s->nodes[i].parent;
		f->boxes[i] = (struct flame_box){ 0, width };
	}
}

/* Children lie beside each other from where their parent begins; both ends are rounded down. */
static void
layout_below(struct flame *f, const struct snapshot *s, int width)
{
	const struct snapshot_node *zoom = &s->nodes[f->zoom_node];
	double scale = zoom->total.period > 0 ? width / (double)zoom->total.period : 0;

	f->starts[f->zoom_node] = 0;
	for (uint32_t i = f->zoom_node + 1; i < zoom->end; i++) {
		const struct snapshot_node *n = &s->nodes[i];
		uint64_t start = f->starts[n->parent], end = start + n->total.period;
		int x = (int)((double)start * scale);

		f->starts[n->parent] = end;
		f->starts[i] = start;
		f->boxes[i] = (struct flame_box){ x, (int)((double)end * scale) - x };
	}
}

void
flame_update(struct flame *f, const struct snapshot *s, int width)
{
	if (s->node_count == 0)
		return;
	f->zoom_node = f->zoom.len > 0 ? nodepath_find(&f->zoom, s) : 0;
	f->node = f->selected.len > 0 ? nodepath_find(&f->selected, s) : f->zoom_node;
	vec_reserve(&f->boxes, &f->box_cap, s->node_count, sizeof(*f->boxes));
	vec_reserve(&f->starts, &f->start_cap, s->node_count, sizeof(*f->starts));
	memset(f->boxes, 0, s->node_count * sizeof(*f->boxes));
	layout_path(f, s, width);
	layout_below(f, s, width);
}

static void
draw_box(const struct flame_box *box, struct canvas *c, const struct snapshot_node *n, int y,
	 bool found, struct buf *b)
{
	const struct node_look *look = &node_looks[n->kind];
	enum style style = found ? STYLE_FLAME_FOUND : look->style;

	canvas_fill(c, box->x, y, box->width, style);
	canvas_put_char(c, box->x, y, style, (unsigned char)look->mark);
	if (box->width < 3)
		return;
	buf_reset(b);
	nodetext_name(b, c, n);
	canvas_put(c, box->x + 1, y, box->width - 1, style, buf_str(b));
}

/* The first row such that the selected box is to be seen, and who calls it if there is room. */
static void
scroll(struct flame *f, const struct snapshot *s)
{
	uint32_t depth = s->nodes[f->node].depth, rows = (uint32_t)MAX(f->rows, 1);

	if (depth < f->top)
		f->top = depth;
	if (depth >= f->top + rows)
		f->top = depth - rows + 1;
}

void
flame_draw(struct flame *f, struct canvas *c, const struct snapshot *s,
	   const struct nodefound *found, int y, int rows)
{
	struct buf b = { 0 };

	f->y = y;
	f->rows = rows;
	scroll(f, s);
	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct snapshot_node *n = &s->nodes[i];
		int line = y + (int)(n->depth - f->top);

		if (f->boxes[i].width == 0 || n->depth < f->top || line >= y + rows)
			continue;
		draw_box(&f->boxes[i], c, n, line, found->count > 0 && found->is[i], &b);
		if (i == f->node)
			canvas_select(c, line, f->boxes[i].x, f->boxes[i].width);
	}
	buf_release(&b);
}

void
flame_draw_legend(struct canvas *c, int y, const char *right)
{
	int x = 1;

	if (*right != '\0')
		canvas_put_right(c, 0, y, c->width - 1, STYLE_STRONG, right);
	for (size_t i = 0; i < ARRAY_SIZE(node_looks); i++) {
		const struct node_look *look = &node_looks[i];
		int width = look->name != NULL ? (int)strlen(look->name) + 3 : 0;

		if (look->name == NULL || x + width + (int)strlen(right) + 2 > c->width)
			continue;
		canvas_fill(c, x, y, width - 1, look->style);
		canvas_put_char(c, x, y, look->style, (unsigned char)look->mark);
		canvas_put(c, x + 1, y, width - 2, look->style, look->name);
		x += width;
	}
}

void
flame_select(struct flame *f, const struct snapshot *s, uint32_t node)
{
	f->node = node;
	nodepath_set(&f->selected, s, node);
}

/* The widest box right below the selected one. */
static uint32_t
below(const struct flame *f, const struct snapshot *s)
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
beside(const struct flame *f, const struct snapshot *s, int dx)
{
	uint32_t depth = s->nodes[f->node].depth, i = f->node;

	while (dx > 0 ? ++i < s->node_count : i-- > 0)
		if (s->nodes[i].depth == depth && f->boxes[i].width > 0)
			return i;
	return f->node;
}

void
flame_move(struct flame *f, const struct snapshot *s, int dx, int dy)
{
	for (; dx != 0; dx -= dx > 0 ? 1 : -1)
		flame_select(f, s, beside(f, s, dx));
	for (; dy > 0; dy--) {
		uint32_t to = below(f, s);

		if (to == f->node)
			return;
		flame_select(f, s, to);
	}
	for (; dy < 0 && s->nodes[f->node].depth > 0; dy++)
		flame_select(f, s, s->nodes[f->node].parent);
}

uint32_t
flame_at(const struct flame *f, const struct snapshot *s, int x, int y)
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

bool
flame_click(struct flame *f, const struct snapshot *s, int x, int y)
{
	uint32_t node = flame_at(f, s, x, y);

	if (node != UINT32_MAX)
		flame_select(f, s, node);
	return node != UINT32_MAX;
}

void
flame_zoom(struct flame *f, const struct snapshot *s)
{
	size_t len = s->nodes[f->node].depth + 1, before = MAX(f->zoom.len, (size_t)1);

	if (len == before)
		return;
	/* What it was before is on the way to it, or it is on the way to that. */
	while (f->zoom_count > 0 && f->zooms[f->zoom_count - 1] >= len)
		f->zoom_count--;
	if (before < len && f->zoom_count < FLAME_ZOOMS_MAX)
		f->zooms[f->zoom_count++] = before;
	nodepath_set(&f->zoom, s, f->node);
	nodepath_set(&f->selected, s, f->node);
}

bool
flame_unzoom(struct flame *f)
{
	if (f->zoom.len <= 1)
		return false;
	f->zoom.len = f->zoom_count > 0 ? f->zooms[--f->zoom_count] : 1;
	return true;
}

void
flame_unzoom_all(struct flame *f)
{
	f->zoom.len = f->zoom_count = 0;
}

double
flame_zoom_share(const struct flame *f, const struct snapshot *s)
{
	if (s->node_count == 0 || s->nodes[0].total.period == 0)
		return 1;
	return (double)s->nodes[f->zoom_node].total.period / (double)s->nodes[0].total.period;
}

void
flame_release(struct flame *f)
{
	nodepath_release(&f->selected);
	nodepath_release(&f->zoom);
	free(f->boxes);
	free(f->starts);
	*f = (struct flame){ 0 };
}
