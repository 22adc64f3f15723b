/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Views of stacks: the call trees of all tasks asked for become one of functions, and the trees
 * that the view shows are made of that.  Every step is a pass over the nodes.
 */
#include "profile/call_tree.h"
#include "profile/filter.h"
#include "profile/report_impl.h"

#include <stdlib.h>

/* Reports show no trees for functions below this share. */
#define REPORT_LEAST 0.005

/* A frame as a reader tells them apart. */
struct tree_fn {
	uint32_t dso;  /* its name: string; 0: no code */
	uint64_t what; /* name: string, or place without one */
	uint32_t location;
	enum node_kind kind;
};

struct forest {
	struct report *r;
	struct tree_fn *fns;
	size_t fn_len, fn_cap;
	struct index index;
	uint32_t *by_location;  /* function plus one, 0: not asked for yet */
	struct call_tree all;   /* of one event */
	struct snapshot_node *nodes;
	size_t len, cap;
	const char **names;     /* by function, NULL: not asked for yet */
	size_t name_cap;
};

/* In place of a comm: no string has this number. */
#define ALL UINT64_MAX

/* Which trees of an event are told from each other, though their paths are the same. */
enum { ROLE_DOWN = 1, ROLE_UP, ROLE_CALLERS, ROLE_CALLEES };

/* The same in each snapshot. */
static uint64_t
fn_hash(const struct tree_fn *fn)
{
	return hash_mix(fn->dso, fn->what);
}

static uint32_t
add_fn(struct forest *f, struct tree_fn fn)
{
	uint64_t hash = fn_hash(&fn);
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

	if (dso->kind == DSO_FILE && strstr(report_str(r, dso->name), ".so") != NULL)
		return NODE_LIBRARY;
	return (enum node_kind)kinds[dso->kind];
}

static uint32_t
place_fn(struct forest *f, uint32_t location)
{
	const struct profile *p = f->r->src->profile;
	uint32_t id = locations_resolve(p->locations, location);
	const struct location *loc = &p->locations->items[id];
	uint64_t what = loc->kind == LOCATION_FUNCTION ? loc->name : UINT64_C(1) << 32 | id;

	if (f->by_location[id] == 0)
		f->by_location[id] = 1 + add_fn(f, (struct tree_fn){
			.dso = dsos_get(&p->model->dsos, loc->dso)->name, .what = what,
			.location = id, .kind = kind_of(f->r, loc) });
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
			map[id] = call_tree_child(&f->all, map[key->parent] - 1,
						  place_fn(f, key->location)) + 1;
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
						      place_fn(f, key->location)), c);
	}
}

static const char *
fn_name(struct forest *f, uint32_t fn)
{
	const struct tree_fn *t = &f->fns[fn];
	size_t had = f->name_cap;

	vec_reserve(&f->names, &f->name_cap, f->fn_len, sizeof(*f->names));
	if (f->name_cap > had)
		memset(f->names + had, 0, (f->name_cap - had) * sizeof(*f->names));
	if (f->names[fn] == NULL)
		f->names[fn] = t->kind == NODE_COMM ? report_str(f->r, (uint32_t)t->what)
						    : report_place_name(f->r, t->location);
	return f->names[fn];
}

static const char *
fn_dso(const struct forest *f, const struct tree_fn *fn)
{
	const struct profile *p = f->r->src->profile;

	if (fn->location == 0)
		return "";
	return report_str(f->r, dsos_get(&p->model->dsos,
					 p->locations->items[fn->location].dso)->name);
}

/* A node that is kept, and what it is sorted by. */
struct branch {
	uint32_t parent, node;
	uint64_t weight; /* 0: by name alone */
	const char *name, *dso;
};

static int
compare_branches(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;
	int order;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	order = strcmp(x->name, y->name);
	return order != 0 ? order : strcmp(x->dso, y->dso);
}

/* Those of at least @least below the root, children of one parent together and in order. */
static struct branch *
sort_branches(struct forest *f, const struct call_tree *t, uint64_t least, size_t *count)
{
	struct branch *list = NULL;
	size_t len = 0, cap = 0;

	for (uint32_t i = 1; i < t->len; i++) {
		const struct call_node *n = &t->nodes[i];

		if (n->total.samples == 0 || n->total.period < least)
			continue;
		vec_reserve(&list, &cap, len + 1, sizeof(*list));
		list[len++] = (struct branch){
			n->parent, i, f->r->query->view == VIEW_FLAME ? 0 : n->total.period,
			fn_name(f, n->fn), fn_dso(f, &f->fns[n->fn]),
		};
	}
	if (len > 0)
		qsort(list, len, sizeof(*list), compare_branches);
	*count = len;
	return list;
}

