/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/watch.h"

#include "profile/place/jit.h"
#include "profile/place/location.h"

#include <string.h>

/* @p was looked at since then, and is not any more. */
static void
add_past(struct watch *w, struct watched_past p, uint64_t since_ns, uint64_t now_ns)
{
	if (w->past_len == WATCHED_PAST_MAX) {
		w->past_from_ns = w->past[0].until_ns;
		memmove(&w->past[0], &w->past[1], --w->past_len * sizeof(w->past[0]));
	}
	p.since_ns = since_ns;
	p.cpu_since_ns = w->by_cpu ? watch_cpu_since(w, since_ns, true) : UINT64_MAX;
	p.until_ns = now_ns;
	w->past[w->past_len++] = p;
}

static void
end_item(struct watch *w, const struct locations *l, const struct watched *item, uint64_t now_ns)
{
	const uint32_t at = locations_resolve(l, item->location);
	struct watched_past p = { .dso = l->items[at].dso };
	uint64_t size;

	if (jit_range_of(l, at, &p.start, &size))
		p.end = p.start + size;
	else if (!locations_range(l, &l->items[at], &p.start, &p.end))
		p.end = UINT64_MAX; /* it was given back: rather too much than what counts twice */
	add_past(w, p, item->since_ns, now_ns);
}

void
watch_add(struct watch *w, const struct locations *l, uint32_t location, uint64_t now_ns)
{
	if (w->len == WATCHED_MAX) {
		end_item(w, l, &w->items[0], now_ns);
		memmove(&w->items[0], &w->items[1], --w->len * sizeof(w->items[0]));
	}
	w->items[w->len++] = (struct watched){ location, now_ns };
}

void
watch_dso(struct watch *w, uint32_t dso, uint64_t now_ns)
{
	if (w->dso != 0)
		add_past(w, (struct watched_past){ .dso = w->dso, .end = UINT64_MAX },
			 w->dso_since_ns, now_ns);
	w->dso = dso;
	w->dso_since_ns = now_ns;
}

void
watch_end(struct watch *w, const struct locations *l, uint64_t now_ns)
{
	for (size_t i = 0; i < w->len; i++)
		end_item(w, l, &w->items[i], now_ns);
	w->len = 0;
	watch_dso(w, 0, now_ns);
	w->by_cpu &= w->all;
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
watch_cpu_since(const struct watch *w, uint64_t since_ns, bool by_cpu)
{
	return by_cpu && since_ns != UINT64_MAX ? MAX(since_ns, w->cpu_since_ns) : since_ns;
}

static uint64_t
since_at(const struct watch *w, const struct locations *l, uint32_t dso, uint64_t offset)
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

static bool
past_tells(const struct watched_past *p, const struct watch_moment *at, bool by_cpu)
{
	return at->time_ns >= (by_cpu ? p->cpu_since_ns : p->since_ns) && at->time_ns < p->until_ns &&
	       at->dso == p->dso && at->offset >= p->start && at->offset < p->end;
}

bool
watch_tells(const struct watch *w, const struct locations *l, const struct watch_moment *at, bool by_cpu)
{
	if (at->time_ns < w->past_from_ns)
		return true;
	for (size_t i = 0; i < w->past_len; i++)
		if (past_tells(&w->past[i], at, by_cpu))
			return true;
	return at->time_ns >= watch_cpu_since(w, since_at(w, l, at->dso, at->offset), by_cpu);
}
