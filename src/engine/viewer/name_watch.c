/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/name_watch.h"

#include "base/clock.h"

#include <stdlib.h>

enum { SAMPLES_LEAST = 20 }; /* for a part that says something */

#define LEAST_PART 0.01 /* what is less is not worth it */

struct name_watched *
name_watch_of(struct name_watch *w, int pid)
{
	for (size_t i = 0; i < w->len; i++)
		if (w->items[i].pid == pid)
			return &w->items[i];
	return NULL;
}

struct name_watched *
name_watch_add(struct name_watch *w, int pid)
{
	struct name_watched *item = name_watch_of(w, pid);

	if (item == NULL && w->len < NAME_WATCH_MAX) {
		item = &VEC_ADD(w->items, w->len, w->cap);
		*item = (struct name_watched){ .pid = pid };
	}
	return item;
}

void
name_watch_release(struct name_watch *w)
{
	free(w->items);
}

void
name_watched_ask(struct name_watched *item, uint64_t now_ns)
{
	item->asked_ns = now_ns;
	item->least = 1;
}

/* Of what was counted since the last look; names that have come since then take from it. */
static double
nameless_part(const struct name_watched *item)
{
	const uint64_t all = item->all - MIN(item->all_before, item->all);
	const uint64_t nameless = item->nameless - MIN(item->nameless_before, item->nameless);

	return all > 0 ? (double)nameless / (double)all : 0;
}

bool
name_watched_is_due(struct name_watched *item, uint64_t now_ns)
{
	const double part = nameless_part(item);

	if (item->asked_ns == 0)
		return item->has_none && part >= LEAST_PART;
	if (item->all < item->all_before + SAMPLES_LEAST)
		return false;
	item->all_before = item->all;
	item->nameless_before = item->nameless;
	if (part > item->least + LEAST_PART)
		return now_ns - item->asked_ns >= NAME_WATCH_AGAIN_S * NSEC_PER_SEC;
	item->least = part < item->least ? part : item->least;
	return false;
}
