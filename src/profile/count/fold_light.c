/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that never come again would fill the tables within hours.  So entries that no window can
 * show, since they are in no interval of the log, are folded if they are light: if they have less
 * than a small part of the samples of their task or of all.  As these sums grow, more becomes
 * light.
 */
#include "profile/count/fold_impl.h"

#include <stdlib.h>

enum {
	OWN_SHIFT = 11,    /* light: below 1/2048 of the samples of its task (address: of its file), */
	ALL_SHIFT = 16,    /* or below 1/65536 of all samples, */
	FEW = 8,           /* or fewer samples than this, */
	FEW_SHIFT = 7,     /* if that is below 1/128 of its task's or file's */
	ENDED_LEAST = 2,   /* of ended tasks: fewer than two samples, */
	ENDED_PART = 6,    /* if the tree uses more than a sixth of its share */
	SMALL = 4 << 10,   /* smaller tables stay as they are */
	WORTH_LEAST = 512, /* a pass invalidates caches: so many entries must be light, */
	WORTH_PART = 4,    /* and a fourth of those that no window shows */
};

/* By id: whether a window can show the entry. */
static uint8_t *
seen_entries(const struct profile *p, enum table_id table)
{
	const struct cells *c = &p->tables.cells[table];
	uint8_t *seen = mem_calloc(c->len, sizeof(*seen));

	log_mark(&p->log, table, seen);
	/* The log may have forgotten a part of what was since the last report. */
	for (size_t id = 1; id < c->len; id++)
		seen[id] |= c->items[id].open != 0 || c->items[id].win_samples != 0;
	return seen;
}

static uint64_t
all_samples(const struct profile *p, enum table_id table)
{
	const struct cells *c = &p->tables.cells[table];
	uint64_t all = 0;

	for (size_t id = 1; id < c->len; id++)
		all += c->items[id].all_samples;
	return all;
}

/* What weighs less than this is light, beside @own and @all samples. */
static uint32_t
least_of(uint64_t own, uint64_t all)
{
	uint64_t least = MAX(own >> OWN_SHIFT, all >> ALL_SHIFT);

	least = MAX(least, MIN(own >> FEW_SHIFT, FEW));
	return (uint32_t)MIN(least, INT32_MAX);
}

static bool
is_worth_it(size_t light, size_t unseen)
{
	return light >= WORTH_LEAST && light >= unseen / WORTH_PART;
}

/* The least weight that nodes below the root @id have to have. */
static uint32_t
least_below(const struct profile *p, uint32_t id, uint32_t weight, uint64_t all, bool is_large)
{
	uint32_t who = p->tables.tree[id].location & TREE_WHO_MASK;

	return MAX(least_of(weight, all),
		   is_large && fold_is_ended_name(p->model, who) ? ENDED_LEAST : 0);
}

/* Makes of @weights what stays: 1, or 0. */
static void
weigh_nodes(const struct profile *p, uint32_t *weights, bool is_large)
{
	const struct tree_key *keys = p->tables.tree;
	size_t len = p->tables.cells[TABLE_TREE].len;
	uint64_t all = all_samples(p, TABLE_TREE);

	/* Parents come first, and tell their children the least. */
	for (uint32_t id = 1; id < len; id++) {
		uint32_t parent = keys[id].parent;
		uint32_t least = parent != 0 ? weights[parent] >> 1
					     : least_below(p, id, weights[id], all, is_large);

		weights[id] = least << 1 | (parent == 0 || weights[id] >= least);
	}
	for (uint32_t id = 1; id < len; id++)
		weights[id] &= 1;
}

/* What is seen stays, and what leads to it; whether so many do not that a pass pays. */
static bool
keep_seen_nodes(const struct profile *p, uint32_t *weights, uint8_t *seen)
{
	const struct tree_key *keys = p->tables.tree;
	size_t light = 0, unseen = 0;

	for (size_t id = p->tables.cells[TABLE_TREE].len - 1; id > 0; id--) {
		seen[keys[id].parent] |= seen[id];
		weights[id] |= seen[id];
		unseen += !seen[id];
		light += weights[id] == 0;
	}
	return is_worth_it(light, unseen);
}