static struct snapshot_node *
push(struct forest *f, uint32_t parent, uint64_t key)
{
	struct snapshot_node *n;

	vec_reserve(&f->nodes, &f->cap, f->len + 1, sizeof(*f->nodes));
	n = &f->nodes[f->len++];
	*n = (struct snapshot_node){ .parent = parent, .id = key, .name = "", .dso = "" };
	if (parent != UINT32_MAX) {
		n->depth = f->nodes[parent].depth + 1;
		n->id = hash_mix(f->nodes[parent].id, key);
	} else {
		n->parent = (uint32_t)f->len - 1;
	}
	return n;
}

static void
push_fn(struct forest *f, uint32_t parent, const struct call_node *c, uint64_t salt)
{
	const struct tree_fn *fn = &f->fns[c->fn];
	struct snapshot_node *n = push(f, parent, fn_hash(fn) ^ salt);

	n->kind = fn->kind;
	n->location = fn->location;
	n->name = fn->kind != NODE_ALL ? fn_name(f, c->fn) : "all";
	n->dso = fn_dso(f, fn);
	n->self = c->self;
	n->total = c->total;
}

/* Closes the node: what is below it ends here, but for what was too small for nodes of its own. */
static void
close_node(struct forest *f, uint32_t id, uint64_t least, bool has_rest)
{
	struct cost rest = f->nodes[id].total;
	struct snapshot_node *n;

	rest.samples -= has_rest ? f->nodes[id].self.samples : rest.samples;
	rest.period -= has_rest ? f->nodes[id].self.period : rest.period;
	for (uint32_t i = id + 1; has_rest && i < f->len; i = f->nodes[i].end) {
		rest.samples -= f->nodes[i].total.samples;
		rest.period -= f->nodes[i].total.period;
	}
	if (rest.samples > 0 && rest.period >= least) {
		n = push(f, id, NODE_REST);
		n->kind = NODE_REST;
		n->name = "smaller ones";
		n->total = rest;
		n->end = (uint32_t)f->len;
	}
	f->nodes[id].end = (uint32_t)f->len;
}

/*
 * Appends the tree in pre-order; the root's totals are there.  @down: a node's total is what it has
 * itself and its children, so that what is missing is known.
 */
static void
put_tree(struct forest *f, const struct call_tree *t, double least_share, unsigned role)
{
	uint64_t least = (uint64_t)((double)t->nodes[0].total.period * least_share);
	bool down = role == ROLE_DOWN || role == ROLE_CALLEES;
	size_t count, *next = mem_calloc(t->len, sizeof(*next));
	struct branch *list = sort_branches(f, t, least, &count);
	uint32_t at = 0, out = (uint32_t)f->len;

	for (size_t i = 0; i < t->len; i++)
		next[i] = count;
	for (size_t i = count; i-- > 0;)
		next[list[i].parent] = i;
	push_fn(f, UINT32_MAX, &t->nodes[0], role);
	for (;;) {
		size_t i = next[at];

		if (i < count && list[i].parent == at) {
			next[at]++;
			at = list[i].node;
			push_fn(f, out, &t->nodes[at], 0);
			out = (uint32_t)f->len - 1;
		} else {
			close_node(f, out, least, down);
			if (at == 0)
				break;
			at = t->nodes[at].parent;
			out = f->nodes[out].parent;
		}
	}
	free(list);
	free(next);
}

/* The trees of one function. */
static void
put_function(struct forest *f, uint32_t fn, double least_share, bool callers, bool callees)
{
	struct call_tree t = { 0 };

	if (callers) {
		call_tree_callers(&f->all, fn, least_share, &t);
		put_tree(f, &t, 0, ROLE_CALLERS);
		call_tree_release(&t);
	}
	if (callees) {
		size_t root = f->len;

		call_tree_callees(&f->all, fn, &t);
		put_tree(f, &t, least_share, ROLE_CALLEES);
		/* The root is the function, not one of its places. */
		for (size_t i = 1; i < t.len; i++)
			if (t.nodes[i].fn == fn)
				cost_add(&f->nodes[root].self, &t.nodes[i].self);
		call_tree_release(&t);
	}
}

