/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/wait_cycle.h"

/* Who holds what the thread waits for, 0: nobody, or it is not known. */
static int
holder_of(const struct wait_thread *t)
{
	return t->state == LOOK_WAITS && t->still > 0 ? t->holder : 0;
}

/* Each cycle is found from its lowest thread alone. */
static size_t
follow(const struct wait_list *l, const struct wait_thread *first, int tids[WAIT_CYCLE_MAX])
{
	const struct wait_thread *t = first;

	for (size_t n = 0; n < WAIT_CYCLE_MAX; n++) {
		int holder = holder_of(t);

		tids[n] = t->tid;
		if (holder == first->tid)
			return n + 1;
		t = holder > first->tid ? wait_list_find(l, holder) : NULL;
		if (t == NULL)
			return 0;
	}
	return 0;
}

size_t
wait_cycle_find(const struct wait_list *l, int tids[WAIT_CYCLE_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < l->len && count == 0; i++)
		if (holder_of(&l->items[i]) != 0)
			count = follow(l, &l->items[i], tids);
	return count;
}
