/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derives the trees of a view from the tree of all stacks, and puts them as nodes in order. */
#include "profile/report/forest.h"

#include "view/filter.h"

#include <stdlib.h>

/* Reports show no trees for functions below this share. */
#define REPORT_LEAST 0.005

/* Of what is compared much smaller nodes are there, too: what is small once need not be new or gone. */
#define COMPARED_PART 0.1

/* Kinds of trees: nodes of the same path in trees of two kinds have different ids. */
enum { ROLE_DOWN = 1, ROLE_UP, ROLE_CALLERS, ROLE_CALLEES };

/* A node that is kept, and what it is sorted by. */
struct branch {
	uint32_t parent, node;
	uint64_t weight; /* 0: sorted by name alone */
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

/* The nodes of at least @least but the root: children of one parent together, in order. */
static struct branch *
sort_branches(struct forest *f, const struct call_tree *t, uint64_t least, size_t *count)
{
	struct branch *list = NULL;
	size_t len = 0, cap = 0;

	for (uint32_t i = 1; i < t->len; i++) {
		const struct call_node *n = &t->nodes[i];

		if (n->total.samples == 0 || n->total.period < least)
			continue;
		VEC_ADD(list, len, cap) = (struct branch){
			n->parent, i, f->r->query->view == VIEW_FLAME ? 0 : n->total.period,
			forest_name(f, n->fn), forest_dso(f, &f->fns[n->fn]),
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

	n = &VEC_ADD(f->nodes, f->len, f->cap);
	*n = (struct snapshot_node){ .parent = parent, .id = key, .name = "", .dso = "",
				     .event = f->event };
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
	struct snapshot_node *n = push(f, parent, tree_fn_hash(fn) ^ salt);

	n->kind = fn->kind;
	n->location = fn->location;
	/* Callers and callees of one function differ. */
	n->place = fn->place != 0 ? hash_mix(fn->place, salt) : 0;
	n->name = fn->kind != NODE_ALL ? forest_name(f, c->fn) : "all";
	n->dso = forest_dso(f, fn);
	n->is_inlined = f->r->src->profile->locations->items[fn->location].is_inlined;
	n->is_irq_on = fn->kind == NODE_KERNEL && c->self.samples > 0 &&
		       report_is_irq_on(f->r, f->event, n->name);
	n->self = c->self;
	n->total = c->total;
}

/* Ends a node: adds the rest, what was too small for nodes of its own, and sets its end. */
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

/* The node that was put last stands for one of the tree that is put. */
static void
note_shown(struct forest *f, uint32_t node)
{
	if (f->ends == NULL)
		return;
	vec_reserve_zeroed(&f->shown, &f->shown_cap, f->len, sizeof(*f->shown));
	f->shown[f->len - 1] = node + 1;
}

/*
 * Appends the tree in pre-order.  Where a node's total is its self and its children's totals
 * (@down), the rest is known.  @goes_to: see call_tree.h; NULL: it is the tree of all stacks.
 */
static void
put_tree(struct forest *f, const struct call_tree *t, const uint32_t *goes_to, double least_share,
	 unsigned role)
{
	uint64_t least = (uint64_t)((double)t->nodes[0].total.period * least_share);
	bool down = role == ROLE_DOWN || role == ROLE_CALLEES;
	size_t count, *next = mem_calloc(t->len, sizeof(*next));
	struct branch *list = sort_branches(f, t, least, &count);
	uint32_t at = 0, begin = (uint32_t)f->len, out = begin;

	for (size_t i = 0; i < t->len; i++)
		next[i] = count;
	for (size_t i = count; i-- > 0;)
		next[list[i].parent] = i;
	push_fn(f, UINT32_MAX, &t->nodes[0], role);
	note_shown(f, 0);
	for (;;) {
		size_t i = next[at];

		if (i < count && list[i].parent == at) {
			next[at]++;
			at = list[i].node;
			push_fn(f, out, &t->nodes[at], 0);
			out = (uint32_t)f->len - 1;
			note_shown(f, at);
			/* Of callers, self is what another one spent. */
			if (!down && f->nodes[out].depth > (role == ROLE_UP))
				f->nodes[out].is_irq_on = false;
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
	if (f->ends != NULL)
		forest_find_sums(f, begin, t, goes_to);
}

/* Where nodes of the tree of all stacks go to; NULL: nobody asks for it. */
static uint32_t *
new_goes_to(const struct forest *f)
{
	return f->ends != NULL ? mem_calloc(f->all.len, sizeof(uint32_t)) : NULL;
}

/* What is looked for is summed up in the whole tree: also what is too small for a node. */
static void
sum_found(struct forest *f, const struct call_tree *t)
{
	const char *text = f->r->query->find;
	bool *is_found;

	if (*text == '\0')
		return;
	is_found = mem_calloc(f->fn_len, sizeof(*is_found));
	for (uint32_t i = 0; i < f->fn_len; i++)
		is_found[i] = f->fns[i].kind != NODE_ALL &&
			      strcasestr(forest_name(f, i), text) != NULL;
	f->r->out->found = call_tree_sum_of(t, is_found);
	free(is_found);
}

/* The trees of one function. */
static void
put_function(struct forest *f, uint32_t fn, double least_share, bool callers, bool callees)
{
	struct call_tree t = { 0 };

	if (callers) {
		uint32_t *goes_to = new_goes_to(f);

		call_tree_callers(&f->all, fn, least_share, &t, goes_to);
		put_tree(f, &t, goes_to, 0, ROLE_CALLERS);
		call_tree_release(&t);
		free(goes_to);
	}
	if (callees) {
		uint32_t *goes_to = new_goes_to(f);
		size_t root = f->len;

		call_tree_callees(&f->all, fn, &t, goes_to);
		put_tree(f, &t, goes_to, least_share, ROLE_CALLEES);
		sum_found(f, &t);
		/* The root is the function wherever it is on the stack. */
		for (size_t i = 1; i < t.len; i++)
			if (t.nodes[i].fn == fn)
				cost_add(&f->nodes[root].self, &t.nodes[i].self);
		call_tree_release(&t);
		free(goes_to);
	}
}

/* The function of @location, which may be gone from the tree; 0: the hottest. */
static uint32_t
chosen_function(struct forest *f, uint32_t location)
{
	struct cost *selfs, *costs;
	uint32_t best = UINT32_MAX;

	if (location != 0 && location < f->r->src->profile->locations->len)
		return forest_place(f, location);
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

/* A function whose callers or callees are listed: by falling weight. */
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

bool
forest_lists(struct forest *f, const struct tree_fn *fn)
{
	struct row row = report_row_blank();

	if (fn->location == 0)
		return false;
	if (!report_filters_functions(f->r))
		return true;
	report_row_symbol(f->r, &row, fn->location);
	row.dso = forest_dso(f, fn);
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
		if (costs[i].samples > 0 && forest_lists(f, &f->fns[i]))
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

static double
least_share(const struct query *q)
{
	bool is_compared = q->is_then || q->compare != COMPARE_NOTHING;

	return is_compared ? q->least_share * COMPARED_PART : q->least_share;
}

static void
put_bottom_up(struct forest *f)
{
	uint32_t *goes_to = new_goes_to(f);
	struct call_tree t = { 0 };

	call_tree_bottom_up(&f->all, least_share(f->r->query), &t, goes_to);
	put_tree(f, &t, goes_to, 0, ROLE_UP);
	call_tree_release(&t);
	free(goes_to);
}

void
forest_put(struct forest *f)
{
	const struct query *q = f->r->query;
	uint32_t fn;

	if (q->view == VIEW_TREE || q->view == VIEW_FLAME) {
		if (q->view == VIEW_TREE && q->bottom_up)
			put_bottom_up(f);
		else
			put_tree(f, &f->all, NULL, least_share(q), ROLE_DOWN);
		sum_found(f, &f->all);
	} else if (q->all_events) {
		put_all_functions(f);
	} else {
		fn = chosen_function(f, q->function);
		if (fn != UINT32_MAX)
			put_function(f, fn, least_share(q), true, true);
	}
}
