/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/gains.h"

#include <stdlib.h>

enum { SWEEP_LEAST = 4096 };

static struct gains_value *
find(struct gains *g, uint64_t id, uint32_t tid)
{
	uint64_t hash = hash_mix(id, tid);
	uint32_t n, pos;

	for (n = index_first(&g->by_key, hash, &pos); n != 0;
	     n = index_next(&g->by_key, hash, &pos))
		if (g->items[n - 1].id == id && g->items[n - 1].tid == tid)
			return &g->items[n - 1];
	vec_reserve(&g->items, &g->cap, g->len + 1, sizeof(*g->items));
	g->items[g->len++] = (struct gains_value){ .id = id, .tid = tid };
	index_add(&g->by_key, hash, (uint32_t)g->len);
	return &g->items[g->len - 1];
}

uint64_t
gains_add(struct gains *g, uint64_t id, uint32_t tid, uint64_t value)
{
	struct gains_value *v = find(g, id, tid);
	uint64_t gain = value >= v->value ? value - v->value : value;

	v->value = value;
	return gain;
}

uint64_t
gains_keep(struct gains *g, uint64_t id, uint64_t gain)
{
	return find(g, id, 0)->kept += gain;
}

void
gains_restart(struct gains *g)
{
	for (size_t i = 0; i < g->len; i++)
		g->items[i].kept = 0;
}

void
gains_sweep(struct gains *g, bool (*is_there)(const void *self, uint32_t tid), const void *self)
{
	size_t kept = 0;

	if (g->len < MAX(g->sweep_len, (size_t)SWEEP_LEAST))
		return;
	index_clear(&g->by_key);
	for (size_t i = 0; i < g->len; i++) {
		const struct gains_value v = g->items[i];

		if (v.tid != 0 && !is_there(self, v.tid))
			continue;
		g->items[kept++] = v;
		index_add(&g->by_key, hash_mix(v.id, v.tid), (uint32_t)kept);
	}
	g->len = kept;
	g->sweep_len = kept * 2;
}

void
gains_release(struct gains *g)
{
	free(g->items);
	index_release(&g->by_key);
	*g = (struct gains){ 0 };
}
