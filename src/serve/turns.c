/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/turns.h"

uint64_t
turns_of(const struct turns *t, const struct asker *who)
{
	for (size_t i = 0; i < TURNS_KEPT; i++)
		if (t->kept[i].at > 0 && asker_is(&t->kept[i].who, who))
			return t->kept[i].at;
	return 0;
}

void
turns_take(struct turns *t, const struct asker *who)
{
	uint64_t before = turns_of(t, who);
	size_t place = 0;

	/* Its own, or the one of the longest time ago. */
	for (size_t i = 0; i < TURNS_KEPT; i++)
		if (before > 0 ? t->kept[i].at == before : t->kept[i].at < t->kept[place].at)
			place = i;
	t->kept[place].who = *who;
	t->kept[place].at = ++t->last;
}
