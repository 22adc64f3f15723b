/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/tables.h"

#include <stdlib.h>
#include <string.h>

enum {
	PATH_AHEAD = 32, /* nodes of a path whose places are asked for together */
	CUT_AHEAD = 8,   /* entries whose places are, of many that leave the index */
};

static const size_t key_sizes[TABLE_COUNT] = {
	[TABLE_HOT] = sizeof(struct hot_key),
	[TABLE_TREE] = sizeof(struct tree_key),
	[TABLE_ADDRESS] = sizeof(struct address_key),
	[TABLE_CPU] = sizeof(struct cpu_key),
};

static uint64_t
hot_hash(const struct hot_key *k)
{
	return hash_mix((uint64_t)k->who << 32 | k->location, (uint64_t)k->label << 32 | k->event);
}

static uint32_t
tree_hash(uint32_t parent_hash, uint32_t location)
{
	return index_tag(hash_mix(parent_hash, location));
}

static uint64_t
address_hash(const struct address_key *k)
{
	uint64_t hash = hash_mix(k->offset, (uint64_t)k->dso << 32 | k->event);

	return k->who == 0 ? hash : hash_mix(hash, (uint64_t)k->who << 32 | k->cpu);
}

static uint64_t
cpu_hash(const struct cpu_key *k)
{
	return hash_mix(k->cpu, k->event);
}

void
tables_init(struct tables *t)
{
	*t = (struct tables){ 0 };
	for (int i = 0; i < TABLE_COUNT; i++)
		t->cells[i].len = 1;
}

void
tables_release(struct tables *t)
{
	for (int i = 0; i < TABLE_COUNT; i++) {
		free(t->cells[i].items);
		index_release(&t->index[i]);
	}
	free(t->hot);
	free(t->tree);
	free(t->addresses);
	free(t->cpus);
	*t = (struct tables){ 0 };
}

/* A new id with an empty cell; the caller stores the key. */
static uint32_t
append(struct tables *t, enum table_id table, uint64_t hash)
{
	struct cells *c = &t->cells[table];
	uint32_t id = (uint32_t)c->len;

	vec_reserve(&c->items, &c->cap, c->len + 1, sizeof(*c->items));
	c->items[c->len++] = (struct cell){ 0 };
	index_add(&t->index[table], hash, id);
	return id;
}

/* 0: it is not there. */
static uint32_t
hot_find(const struct tables *t, const struct hot_key *key, uint64_t hash)
{
	uint32_t id, pos;

	for (id = index_first(&t->index[TABLE_HOT], hash, &pos); id != 0;
	     id = index_next(&t->index[TABLE_HOT], hash, &pos))
		if (memcmp(&t->hot[id], key, sizeof(*key)) == 0)
			return id;
	return 0;
}

bool
tables_has_hot(const struct tables *t, const struct hot_key *key)
{
	return hot_find(t, key, hot_hash(key)) != 0;
}

uint32_t
tables_hot(struct tables *t, const struct hot_key *key)
{
	uint64_t hash = hot_hash(key);
	uint32_t id = hot_find(t, key, hash);

	if (id != 0)
		return id;
	id = append(t, TABLE_HOT, hash);
	vec_reserve(&t->hot, &t->hot_cap, id + 1, sizeof(*t->hot));
	t->hot[id] = *key;
	return id;
}

static uint32_t
node_find(struct tables *t, const struct tree_key *key)
{
	uint32_t id, pos;

	for (id = index_first(&t->index[TABLE_TREE], key->hash, &pos); id != 0;
	     id = index_next(&t->index[TABLE_TREE], key->hash, &pos))
		if (t->tree[id].parent == key->parent && t->tree[id].location == key->location)
			return id;
	id = append(t, TABLE_TREE, key->hash);
	vec_reserve(&t->tree, &t->tree_cap, id + 1, sizeof(*t->tree));
	t->tree[id] = *key;
	return id;
}

static uint32_t
hash_of(const struct tables *t, uint32_t node)
{
	return node != 0 ? t->tree[node].hash : 0;
}

uint32_t
tables_node(struct tables *t, uint32_t parent, uint32_t location)
{
	struct tree_key key = { parent, location, tree_hash(hash_of(t, parent), location) };

	return node_find(t, &key);
}

/* Each node's place in the index is far from the one before: all are on their way at once. */
uint32_t
tables_path(struct tables *t, uint32_t node, const uint32_t *locations, size_t len)
{
	uint32_t hashes[PATH_AHEAD];

	for (size_t n; len > 0; locations += n, len -= n) {
		uint32_t hash = hash_of(t, node);

		n = MIN(len, PATH_AHEAD);
		for (size_t i = 0; i < n; i++) {
			hash = hashes[i] = tree_hash(hash, locations[i]);
			index_prefetch(&t->index[TABLE_TREE], hash);
		}
		for (size_t i = 0; i < n; i++)
			node = node_find(t, &(struct tree_key){ node, locations[i], hashes[i] });
	}
	return node;
}

