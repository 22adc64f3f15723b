/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows are grouped by names, stacks are of places: a stack belongs to the row of its thread whose names
 * are those of its innermost place.
 */
#include "app/feed_stacks.h"

#include "base/index.h"
#include "view/export_stacks.h"

#include <stdlib.h>

/* What a row and the end of a stack have in common. */
struct leaf {
	const char *event, *comm, *dso, *symbol;
	int pid, tid;
};

struct heavy {
	uint64_t period;
	uint32_t node;
};

static struct leaf
leaf_of_row(const struct row *row)
{
	return (struct leaf){ row->event, row->comm, row->dso, row->symbol, row->pid, row->tid };
}

/* A place without a name is its address: a row has its dso beside that. */
static const char *
symbol_of(const struct stack_place *p)
{
	const char *plus = p->is_function ? NULL : strrchr(p->name, '+');

	return plus != NULL && strncmp(plus, "+0x", 3) == 0 ? plus + 1 : p->name;
}

static uint64_t
hash_text(uint64_t h, const char *text)
{
	return hash_mix(h, hash_bytes(text, strlen(text)));
}

static uint64_t
hash_leaf(const struct leaf *l)
{
	uint64_t h = hash_mix((uint32_t)l->pid, (uint32_t)l->tid);

	return hash_text(hash_text(hash_text(hash_text(h, l->event), l->comm), l->dso), l->symbol);
}

static bool
is_same(const struct leaf *a, const struct leaf *b)
{
	return a->tid == b->tid && a->pid == b->pid && strcmp(a->symbol, b->symbol) == 0 &&
	       strcmp(a->dso, b->dso) == 0 && strcmp(a->comm, b->comm) == 0 &&
	       strcmp(a->event, b->event) == 0;
}

static void
index_rows(struct index *rows, const struct snapshot *s, const uint32_t *numbers)
{
	for (size_t i = 0; i < s->row_count; i++) {
		const struct leaf l = leaf_of_row(&s->rows[i]);

		if (numbers[i] != UINT32_MAX)
			index_add(rows, hash_leaf(&l), (uint32_t)i + 1);
	}
}

/* The row that @want is of; UINT32_MAX: none. */
static uint32_t
find_row(const struct index *rows, const struct snapshot *s, const struct leaf *want)
{
	uint64_t hash = hash_leaf(want);
	uint32_t id, pos;

	for (id = index_first(rows, hash, &pos); id != 0; id = index_next(rows, hash, &pos)) {
		const struct leaf l = leaf_of_row(&s->rows[id - 1]);

		if (is_same(&l, want))
			return id - 1;
	}
	return UINT32_MAX;
}

static int
compare_heavy(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;

	if (x->period != y->period)
		return x->period > y->period ? -1 : 1;
	return x->node < y->node ? -1 : 1;
}

/* Where stacks end, the heaviest first. */
static struct heavy *
sort_ends(const struct stacks *st, size_t *count)
{
	struct heavy *list = NULL;
	size_t len = 0, cap = 0;

	for (uint32_t i = 1; i < st->node_count; i++)
		if (st->nodes[i].samples > 0 && st->nodes[i].parent != 0)
			VEC_ADD(list, len, cap) = (struct heavy){ st->nodes[i].period, i };
	if (len > 0)
		qsort(list, len, sizeof(*list), compare_heavy);
	*count = len;
	return list;
}

static struct hostfeed_place
place_of(const struct stacks *st, const struct stack_place *p)
{
	const struct stack_dso *dso = &st->dsos[p->dso];

	return (struct hostfeed_place){
		.dso = dso->name,
		.symbol = dso->kind == STACK_CUT ? HOSTFEED_CUT : symbol_of(p),
		.flags = (dso->kind == STACK_KERNEL ? HOSTFEED_KERNEL : 0) |
			 (p->is_function || dso->kind == STACK_CUT ? 0 : HOSTFEED_UNNAMED),
	};
}

static void
add_stack(struct hostfeed_encoder *e, const struct snapshot *s, const struct index *rows,
	  const uint32_t *numbers, uint32_t end)
{
	const struct stacks *st = s->stacks;
	const struct stack_node *n = &st->nodes[end];
	const struct stack_place *inner = &st->places[n->item];
	struct hostfeed_place callers[HOSTFEED_DEPTH_MAX];
	uint32_t at = HOSTFEED_DEPTH_MAX, up = n->parent, row;
	const struct stack_top *top;
	struct leaf leaf;

	for (; st->nodes[up].parent != 0; up = st->nodes[up].parent) {
		if (at == 0)
			return;
		callers[--at] = place_of(st, &st->places[st->nodes[up].item]);
	}
	top = &st->tops[st->nodes[up].item];
	leaf = (struct leaf){ s->events[top->event].name, top->comm, st->dsos[inner->dso].name,
			      symbol_of(inner), top->pid, top->tid };
	row = find_row(rows, s, &leaf);
	if (row != UINT32_MAX)
		hostfeed_add_stack(e, numbers[row], callers + at, HOSTFEED_DEPTH_MAX - at, n->samples,
				   n->period);
}

void
feed_stacks_add(struct hostfeed_encoder *e, const struct snapshot *s, const uint32_t *numbers)
{
	struct index rows = { 0 };
	size_t count;
	struct heavy *ends = sort_ends(s->stacks, &count);

	index_rows(&rows, s, numbers);
	for (size_t i = 0; i < MIN(count, (size_t)HOSTFEED_STACKS_SENT); i++)
		add_stack(e, s, &rows, numbers, ends[i].node);
	index_release(&rows);
	free(ends);
}
