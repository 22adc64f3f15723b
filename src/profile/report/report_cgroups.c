/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that are a tree.  The view of control groups is one on a screen: a group has what those below it have, too.  Each
 * path that leads to one with samples becomes a group of the report as well; what is known by group
 * is then added to the one above, from the innermost up.
 */
#include "profile/report/report_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 255 };

struct row_tree {
	uint32_t *parents; /* by row: the one above plus one, 0: none */
	uint32_t *order;   /* rows, those below before those above */
};

static const char *
path_of(const struct report *r, size_t g)
{
	return report_str(r, (uint32_t)*group_parts(&r->groups, &r->groups.items[g]));
}

/* The path above, as a string: 0: there is none. */
static uint32_t
above(const struct report *r, const char *path)
{
	struct strs *strs = &r->src->profile->model->strs;
	const char *slash = strrchr(path, '/');

	if (*path != '/' || path[1] == '\0')
		return 0;
	return strs_add(strs, path, slash > path ? (size_t)(slash - path) : 1);
}

/* How many slashes lead to it: the root has none. */
static size_t
depth_of(const char *path)
{
	size_t depth = 0;

	for (const char *c = path; *path == '/' && path[1] != '\0' && *c != '\0'; c++)
		depth += *c == '/';
	return depth;
}

struct by_depth {
	uint32_t group, depth;
};

static int
deepest_first(const void *a, const void *b)
{
	const struct by_depth *x = a, *y = b;

	return x->depth != y->depth ? (x->depth > y->depth ? -1 : 1)
				    : (x->group > y->group) - (x->group < y->group);
}

/* Of @list, which it frees. */
static void
make_order(struct report *r, struct by_depth *list, size_t len)
{
	qsort(list, len, sizeof(*list), deepest_first);
	r->tree->order = mem_calloc(len + 1, sizeof(*r->tree->order));
	for (size_t i = 0; i < len; i++)
		r->tree->order[i] = list[i].group;
	free(list);
}

void
report_make_cgroups(struct report *r)
{
	struct row_tree *t = r->tree = mem_calloc(1, sizeof(*t));
	struct by_depth *list;
	size_t cap = 0;

	/* Those that are added have their own above them added in their turn. */
	for (size_t g = 0; g < r->groups.len; g++) {
		uint32_t path = above(r, path_of(r, g)), first = r->groups.items[g].first;
		const struct group *parent;

		vec_reserve(&t->parents, &cap, g + 1, sizeof(*t->parents));
		t->parents[g] = 0;
		if (path == 0)
			continue;
		parent = group_with_part(&r->groups, path, first);
		t->parents[g] = (uint32_t)(parent - r->groups.items) + 1;
	}
	list = mem_calloc(r->groups.len + 1, sizeof(*list));
	for (size_t g = 0; g < r->groups.len; g++)
		list[g] = (struct by_depth){ (uint32_t)g, (uint32_t)depth_of(path_of(r, g)) };
	make_order(r, list, r->groups.len);
	for (size_t i = 0; i < r->groups.len; i++) {
		uint32_t g = t->order[i], parent = t->parents[g];

		if (parent == 0)
			continue;
		r->groups.items[parent - 1].samples += r->groups.items[g].samples;
		r->groups.items[parent - 1].period += r->groups.items[g].period;
	}
}

/* What is below it is its own, too.  How sure its own share is says nothing of the sum's. */
static void
row_add(struct row *above, const struct row *below)
{
	above->samples += below->samples;
	above->period += below->period;
	above->share += below->share;
	above->sums = NULL;
	if (!isnan(below->cpu))
		above->cpu = isnan(above->cpu) ? below->cpu : above->cpu + below->cpu;
}

/* How many are above it; more than a tree has: it is below itself. */
static uint32_t
count_above(const uint32_t *parents, uint32_t row)
{
	uint32_t depth = 0;

	while (parents[row] != 0 && depth < DEPTH_MAX) {
		row = parents[row] - 1;
		depth++;
	}
	return depth;
}

