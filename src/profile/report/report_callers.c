/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who called the functions of rows (snapshot.callers).  It follows what the log has of the window, not
 * the whole tree: a second of hours is a small part of that.
 */
#include "profile/report/report_impl.h"

#include "profile/place/location.h"
#include "view/row_callers.h"

#include <stdlib.h>

/* Of nodes: a stack ends there, and nothing is made of it yet. */
#define IS_END UINT32_MAX

/* Where a stack ends. */
struct end {
	uint64_t samples, period;
	uint32_t id; /* of the tree */
};

struct filler {
	struct report *r;
	struct row_callers *out;
	struct index entries; /* of the hot table: those that are in rows */
	uint32_t *row_of;     /* by group */
	struct end *ends;
	size_t end_len, end_cap;
	struct caller_marks own; /* where nobody keeps them */
	uint32_t *nodes;      /* by node of the tree: in node_items plus one; 0: nothing, or IS_END */
	uint32_t *places;     /* by location: in place_items plus one; 0: nothing yet */
	uint32_t *marked_nodes, *marked_places; /* where that is not zero */
	size_t marked_node_len, marked_node_cap, marked_place_len, marked_place_cap;
	uint32_t *way;        /* nodes of the tree that are being made, the innermost first */
	size_t way_len, way_cap;
	struct caller_place *place_items;
	struct caller_node *node_items;
	struct row_stack *stack_items;
	size_t place_cap, node_cap, stack_cap;
};

/* What an entry of a row and the end of a stack have in common. */
static uint64_t
hash_entry(uint32_t event, uint32_t who, uint32_t location)
{
	return hash_mix((uint64_t)event << 32 | who, location);
}

static uint32_t
location_of(const struct filler *f, uint32_t entry)
{
	const struct profile *p = f->r->src->profile;

	return locations_resolve(p->locations, p->tables.hot[entry].location);
}

static void
index_entries(struct filler *f)
{
	const struct tables *t = &f->r->src->profile->tables;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		if (f->r->entry_group[id] != 0)
			index_add(&f->entries,
				  hash_entry(t->hot[id].event, t->hot[id].who, location_of(f, id)), id);
}

/* Rows were sorted since they were made. */
static void
find_rows(struct filler *f)
{
	const struct snapshot *s = f->r->out;

	f->row_of = mem_calloc(f->r->groups.len + 1, sizeof(*f->row_of));
	for (size_t i = 0; i < s->row_count; i++)
		if (s->rows[i].group != 0)
			f->row_of[s->rows[i].group - 1] = (uint32_t)i + 1;
}

/* The row that has what ends at @location, plus one; 0: none. */
static uint32_t
find_row(const struct filler *f, uint32_t event, uint32_t who, uint32_t location)
{
	const struct hot_key *hot = f->r->src->profile->tables.hot;
	const uint64_t hash = hash_entry(event, who, location);
	uint32_t id, pos;

	for (id = index_first(&f->entries, hash, &pos); id != 0;
	     id = index_next(&f->entries, hash, &pos))
		if (hot[id].event == event && hot[id].who == who && location_of(f, id) == location)
			return f->row_of[f->r->entry_group[id] - 1];
	return 0;
}

/* @what: not zero. */
static void
mark_node(struct filler *f, uint32_t id, uint32_t what)
{
	if (f->nodes[id] == 0)
		VEC_ADD(f->marked_nodes, f->marked_node_len, f->marked_node_cap) = id;
	f->nodes[id] = what;
}

static void
add_end(struct filler *f, uint32_t id)
{
	const struct profile *p = f->r->src->profile;
	struct end end = { .id = id };

	if (f->nodes[id] == IS_END || p->tables.tree[id].parent == 0)
		return;
	mark_node(f, id, IS_END);
	profile_window(p, &p->tables.cells[TABLE_TREE].items[id], &end.samples, &end.period);
	if (end.samples > 0)
		VEC_ADD(f->ends, f->end_len, f->end_cap) = end;
}

static int
compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

/* The heaviest first. */
static void
find_ends(struct filler *f)
{
	const struct profile *p = f->r->src->profile;
	const struct interval *iv;
	uint64_t at = 0;
	struct delta d;

	while ((iv = profile_next_since_report(p, &at)) != NULL) {
		struct log_pos pos = { 0 };

		while (log_next(&p->log, iv, &pos, &d))
			if (d.table == TABLE_TREE)
				add_end(f, d.id);
	}
	if (f->end_len > 0)
		qsort(f->ends, f->end_len, sizeof(*f->ends), compare_ends);
}

