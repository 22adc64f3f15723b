/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/index.h"

#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

static void
index_put(struct index *ix, struct index_slot slot)
{
	uint32_t pos = slot.tag & ix->mask;

	while (ix->slots[pos].id != 0)
		pos = (pos + 1) & ix->mask;
	ix->slots[pos] = slot;
}

static void
index_grow(struct index *ix)
{
	struct index_slot *old = ix->slots;
	size_t n = old != NULL ? (size_t)ix->mask + 1 : 0;
	size_t cap = n != 0 ? n * 2 : 16;

	ix->slots = mem_calloc(cap, sizeof(*ix->slots));
	/* calloc() does not touch what is as large; all of it is written soon, in no order. */
	if (cap * sizeof(*ix->slots) >= HEAP_LARGE)
		pages_populate(ix->slots, cap * sizeof(*ix->slots));
	ix->mask = (uint32_t)(cap - 1);
	for (size_t i = 0; i < n; i++)
		if (old[i].id != 0)
			index_put(ix, old[i]);
	free(old);
}

void
index_add(struct index *ix, uint64_t hash, uint32_t id)
{
	if (ix->slots == NULL || ix->used >= ((uint64_t)ix->mask + 1) / 4 * 3)
		index_grow(ix);
	index_put(ix, (struct index_slot){ index_tag(hash), id });
	ix->used++;
}

void
index_remove(struct index *ix, uint64_t hash, uint32_t id)
{
	uint32_t pos, next, home;

	if (ix->slots == NULL)
		return;
	pos = index_tag(hash) & ix->mask;
	while (ix->slots[pos].id != id) {
		if (ix->slots[pos].id == 0)
			return;
		pos = (pos + 1) & ix->mask;
	}
	for (next = (pos + 1) & ix->mask; ix->slots[next].id != 0; next = (next + 1) & ix->mask) {
		home = ix->slots[next].tag & ix->mask;
		/* A follower may move back only if its home is not behind the hole. */
		if (((next - home) & ix->mask) >= ((next - pos) & ix->mask)) {
			ix->slots[pos] = ix->slots[next];
			pos = next;
		}
	}
	ix->slots[pos].id = 0;
	ix->used--;
}

void
index_clear(struct index *ix)
{
	if (ix->slots != NULL)
		memset(ix->slots, 0, ((size_t)ix->mask + 1) * sizeof(*ix->slots));
	ix->used = 0;
}

void
index_release(struct index *ix)
{
	free(ix->slots);
	*ix = (struct index){ 0 };
}

size_t
index_bytes(const struct index *ix)
{
	return ix->slots != NULL ? ((size_t)ix->mask + 1) * sizeof(*ix->slots) : 0;
}
