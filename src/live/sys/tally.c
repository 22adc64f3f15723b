/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/tally.h"

#include <stdlib.h>
#include <string.h>

void
tallies_add(struct tallies *all, const struct tally *t)
{
	struct tally *here;
	size_t at;

	FIND_FIRST(at, all->len, all->items[at].cpu >= t->cpu);
	if (at == all->len || all->items[at].cpu != t->cpu) {
		vec_reserve(&all->items, &all->cap, all->len + 1, sizeof(*all->items));
		here = &all->items[at];
		memmove(here + 1, here, (all->len - at) * sizeof(*here));
		*here = (struct tally){ .cpu = t->cpu };
		all->len++;
	}
	all->items[at].counted += t->counted;
	all->items[at].lost += t->lost;
}

void
tallies_append(struct tallies *to, const struct tallies *from)
{
	for (size_t i = 0; i < from->len; i++)
		tallies_add(to, &from->items[i]);
}

uint64_t
tallies_lost(const struct tallies *all)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < all->len; i++)
		sum += all->items[i].lost;
	return sum;
}

void
tallies_release(struct tallies *all)
{
	free(all->items);
	*all = (struct tallies){ 0 };
}
