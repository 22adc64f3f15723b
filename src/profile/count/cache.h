/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_CACHE_H
#define PTOP_PROFILE_COUNT_CACHE_H
/*
 * Bounded caches for samples: from an address in a space to its location, and from (node, hash of
 * addresses or places) to the node below.  Two-way: what is new goes into the second slot, what is
 * found there again changes to the first, so that what comes but once drives nothing useful out.
 * Keys are not kept: hashes stand for them.  Engine thread only.
 */
#include "base/util.h"

enum { ADDRESS_CACHE_PAIRS_MAX = 8 << 10, STACK_CACHE_PAIRS_MAX = 32 << 10 };

struct cache_slot {
	uint64_t tag;
	uint32_t check;
	uint32_t value; /* 0: empty */
};

struct cache {
	struct cache_slot *slots;
	size_t pairs, max_pairs; /* powers of two: it grows with what is put into it */
	size_t puts;             /* since it grew */
};

void cache_init(struct cache *c, size_t max_pairs);
void cache_release(struct cache *c);
void cache_clear(struct cache *c);
void cache_grow(struct cache *c);

/*
 * Where values and checks are numbers of one table, which gives out new ones: forgets those whose
 * value weighs less than @least, and makes each number that is left what @map has for it.  Both are
 * by number, and have 0 for 0.
 */
void cache_forget_light(struct cache *c, const uint32_t *weights, uint32_t least);
void cache_renumber(struct cache *c, const uint32_t *map);

static inline size_t
cache_bytes(const struct cache *c)
{
	return c->pairs * 2 * sizeof(*c->slots);
}

static inline size_t
cache_max_bytes(const struct cache *c)
{
	return c->max_pairs * 2 * sizeof(*c->slots);
}

/* @tag will be looked for soon. */
static inline void
cache_prefetch(const struct cache *c, uint64_t tag)
{
	__builtin_prefetch(&c->slots[(tag & (c->pairs - 1)) * 2]);
}

/* 0 if it is not there. */
static inline uint32_t
cache_get(struct cache *c, uint64_t tag, uint32_t check)
{
	struct cache_slot *s = &c->slots[(tag & (c->pairs - 1)) * 2], newer;

	if (s[0].tag == tag && s[0].check == check)
		return s[0].value;
	if (s[1].tag != tag || s[1].check != check)
		return 0;
	newer = s[1];
	s[1] = s[0];
	s[0] = newer;
	return newer.value;
}

static inline void
cache_put(struct cache *c, uint64_t tag, uint32_t check, uint32_t value)
{
	struct cache_slot *s;

	if (++c->puts > c->pairs && c->pairs < c->max_pairs)
		cache_grow(c);
	s = &c->slots[(tag & (c->pairs - 1)) * 2];
	s[s[0].value != 0] = (struct cache_slot){ tag, check, value };
}

#endif