static uint32_t
place_number(struct filler *f, uint32_t location)
{
	const struct profile *p = f->r->src->profile;
	const uint32_t id = locations_resolve(p->locations, location);
	const struct location *loc = &p->locations->items[id];
	const bool is_cut = id == LOCATION_CUT;

	if (f->places[id] != 0)
		return f->places[id] - 1;
	VEC_ADD(f->place_items, f->out->place_count, f->place_cap) = (struct caller_place){
		.dso = is_cut ? "" : report_str(f->r, dsos_get(&p->model->dsos, loc->dso)->name),
		.symbol = report_code_name(f->r, id),
		.is_kernel = loc->is_kernel,
		.reason = is_cut ? "" : report_str(f->r, dso_source_reason(p->locations, id)),
		.remedy = is_cut ? "" : report_str(f->r, dso_source_remedy(p->locations, id)),
		.is_unnamed = !is_cut && !location_is_named(loc),
		.is_cut = is_cut,
	};
	VEC_ADD(f->marked_places, f->marked_place_len, f->marked_place_cap) = id;
	f->places[id] = (uint32_t)f->out->place_count;
	return f->places[id] - 1;
}

/* Inlined functions are called by the one that they are inlined into. */
static uint32_t
add_node(struct filler *f, uint32_t parent, uint32_t location)
{
	uint32_t frames[INLINED_FRAMES_MAX];
	const size_t len = inlined_frames(f->r->src->profile->locations, location, frames);

	for (size_t i = 0; i < len; i++) {
		const uint32_t depth = parent != 0 ? f->node_items[parent - 1].depth + 1 : 1;

		VEC_ADD(f->node_items, f->out->node_count, f->node_cap) = (struct caller_node){
			parent, place_number(f, frames[i]), depth };
		parent = (uint32_t)f->out->node_count;
	}
	return parent;
}

/* Fills in the way from the caller of what ends there up to its root, which is returned. */
static uint32_t
find_way(struct filler *f, uint32_t id)
{
	const struct tree_key *tree = f->r->src->profile->tables.tree;

	f->way_len = 0;
	for (id = tree[id].parent; tree[id].parent != 0; id = tree[id].parent)
		VEC_ADD(f->way, f->way_len, f->way_cap) = id;
	return id;
}

/* The innermost node of the way, plus one; 0: nobody called. */
static uint32_t
make_way(struct filler *f)
{
	const struct tree_key *tree = f->r->src->profile->tables.tree;
	uint32_t callers = 0;

	for (size_t i = f->way_len; i > 0; i--) {
		const uint32_t id = f->way[i - 1];

		if (f->nodes[id] == 0 || f->nodes[id] == IS_END)
			mark_node(f, id, add_node(f, callers, tree[id].location));
		callers = f->nodes[id];
	}
	return callers;
}

static void
add_stack(struct filler *f, const struct end *end)
{
	const struct profile *p = f->r->src->profile;
	const uint32_t top = p->tables.tree[find_way(f, end->id)].location;
	const uint32_t leaf = locations_resolve(p->locations, p->tables.tree[end->id].location);
	const uint32_t row = find_row(f, top >> TREE_EVENT_SHIFT, top & TREE_WHO_MASK, leaf);
	struct row_stack stack = { row - 1, 0, end->samples, end->period };

	if (row == 0)
		return;
	stack.callers = make_way(f);
	VEC_ADD(f->stack_items, f->out->stack_count, f->stack_cap) = stack;
}

static void
begin_marks(struct filler *f)
{
	const struct profile *p = f->r->src->profile;
	struct caller_marks *m = f->r->src->marks != NULL ? f->r->src->marks : &f->own;

	vec_reserve_zeroed(&m->nodes, &m->node_cap, p->tables.cells[TABLE_TREE].len, sizeof(*m->nodes));
	vec_reserve_zeroed(&m->places, &m->place_cap, p->locations->len, sizeof(*m->places));
	f->nodes = m->nodes;
	f->places = m->places;
}

static void
end_marks(struct filler *f)
{
	for (size_t i = 0; i < f->marked_node_len; i++)
		f->nodes[f->marked_nodes[i]] = 0;
	for (size_t i = 0; i < f->marked_place_len; i++)
		f->places[f->marked_places[i]] = 0;
	free(f->marked_nodes);
	free(f->marked_places);
	free(f->own.nodes);
	free(f->own.places);
}

static void
finish(struct filler *f)
{
	struct row_callers *c = f->out;
	struct arena *a = &f->r->out->arena;

	c->places = arena_adopt(a, f->place_items, c->place_count * sizeof(*c->places));
	c->nodes = arena_adopt(a, f->node_items, c->node_count * sizeof(*c->nodes));
	c->stacks = arena_adopt(a, f->stack_items, c->stack_count * sizeof(*c->stacks));
	f->r->out->callers = c;
	index_release(&f->entries);
	free(f->row_of);
	free(f->ends);
	free(f->way);
	end_marks(f);
}

void
report_fill_callers(struct report *r)
{
	struct filler f = { .r = r };

	f.out = arena_alloc(&r->out->arena, sizeof(*f.out));
	begin_marks(&f);
	index_entries(&f);
	find_rows(&f);
	find_ends(&f);
	for (size_t i = 0; i < f.end_len && f.out->stack_count < r->query->row_stacks; i++)
		add_stack(&f, &f.ends[i]);
	finish(&f);
}
