/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/jit.h"
#include "profile/place/jit_code.h"

#include <stdlib.h>

enum {
	WAITING_MAX = 512,      /* places at a time */
	WAITED_MAX = 16 << 10,  /* and ever: what gave up waits again when it is hit again */
	PATIENCE = 5,           /* seconds that a place waits */
	REGIONS_MAX = 64,       /* maps of one process that are told apart */
	RANGES_MAX = 512 << 10,
};

/* A place that waits for its name. */
struct waiting {
	uint64_t addr, region;
	uint32_t location;
	unsigned age;
};

struct region {
	uint64_t start;
	uint32_t location;
};

struct jit {
	struct jit_code code;
	struct strs names;
	uint32_t *places; /* by name: its location, 0: none yet */
	size_t places_cap;
	struct waiting *waiting;
	size_t waiting_len, waiting_cap, waited;
	struct region *regions; /* after REGIONS_MAX, one of all others */
	size_t region_len, region_cap;
	size_t bytes; /* of code and names, as they are part of locations.jit_room */
	uint32_t user; /* its number there, 0: no part is bounded */
	bool is_waiting, is_merged;
};

static struct jit *
jit_of(struct locations *l, uint32_t dso)
{
	struct dso_symbols *s = locations_symbols(l, dso);

	if (s->jit == NULL) {
		s->jit = mem_calloc(1, sizeof(*s->jit));
		s->jit->is_waiting = true; /* whether there are names is asked at the first hit */
	}
	return s->jit;
}

/* The location of the function with that name of @j. */
static uint32_t
place_of(struct locations *l, struct jit *j, uint32_t dso, uint64_t start, uint32_t name)
{
	vec_reserve_zeroed(&j->places, &j->places_cap, name + 1, sizeof(*j->places));
	if (j->places[name] == 0)
		j->places[name] = locations_append(l, (struct location){
			.dso = dso, .offset = start, .fn = IMAGE_NONE, .kind = LOCATION_FUNCTION,
			.name = strs_add_str(&l->model->strs, strs_get(&j->names, name)) });
	return j->places[name];
}

/* All of a map is one place; all maps beyond some are another. */
static uint32_t
place_of_region(struct locations *l, struct jit *j, uint32_t dso, uint64_t start)
{
	uint32_t location;

	for (size_t i = 0; i < j->region_len; i++)
		if (j->regions[i].start == start || i == REGIONS_MAX)
			return j->regions[i].location;
	if (j->region_len == REGIONS_MAX)
		start = 0;
	location = locations_append(l, (struct location){ .dso = dso, .offset = start,
							  .fn = IMAGE_NONE, .kind = LOCATION_MAP });
	VEC_ADD(j->regions, j->region_len, j->region_cap) = (struct region){ start, location };
	return location;
}

static uint32_t
place_that_waits(struct locations *l, struct jit *j, uint32_t dso, uint64_t addr, uint64_t region)
{
	struct waiting w = { .addr = addr, .region = region };

	for (size_t i = 0; i < j->waiting_len; i++)
		if (j->waiting[i].addr == addr)
			return j->waiting[i].location;
	if (j->waiting_len == WAITING_MAX || j->waited == WAITED_MAX)
		return place_of_region(l, j, dso, region);
	j->waited++;
	w.location = locations_append(l, (struct location){
		.dso = dso, .offset = addr, .fn = IMAGE_NONE, .kind = LOCATION_PENDING });
	VEC_ADD(j->waiting, j->waiting_len, j->waiting_cap) = w;
	return w.location;
}

uint32_t
jit_find(struct locations *l, uint32_t dso, uint64_t addr, uint64_t region)
{
	struct jit *j = jit_of(l, dso);
	const struct jit_range *r;

	if (j->is_merged)
		return place_of_region(l, jit_of(l, DSO_ID_ANON), DSO_ID_ANON, 0);
	r = jit_code_find(&j->code, addr);
	if (r != NULL)
		return place_of(l, j, dso, r->start, r->name);
	if (j->is_waiting)
		return place_that_waits(l, j, dso, addr, region);
	return place_of_region(l, j, dso, region);
}

/* Forwards the place that waits to @location. */
static void
stop_waiting(struct locations *l, struct jit *j, size_t i, uint32_t location)
{
	locations_forward(l, j->waiting[i].location, location);
	j->waiting[i] = j->waiting[--j->waiting_len];
}

static size_t
give_up(struct locations *l, uint32_t dso, unsigned patience)
{
	struct jit *j = jit_of(l, dso);
	size_t count = 0;

	for (size_t i = j->waiting_len; i-- > 0;) {
		if (j->waiting[i].age < patience)
			continue;
		stop_waiting(l, j, i, place_of_region(l, j, dso, j->waiting[i].region));
		count++;
	}
	return count;
}

void
jit_set_waiting(struct locations *l, uint32_t dso, bool is_waiting)
{
	jit_of(l, dso)->is_waiting = is_waiting;
	if (!is_waiting)
		give_up(l, dso, 0);
}

static const struct jit *
jit_at(const struct locations *l, uint32_t dso)
{
	return dso < l->symbols_cap ? l->symbols[dso].jit : NULL;
}

bool
jit_range_of(const struct locations *l, uint32_t location, uint64_t *start, uint64_t *size)
{
	const struct location *loc = &l->items[location];
	const struct jit *j = jit_at(l, loc->dso);
	const struct jit_range *r = j != NULL ? jit_code_find(&j->code, loc->offset) : NULL;

	if (r == NULL || loc->kind != LOCATION_FUNCTION)
		return false;
	*start = r->start;
	*size = r->size;
	return r->name < j->places_cap && j->places[r->name] == location;
}