uint32_t
tables_root(struct tables *t, uint32_t who, uint32_t event)
{
	return tables_node(t, 0, event << TREE_EVENT_SHIFT | (who & TREE_WHO_MASK));
}

uint32_t
tables_address(struct tables *t, const struct address_key *key)
{
	uint64_t hash = address_hash(key);
	uint32_t id, pos;

	for (id = index_first(&t->index[TABLE_ADDRESS], hash, &pos); id != 0;
	     id = index_next(&t->index[TABLE_ADDRESS], hash, &pos))
		if (memcmp(&t->addresses[id], key, sizeof(*key)) == 0)
			return id;
	id = append(t, TABLE_ADDRESS, hash);
	vec_reserve(&t->addresses, &t->address_cap, id + 1, sizeof(*t->addresses));
	t->addresses[id] = *key;
	return id;
}

uint32_t
tables_cpu(struct tables *t, uint32_t cpu, uint32_t event)
{
	struct cpu_key key = { cpu, event };
	uint64_t hash = cpu_hash(&key);
	uint32_t id, pos;

	for (id = index_first(&t->index[TABLE_CPU], hash, &pos); id != 0;
	     id = index_next(&t->index[TABLE_CPU], hash, &pos))
		if (t->cpus[id].cpu == cpu && t->cpus[id].event == event)
			return id;
	id = append(t, TABLE_CPU, hash);
	vec_reserve(&t->cpus, &t->cpu_cap, id + 1, sizeof(*t->cpus));
	t->cpus[id] = key;
	return id;
}

void
tables_prefetch_hot(const struct tables *t, const struct hot_key *key)
{
	index_prefetch(&t->index[TABLE_HOT], hot_hash(key));
}

/* The first with that tag is nearly always the one, and at worst another one is brought near. */
void
tables_prefetch_hot_entry(const struct tables *t, const struct hot_key *key)
{
	uint32_t pos, id = index_first(&t->index[TABLE_HOT], hot_hash(key), &pos);

	__builtin_prefetch(&t->hot[id]);
	__builtin_prefetch(&t->cells[TABLE_HOT].items[id]);
}

void
tables_prefetch_node(const struct tables *t, uint32_t parent, uint32_t location)
{
	index_prefetch(&t->index[TABLE_TREE], tree_hash(hash_of(t, parent), location));
}

uint32_t
tables_node_hash(const struct tables *t, uint32_t parent, uint32_t location)
{
	return tree_hash(hash_of(t, parent), location);
}

void
tables_prefetch_node_entry(const struct tables *t, uint32_t parent, uint32_t location)
{
	tables_prefetch_hashed(t, tables_node_hash(t, parent, location));
}

void
tables_prefetch_hashed(const struct tables *t, uint32_t hash)
{
	uint32_t pos, id = index_first(&t->index[TABLE_TREE], hash, &pos);

	__builtin_prefetch(&t->tree[id]);
	__builtin_prefetch(&t->cells[TABLE_TREE].items[id]);
}

static uint64_t
entry_hash(const struct tables *t, enum table_id table, uint32_t id)
{
	switch (table) {
	case TABLE_HOT:
		return hot_hash(&t->hot[id]);
	case TABLE_TREE:
		return t->tree[id].hash;
	case TABLE_ADDRESS:
		return address_hash(&t->addresses[id]);
	case TABLE_CPU:
		return cpu_hash(&t->cpus[id]);
	case TABLE_COUNT:
		break;
	}
	return 0;
}

/* Few that leave are taken out of the index; of few that stay it is made anew. */
void
tables_cut(struct tables *t, enum table_id table, uint32_t first)
{
	struct index *ix = &t->index[table];
	uint32_t len = (uint32_t)t->cells[table].len;

	t->cells[table].len = first;
	if (len - first > first) {
		index_clear(ix);
		for (uint32_t id = 1; id < first; id++)
			index_add(ix, entry_hash(t, table, id), id);
		return;
	}
	for (uint32_t id = first; id < len; id++) {
		if (id + CUT_AHEAD < len)
			index_prefetch(ix, entry_hash(t, table, id + CUT_AHEAD));
		index_remove(ix, entry_hash(t, table, id), id);
	}
}

size_t
tables_bytes(const struct tables *t, enum table_id id)
{
	return t->cells[id].len * (key_sizes[id] + sizeof(struct cell)) +
	       index_bytes(&t->index[id]);
}
