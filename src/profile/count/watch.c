/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/watch.h"

#include <string.h>

void
watch_add(struct watch *w, uint32_t location, uint64_t now_ns)
{
	if (w->len == WATCHED_MAX)
		memmove(&w->items[0], &w->items[1], --w->len * sizeof(w->items[0]));
	w->items[w->len++] = (struct watched){ location, now_ns };
}

uint64_t
watch_since(const struct watch *w, const struct locations *l, uint32_t location)
{
	if (w->all)
		return 0;
	for (size_t i = 0; i < w->len; i++)
		if (locations_resolve(l, w->items[i].location) == location)
			return w->items[i].since_ns;
	return UINT64_MAX;
}
