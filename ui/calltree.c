/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/calltree.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	STATES_MAX = 100000,
	MARGIN = 2,
	NUMBERS_WIDTH = 16, /* "%TOTAL  %SELF  " and a blank */
	TOTAL_WIDTH = 7,
	HEAVY_PERCENT = 5,
	DSO_FROM = 60, DSO_WIDTH = 18, /* from this width of the screen on */
	SELF_FROM = 40,
};

static struct calltree_state *
find_state(const struct calltree *t, uint64_t id)
{
	uint32_t i, pos;

	for (i = index_first(&t->known, id, &pos); i != 0; i = index_next(&t->known, id, &pos))
		if (t->states[i].id == id)
			return &t->states[i];
	return NULL;
}

static void
set_open(struct calltree *t, uint64_t id, bool open)
{
	struct calltree_state *state = find_state(t, id);

	if (state != NULL) {
		state->open = open;
		return;
	}
	if (t->state_len >= STATES_MAX) {
		index_clear(&t->known);
		t->state_len = 0;
	}
	t->state_len = MAX(t->state_len, (size_t)1);
	vec_reserve(&t->states, &t->state_cap, t->state_len + 1, sizeof(*t->states));
	t->states[t->state_len] = (struct calltree_state){ id, open };
	index_add(&t->known, id, (uint32_t)t->state_len++);
}

static bool
has_children(const struct snapshot *s, uint32_t node)
{
	return s->nodes[node].end > node + 1;
}

/* From the inside out, the innermost functions are the list; who calls them is asked for. */
static bool
is_heavy(const struct snapshot *s, const struct snapshot_node *n, const struct snapshot_node *root)
{
	bool bottom_up = s->query.view == VIEW_TREE && s->query.bottom_up;

	if (n->depth == 0)
		return true;
	return !bottom_up && n->total.period * 100 >= root->total.period * HEAVY_PERCENT;
}

static bool
is_open(struct calltree *t, const struct snapshot *s, uint32_t node, uint32_t root)
{
	const struct snapshot_node *n = &s->nodes[node];
	const struct calltree_state *state = find_state(t, n->id);
	bool open;

	if (state != NULL)
		return state->open;
	open = is_heavy(s, n, &s->nodes[root]);
	set_open(t, n->id, open);
	return open;
}

static bool
branches(const struct snapshot *s, uint32_t node)
{
	return has_children(s, node) && s->nodes[node + 1].end < s->nodes[node].end;
}

/* It is below its caller without being indented: what calls what goes on there. */
static bool
is_only_child(const struct snapshot *s, uint32_t node)
{
	return s->nodes[node].depth > 1 && !branches(s, s->nodes[node].parent);
}

/* Closed ones are passed over; of each depth the indent of its line is known. */
static void
make_lines(struct calltree *t, const struct snapshot *s)
{
	uint32_t *indents = NULL, root = 0;
	size_t cap = 0;

	t->len = 0;
	for (uint32_t i = 0; i < s->node_count;) {
		const struct snapshot_node *n = &s->nodes[i];
		uint32_t indent;

		if (n->depth == 0)
			root = i;
		vec_reserve(&indents, &cap, n->depth + 2, sizeof(*indents));
		indent = n->depth > 0 ? indents[n->depth] : 0;
		indents[n->depth + 1] = indent + (n->depth == 0 || branches(s, i));
		vec_reserve(&t->lines, &t->cap, t->len + 1, sizeof(*t->lines));
		t->lines[t->len++] = (struct calltree_line){ i, indent };
		i = has_children(s, i) && is_open(t, s, i, root) ? i + 1 : n->end;
	}
	free(indents);
}

/* The line of @node, or of the nearest one above it that is not hidden. */
static size_t
line_of(const struct calltree *t, uint32_t node)
{
	size_t low = 0, high = t->len;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (t->lines[mid].node <= node)
			low = mid;
		else
			high = mid;
	}
	return low;
}

void
calltree_update(struct calltree *t, const struct snapshot *s)
{
	make_lines(t, s);
	t->index = 0;
	if (t->len > 0 && t->selected.len > 0)
		t->index = line_of(t, nodepath_find(&t->selected, s));
}

