/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/location_store.h"

struct dso_symbols *
locations_symbols(struct locations *l, uint32_t dso)
{
	vec_reserve_zeroed(&l->symbols, &l->symbols_cap, dso + 1, sizeof(*l->symbols));
	return &l->symbols[dso];
}

const struct image *
locations_image(const struct locations *l, uint32_t dso)
{
	const struct image *own = dso < l->symbols_cap ? l->symbols[dso].image : NULL;

	if (own != NULL || dsos_get(&l->model->dsos, dso)->kind != DSO_MODULE)
		return own;
	return DSO_ID_KERNEL < l->symbols_cap ? l->symbols[DSO_ID_KERNEL].image : NULL;
}

uint32_t
locations_lookup(const struct locations *l, uint64_t hash, uint32_t dso, enum location_kind kind,
		 uint64_t what)
{
	uint32_t id, pos;

	for (id = index_first(&l->index, hash, &pos); id != 0;
	     id = index_next(&l->index, hash, &pos)) {
		const struct location *o = &l->items[id];

		if (o->dso == dso && o->kind == kind &&
		    (kind == LOCATION_FUNCTION ? o->fn : o->offset) == what)
			return id;
	}
	return 0;
}

static bool
is_kernel_dso(const struct locations *l, uint32_t dso)
{
	enum dso_kind kind = dsos_get(&l->model->dsos, dso)->kind;

	return kind == DSO_KERNEL || kind == DSO_MODULE || kind == DSO_GUEST_KERNEL;
}

uint32_t
locations_append(struct locations *l, struct location loc)
{
	uint32_t id;

	if (l->free_len > 0) {
		id = l->free[--l->free_len];
		if (loc.kind == LOCATION_PENDING)
			l->pending_first = MIN(l->pending_first, id);
	} else {
		vec_reserve(&l->items, &l->cap, l->len + 1, sizeof(*l->items));
		id = (uint32_t)l->len++;
	}
	loc.serial = ++l->serial;
	loc.is_kernel = is_kernel_dso(l, loc.dso);
	l->items[id] = loc;
	return id;
}

void
locations_forget(struct locations *l, uint32_t id)
{
	const struct location *loc = &l->items[id];

	if (loc->kind == LOCATION_FUNCTION) {
		index_remove(&l->index, location_hash(loc->dso, LOCATION_FUNCTION, loc->fn), id);
		/* A module's functions may be of the kernel's image. */
		index_remove(&l->index, location_hash(DSO_ID_KERNEL, LOCATION_FUNCTION, loc->fn), id);
	}
	l->items[id] = (struct location){ .dso = DSO_ID_UNKNOWN, .fn = IMAGE_NONE,
					  .kind = LOCATION_MAP };
	VEC_ADD(l->free, l->free_len, l->free_cap) = id;
}

uint32_t
locations_add(struct locations *l, uint64_t hash, struct location loc)
{
	uint32_t id = locations_append(l, loc);

	index_add(&l->index, hash, id);
	return id;
}

uint32_t
locations_rest(struct locations *l, uint32_t dso)
{
	struct dso_symbols *symbols = locations_symbols(l, dso);

	if (symbols->rest == 0)
		symbols->rest = locations_append(l, (struct location){
			.dso = dso, .fn = IMAGE_NONE, .kind = LOCATION_FUNCTION,
			.name = strs_add_str(&l->model->strs, "[rarely seen]"), .is_rest = true });
	return symbols->rest;
}

void
locations_vote(struct locations *l, uint32_t id, uint64_t offset, uint32_t votes)
{
	struct location *loc = &l->items[id];
	uint32_t at = (uint32_t)(offset - loc->offset);

	/* Boyer and Moore: whoever has the majority is left standing. */
	if (loc->hot_offset == at) {
		loc->hot_votes += votes;
	} else if (loc->hot_votes < votes) {
		loc->hot_offset = at;
		loc->hot_votes = votes - loc->hot_votes;
	} else {
		loc->hot_votes -= votes;
	}
}

void
locations_forward(struct locations *l, uint32_t id, uint32_t to)
{
	struct location *last = &l->items[locations_resolve(l, to)];

	l->items[id].forward = to;
	last->serial = MIN(last->serial, l->items[id].serial);
}
