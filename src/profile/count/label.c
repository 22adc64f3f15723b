/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/label.h"

#include <stdlib.h>
#include <string.h>

/* Labels are compared as bytes: there must be none between their members. */
_Static_assert(sizeof(struct label) == 15 * sizeof(uint64_t), "padding in struct label");

void
labels_init(struct labels *l)
{
	*l = (struct labels){ .len = 1, .bucket_ns = NSEC_PER_SEC };
	vec_reserve(&l->items, &l->cap, 16, sizeof(*l->items));
	l->items[0] = (struct label){ 0 };
}

void
labels_release(struct labels *l)
{
	free(l->items);
	index_release(&l->index);
	*l = (struct labels){ 0 };
}

uint32_t
labels_find(struct labels *l, const struct label *want)
{
	uint32_t *near = &l->near[(want->syscall + want->field) % LABELS_NEAR], id, pos;
	uint64_t hash;

	if (memcmp(want, &l->items[*near], sizeof(*want)) == 0)
		return *near;
	if (memcmp(want, &l->items[0], sizeof(*want)) == 0)
		return 0;
	hash = hash_bytes(want, sizeof(*want));
	for (id = index_first(&l->index, hash, &pos); id != 0; id = index_next(&l->index, hash, &pos))
		if (memcmp(want, &l->items[id], sizeof(*want)) == 0)
			return *near = id;
	vec_reserve(&l->items, &l->cap, l->len + 1, sizeof(*l->items));
	id = (uint32_t)l->len++;
	l->items[id] = *want;
	index_add(&l->index, hash, id);
	return id;
}

uint64_t
labels_bucket(const struct labels *l, uint64_t time_ns)
{
	/* A record that came late may be older than the first one that was seen. */
	uint64_t since_ns = time_ns > l->start_ns ? time_ns - l->start_ns : 0;

	return since_ns - since_ns % l->bucket_ns + 1;
}
