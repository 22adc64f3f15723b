/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/call_tree.h"

#include <stdlib.h>

/* Stacks that have been alike so far, on their way from the callee out to the root. */
struct climber {
	uint32_t at, from; /* the node that they have come to, and that they began at */
	struct cost self, total;
};

/*
 * Turns a tree inside out, level by level.  Each node of the new tree has a range of the array of
 * climbers; one step further out, the range is split by function among the children.
 */
struct climb {
	const struct call_tree *from;
	struct call_tree *to;
	uint32_t *goes_to; /* see call_tree.h: of nodes that climbers began at; NULL: not asked for */
	uint64_t least;
	struct climber *all, *spare;
	struct range {
		size_t start, end;
	} *ranges; /* by node of @to */
	size_t range_cap;
	uint32_t *slots;  /* by function: index in groups plus one, while a node is split */
	struct group {
		uint32_t fn;
		size_t count, next;
		struct cost self, total;
	} *groups;
	size_t group_len, group_cap;
};

static uint32_t
append(struct call_tree *t, uint32_t parent, uint32_t fn)
{
	vec_reserve(&t->nodes, &t->cap, t->len + 1, sizeof(*t->nodes));
	t->nodes[t->len] = (struct call_node){ .parent = parent, .fn = fn };
	return (uint32_t)t->len++;
}

void
call_tree_root(struct call_tree *t, uint32_t fn)
{
	append(t, 0, fn);
}

void
call_tree_release(struct call_tree *t)
{
	free(t->nodes);
	index_release(&t->index);
	*t = (struct call_tree){ 0 };
}

uint32_t
call_tree_child(struct call_tree *t, uint32_t parent, uint32_t fn)
{
	uint64_t hash = hash_mix(parent, fn);
	uint32_t id, pos;

	for (id = index_first(&t->index, hash, &pos); id != 0;
	     id = index_next(&t->index, hash, &pos))
		if (t->nodes[id].parent == parent && t->nodes[id].fn == fn)
			return id;
	id = append(t, parent, fn);
	index_add(&t->index, hash, id);
	return id;
}

void
call_tree_sum(struct call_tree *t)
{
	for (size_t i = 0; i < t->len; i++)
		t->nodes[i].total = t->nodes[i].self;
	for (size_t i = t->len; i-- > 1;)
		cost_add(&t->nodes[t->nodes[i].parent].total, &t->nodes[i].total);
}

void
call_tree_callees(const struct call_tree *from, uint32_t fn, struct call_tree *to, uint32_t *goes_to)
{
	uint32_t *map = mem_calloc(from->len, sizeof(*map)); /* node of @to plus one */

	call_tree_root(to, fn);
	for (size_t i = 1; i < from->len; i++) {
		const struct call_node *n = &from->nodes[i];

		if (map[n->parent] != 0)
			map[i] = call_tree_child(to, map[n->parent] - 1, n->fn) + 1;
		else if (n->fn == fn)
			map[i] = 1;
		if (map[i] != 0)
			cost_add(&to->nodes[map[i] - 1].self, &n->self);
	}
	if (goes_to != NULL)
		memcpy(goes_to, map, from->len * sizeof(*map));
	call_tree_sum(to);
	free(map);
}

/* Counts the climber in the group of the function that it has come to. */
static void
count_climber(struct climb *c, const struct climber *who)
{
	uint32_t fn = c->from->nodes[who->at].fn;
	struct group *g;

	if (c->slots[fn] == 0) {
		VEC_ADD(c->groups, c->group_len, c->group_cap) = (struct group){ .fn = fn };
		c->slots[fn] = (uint32_t)c->group_len;
	}
	g = &c->groups[c->slots[fn] - 1];
	g->count++;
	cost_add(&g->self, &who->self);
	cost_add(&g->total, &who->total);
}

/* The node has those of its range, for as long as none of its children does. */
static void
note_climbers(struct climb *c, uint32_t node)
{
	const struct range *r = &c->ranges[node];

	for (size_t i = r->start; c->goes_to != NULL && i < r->end; i++)
		c->goes_to[c->all[i].from] = node + 1;
}

/* Adds children to @node, one for each function that is heavy enough. */
static void
add_children(struct climb *c, uint32_t node, size_t start)
{
	for (size_t i = 0; i < c->group_len; i++) {
		struct group *g = &c->groups[i];
		uint32_t id;

		g->next = start;
		start += g->count;
		c->slots[g->fn] = 0;
		if (g->total.period < c->least)
			continue;
		id = append(c->to, node, g->fn);
		c->to->nodes[id].self = g->self;
		c->to->nodes[id].total = g->total;
		vec_reserve(&c->ranges, &c->range_cap, id + 1, sizeof(*c->ranges));
		c->ranges[id] = (struct range){ g->next, start };
		note_climbers(c, id);
	}
}

/* Sorts the climbers of @node, which have come to its children, by function. */
static void
split(struct climb *c, uint32_t node)
{
	struct range r = c->ranges[node];

	size_t next = r.start;

	c->group_len = 0;
	for (size_t i = r.start; i < r.end; i++)
		count_climber(c, &c->all[i]);
	for (size_t i = 0; i < c->group_len; i++) {
		c->groups[i].next = next;
		next += c->groups[i].count;
	}
	for (size_t i = r.start; i < r.end; i++) {
		uint32_t fn = c->from->nodes[c->all[i].at].fn;

		c->spare[c->groups[c->slots[fn] - 1].next++] = c->all[i];
	}
	memcpy(&c->all[r.start], &c->spare[r.start], (r.end - r.start) * sizeof(*c->all));
	add_children(c, node, r.start);
}

