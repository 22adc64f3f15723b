/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/recording/known_look.h"

#include <stdlib.h>
#include <string.h>

/* Its place, from 1; 0: it is not there. */
static uint32_t
find(const struct known_looks *k, uint64_t asked)
{
	uint32_t pos, at;

	for (at = index_first(&k->index, asked, &pos); at != 0;
	     at = index_next(&k->index, asked, &pos))
		if (k->items[at - 1].asked == asked)
			break;
	return at;
}

static void
forget(struct known_looks *k, struct known_look *look)
{
	if (look->bytes == NULL)
		return;
	index_remove(&k->index, look->asked, (uint32_t)(look - k->items) + 1);
	k->bytes -= look->len;
	free(look->bytes);
	*look = (struct known_look){ 0 };
}

struct known_look *
known_looks_find(const struct known_looks *k, uint64_t asked)
{
	uint32_t at = find(k, asked);

	return at != 0 ? &k->items[at - 1] : NULL;
}

void
known_looks_add(struct known_looks *k, uint64_t asked, uint64_t tag, struct bytes whole)
{
	uint32_t at = find(k, asked);
	struct known_look *look;

	if (k->items == NULL)
		k->items = mem_calloc(KNOWN_LOOKS, sizeof(*k->items));
	if (at != 0)
		forget(k, &k->items[at - 1]);
	look = &k->items[k->next];
	forget(k, look);
	/* Those behind it are the oldest. */
	for (size_t i = 1; i < KNOWN_LOOKS && k->bytes + whole.len > KNOWN_LOOKS_BYTES; i++)
		forget(k, &k->items[(k->next + i) % KNOWN_LOOKS]);
	*look = (struct known_look){ asked, tag, mem_calloc(1, whole.len), whole.len };
	memcpy(look->bytes, whole.data, whole.len);
	k->bytes += whole.len;
	index_add(&k->index, asked, (uint32_t)k->next + 1);
	k->next = (k->next + 1) % KNOWN_LOOKS;
}

void
known_looks_release(struct known_looks *k)
{
	for (size_t i = 0; k->items != NULL && i < KNOWN_LOOKS; i++)
		free(k->items[i].bytes);
	free(k->items);
	index_release(&k->index);
	*k = (struct known_looks){ 0 };
}

size_t
known_looks_held(const struct known_looks *k)
{
	return k->bytes + (k->items != NULL ? KNOWN_LOOKS * sizeof(*k->items) : 0) +
	       index_bytes(&k->index);
}

size_t
known_looks_bound(void)
{
	/* An index is at most three quarters full, and grows by doubling. */
	return KNOWN_LOOKS_BYTES + UINT16_MAX + KNOWN_LOOKS * sizeof(struct known_look) +
	       2 * KNOWN_LOOKS * sizeof(struct index_slot);
}
