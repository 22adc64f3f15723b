/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every fold is one pass over a table in rising id order that fills it anew, in place, from the first
 * entry on that does not stay as it is: an entry comes back under its own key, under another that may
 * be there already (the two become one), or gives its counts to an entry before it.  New ids are never
 * above old ones.  The log and the open intervals are then renumbered.  Counts are only ever moved, so
 * all totals stay exact.
 */
#include "profile/count/fold_impl.h"

#include <stdlib.h>

enum {
	AHEAD = 16, /* entries whose places in the index are asked for meanwhile, */
	NEAR = 6,   /* and the entries that are there already */
};

/* What a pass knows: where each entry went. */
struct pass {
	struct profile *p;
	enum table_id table;
	uint32_t *map; /* old id to new id */
	size_t len;    /* of the table as it was */
};

/*
 * From the entry @first on.  @weights (taken) may be NULL.  They lie where the map will: the weight of
 * an entry can be read until pass_move() writes where it went.  Passes are the peaks of ptop's memory.
 */
static struct pass
pass_begin(struct profile *p, enum table_id table, uint32_t *weights, uint32_t first)
{
	struct pass f = { .p = p, .table = table, .map = weights,
			  .len = p->tables.cells[table].len };

	if (f.map == NULL)
		f.map = mem_calloc(f.len, sizeof(*f.map));
	for (uint32_t id = 1; id < first; id++)
		f.map[id] = id;
	tables_cut(&p->tables, table, first);
	return f;
}

/* The counts that entry @from had go to @to.  @old is a copy: the place may be taken already. */
static void
pass_move(struct pass *f, uint32_t from, uint32_t to, const struct cell *old)
{
	struct cell *c = &f->p->tables.cells[f->table].items[to];

	f->map[from] = to;
	c->all_samples += old->all_samples;
	c->all_period += old->all_period;
	c->win_samples += old->win_samples;
	c->win_period += old->win_period;
}

static struct cell
pass_cell(const struct pass *f, uint32_t id)
{
	return f->p->tables.cells[f->table].items[id];
}

/* Open deltas follow their entries; two of one entry become one, the other stays empty. */
static void
renumber_open(struct pass *f)
{
	struct cell *cells = f->p->tables.cells[f->table].items;

	for (size_t e = 0; e < f->p->event_count; e++) {
		struct profile_event *ev = &f->p->events[e];

		for (size_t i = 0; i < ev->open_len; i++) {
			struct delta *d = &ev->open[i], *first;

			if (d->table != f->table)
				continue;
			d->id = f->map[d->id];
			/* That of an entry before the pass may still be this one. */
			if (cells[d->id].open == 0 || cells[d->id].open == (uint32_t)i + 1) {
				cells[d->id].open = (uint32_t)i + 1;
				continue;
			}
			first = &ev->open[cells[d->id].open - 1];
			first->samples += d->samples;
			first->period += d->period;
			if (d->turn > first->turn) {
				first->turn = d->turn;
				first->goes_on = d->goes_on;
			}
			d->samples = d->period = d->turn = 0;
		}
	}
}

static bool
has_moved(const struct pass *f)
{
	for (uint32_t id = 1; id < f->len; id++)
		if (f->map[id] != id)
			return true;
	return false;
}

static void
tell_moved(const struct pass *f)
{
	struct profile *p = f->p;

	if (f->table != TABLE_HOT || !has_moved(f))
		return;
	p->hot_epoch++;
	if (p->hot_moved != NULL)
		p->hot_moved(p->hot_moved_self, p, f->map, f->len);
}

static void
pass_end(struct pass *f)
{
	renumber_open(f);
	log_renumber(&f->p->log, f->table, f->map);
	f->p->epoch++;
	tell_moved(f);
	free(f->map);
}

/* The first entry that becomes another if none is light; the table's length: there is none. */
static uint32_t
first_hot(const struct profile *p, const uint32_t *whos)
{
	const struct hot_key *keys = p->tables.hot;
	uint32_t id = 1, len = (uint32_t)p->tables.cells[TABLE_HOT].len;

	while (id < len && (whos == NULL || whos[keys[id].who] == keys[id].who) &&
	       locations_resolve(p->locations, keys[id].location) == keys[id].location)
		id++;
	return id;
}

