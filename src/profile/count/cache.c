/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/cache.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PAIRS = 256 };

static void
cache_alloc(struct cache *c, size_t pairs)
{
	c->pairs = pairs;
	c->puts = 0;
	c->slots = mem_calloc(pairs * 2, sizeof(*c->slots));
}

void
cache_init(struct cache *c, size_t max_pairs)
{
	c->max_pairs = max_pairs;
	cache_alloc(c, MIN((size_t)FIRST_PAIRS, max_pairs));
}

void
cache_release(struct cache *c)
{
	free(c->slots);
	*c = (struct cache){ 0 };
}

void
cache_clear(struct cache *c)
{
	memset(c->slots, 0, c->pairs * 2 * sizeof(*c->slots));
}

void
cache_grow(struct cache *c)
{
	struct cache old = *c;

	cache_alloc(c, old.pairs * 2);
	for (size_t i = 0; i < old.pairs * 2; i++) {
		const struct cache_slot *s = &old.slots[i];

		if (s->value != 0)
			cache_put(c, s->tag, s->check, s->value);
	}
	c->puts = 0;
	free(old.slots);
}

void
cache_forget_light(struct cache *c, const uint32_t *weights, uint32_t least)
{
	for (size_t i = 0; i < c->pairs * 2; i++)
		if (weights[c->slots[i].value] < least)
			c->slots[i] = (struct cache_slot){ 0 };
}

void
cache_renumber(struct cache *c, const uint32_t *map)
{
	for (size_t i = 0; i < c->pairs * 2; i++) {
		struct cache_slot *s = &c->slots[i];

		s->check = map[s->check];
		s->value = map[s->value];
	}
}
