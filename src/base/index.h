/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_INDEX_H
#define PTOP_BASE_INDEX_H
/*
 * Open addressing: from a hash to the ids of entries that live in an array elsewhere.  Each slot
 * keeps 32 bits of the hash beside the id, so a probe seldom touches an entry.  Id 0 is "none".
 * Linear probing, at most three quarters full, deletion moves the followers back: no tombstones.
 *
 *	uint32_t pos, id;
 *	for (id = index_first(&ix, hash, &pos); id != 0; id = index_next(&ix, hash, &pos))
 *		if (entries[id] is the one)
 *			break;
 *
 * Zero-initialise to begin.  One thread.
 */
#include "base/util.h"

struct index_slot {
	uint32_t tag, id;
};

struct index {
	struct index_slot *slots;
	uint32_t mask; /* slots - 1, 0 while there are none */
	uint32_t used;
};

void index_add(struct index *ix, uint64_t hash, uint32_t id); /* does not look for an equal one */
void index_remove(struct index *ix, uint64_t hash, uint32_t id);
void index_clear(struct index *ix); /* empty, memory kept */
void index_release(struct index *ix);
size_t index_bytes(const struct index *ix);

static inline uint32_t
index_tag(uint64_t hash)
{
	return (uint32_t)(hash ^ (hash >> 32));
}

/* @hash will be looked for soon. */
static inline void
index_prefetch(const struct index *ix, uint64_t hash)
{
	if (ix->slots != NULL)
		__builtin_prefetch(&ix->slots[index_tag(hash) & ix->mask]);
}

static inline uint32_t
index_next(const struct index *ix, uint64_t hash, uint32_t *pos)
{
	uint32_t tag = index_tag(hash);

	for (;;) {
		const struct index_slot *s = &ix->slots[*pos & ix->mask];

		(*pos)++;
		if (s->id == 0 || s->tag == tag)
			return s->id;
	}
}

static inline uint32_t
index_first(const struct index *ix, uint64_t hash, uint32_t *pos)
{
	if (ix->slots == NULL)
		return 0;
	*pos = index_tag(hash) & ix->mask;
	return index_next(ix, hash, pos);
}

#endif
