/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/inlined.h"

#include "profile/place/location_store.h"
#include "symbol/ask/ask.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(INLINED_FRAMES_MAX == INLINES_MAX + 1, "what the symbol service tells has room");

void
inlined_release(struct inlined *in)
{
	free(in->links);
	free(in->innermost);
	index_release(&in->index);
	*in = (struct inlined){ 0 };
}

static uint32_t
find_exact(const struct locations *l, uint32_t dso, uint64_t offset)
{
	return locations_lookup(l, location_hash(dso, LOCATION_EXACT, offset), dso, LOCATION_EXACT,
				offset);
}

uint32_t
inlined_place(struct locations *l, uint32_t location, uint32_t dso, uint64_t offset)
{
	uint32_t id;

	if (l->inlined.max == 0 || dsos_get(&l->model->dsos, dso)->kind != DSO_FILE)
		return location;
	id = find_exact(l, dso, offset);
	if (id != 0)
		return id;
	if (l->inlined.len >= l->inlined.max) {
		l->inlined.missed++;
		return location;
	}
	l->inlined.len++;
	return locations_add(l, location_hash(dso, LOCATION_EXACT, offset), (struct location){
		.dso = dso, .offset = offset, .fn = IMAGE_NONE, .forward = location,
		.kind = LOCATION_EXACT });
}

static int
compare_asks(const void *a, const void *b)
{
	const struct inlined_ask *x = a, *y = b;

	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

struct inlined_ask *
inlined_take(struct locations *l, size_t most, size_t *count)
{
	struct inlined_ask *asks = NULL;
	size_t cap = 0;

	*count = 0;
	for (; l->inlined.max > 0 && l->inlined.asked < l->len && *count < most;
	     l->inlined.asked++) {
		const struct location *loc = &l->items[l->inlined.asked];

		if (loc->kind != LOCATION_EXACT)
			continue;
		vec_reserve(&asks, &cap, *count + 1, sizeof(*asks));
		asks[(*count)++] = (struct inlined_ask){ loc->offset, loc->dso };
	}
	if (*count > 0)
		qsort(asks, *count, sizeof(*asks), compare_asks);
	return asks;
}

void
inlined_ask_again(struct inlined *in)
{
	in->asked = 0;
	in->lost = 0;
}

/* The inlined function of that name, made if it is new. */
static uint32_t
find_function(struct locations *l, uint32_t dso, uint32_t name)
{
	uint64_t hash = location_hash(dso, LOCATION_EXACT, ~(uint64_t)name);
	uint32_t id, pos;

	for (id = index_first(&l->index, hash, &pos); id != 0;
	     id = index_next(&l->index, hash, &pos))
		if (l->items[id].is_inlined && l->items[id].dso == dso &&
		    l->items[id].name == name)
			return id;
	return locations_add(l, hash, (struct location){ .dso = dso, .fn = IMAGE_NONE,
							 .name = name, .kind = LOCATION_FUNCTION,
							 .is_inlined = true });
}

static uint32_t
find_link(struct inlined *in, uint32_t outer, uint32_t location)
{
	uint64_t hash = hash_mix(outer, location);
	uint32_t id, pos;

	for (id = index_first(&in->index, hash, &pos); id != 0;
	     id = index_next(&in->index, hash, &pos))
		if (in->links[id].outer == outer && in->links[id].location == location)
			return id;
	id = (uint32_t)MAX(in->link_len, 1);
	vec_reserve(&in->links, &in->link_cap, id + 1, sizeof(*in->links));
	in->links[id] = (struct inlined_link){ outer, location };
	in->link_len = id + 1;
	index_add(&in->index, hash, id);
	return id;
}

void
inlined_learn(struct locations *l, uint32_t dso, uint64_t offset, const char *names, uint32_t count)
{
	uint32_t place = find_exact(l, dso, offset), link = 0;
	struct inlined *in = &l->inlined;

	if (place == 0)
		return;
	for (uint32_t i = 0; i < count && i < INLINES_MAX; i++, names += strlen(names) + 1)
		link = find_link(in, link, find_function(l, dso, strs_add_str(&l->model->strs,
									      names)));
	vec_reserve_zeroed(&in->innermost, &in->place_cap, place + 1, sizeof(*in->innermost));
	in->innermost[place] = link;
}

size_t
inlined_frames(const struct locations *l, uint32_t location, uint32_t frames[INLINED_FRAMES_MAX])
{
	const struct inlined *in = &l->inlined;
	uint32_t link = location < in->place_cap ? in->innermost[location] : 0;
	size_t len = 1, at;

	for (uint32_t i = link; i != 0; i = in->links[i].outer)
		len++;
	at = len;
	for (; link != 0; link = in->links[link].outer)
		frames[--at] = in->links[link].location;
	frames[0] = locations_resolve(l, location);
	return len;
}
