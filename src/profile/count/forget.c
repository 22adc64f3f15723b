/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Forgets locations that no entry names any more.  Where programs come and go, these are most of
 * the functions that were ever sampled, once their entries were folded.  When one is sampled again
 * it is found in its image again.
 */
#include "profile/count/fold_impl.h"

#include <stdlib.h>

enum {
	MORE_LEAST = 1024, /* locations than after the last time, until it is worth a look, */
	MORE_PART = 8,     /* and such a part of those */
};

/* @id and all that it was folded into. */
static void
mark(const struct locations *l, uint32_t *used, uint32_t id)
{
	for (; id != 0; id = l->items[id].forward)
		used[id] = 1;
}

static void
mark_counted(const struct profile *p, uint32_t *used)
{
	const struct tables *t = &p->tables;
	const struct labels *labels = &p->labels;

	for (size_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		mark(p->locations, used, t->hot[id].location);
	for (size_t id = 1; id < t->cells[TABLE_TREE].len; id++)
		if (t->tree[id].parent != 0)
			mark(p->locations, used, t->tree[id].location);
	for (size_t id = 1; id < labels->len; id++) {
		mark(p->locations, used, labels->items[id].from);
		mark(p->locations, used, labels->items[id].to);
		mark(p->locations, used, labels->items[id].holding_at);
		mark(p->locations, used, labels->items[id].waits_at);
	}
}

/* Functions of images, and what was folded; what others name by its number is neither. */
static bool
may_go(const struct location *loc)
{
	if (loc->forward != 0)
		return true;
	return loc->kind == LOCATION_FUNCTION && loc->fn != IMAGE_NONE;
}

void
forget_locations(struct profile *p)
{
	struct locations *l = p->locations;
	size_t count = l->len - l->free_len;
	uint32_t *used;

	/* Exact places are known by their numbers. */
	if (l->inlined.max > 0 || count < l->kept + l->kept / MORE_PART + MORE_LEAST)
		return;
	used = mem_calloc(l->len, sizeof(*used));
	mark_counted(p, used);
	mark(l, used, p->keep_location);
	for (size_t i = 0; i < p->watch.len; i++)
		mark(l, used, p->watch.items[i].location);
	for (uint32_t id = 1; id < l->len; id++)
		if (!may_go(&l->items[id]))
			used[id] = 1;
	if (p->places != NULL)
		cache_forget_light(p->places, used, 1);
	for (uint32_t id = 1; id < l->len; id++)
		if (used[id] == 0)
			locations_forget(l, id);
	free(used);
	l->kept = l->len - l->free_len;
	p->epoch++;
}