const char *
jit_name_at(const struct locations *l, uint32_t dso, uint64_t addr, uint64_t *start)
{
	const struct jit *j = jit_at(l, dso);
	const struct jit_range *r = j != NULL ? jit_code_find(&j->code, addr) : NULL;

	if (r == NULL)
		return NULL;
	*start = r->start;
	return strs_get(&j->names, r->name);
}

bool
jit_replaces(const struct locations *l, uint32_t dso, const struct jit_change *c)
{
	const struct jit *j = dso < l->symbols_cap ? l->symbols[dso].jit : NULL;

	return j != NULL && (c->is_moved || jit_code_overlaps(&j->code, c->start, c->size));
}

static void
weigh(struct locations *l, struct jit *j)
{
	const size_t before = j->bytes;

	j->bytes = j->names.arena.bytes + j->code.count * sizeof(struct jit_range);
	jit_room_weigh(&l->jit_room, j->user, before, j->bytes);
}

static enum jit_learned
room_for(const struct locations *l, const struct jit *j)
{
	if (j->code.count >= RANGES_MAX || j->bytes >= JIT_ROOM_PROCESS)
		return JIT_PROCESS_IS_FULL;
	if (l->jit_room.bytes >= JIT_ROOM_ALL)
		return JIT_ALL_IS_FULL;
	return jit_room_is_users_full(&l->jit_room, j->user) ? JIT_USER_IS_FULL : JIT_LEARNED;
}

void
jit_set_user(struct locations *l, uint32_t dso, uint32_t uid)
{
	struct jit *j = jit_of(l, dso);

	if (j->user != 0)
		return;
	j->user = jit_room_enter(&l->jit_room, uid);
	jit_room_weigh(&l->jit_room, 0, j->bytes, 0);
	jit_room_weigh(&l->jit_room, j->user, 0, j->bytes);
}

size_t
jit_bytes(const struct locations *l, uint32_t dso)
{
	const struct jit *j = jit_at(l, dso);

	return j != NULL ? j->bytes : 0;
}

/* What is no longer where it was keeps its name; what was put over it meanwhile stays. */
static void
move_code(struct jit *j, const struct jit_change *c)
{
	const struct jit_range *r = jit_code_find(&j->code, c->old);
	struct jit_range moved;

	if (r == NULL || r->start != c->old)
		return;
	moved = *r;
	jit_code_remove(&j->code, moved.start, moved.size);
	moved.start = c->start;
	moved.size = (uint32_t)c->size;
	jit_code_add(&j->code, &moved);
}

enum jit_learned
jit_learn(struct locations *l, uint32_t dso, const struct jit_change *c, const char *name)
{
	struct jit *j = jit_of(l, dso);
	struct jit_range r = { .start = c->start, .size = (uint32_t)c->size };
	const enum jit_learned room = room_for(l, j);

	if (c->is_moved) {
		move_code(j, c);
		return JIT_LEARNED;
	}
	if (room != JIT_LEARNED)
		return room;
	r.name = strs_add(&j->names, name, c->name_len);
	if (r.name == 0)
		r.name = strs_add_str(&j->names, "[no name]");
	jit_code_add(&j->code, &r);
	weigh(l, j);
	return JIT_LEARNED;
}

size_t
jit_settle(struct locations *l, uint32_t dso)
{
	struct jit *j = jit_of(l, dso);
	size_t count = 0;

	for (size_t i = j->waiting_len; i-- > 0;) {
		const struct jit_range *r = jit_code_find(&j->code, j->waiting[i].addr);

		if (r == NULL)
			continue;
		stop_waiting(l, j, i, place_of(l, j, dso, r->start, r->name));
		count++;
	}
	return count;
}

size_t
jit_age(struct locations *l, uint32_t dso)
{
	struct jit *j = jit_of(l, dso);

	for (size_t i = 0; i < j->waiting_len; i++)
		j->waiting[i].age++;
	return give_up(l, dso, PATIENCE);
}

void
jit_end(struct locations *l, uint32_t dso)
{
	struct jit *j = jit_of(l, dso);

	jit_set_waiting(l, dso, false);
	jit_code_release(&j->code);
	strs_release(&j->names);
	weigh(l, j);
	if (j->user != 0)
		jit_room_leave(&l->jit_room, j->user);
	j->user = 0;
}

static void
merge_rest(struct locations *l, uint32_t dso)
{
	uint32_t rest = locations_symbols(l, dso)->rest;

	if (rest == 0)
		return;
	locations_forward(l, rest, locations_rest(l, DSO_ID_ANON));
	locations_symbols(l, dso)->rest = 0;
}

void
jit_merge(struct locations *l, uint32_t dso)
{
	struct jit *j = jit_of(l, dso), *all = jit_of(l, DSO_ID_ANON);

	for (size_t name = 0; name < j->places_cap; name++) {
		uint32_t id = j->places[name], same;

		if (id == 0)
			continue;
		same = strs_add_str(&all->names,
				    strs_get(&l->model->strs, l->items[j->places[name]].name));
		id = place_of(l, all, DSO_ID_ANON, 0, same);
		locations_forward(l, j->places[name], id);
	}
	for (size_t i = 0; i < j->region_len; i++) {
		uint32_t id = place_of_region(l, all, DSO_ID_ANON, 0);

		locations_forward(l, j->regions[i].location, id);
	}
	merge_rest(l, dso);
	jit_free(j);
	locations_symbols(l, dso)->jit = mem_calloc(1, sizeof(*j));
	locations_symbols(l, dso)->jit->is_merged = true;
}

void
jit_free(struct jit *j)
{
	if (j == NULL)
		return;
	jit_code_release(&j->code);
	strs_release(&j->names);
	free(j->places);
	free(j->waiting);
	free(j->regions);
	free(j);
}
