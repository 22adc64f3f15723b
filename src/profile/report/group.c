/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/report/group.h"

#include "profile/report/report_key.h"

#include <stdlib.h>
#include <string.h>

/* Those that all samples of a task, or all samples at a place, have in common. */
static const key_set who_keys = WHO_KEYS | KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID),
		     place_keys = FUNCTION_KEYS | KEY_BIT(KEY_PATH) | KEY_BIT(KEY_BUILD_ID) |
				  KEY_BIT(KEY_SOURCE) | KEY_BIT(KEY_REASON) | KEY_BIT(KEY_REMEDY) |
				  KEY_BIT(KEY_STATE) | KEY_BIT(KEY_WAITKIND);

void
grouping_begin(struct grouping *g)
{
	key_set keys = 0;

	for (size_t i = 0; i < g->key_count; i++)
		keys |= KEY_BIT(g->keys[i]);
	g->is_by_who = (keys & ~who_keys) == 0;
	if (g->is_by_who)
		g->known = mem_calloc(g->profile->model->who_len, sizeof(*g->known));
	else if ((keys & ~place_keys) == 0)
		g->known = mem_calloc(g->profile->locations->len, sizeof(*g->known));
}

static uint64_t
part_of(const struct grouping *g, enum key key, const struct hot_entry *e)
{
	/* Ended tasks that were merged are one task, told apart by name alone. */
	if (key == KEY_COMM && g->whole_process && e->task->tid != TASK_ENDED_TID)
		return g->profile->model->tasks[e->task->process].comm;
	return report_keys[key].part(e);
}

uint64_t
group_part(const struct grouping *g, enum key key, uint32_t id)
{
	struct hot_entry e = hot_entry_at(g->profile, id);

	return part_of(g, key, &e);
}

/* Also fills in the hash of the parts. */
static struct group *
find_parts(const struct grouping *g, const uint64_t *parts, uint64_t *hash)
{
	size_t bytes = g->key_count * sizeof(*g->parts);
	uint32_t n, pos;

	*hash = hash_bytes(parts, bytes);
	for (n = index_first(&g->index, *hash, &pos); n != 0; n = index_next(&g->index, *hash, &pos))
		if (memcmp(group_parts(g, &g->items[n - 1]), parts, bytes) == 0)
			return &g->items[n - 1];
	return NULL;
}

static void
fill_parts(const struct grouping *g, const struct hot_entry *e, uint64_t parts[KEYS_MAX])
{
	for (size_t i = 0; i < g->key_count; i++)
		parts[i] = part_of(g, g->keys[i], e);
}

/* Where the group of the entry is noted; NULL: nowhere. */
static uint32_t *
note_of(const struct grouping *g, uint32_t id)
{
	const struct hot_key *hot = &g->profile->tables.hot[id];

	return g->known != NULL ? &g->known[g->is_by_who ? hot->who : hot->location] : NULL;
}

struct group *
group_lookup(const struct grouping *g, uint32_t id)
{
	const uint32_t *note = note_of(g, id);
	uint64_t parts[KEYS_MAX], hash;
	struct hot_entry e;

	if (note != NULL && *note != 0)
		return &g->items[*note - 1];
	e = hot_entry_at(g->profile, id);
	fill_parts(g, &e, parts);
	return find_parts(g, parts, &hash);
}

/* Not found by its parts. */
static struct group *
append(struct grouping *g, const uint64_t *parts, uint32_t first)
{
	size_t bytes = g->key_count * sizeof(*g->parts);

	vec_reserve(&g->items, &g->cap, g->len + 1, sizeof(*g->items));
	/* There may be no keys. */
	vec_reserve(&g->parts, &g->part_cap, (g->len + 1) * g->key_count + 1, sizeof(*g->parts));
	memcpy(&g->parts[g->len * g->key_count], parts, bytes);
	g->items[g->len++] = (struct group){ .first = first };
	return &g->items[g->len - 1];
}

static struct group *
add(struct grouping *g, const uint64_t *parts, uint64_t hash, uint32_t first)
{
	struct group *added = append(g, parts, first);

	index_add(&g->index, hash, (uint32_t)g->len);
	return added;
}

static struct group *
find_or_add(struct grouping *g, const uint64_t *parts, uint32_t id)
{
	uint64_t hash;
	struct group *found = find_parts(g, parts, &hash);

	return found != NULL ? found : add(g, parts, hash, id);
}

static bool
has_parts(const struct grouping *g, uint32_t group, const uint64_t *parts)
{
	return memcmp(group_parts(g, &g->items[group - 1]), parts, g->key_count * sizeof(*parts)) == 0;
}

struct group *
group_find_likely(struct grouping *g, uint32_t id, uint32_t likely)
{
	uint32_t *note = note_of(g, id);
	uint64_t parts[KEYS_MAX];
	struct hot_entry e;
	struct group *found;

	if (note != NULL && *note != 0)
		return &g->items[*note - 1];
	e = hot_entry_at(g->profile, id);
	fill_parts(g, &e, parts);
	found = likely != 0 && has_parts(g, likely, parts) ? &g->items[likely - 1]
							   : find_or_add(g, parts, id);
	if (note != NULL)
		*note = (uint32_t)(found - g->items) + 1;
	return found;
}

struct group *
group_find(struct grouping *g, uint32_t id)
{
	return group_find_likely(g, id, 0);
}

struct group *
group_with_part(struct grouping *g, uint64_t part, uint32_t first)
{
	return find_or_add(g, &part, first);
}

struct group *
group_add_rest(struct grouping *g, uint32_t first)
{
	struct hot_entry e = hot_entry_at(g->profile, first);
	uint64_t parts[KEYS_MAX];

	fill_parts(g, &e, parts);
	return append(g, parts, first);
}

void
grouping_release(struct grouping *g)
{
	free(g->items);
	free(g->parts);
	free(g->known);
	index_release(&g->index);
	*g = (struct grouping){ 0 };
}
