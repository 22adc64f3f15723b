/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/cache.h"

#include <stdlib.h>
#include <string.h>

void
cache_init(struct cache *c, size_t pairs)
{
	c->pairs = pairs;
	c->slots = mem_calloc(pairs * 2, sizeof(*c->slots));
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
