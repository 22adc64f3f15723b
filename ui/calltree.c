/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/calltree.h"

#include <stdlib.h>

enum { STATES_MAX = 100000, HEAVY_PERCENT = 5 };

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
		VEC_ADD(t->lines, t->len, t->cap) = (struct calltree_line){ i, indent };
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

const char *
calltree_mark(const struct calltree *t, const struct snapshot *s, uint32_t node)
{
	const struct calltree_state *state = find_state(t, s->nodes[node].id);

	if (!has_children(s, node))
		return "  ";
	if (state == NULL || !state->open)
		return "+ ";
	return is_only_child(s, node) ? "| " : "- ";
}

void
calltree_scroll(struct calltree *t, size_t rows)
{
	t->page = rows;
	if (t->index < t->top)
		t->top = t->index;
	if (rows > 0 && t->index >= t->top + rows)
		t->top = t->index - rows + 1;
	if (t->top + rows > t->len)
		t->top = t->len > rows ? t->len - rows : 0;
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
calltree_side(struct calltree *t, const struct snapshot *s, int direction)
{
	bool open = t->len > 0 && line_is_open(t, s);

	if (t->len == 0)
		return;
	if (open != (direction > 0))
		calltree_set(t, s, direction > 0);
	else if (open)
		calltree_move(t, s, 1);
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