void
calltree_draw_titles(const struct snapshot *s, struct canvas *c, int y, const char *right)
{
	const char *title = s->query.view == VIEW_CALLERS ? "FUNCTION"
			    : s->query.bottom_up ? "FUNCTION, below it who calls it"
						 : "FUNCTION, below it what it calls";
	int x = MARGIN + (c->width >= SELF_FROM ? NUMBERS_WIDTH : TOTAL_WIDTH + 1);

	canvas_fill(c, 0, y, c->width, STYLE_TITLE);
	canvas_put_right(c, 0, y, MARGIN + TOTAL_WIDTH, STYLE_TITLE, "%TOTAL");
	if (c->width >= SELF_FROM)
		canvas_put_right(c, MARGIN + TOTAL_WIDTH, y, 7, STYLE_TITLE, "%SELF");
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
	if (n->kind == NODE_KERNEL)
		return STYLE_KERNEL;
	if (n->kind == NODE_REST || n->kind == NODE_UNKNOWN || n->kind == NODE_CUT)
		return STYLE_DIM;
	return STYLE_USER;
}

static void
put_name(struct buf *b, const struct canvas *c, const struct snapshot *s,
	 const struct calltree_line *line, bool is_open)
{
	const struct snapshot_node *n = &s->nodes[line->node];

	buf_add_str(b, !has_children(s, line->node) ? "  " : !is_open ? "+ "
		       : is_only_child(s, line->node) ? "| " : "- ");
	if (n->depth == 0 && s->query.view == VIEW_CALLERS && line->node == 0)
		buf_add_str(b, "callers of ");
	else if (n->depth == 0 && s->query.view == VIEW_CALLERS)
		buf_add_str(b, "callees of ");
	nodetext_name(b, c, n);
	if (n->depth == 0 && s->query.view == VIEW_CALLERS && !has_children(s, line->node))
		buf_add_str(b, ": none");
}

static void
draw_numbers(struct canvas *c, const struct snapshot *s, const struct snapshot_node *n, int y)
{
	double total = nodetext_percent(s, n, &n->total), self = nodetext_percent(s, n, &n->self);
	char text[32];

	snprintf(text, sizeof(text), "%.2f", total);
	canvas_put_right(c, MARGIN, y, TOTAL_WIDTH, STYLE_NORMAL, text);
	if (c->width < SELF_FROM || n->kind == NODE_REST)
		return;
	snprintf(text, sizeof(text), "%.2f", self);
	canvas_put_right(c, MARGIN + TOTAL_WIDTH, y, 7,
			 self >= 5 ? STYLE_HOT : self >= 0.5 ? STYLE_WARM : STYLE_NORMAL, text);
}

static void
draw_line(struct calltree *t, struct canvas *c, const struct snapshot *s,
	  const struct calltree_line *line, bool found, int y)
{
	const struct snapshot_node *n = &s->nodes[line->node];
	const struct calltree_state *state = find_state(t, n->id);
	enum style style = name_style(n, found);
	int x = MARGIN + (c->width >= SELF_FROM ? NUMBERS_WIDTH : TOTAL_WIDTH + 1);
	int end = c->width - (c->width >= DSO_FROM ? DSO_WIDTH + 1 : 0);
	struct buf b = { 0 };

	if (n->kind != NODE_ALL && n->kind != NODE_REST)
		canvas_put_char(c, 0, y, style, (unsigned char)node_looks[n->kind].mark);
	draw_numbers(c, s, n, y);
	x += (int)MIN(2 * line->indent, (uint32_t)MAX(end - x, 0) / 2);
	put_name(&b, c, s, line, state != NULL && state->open);
	canvas_put(c, x, y, end - x, style, buf_str(&b));
	buf_reset(&b);
	canvas_add_safe(c, &b, n->dso);
	if (c->width >= DSO_FROM)
		canvas_put(c, c->width - DSO_WIDTH, y, DSO_WIDTH, style, buf_str(&b));
	buf_release(&b);
}

static void
scroll(struct calltree *t, size_t rows)
{
	t->page = rows;
	if (t->index < t->top)
		t->top = t->index;
	if (rows > 0 && t->index >= t->top + rows)
		t->top = t->index - rows + 1;
	if (t->top + rows > t->len)
		t->top = t->len > rows ? t->len - rows : 0;
}

