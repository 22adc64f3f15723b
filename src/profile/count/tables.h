/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_TABLES_H
#define PTOP_PROFILE_COUNT_TABLES_H
/*
 * The tables that samples are counted in.  All have the same shape: keys by id, a cell of counts
 * by the same id, an index from key to id.  Ids begin at 1 and are given in rising order; only
 * fold.c renumbers them.  Engine thread only.
 */
#include "base/index.h"

enum table_id {
	TABLE_HOT,
	TABLE_TREE,
	TABLE_ADDRESS,
	TABLE_CPU,
	TABLE_COUNT,
};

/* The counts of one entry; its event is part of its key. */
struct cell {
	uint64_t all_samples, all_period;
	uint64_t win_period;
	uint32_t win_samples;
	uint32_t open; /* place in the open interval's deltas plus one, 0: nothing yet */
};

struct cells {
	struct cell *items; /* [0] is not used */
	size_t len, cap;
};

/* Exact for all tasks that live: processes, threads, functions, dsos, users are sums over it. */
struct hot_key {
	uint32_t who, location, label;
	uint32_t event;
};

/*
 * A node of the call trees: parent and location.  Each (who, event) has a root: its parent is 0
 * and its location names both.  The sample's own function is the last node of its stack.
 * A parent's id is below its children's: sums over subtrees are one pass.
 */
struct tree_key {
	uint32_t parent, location;
	uint32_t hash; /* of the locations from the root on: known before the parent is found */
};

/* @who and @cpu (plus one) are 0, but where addresses are told apart by them: see watch.h. */
struct address_key {
	uint64_t offset;
	uint32_t dso, event;
	uint32_t who, cpu;
};

struct cpu_key {
	uint32_t cpu, event;
};

/* Offset of the entry that the lightest addresses of a dso are folded into. */
#define ADDRESS_OTHER UINT64_MAX

enum { TREE_EVENT_SHIFT = 24, TREE_WHO_MASK = (1 << TREE_EVENT_SHIFT) - 1 };

struct tables {
	struct cells cells[TABLE_COUNT];
	struct index index[TABLE_COUNT];
	struct hot_key *hot;
	struct tree_key *tree;
	struct address_key *addresses;
	struct cpu_key *cpus;
	size_t hot_cap, tree_cap, address_cap, cpu_cap;
};

void tables_init(struct tables *t);
void tables_release(struct tables *t);

bool tables_has_hot(const struct tables *t, const struct hot_key *key);

/* The entry's id, made if it is not there. */
uint32_t tables_hot(struct tables *t, const struct hot_key *key);
uint32_t tables_node(struct tables *t, uint32_t parent, uint32_t location);
uint32_t tables_root(struct tables *t, uint32_t who, uint32_t event);

/* The node below @node for these locations, outermost first; all that are not there are made. */
uint32_t tables_path(struct tables *t, uint32_t node, const uint32_t *locations, size_t len);

uint32_t tables_address(struct tables *t, const struct address_key *key);
uint32_t tables_cpu(struct tables *t, uint32_t cpu, uint32_t event);

/*
 * For an entry that is looked for soon: prefetches its place in the index, and, called a while
 * later, the entry.
 */
void tables_prefetch_hot(const struct tables *t, const struct hot_key *key);
void tables_prefetch_hot_entry(const struct tables *t, const struct hot_key *key);
void tables_prefetch_node(const struct tables *t, uint32_t parent, uint32_t location);
void tables_prefetch_node_entry(const struct tables *t, uint32_t parent, uint32_t location);
void tables_prefetch_hashed(const struct tables *t, uint32_t hash); /* the entry, by its tree_key.hash */

/* tree_key.hash of what is below @parent. */
uint32_t tables_node_hash(const struct tables *t, uint32_t parent, uint32_t location);

/*
 * Forgets the entries from @first on (at least 1).  Their keys and cells stay readable where they lie,
 * until others are put there.
 */
void tables_cut(struct tables *t, enum table_id table, uint32_t first);

/* Bytes of a table in use: keys, cells and index. */
size_t tables_bytes(const struct tables *t, enum table_id id);

#endif