void
report_make_tree(struct report *r, uint32_t *parents)
{
	struct row_tree *t = r->tree = mem_calloc(1, sizeof(*t));
	struct by_depth *list = mem_calloc(r->row_len + 1, sizeof(*list));

	t->parents = parents;
	for (uint32_t i = 0; i < r->row_len; i++)
		if (count_above(parents, i) == DEPTH_MAX)
			parents[i] = 0;
	for (uint32_t i = 0; i < r->row_len; i++)
		list[i] = (struct by_depth){ i, count_above(parents, i) };
	make_order(r, list, r->row_len);
	for (size_t i = 0; i < r->row_len; i++)
		if (parents[t->order[i]] != 0)
			row_add(&r->rows[parents[t->order[i]] - 1], &r->rows[t->order[i]]);
}

void
report_add_up(const struct report *r, double *values, size_t stride)
{
	for (size_t i = 0; r->tree != NULL && i < r->groups.len; i++) {
		uint32_t g = r->tree->order[i], parent = r->tree->parents[g];

		for (size_t n = 0; parent != 0 && n < stride; n++)
			values[(parent - 1) * stride + n] += values[g * stride + n];
	}
}

void
report_name_cgroups(struct report *r)
{
	struct containers *c = r->src->profile->containers;

	for (size_t g = 0; g < r->groups.len; g++) {
		uint32_t name = containers_of(c, (uint32_t)r->rows[g].part).container;

		if (name != c->none)
			r->rows[g].container = report_str(r, name);
	}
}

/* Rows in the order of a walk, each before those below it. */
struct walk {
	struct row *rows;
	uint32_t *order;
	size_t len;
	uint32_t *first, *next; /* by row: of those below it, in order, plus one; [count]: the roots' */
};

static void
walk_below(struct walk *w, size_t at, unsigned depth)
{
	for (uint32_t n = w->first[at]; n != 0; n = w->next[n - 1]) {
		w->rows[n - 1].depth = (uint8_t)MIN(depth, (unsigned)DEPTH_MAX);
		w->order[w->len++] = n - 1;
		walk_below(w, n - 1, depth + 1);
	}
}

/* Rows are large: each moves once. */
static void
put_in_order(struct row *rows, uint32_t *order, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		struct row kept = rows[i];
		size_t at = i;

		if (order[i] == i)
			continue;
		while (order[at] != i) {
			size_t from = order[at];

			rows[at] = rows[from];
			order[at] = (uint32_t)at;
			at = from;
		}
		rows[at] = kept;
		order[at] = (uint32_t)at;
	}
}

struct sorting {
	const struct row *rows;
	int (*compare)(const void *a, const void *b, void *arg);
	void *arg;
};

static int
compare_groups(const void *a, const void *b, void *sorting)
{
	const struct sorting *s = sorting;

	return s->compare(&s->rows[*(const uint32_t *)a], &s->rows[*(const uint32_t *)b], s->arg);
}

void
report_sort_tree(struct report *r, int (*compare)(const void *a, const void *b, void *arg), void *arg)
{
	size_t len = r->row_len;
	uint32_t *sorted = mem_calloc(len + 1, sizeof(*sorted));
	struct sorting sorting = { r->rows, compare, arg };
	struct walk w = { .rows = r->rows };

	w.order = mem_calloc(len + 1, sizeof(*w.order));
	w.first = mem_calloc(len + 1, sizeof(*w.first));
	w.next = mem_calloc(len + 1, sizeof(*w.next));
	for (size_t i = 0; i < len; i++)
		sorted[i] = (uint32_t)i;
	qsort_r(sorted, len, sizeof(*sorted), compare_groups, &sorting);
	/* What is last becomes the first of its list, until the next does. */
	for (size_t i = len; i-- > 0;) {
		uint32_t parent = r->tree->parents[sorted[i]];
		uint32_t *first = &w.first[parent != 0 ? parent - 1 : len];

		w.next[sorted[i]] = *first;
		*first = sorted[i] + 1;
	}
	walk_below(&w, len, 1);
	put_in_order(r->rows, w.order, w.len);
	free(w.order);
	free(w.first);
	free(w.next);
	free(sorted);
}

void
report_free_tree(struct report *r)
{
	if (r->tree == NULL)
		return;
	free(r->tree->parents);
	free(r->tree->order);
	free(r->tree);
}
