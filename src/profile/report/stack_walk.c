/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/stack_walk.h"

#include <stdlib.h>

enum { STACK_ENDS = 1, STACK_LEADS = 2 };

/* Whether the report shows stacks that end in the node @id, which is below the root @top. */
static bool
ends_stack(struct report *r, bool *has_tree, uint32_t id, uint32_t top)
{
	const struct profile *p = r->src->profile;
	const struct tree_key *tree = p->tables.tree;
	uint32_t event = tree[top].location >> TREE_EVENT_SHIFT;
	uint64_t samples, period;

	profile_window(p, &p->tables.cells[TABLE_TREE].items[id], &samples, &period);
	if (samples == 0)
		return false;
	has_tree[event] = true;
	return report_has_stack(r, event, tree[top].location & TREE_WHO_MASK,
				id != top ? tree[id].location : 0);
}

/* By node of the tree table, whether it ends or leads to a stack that is shown. */
static uint8_t *
mark_stacks(struct report *r, bool *has_tree)
{
	const struct tree_key *tree = r->src->profile->tables.tree;
	size_t len = r->src->profile->tables.cells[TABLE_TREE].len;
	uint32_t *tops = mem_calloc(len, sizeof(*tops));
	uint8_t *marks = mem_calloc(len, sizeof(*marks));

	for (uint32_t id = 1; id < len; id++)
		tops[id] = tree[id].parent != 0 ? tops[tree[id].parent] : id;
	for (size_t id = len - 1; id > 0; id--) {
		if (ends_stack(r, has_tree, (uint32_t)id, tops[id]))
			marks[id] |= STACK_ENDS;
		if (marks[id] != 0)
			marks[tree[id].parent] |= STACK_LEADS;
	}
	free(tops);
	return marks;
}

void
stack_walk_init(struct stack_walk *w, struct report *r)
{
	*w = (struct stack_walk){ .r = r };
	w->marks = mark_stacks(r, w->has_tree);
}

void
stack_walk_release(struct stack_walk *w)
{
	free(w->marks);
}

static void
add(const struct stack_walk *w, const struct stack_maker *maker, void *self, uint32_t node,
    const struct cell *cell)
{
	struct cost cost;

	profile_window(w->r->src->profile, cell, &cost.samples, &cost.period);
	maker->add(self, node, &cost);
}

/* Inlined functions have nodes of their own, below the function that they are inlined into. */
static uint32_t
place(const struct stack_walk *w, const struct stack_maker *maker, void *self, uint32_t parent,
      uint32_t location)
{
	uint32_t frames[INLINED_FRAMES_MAX];
	size_t len = inlined_frames(w->r->src->profile->locations, location, frames);

	for (size_t i = 0; i < len; i++)
		parent = maker->place(self, parent, frames[i]);
	return parent;
}

static void
walk_trees(const struct stack_walk *w, uint32_t event, const struct stack_maker *maker, void *self)
{
	const struct tables *t = &w->r->src->profile->tables;
	size_t len = t->cells[TABLE_TREE].len;
	uint32_t *map = mem_calloc(len, sizeof(*map)); /* node plus one, 0: of another event */

	for (uint32_t id = 1; id < len; id++) {
		const struct tree_key *key = &t->tree[id];
		uint32_t of = key->location >> TREE_EVENT_SHIFT;

		if (w->marks[id] == 0)
			continue;
		if (key->parent == 0 && (event == WALK_ALL || of == event))
			map[id] = maker->top(self, of, key->location & TREE_WHO_MASK) + 1;
		else if (key->parent != 0 && map[key->parent] != 0)
			map[id] = place(w, maker, self, map[key->parent] - 1, key->location) + 1;
		if (map[id] != 0 && (w->marks[id] & STACK_ENDS))
			add(w, maker, self, map[id] - 1, &t->cells[TABLE_TREE].items[id]);
		if (map[id] != 0 && (w->marks[id] & STACK_ENDS) && maker->entry != NULL)
			maker->entry(self, map[id] - 1, id);
	}
	free(map);
}

/* Events without call chains have functions alone. */
static void
walk_functions(const struct stack_walk *w, uint32_t event, const struct stack_maker *maker,
	       void *self)
{
	const struct tables *t = &w->r->src->profile->tables;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct cell *c = &t->cells[TABLE_HOT].items[id];
		const struct hot_key *key = &t->hot[id];
		uint32_t top;

		profile_window(w->r->src->profile, c, &samples, &period);
		if (samples == 0 || w->has_tree[key->event] ||
		    (event != WALK_ALL && key->event != event) ||
		    !report_has_stack(w->r, key->event, key->who, key->location))
			continue;
		top = maker->top(self, key->event, key->who);
		add(w, maker, self, maker->place(self, top, key->location), c);
	}
}

void
stack_walk(const struct stack_walk *w, uint32_t event, const struct stack_maker *maker,
	   void *self)
{
	if (event == WALK_ALL || w->has_tree[event])
		walk_trees(w, event, maker, self);
	if (event == WALK_ALL || !w->has_tree[event])
		walk_functions(w, event, maker, self);
}
