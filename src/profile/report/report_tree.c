/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views of stacks: the call trees of all tasks asked for become one of functions, and the trees
 * that the view shows are made of that.  Every step is a pass over the nodes.
 */
#include "profile/report/forest.h"

#include <stdlib.h>

/* In place of a comm: no string has this number. */
#define ALL UINT64_MAX

static uint32_t
add_fn(struct forest *f, struct tree_fn fn)
{
	uint64_t hash = tree_fn_hash(&fn);
	uint32_t id, pos;

	for (id = index_first(&f->index, hash, &pos); id != 0;
	     id = index_next(&f->index, hash, &pos))
		if (f->fns[id - 1].dso == fn.dso && f->fns[id - 1].what == fn.what)
			return id - 1;
	vec_reserve(&f->fns, &f->fn_cap, f->fn_len + 1, sizeof(*f->fns));
	f->fns[f->fn_len++] = fn;
	index_add(&f->index, hash, (uint32_t)f->fn_len);
	return (uint32_t)f->fn_len - 1;
}

/* Libraries are known by their names: the file that was started has no ".so" in it. */
static enum node_kind
kind_of(const struct report *r, const struct location *loc)
{
	static const unsigned char kinds[] = {
		[DSO_UNKNOWN] = NODE_UNKNOWN,      [DSO_KERNEL] = NODE_KERNEL,
		[DSO_MODULE] = NODE_KERNEL,        [DSO_FILE] = NODE_OWN,
		[DSO_VDSO] = NODE_LIBRARY,         [DSO_VDSO32] = NODE_LIBRARY,
		[DSO_VSYSCALL] = NODE_LIBRARY,     [DSO_ANON] = NODE_JIT,
		[DSO_JITDUMP] = NODE_JIT,          [DSO_GUEST_KERNEL] = NODE_KERNEL,
		[DSO_GUEST_USER] = NODE_OWN,       [DSO_HYPERVISOR] = NODE_KERNEL,
	};
	const struct dso *dso = dsos_get(&r->src->profile->model->dsos, loc->dso);

	if (loc == &r->src->profile->locations->items[LOCATION_CUT])
		return NODE_CUT;
	if (dso->kind == DSO_FILE && strstr(report_str(r, dso->name), ".so") != NULL)
		return NODE_LIBRARY;
	return (enum node_kind)kinds[dso->kind];
}

uint32_t
forest_place(struct forest *f, uint32_t location)
{
	const struct profile *p = f->r->src->profile;
	uint32_t id = locations_resolve(p->locations, location);
	const struct location *loc = &p->locations->items[id];
	uint64_t what = loc->kind == LOCATION_FUNCTION ? loc->name : UINT64_C(1) << 32 | id;

	/* Where it is inlined it is told from where it is called. */
	if (loc->is_inlined)
		what |= UINT64_C(2) << 32;

	if (f->by_location[id] == 0)
		f->by_location[id] = 1 + add_fn(f, (struct tree_fn){
			.dso = dsos_get(&p->model->dsos, loc->dso)->name, .what = what,
			.location = id, .place = p->locations->items[id].serial,
			.kind = kind_of(f->r, loc) });
	return f->by_location[id] - 1;
}

/* Of a thread its name is known; of more, it is the outermost frame. */
static uint32_t
who_node(struct forest *f, uint32_t who)
{
	uint32_t comm = f->r->src->profile->model->whos[who].comm;

	if (f->r->query->thread != 0)
		return 0;
	return call_tree_child(&f->all, 0, add_fn(f, (struct tree_fn){
		.what = comm, .kind = NODE_COMM }));
}

static void
add_counts(struct forest *f, uint32_t node, const struct cell *cell)
{
	struct cost cost;

	profile_window(f->r->src->profile, cell, &cost.samples, &cost.period);
	cost_add(&f->all.nodes[node].self, &cost);
}

/* The node of a place below @parent. */
static uint32_t
place_node(struct forest *f, uint32_t parent, uint32_t location)
{
	uint32_t frames[INLINED_FRAMES_MAX];
	size_t len = inlined_frames(f->r->src->profile->locations, location, frames);

	for (size_t i = 0; i < len; i++)
		parent = call_tree_child(&f->all, parent, forest_place(f, frames[i]));
	return parent;
}

static void
add_trees(struct forest *f, uint32_t event, const uint8_t *marks)
{
	const struct tables *t = &f->r->src->profile->tables;
	size_t len = t->cells[TABLE_TREE].len;
	uint32_t *map = mem_calloc(len, sizeof(*map)); /* node plus one, 0: of another event */

	for (uint32_t id = 1; id < len; id++) {
		const struct tree_key *key = &t->tree[id];

		if (marks[id] == 0)
			continue;
		if (key->parent == 0 && key->location >> TREE_EVENT_SHIFT == event)
			map[id] = who_node(f, key->location & TREE_WHO_MASK) + 1;
		else if (key->parent != 0 && map[key->parent] != 0)
			map[id] = place_node(f, map[key->parent] - 1, key->location) + 1;
		if (map[id] != 0 && (marks[id] & STACK_ENDS))
			add_counts(f, map[id] - 1, &t->cells[TABLE_TREE].items[id]);
	}
	free(map);
}

/* Of events without call chains, the functions alone. */
static void
add_leaves(struct forest *f, uint32_t event)
{
	const struct tables *t = &f->r->src->profile->tables;
	uint64_t samples, period;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct cell *c = &t->cells[TABLE_HOT].items[id];
		const struct hot_key *key = &t->hot[id];

		profile_window(f->r->src->profile, c, &samples, &period);
		if (samples > 0 && key->event == event &&
		    report_has_stack(f->r, event, key->who, key->location))
			add_counts(f, call_tree_child(&f->all, who_node(f, key->who),
						      forest_place(f, key->location)), c);
	}
}

/* What the trees from @begin on show: of functions that a filter names, what was spent in them. */
static struct cost
shown_cost(const struct forest *f, size_t begin)
{
	struct cost sum = { 0 };

	if (!report_filters_functions(f->r))
		return f->all.nodes[0].total;
	for (size_t i = begin; i < f->len; i = f->nodes[i].end)
		cost_add(&sum, &f->nodes[i].self);
	return sum;
}

/* What it shows of the event. */
static struct cost
add_event(struct forest *f, uint32_t event, const uint8_t *marks, bool has_tree)
{
	size_t begin = f->len;
	struct cost shown;

	call_tree_root(&f->all, add_fn(f, (struct tree_fn){ .what = ALL, .kind = NODE_ALL }));
	if (has_tree)
		add_trees(f, event, marks);
	else
		add_leaves(f, event);
	call_tree_sum(&f->all);
	if (f->all.nodes[0].total.samples > 0)
		forest_put(f);
	for (size_t i = begin; i < f->len; i++)
		f->nodes[i].event = event;
	shown = shown_cost(f, begin);
	call_tree_release(&f->all);
	return shown;
}

void
report_fill_nodes(struct report *r)
{
	struct forest f = { .r = r };
	bool has_tree[EVENTS_MAX] = { false };
	uint8_t *marks = report_mark_stacks(r, has_tree);
	struct cost shown[EVENTS_MAX] = { { 0 } };
	struct snapshot_node *nodes;

	f.by_location = mem_calloc(r->src->profile->locations->len, sizeof(*f.by_location));
	for (uint32_t event = 0; event < r->src->profile->event_count; event++)
		if (report_has_event(r, event))
			shown[event] = add_event(&f, event, marks, has_tree[event]);
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
	free(marks);
	index_release(&f.index);
}
