/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows that are a tree: each has what those below it have, too, and stands before them. */
#include "profile/report/report_impl.h"

#include <math.h>
#include <stdlib.h>

enum { DEPTH_MAX = 255 };

void
report_tree_begin(struct report *r, uint32_t *parents, uint32_t *depths, size_t len)
{
	struct row_tree *t = r->tree = mem_calloc(1, sizeof(*t));
	uint32_t most = 0, *places;

	t->parents = parents;
	t->order = mem_calloc(len + 1, sizeof(*t->order));
	for (size_t i = 0; i < len; i++)
		most = MAX(most, depths[i]);
	/* Where those of each depth begin, the deepest first. */
	places = mem_calloc((size_t)most + 2, sizeof(*places));
	for (size_t i = 0; i < len; i++)
		places[most - depths[i] + 1]++;
	for (size_t i = 0; i <= most; i++)
		places[i + 1] += places[i];
	for (uint32_t i = 0; i < len; i++)
		t->order[places[most - depths[i]]++] = i;
	free(places);
	free(depths);
}

static void
add_beside(struct report *r, struct row *above, const struct row *below)
{
	if (below->beside == NULL)
		return;
	if (above->beside == NULL) /* a task without samples of its own */
		above->beside = arena_alloc(&r->out->arena, r->beside_count * sizeof(*above->beside));
	for (size_t i = 0; i < r->beside_count; i++) {
		above->beside[i].share += below->beside[i].share;
		above->beside[i].per_second += below->beside[i].per_second;
	}
}

/* What is below it is its own, too.  How sure its own share is says nothing of the sum's. */
static void
row_add(struct report *r, struct row *above, const struct row *below)
{
	add_beside(r, above, below);
	above->ipc = NAN;

	above->samples += below->samples;
	above->period += below->period;
	above->counted += below->counted;
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
	uint32_t *depths = mem_calloc(r->row_len + 1, sizeof(*depths));

	for (uint32_t i = 0; i < r->row_len; i++)
		if (count_above(parents, i) == DEPTH_MAX)
			parents[i] = 0;
	for (uint32_t i = 0; i < r->row_len; i++)
		depths[i] = count_above(parents, i);
	report_tree_begin(r, parents, depths, r->row_len);
	for (size_t i = 0; i < r->row_len; i++) {
		uint32_t row = r->tree->order[i], parent = parents[row];

		if (parent != 0)
			row_add(r, &r->rows[parent - 1], &r->rows[row]);
	}
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
compare_sorted(const void *a, const void *b, void *sorting)
{
	const struct sorting *s = sorting;

	return s->compare(&s->rows[*(const uint32_t *)a], &s->rows[*(const uint32_t *)b], s->arg);
}

void
report_sort_tree(struct report *r, int (*compare)(const void *a, const void *b, void *arg),
		 void *arg)
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
	qsort_r(sorted, len, sizeof(*sorted), compare_sorted, &sorting);
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