void
calltree_draw(struct calltree *t, struct canvas *c, const struct snapshot *s,
	      const struct nodefound *found, int y, int rows)
{
	scroll(t, (size_t)MAX(rows, 0));
	for (size_t i = 0; i < t->page && t->top + i < t->len; i++) {
		const struct calltree_line *line = &t->lines[t->top + i];

		draw_line(t, c, s, line, found->count > 0 && found->is[line->node], y + (int)i);
		if (t->top + i == t->index)
			canvas_select(c, y + (int)i, 0, c->width);
	}
}

void
calltree_draw_sum(struct canvas *c, const struct row *sum, int y)
{
	bool has_self = c->width >= SELF_FROM;
	int x = MARGIN + (has_self ? NUMBERS_WIDTH : TOTAL_WIDTH + 1);
	char text[32];

	snprintf(text, sizeof(text), "%.2f", sum->share * 100);
	canvas_put_right(c, MARGIN, y, TOTAL_WIDTH, STYLE_DIM, text);
	if (has_self)
		canvas_put_right(c, MARGIN + TOTAL_WIDTH, y, 7, STYLE_DIM, text);
	canvas_put(c, x, y, c->width - x, STYLE_DIM, sum->symbol);
}

uint32_t
calltree_selected(const struct calltree *t)
{
	return t->index < t->len ? t->lines[t->index].node : UINT32_MAX;
}

static void
to_line(struct calltree *t, const struct snapshot *s, size_t index)
{
	if (t->len == 0)
		return;
	t->index = MIN(index, t->len - 1);
	nodepath_set(&t->selected, s, t->lines[t->index].node);
}

void
calltree_move(struct calltree *t, const struct snapshot *s, long delta)
{
	long to = (long)t->index + delta;

	to_line(t, s, to < 0 ? 0 : (size_t)to);
}

void
calltree_home(struct calltree *t, const struct snapshot *s)
{
	to_line(t, s, 0);
}

bool
calltree_click(struct calltree *t, const struct snapshot *s, int line)
{
	if (line < 0 || (size_t)line >= t->page || t->top + (size_t)line >= t->len)
		return false;
	to_line(t, s, t->top + (size_t)line);
	return true;
}

void
calltree_reveal(struct calltree *t, const struct snapshot *s, uint32_t node)
{
	for (uint32_t i = node; s->nodes[i].depth > 0;) {
		i = s->nodes[i].parent;
		set_open(t, s->nodes[i].id, true);
	}
	nodepath_set(&t->selected, s, node);
	calltree_update(t, s);
}

void
calltree_set(struct calltree *t, const struct snapshot *s, bool open)
{
	if (t->len == 0)
		return;
	nodepath_set(&t->selected, s, t->lines[t->index].node);
	set_open(t, s->nodes[t->lines[t->index].node].id, open);
	calltree_update(t, s);
}

static bool
line_is_open(const struct calltree *t, const struct snapshot *s)
{
	uint32_t node = t->lines[t->index].node;
	const struct calltree_state *state = find_state(t, s->nodes[node].id);

	return has_children(s, node) && state != NULL && state->open;
}

void
calltree_toggle(struct calltree *t, const struct snapshot *s)
{
	if (t->len > 0)
		calltree_set(t, s, !line_is_open(t, s));
}

void
calltree_in(struct calltree *t, const struct snapshot *s)
{
	if (t->len == 0)
		return;
	if (line_is_open(t, s))
		calltree_move(t, s, 1);
	else
		calltree_set(t, s, true);
}

void
calltree_out(struct calltree *t, const struct snapshot *s)
{
	if (t->len == 0)
		return;
	if (line_is_open(t, s))
		calltree_set(t, s, false);
	else
		to_line(t, s, line_of(t, s->nodes[t->lines[t->index].node].parent));
}

void
calltree_release(struct calltree *t)
{
	nodepath_release(&t->selected);
	free(t->lines);
	free(t->states);
	index_release(&t->known);
	*t = (struct calltree){ 0 };
}