/* Moves each climber to its parent; those that have come to the root are done. */
static void
step(struct climb *c, struct range *r)
{
	size_t end = r->start;

	for (size_t i = r->start; i < r->end; i++) {
		struct climber who = c->all[i];

		who.at = c->from->nodes[who.at].parent;
		if (who.at != 0)
			c->all[end++] = who;
	}
	r->end = end;
}

/* Runs all @count climbers; @first: where they begin are the root's children. */
static void
climb(struct climb *c, size_t count, size_t fn_count, bool first)
{
	c->spare = mem_calloc(count + 1, sizeof(*c->spare));
	c->slots = mem_calloc(fn_count, sizeof(*c->slots));
	vec_reserve(&c->ranges, &c->range_cap, 1, sizeof(*c->ranges));
	c->ranges[0] = (struct range){ 0, count };
	note_climbers(c, 0);
	for (uint32_t id = 0; id < c->to->len; id++) {
		if (id > 0 || !first)
			step(c, &c->ranges[id]);
		if (c->ranges[id].end > c->ranges[id].start)
			split(c, id);
	}
	free(c->all);
	free(c->spare);
	free(c->slots);
	free(c->ranges);
	free(c->groups);
}

static size_t
fn_count(const struct call_tree *t)
{
	uint32_t last = 0;

	for (size_t i = 0; i < t->len; i++)
		last = MAX(last, t->nodes[i].fn);
	return (size_t)last + 1;
}

void
call_tree_callers(const struct call_tree *from, uint32_t fn, double least_share,
		  struct call_tree *to, uint32_t *goes_to)
{
	struct climb c = { .from = from, .to = to, .goes_to = goes_to };
	uint32_t *inside = mem_calloc(from->len, sizeof(*inside)); /* climber plus one */
	size_t count = 0, cap = 0;

	call_tree_root(to, fn);
	for (size_t i = 1; i < from->len; i++) {
		const struct call_node *n = &from->nodes[i];

		inside[i] = inside[n->parent];
		if (n->fn != fn)
			continue;
		if (inside[i] == 0) {
			VEC_ADD(c.all, count, cap) =
				(struct climber){ .at = (uint32_t)i, .from = (uint32_t)i, .total = n->total };
			inside[i] = (uint32_t)count;
			cost_add(&to->nodes[0].total, &n->total);
		}
		cost_add(&c.all[inside[i] - 1].self, &n->self);
		cost_add(&to->nodes[0].self, &n->self);
	}
	free(inside);
	c.least = (uint64_t)((double)to->nodes[0].total.period * least_share);
	climb(&c, count, fn_count(from), false);
	/* What it calls is its own. */
	for (size_t i = 1; goes_to != NULL && i < from->len; i++)
		if (goes_to[from->nodes[i].parent] != 0)
			goes_to[i] = goes_to[from->nodes[i].parent];
}

void
call_tree_bottom_up(const struct call_tree *from, double least_share, struct call_tree *to,
		    uint32_t *goes_to)
{
	struct climb c = { .from = from, .to = to, .goes_to = goes_to };
	size_t count = 0, cap = 0;

	call_tree_root(to, from->nodes[0].fn);
	to->nodes[0].self = from->nodes[0].self;
	to->nodes[0].total = from->nodes[0].total;
	c.least = (uint64_t)((double)to->nodes[0].total.period * least_share);
	for (size_t i = 1; i < from->len; i++) {
		const struct call_node *n = &from->nodes[i];

		if (n->self.samples == 0)
			continue;
		VEC_ADD(c.all, count, cap) = (struct climber){ (uint32_t)i, (uint32_t)i, n->self, n->self };
	}
	climb(&c, count, fn_count(from), true);
}

/* Whether an ancestor is of the same function: recursion. */
static bool
is_inner(const struct call_tree *t, size_t i)
{
	uint32_t fn = t->nodes[i].fn;

	while ((i = t->nodes[i].parent) != 0)
		if (t->nodes[i].fn == fn)
			return true;
	return false;
}

void
call_tree_costs(const struct call_tree *t, struct cost *costs, struct cost *selfs)
{
	for (size_t i = 1; i < t->len; i++) {
		const struct call_node *n = &t->nodes[i];

		cost_add(&selfs[n->fn], &n->self);
		if (!is_inner(t, i))
			cost_add(&costs[n->fn], &n->total);
	}
}

struct cost
call_tree_sum_of(const struct call_tree *t, const bool *is_chosen)
{
	bool *is_in = mem_calloc(t->len, sizeof(*is_in)); /* by node: below one, or one itself */
	struct cost sum = { 0 };

	for (size_t i = 0; i < t->len; i++) {
		const struct call_node *n = &t->nodes[i];

		is_in[i] = is_in[n->parent];
		if (is_in[i] || !is_chosen[n->fn])
			continue;
		is_in[i] = true;
		cost_add(&sum, &n->total);
	}
	free(is_in);
	return sum;
}