size_t
fold_hot(struct profile *p, const uint32_t *whos, uint32_t *weights, uint32_t least)
{
	uint32_t first = weights != NULL ? 1 : first_hot(p, whos);
	size_t folded = 0;
	struct pass f;

	if (weights == NULL && first == p->tables.cells[TABLE_HOT].len)
		return 0;
	f = pass_begin(p, TABLE_HOT, weights, first);
	for (uint32_t id = first; id < f.len; id++) {
		struct hot_key key = p->tables.hot[id];
		struct cell old = pass_cell(&f, id);

		if (whos != NULL)
			key.who = whos[key.who];
		key.location = locations_resolve(p->locations, key.location);
		if (f.map[id] < least) {
			key.location = locations_rest(p->locations,
						      p->locations->items[key.location].dso);
			folded++;
		}
		pass_move(&f, id, tables_hot(&p->tables, &key), &old);
	}
	pass_end(&f);
	return folded;
}

/*
 * The location of node @id becomes what it is now, and the memory that is then read is asked for.  All nodes
 * before @done have gone where they belong.  Its hash is only likely: an ancestor may be folded.
 */
static void
renew_node(const struct pass *f, size_t id, size_t done, const uint32_t *whos)
{
	struct tables *t = &f->p->tables;
	struct tree_key *key = &t->tree[id];
	uint32_t who = key->location & TREE_WHO_MASK, parent = key->parent;

	if (parent != 0)
		key->location = locations_frame(f->p->locations, key->location);
	else if (whos != NULL)
		key->location += whos[who] - who;
	key->hash = tables_node_hash(t, parent < done ? f->map[parent] : parent, key->location);
	index_prefetch(&t->index[TABLE_TREE], key->hash);
}

/* As first_hot(), of nodes. */
static uint32_t
first_node(const struct profile *p, const uint32_t *whos)
{
	uint32_t id, len = (uint32_t)p->tables.cells[TABLE_TREE].len;

	for (id = 1; id < len; id++) {
		const struct tree_key *key = &p->tables.tree[id];
		uint32_t who = key->location & TREE_WHO_MASK;

		if (key->parent == 0 ? whos != NULL && whos[who] != who
				     : locations_frame(p->locations, key->location) != key->location)
			break;
	}
	return id;
}

size_t
fold_tree(struct profile *p, const uint32_t *whos, uint32_t *weights, uint32_t least)
{
	uint32_t first = weights != NULL ? 1 : first_node(p, whos);
	size_t folded = 0;
	struct pass f;

	if (weights == NULL && first == p->tables.cells[TABLE_TREE].len)
		return 0;
	/* A stack that is folded gets its nodes back when it is sampled again. */
	if (weights != NULL && p->stacks != NULL)
		cache_forget_light(p->stacks, weights, least);
	f = pass_begin(p, TABLE_TREE, weights, first);
	for (uint32_t id = first; id < MIN(first + AHEAD, f.len); id++)
		renew_node(&f, id, first, whos);
	for (uint32_t id = first; id < f.len; id++) {
		const struct tree_key key = p->tables.tree[id];
		struct cell old = pass_cell(&f, id);
		uint32_t to = f.map[key.parent];

		if (id + AHEAD < f.len)
			renew_node(&f, id + AHEAD, id, whos);
		if (id + NEAR < f.len)
			tables_prefetch_hashed(&p->tables, p->tables.tree[id + NEAR].hash);
		if (to == 0 || f.map[id] >= least)
			to = tables_node(&p->tables, to, key.location);
		else
			folded++;
		pass_move(&f, id, to, &old);
	}
	if (p->stacks != NULL)
		cache_renumber(p->stacks, f.map);
	pass_end(&f);
	return folded;
}

size_t
fold_addresses(struct profile *p, const uint32_t *whos, uint32_t *weights, uint32_t least)
{
	struct pass f = pass_begin(p, TABLE_ADDRESS, weights, 1);
	size_t folded = 0;

	for (uint32_t id = 1; id < f.len; id++) {
		struct address_key key = p->tables.addresses[id];
		struct cell old = pass_cell(&f, id);

		if (whos != NULL)
			key.who = whos[key.who];
		if (f.map[id] < least && key.offset != ADDRESS_OTHER) {
			key.offset = ADDRESS_OTHER;
			key.who = key.cpu = 0;
			folded++;
		}
		pass_move(&f, id, tables_address(&p->tables, &key), &old);
	}
	pass_end(&f);
	return folded;
}

uint32_t *
fold_tree_weights(const struct profile *p)
{
	const struct cells *c = &p->tables.cells[TABLE_TREE];
	uint32_t *weights = mem_calloc(c->len, sizeof(*weights));

	for (size_t id = c->len - 1; id > 0; id--) {
		uint32_t *parent = &weights[p->tables.tree[id].parent];

		weights[id] = fold_add_weight(weights[id], c->items[id].all_samples);
		*parent = fold_add_weight(*parent, weights[id]);
	}
	weights[0] = 0;
	return weights;
}
