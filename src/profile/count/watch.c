/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/watch.h"

#include "profile/place/location.h"

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
	return watch_dso_since(w, l->items[location].dso);
}

uint64_t
watch_dso_since(const struct watch *w, uint32_t dso)
{
	if (w->all)
		return 0;
	return w->dso != 0 && w->dso == dso ? w->dso_since_ns : UINT64_MAX;
}

uint64_t
watch_since_at(const struct watch *w, const struct locations *l, uint32_t dso, uint64_t offset)
{
	uint64_t start, end;

	for (size_t i = 0; i < w->len && !w->all; i++) {
		const struct location *loc = &l->items[locations_resolve(l, w->items[i].location)];

		if (loc->dso == dso && locations_range(l, loc, &start, &end) && offset >= start &&
		    offset < end)
			return w->items[i].since_ns;
	}
	return watch_dso_since(w, dso);
}
