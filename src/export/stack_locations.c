/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/stack_locations.h"

#include <stdlib.h>

uint64_t
stack_locations_folded(const struct stack_locations *l)
{
	return l->st->place_count + 1;
}

uint64_t
stack_locations_first_inlined(const struct stack_locations *l)
{
	return l->st->place_count + 2;
}

static uint64_t
inlined_location(struct stack_locations *l, uint64_t outer, uint32_t place)
{
	uint64_t hash = hash_mix(outer, place), first = stack_locations_first_inlined(l);
	uint32_t n, pos;

	for (n = index_first(&l->index, hash, &pos); n != 0; n = index_next(&l->index, hash, &pos))
		if (l->inlined[n - 1].outer == outer && l->inlined[n - 1].place == place)
			return first + n - 1;
	VEC_ADD(l->inlined, l->inlined_len, l->inlined_cap) = (struct inlined_frame){ outer, place };
	index_add(&l->index, hash, (uint32_t)l->inlined_len);
	return first + l->inlined_len - 1;
}

static bool
is_inlined(const struct stacks *st, uint32_t node)
{
	return st->nodes[node].parent != 0 && st->places[st->nodes[node].item].is_inlined;
}

void
stack_locations_init(struct stack_locations *l, const struct stacks *st)
{
	*l = (struct stack_locations){ .st = st };
	l->by_node = mem_calloc(st->node_count + 1, sizeof(*l->by_node));
	for (uint32_t id = 1; id < st->node_count; id++) {
		const struct stack_node *n = &st->nodes[id];

		l->by_node[id] = is_inlined(st, id) ? inlined_location(l, l->by_node[n->parent], n->item)
						    : (uint64_t)n->item + 1;
	}
}

void
stack_locations_release(struct stack_locations *l)
{
	free(l->by_node);
	free(l->inlined);
	free(l->path);
	index_release(&l->index);
}

const struct stack_top *
stack_locations_path(struct stack_locations *l, uint32_t node, size_t *len)
{
	const struct stacks *st = l->st;
	size_t n = 0;

	for (; st->nodes[node].parent != 0; node = st->nodes[node].parent) {
		VEC_ADD(l->path, n, l->path_cap) = l->by_node[node];
		while (is_inlined(st, node))
			node = st->nodes[node].parent;
	}
	if (n == 0)
		VEC_ADD(l->path, n, l->path_cap) = stack_locations_folded(l);
	*len = n;
	return &st->tops[st->nodes[node].item];
}
