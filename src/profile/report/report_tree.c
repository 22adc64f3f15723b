/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views of stacks (snapshot.nodes): the stacks in scope become one call tree of functions for each
 * event; report_nodes.c derives the trees of the view from it.
 */
#include "profile/report/forest.h"
#include "profile/report/stack_walk.h"

#include <stdlib.h>
#include <string.h>

/* The comm is the outermost frame, unless the view is of one thread. */
static uint32_t
who_node(void *self, uint32_t event, uint32_t who)
{
	struct forest *f = self;
	uint32_t comm = f->r->src->profile->model->whos[who].comm;

	(void)event;
	if (f->r->query->thread != 0)
		return 0;
	return call_tree_child(&f->all, 0, forest_fn(f, (struct tree_fn){
		.what = comm, .kind = NODE_COMM }));
}

static uint32_t
place_node(void *self, uint32_t parent, uint32_t location)
{
	struct forest *f = self;

	return call_tree_child(&f->all, parent, forest_place(f, location));
}

static void
add_cost(void *self, uint32_t node, const struct cost *cost)
{
	struct forest *f = self;

	cost_add(&f->all.nodes[node].self, cost);
}

static void
note_entry(void *self, uint32_t node, uint32_t id)
{
	struct forest *f = self;

	if (f->ends != NULL)
		f->ends[id] = node + 1;
}

/* The cost that the trees show; of filtered functions, that of all stacks with one of them. */
static struct cost
shown_cost(struct forest *f)
{
	bool *is_listed;
	struct cost sum;

	if (!report_filters_functions(f->r))
		return f->all.nodes[0].total;
	is_listed = mem_calloc(f->fn_len + 1, sizeof(*is_listed));
	for (uint32_t i = 0; i < f->fn_len; i++)
		is_listed[i] = forest_lists(f, &f->fns[i]);
	sum = call_tree_sum_of(&f->all, is_listed);
	free(is_listed);
	return sum;
}

/* Adds the trees of the event: the cost that they show. */
static struct cost
add_event(struct forest *f, uint32_t event, const struct stack_walk *walk)
{
	static const struct stack_maker maker = { who_node, place_node, add_cost, note_entry };
	struct cost shown;

	f->event = event;
	call_tree_root(&f->all, forest_fn(f, (struct tree_fn){ .what = FOREST_ALL,
								.kind = NODE_ALL }));
	stack_walk(walk, event, &maker, f);
	call_tree_sum(&f->all);
	f->r->base[event] = report_base(f->r, event, f->all.nodes[0].total.period);
	if (f->all.nodes[0].total.samples > 0)
		forest_put(f);
	if (f->ends != NULL)
		memset(f->ends, 0, f->ends_len * sizeof(*f->ends));
	shown = shown_cost(f);
	call_tree_release(&f->all);
	return shown;
}

void
report_fill_nodes(struct report *r)
{
	struct forest f = { .r = r };
	struct cost shown[EVENTS_MAX] = { { 0 } };
	struct snapshot_node *nodes;
	struct stack_walk walk;

	stack_walk_init(&walk, r);
	f.by_location = mem_calloc(r->src->profile->locations->len, sizeof(*f.by_location));
	if (r->query->sums && (r->query->is_then || r->query->compare != COMPARE_NOTHING)) {
		f.ends_len = r->src->profile->tables.cells[TABLE_TREE].len;
		f.ends = mem_calloc(f.ends_len + 1, sizeof(*f.ends));
		f.is_of_all = r->query->shares != SHARES_OF_SHOWN;
	}
	for (uint32_t event = 0; event < r->src->profile->event_count; event++)
		if (report_has_event(r, event))
			shown[event] = add_event(&f, event, &walk);
	report_leave_out(r, shown);
	nodes = arena_alloc(&r->out->arena, (f.len + 1) * sizeof(*nodes));
	if (f.len > 0)
		memcpy(nodes, f.nodes, f.len * sizeof(*nodes));
	r->out->nodes = nodes;
	r->out->node_count = f.len;
	free(f.nodes);
	free(f.fns);
	free(f.names);
	free(f.by_location);
	free(f.ends);
	free(f.shown);
	stack_walk_release(&walk);
	index_release(&f.index);
}
