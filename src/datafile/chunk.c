/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/chunk.h"

#include <stdlib.h>

/* Unused chunks that keep their memory: more than a usual round needs.  The rest is freed. */
enum { KEPT_MAX = 16 };

uint32_t
chunk_take(struct chunks *c)
{
	uint32_t chunk;

	if (c->unused != 0) {
		chunk = c->unused - 1;
		c->unused = c->items[chunk].next;
	} else {
		vec_reserve(&c->items, &c->cap, c->len + 1, sizeof(*c->items));
		chunk = (uint32_t)c->len++;
		c->items[chunk] = (struct chunk){ 0 };
	}
	if (c->items[chunk].data == NULL)
		c->items[chunk].data = mem_realloc(NULL, 1, CHUNK_BYTES);
	else
		c->kept--;
	c->items[chunk].refs = 1;
	c->live++;
	return chunk;
}

void
chunk_retire(struct chunks *c, uint32_t chunk)
{
	struct chunk *item = &c->items[chunk];

	c->live--;
	if (c->kept < KEPT_MAX) {
		c->kept++;
	} else {
		free(item->data);
		item->data = NULL;
	}
	item->next = c->unused;
	c->unused = chunk + 1;
}

void
chunks_release(struct chunks *c)
{
	for (size_t i = 0; i < c->len; i++)
		free(c->items[i].data);
	free(c->items);
	*c = (struct chunks){ 0 };
}