static void
fold_light_stacks(struct profile *p)
{
	size_t share = p->budget_bytes / PROFILE_SHARES * PROFILE_TREE_SHARE;
	bool is_large = tables_bytes(&p->tables, TABLE_TREE) > share / ENDED_PART, is_worth;
	uint32_t *weights = fold_tree_weights(p);
	uint8_t *seen = seen_entries(p, TABLE_TREE);

	weigh_nodes(p, weights, is_large);
	is_worth = keep_seen_nodes(p, weights, seen);
	free(seen);
	if (is_worth)
		p->folded_light += fold_tree(p, NULL, weights, 1);
	else
		free(weights);
}

/* Samples in each file. */
static uint64_t *
dso_samples(const struct profile *p)
{
	const struct cells *c = &p->tables.cells[TABLE_ADDRESS];
	uint64_t *sums = mem_calloc(p->model->dsos.len, sizeof(*sums));

	for (size_t id = 1; id < c->len; id++)
		sums[p->tables.addresses[id].dso] += c->items[id].all_samples;
	return sums;
}

static void
fold_light_addresses(struct profile *p)
{
	const struct cells *c = &p->tables.cells[TABLE_ADDRESS];
	uint32_t *weights = mem_calloc(c->len, sizeof(*weights));
	uint8_t *seen = seen_entries(p, TABLE_ADDRESS);
	uint64_t *sums = dso_samples(p), all = all_samples(p, TABLE_ADDRESS);
	size_t light = 0, unseen = 0;

	for (size_t id = 1; id < c->len; id++) {
		uint32_t least = least_of(sums[p->tables.addresses[id].dso], all);

		weights[id] = seen[id] || c->items[id].all_samples >= least;
		unseen += !seen[id];
		light += weights[id] == 0;
	}
	free(seen);
	free(sums);
	if (is_worth_it(light, unseen))
		p->folded_light += fold_addresses(p, NULL, weights, 1);
	else
		free(weights);
}

/* Samples of each who. */
static uint64_t *
who_samples(const struct profile *p)
{
	const struct cells *c = &p->tables.cells[TABLE_HOT];
	uint64_t *sums = mem_calloc(p->model->who_len, sizeof(*sums));

	for (size_t id = 1; id < c->len; id++)
		sums[p->tables.hot[id].who] += c->items[id].all_samples;
	return sums;
}

/* Code without a name is bounded already, and there is a reason to tell for it. */
static bool
is_one_function(const struct locations *l, uint32_t location)
{
	const struct location *loc = &l->items[locations_resolve(l, location)];

	return loc->kind == LOCATION_FUNCTION && !loc->is_rest;
}

/*
 * The same few programs, started again and again, come upon functions that they were not in before
 * less and less often, but they never cease to.  Of tasks that live all functions are kept, and
 * where more is told apart, all that is.
 */
static void
fold_light_functions(struct profile *p)
{
	const struct cells *c = &p->tables.cells[TABLE_HOT];
	uint32_t *weights = mem_calloc(c->len, sizeof(*weights));
	uint8_t *seen = seen_entries(p, TABLE_HOT);
	uint64_t *sums = who_samples(p), all = all_samples(p, TABLE_HOT);
	size_t light = 0, unseen = 0;

	for (size_t id = 1; id < c->len; id++) {
		const struct hot_key *key = &p->tables.hot[id];
		bool may_go = !seen[id] && key->label == 0 && fold_is_ended_name(p->model, key->who) &&
			      is_one_function(p->locations, key->location);

		weights[id] = !may_go || c->items[id].all_samples >= least_of(sums[key->who], all);
		unseen += may_go;
		light += weights[id] == 0;
	}
	free(seen);
	free(sums);
	if (is_worth_it(light, unseen))
		p->folded_light += fold_hot(p, NULL, weights, 1);
	else
		free(weights);
}

void
fold_light(struct profile *p)
{
	if (p->tables.cells[TABLE_HOT].len > SMALL)
		fold_light_functions(p);
	if (p->tables.cells[TABLE_TREE].len > SMALL)
		fold_light_stacks(p);
	if (p->tables.cells[TABLE_ADDRESS].len > SMALL)
		fold_light_addresses(p);
}