/* The function of @location, which need not be in the tree any more; 0: the hottest. */
static uint32_t
chosen_function(struct forest *f, uint32_t location)
{
	struct cost *selfs, *costs;
	uint32_t best = UINT32_MAX;

	if (location != 0 && location < f->r->src->profile->locations->len)
		return place_fn(f, location);
	selfs = mem_calloc(f->fn_len + 1, sizeof(*selfs));
	costs = mem_calloc(f->fn_len + 1, sizeof(*costs));
	call_tree_costs(&f->all, costs, selfs);
	for (uint32_t i = 0; i < f->fn_len; i++)
		if (f->fns[i].location != 0 && selfs[i].period > 0 &&
		    (best == UINT32_MAX || selfs[i].period > selfs[best].period))
			best = i;
	free(selfs);
	free(costs);
	return best;
}

/* One that is listed: the tables of callers and callees are ordered by what they are about. */
struct listed {
	uint32_t fn;
	uint64_t weight;
	struct cost self, total;
};

static int
compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->fn < y->fn ? -1 : x->fn > y->fn;
}

/* In reports of functions, a filter that names functions tells which are listed. */
static bool
is_listed(struct forest *f, const struct tree_fn *fn)
{
	struct row row = report_row_blank();

	if (fn->location == 0)
		return false;
	if (!report_filters_functions(f->r))
		return true;
	report_row_symbol(f->r, &row, fn->location);
	row.dso = fn_dso(f, fn);
	return filter_keeps(f->r->src->filter, &row);
}

static void
put_all_functions(struct forest *f)
{
	bool callers = f->r->query->view == VIEW_CALLERS;
	struct cost *selfs = mem_calloc(f->fn_len + 1, sizeof(*selfs));
	struct cost *costs = mem_calloc(f->fn_len + 1, sizeof(*costs));
	struct listed *list = mem_calloc(f->fn_len + 1, sizeof(*list));
	double all = (double)f->all.nodes[0].total.period;
	size_t len = 0;

	call_tree_costs(&f->all, costs, selfs);
	for (uint32_t i = 0; i < f->fn_len; i++)
		if (costs[i].samples > 0 && is_listed(f, &f->fns[i]))
			list[len++] = (struct listed){ i, costs[i].period, selfs[i], costs[i] };
	qsort(list, len, sizeof(*list), compare_listed);
	for (size_t i = 0; i < len; i++) {
		if ((double)list[i].weight >= all * REPORT_LEAST) {
			put_function(f, list[i].fn, REPORT_LEAST, callers, !callers);
			continue;
		}
		push_fn(f, UINT32_MAX, &(struct call_node){ 0, list[i].fn, list[i].self,
							    list[i].total }, 0);
		f->nodes[f->len - 1].end = (uint32_t)f->len;
	}
	free(list);
	free(selfs);
	free(costs);
}

static void
put_bottom_up(struct forest *f)
{
	struct call_tree t = { 0 };

	call_tree_bottom_up(&f->all, f->r->query->least_share, &t);
	put_tree(f, &t, 0, ROLE_UP);
	call_tree_release(&t);
}

static void
put_event(struct forest *f)
{
	const struct query *q = f->r->query;
	uint32_t fn;

	if (q->view == VIEW_TREE && q->bottom_up) {
		put_bottom_up(f);
	} else if (q->view == VIEW_TREE || q->view == VIEW_FLAME) {
		put_tree(f, &f->all, q->least_share, ROLE_DOWN);
	} else if (q->all_events) {
		put_all_functions(f);
	} else {
		fn = chosen_function(f, q->function);
		if (fn != UINT32_MAX)
			put_function(f, fn, q->least_share, true, true);
	}
}

static void
add_event(struct forest *f, uint32_t event, const uint8_t *marks, bool has_tree)
{
	size_t begin = f->len;

	call_tree_root(&f->all, add_fn(f, (struct tree_fn){ .what = ALL, .kind = NODE_ALL }));
	if (has_tree)
		add_trees(f, event, marks);
	else
		add_leaves(f, event);
	call_tree_sum(&f->all);
	if (f->all.nodes[0].total.samples > 0)
		put_event(f);
	for (size_t i = begin; i < f->len; i++)
		f->nodes[i].event = event;
	call_tree_release(&f->all);
}

void
report_fill_nodes(struct report *r)
{
	struct forest f = { .r = r };
	bool has_tree[EVENTS_MAX] = { false };
	uint8_t *marks = report_mark_stacks(r, has_tree);
	struct snapshot_node *nodes;

	f.by_location = mem_calloc(r->src->profile->locations->len, sizeof(*f.by_location));
	for (uint32_t event = 0; event < r->src->profile->event_count; event++)
		if (report_has_event(r, event))
			add_event(&f, event, marks, has_tree[event]);
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
