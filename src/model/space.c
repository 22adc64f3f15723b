/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/space.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_COST = 4 }; /* moves: new pages */

static void
count(const struct space *s, size_t more, size_t less, size_t moved)
{
	if (s->costs == NULL)
		return;
	s->costs->held += more - less;
	if (s->len >= SPACE_LARGE)
		s->costs->moved += moved;
}

struct space *
space_new(uint32_t id, enum space_state state, struct space_costs *costs)
{
	struct space *s = mem_calloc(1, sizeof(*s));

	s->refs = 1;
	s->id = id;
	s->state = state;
	s->costs = costs;
	return s;
}

struct space *
space_copy(const struct space *s, uint32_t id)
{
	struct space *copy = space_new(id, s->state, s->costs);

	vec_reserve(&copy->maps, &copy->cap, s->len, sizeof(*s->maps));
	if (s->len > 0)
		memcpy(copy->maps, s->maps, s->len * sizeof(*s->maps));
	copy->len = s->len;
	count(copy, copy->len, 0, copy->len * COPY_COST);
	copy->is_unrecorded = s->is_unrecorded;
	copy->has_code = s->has_code;
	copy->is_denied = s->is_denied;
	copy->again_ns = s->again_ns;
	return copy;
}

struct space *
space_get(struct space *s)
{
	s->refs++;
	return s;
}

void
space_put(struct space *s)
{
	if (s == NULL || --s->refs > 0)
		return;
	count(s, 0, s->len, 0);
	free(s->maps);
	free(s);
}

/* The first map that ends above @addr; len if none does. */
static size_t
first_above(const struct space *s, uint64_t addr)
{
	size_t low = 0, high = s->len;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->maps[mid].end > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

const struct map *
space_find(const struct space *s, uint64_t addr)
{
	size_t i = first_above(s, addr);

	return i < s->len && s->maps[i].start <= addr ? &s->maps[i] : NULL;
}

bool
space_would_change(const struct space *s, const struct map *map)
{
	const struct map *old = space_find(s, map->start);

	/* The whole new range lies in an old map of the same file at the same place. */
	return old == NULL || old->end < map->end || old->dso != map->dso ||
	       map->start - old->start + old->pgoff != map->pgoff;
}

static void
insert_at(struct space *s, size_t i, const struct map *map)
{
	vec_reserve(&s->maps, &s->cap, s->len + 1, sizeof(*s->maps));
	memmove(s->maps + i + 1, s->maps + i, (s->len - i) * sizeof(*s->maps));
	s->maps[i] = *map;
	count(s, 1, 0, s->len - i);
	s->len++;
}

/* In the place of those from @i to before @j. */
static void
replace(struct space *s, size_t i, size_t j, const struct map *map)
{
	if (j == i) {
		insert_at(s, i, map);
		return;
	}
	s->maps[i] = *map;
	if (j == i + 1)
		return;
	memmove(s->maps + i + 1, s->maps + j, (s->len - j) * sizeof(*s->maps));
	count(s, 0, j - i - 1, s->len - j);
	s->len -= j - i - 1;
}

void
space_add(struct space *s, const struct map *map)
{
	size_t i = first_above(s, map->start), j;

	if (map->end <= map->start)
		return;
	if (i < s->len && s->maps[i].start < map->start) {
		struct map tail = s->maps[i];

		s->maps[i].end = map->start;
		i++;
		if (tail.end > map->end) {
			tail.pgoff += map->end - tail.start;
			tail.start = map->end;
			insert_at(s, i, &tail);
		}
	}
	for (j = i; j < s->len && s->maps[j].end <= map->end; j++)
		;
	if (j < s->len && s->maps[j].start < map->end) {
		s->maps[j].pgoff += map->end - s->maps[j].start;
		s->maps[j].start = map->end;
	}
	replace(s, i, j, map);
	s->generation++;
}

void
space_clear(struct space *s)
{
	count(s, 0, s->len, 0);
	s->len = 0;
	s->generation++;
}
