/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the entries of the intervals that are merged go: what is light becomes one. */
#include "profile/count/past_impl.h"

#include <stdlib.h>

static uint32_t
new_sum(struct merge *m, enum table_id table, uint32_t id)
{
	VEC_ADD(m->sums, m->sum_len, m->sum_cap) = (struct sum){ .table = table, .id = id };
	return (uint32_t)m->sum_len;
}

/* The sum of an entry, which may be newer than all that was counted. */
static uint32_t
sum_of(struct merge *m, enum table_id table, uint32_t id)
{
	struct met *e = past_meet(&m->met[table], id);

	if (e->goes_to == 0)
		e->goes_to = new_sum(m, table, id);
	return e->goes_to;
}

/* Who the light of @who is of: those that ended are one by name. */
static uint32_t
owner_of(struct merge *m, uint32_t who)
{
	struct model *model = m->p->model;
	const struct who *w = &model->whos[who];

	if (!w->is_used || !model_who_is_dead(model, who) || model->tasks[w->task].is_target ||
	    model->from_file)
		return who;
	return model_ended_who(model, model->tasks[w->task].host, w->comm, w->cgroup);
}

/* What is light stays apart by that: either can be hidden. */
enum { OF_USER, OF_KERNEL, SIDES };

static unsigned
side_of(const struct merge *m, uint32_t location)
{
	const struct locations *l = m->p->locations;

	return l->items[locations_resolve(l, location)].is_kernel ? OF_KERNEL : OF_USER;
}

static const uint32_t other_of[SIDES] = { LOCATION_OTHER, LOCATION_OTHER_KERNEL };

/* The entry for all that is light of @who, made if it is new. */
static uint32_t
other_function(struct merge *m, uint32_t who, unsigned side)
{
	struct hot_key key = { owner_of(m, who), other_of[side], 0, m->event };
	uint32_t id = tables_hot(&m->p->tables, &key);

	return sum_of(m, TABLE_HOT, id);
}

/* Light functions of a task become one, unless there is but one. */
static void
place_functions(struct merge *m)
{
	struct met_list *met = &m->met[TABLE_HOT];
	const size_t whos = m->p->model->who_len;
	uint32_t (*light)[SIDES] = mem_calloc(whos, sizeof(*light));
	uint32_t (*others)[SIDES] = mem_calloc(whos, sizeof(*others));

	for (size_t i = 0; i < met->count; i++) {
		const struct hot_key *hot = &m->p->tables.hot[met->items[i].id];

		if (past_is_light(m, TABLE_HOT, &met->items[i]))
			light[hot->who][side_of(m, hot->location)]++;
	}
	for (size_t i = 0; i < met->count; i++) {
		uint32_t id = met->items[i].id, who = m->p->tables.hot[id].who;
		unsigned side = side_of(m, m->p->tables.hot[id].location);

		if (!past_is_light(m, TABLE_HOT, &met->items[i]) ||
		    (light[who][side] == 1 && owner_of(m, who) == who)) {
			sum_of(m, TABLE_HOT, id);
			continue;
		}
		if (others[who][side] == 0)
			others[who][side] = other_function(m, who, side);
		met->items[i].goes_to = others[who][side];
	}
	free(light);
	free(others);
}

/* The node for all that is light below @node and came together there, made if it is new. */
static uint32_t
other_node(struct merge *m, uint32_t node, unsigned side)
{
	struct tables *t = &m->p->tables;

	if (t->tree[node].parent == 0)
		node = tables_root(t, owner_of(m, t->tree[node].location & TREE_WHO_MASK), m->event);
	return sum_of(m, TABLE_TREE, tables_node(t, node, other_of[side]));
}

/* A node that has something, or is above such a one. */
struct placed {
	uint32_t id, parent; /* the latter's place among them; 0: none */
	uint32_t below;      /* the place of the node where it comes together */
	uint32_t others[SIDES];
	uint64_t carried;
};

/* The lowest first, so that parents are before what is below them; [0] is not used. */
static struct placed *
list_nodes(const struct merge *m, size_t *node_len)
{
	const struct met_list *met = &m->met[TABLE_TREE];
	const struct tree_key *tree = m->p->tables.tree;
	const size_t entries = m->entries[TABLE_TREE];
	uint32_t *places = mem_calloc(entries, sizeof(*places));
	struct placed *nodes;
	size_t count = 0, len = 1;

	for (size_t i = 0; i < met->count; i++) {
		for (uint32_t id = met->items[i].id; id != 0 && places[id] == 0; id = tree[id].parent) {
			places[id] = 1;
			count++;
		}
	}
	nodes = mem_calloc(count + 1, sizeof(*nodes));
	for (uint32_t id = 1; len <= count && id < entries; id++) {
		if (places[id] == 0)
			continue;
		nodes[len].id = id;
		nodes[len].parent = places[tree[id].parent];
		places[id] = (uint32_t)len++;
	}
	free(places);
	*node_len = len;
	return nodes;
}

static uint64_t
weight_of(const struct met_list *list, uint32_t id)
{
	return list->at[id] != 0 ? list->items[list->at[id] - 1].weight : 0;
}

/*
 * What is light goes up, to the first node where enough has come together, or to the root: there it is
 * below a node [other].
 */
static void
place_nodes(struct merge *m)
{
	struct met_list *met = &m->met[TABLE_TREE];
	const uint64_t least = past_least_of_new(m);
	size_t len;
	struct placed *nodes = list_nodes(m, &len);

	for (size_t i = len; i-- > 1;) {
		struct placed *n = &nodes[i];

		if (weight_of(met, n->id) > 0 && past_is_light(m, TABLE_TREE, past_meet(met, n->id)))
			n->carried += weight_of(met, n->id);
		if (n->parent != 0 && n->carried <= least) {
			nodes[n->parent].carried += n->carried;
			n->carried = 0;
		}
	}
	for (size_t i = 1; i < len; i++) {
		struct placed *n = &nodes[i];
		const struct tree_key *node = &m->p->tables.tree[n->id];
		uint32_t *other;
		unsigned side;

		n->below = n->carried > 0 ? (uint32_t)i : nodes[n->parent].below;
		if (weight_of(met, n->id) == 0)
			continue;
		if (!past_is_light(m, TABLE_TREE, past_meet(met, n->id))) {
			sum_of(m, TABLE_TREE, n->id);
			continue;
		}
		side = node->parent != 0 ? side_of(m, node->location) : OF_USER;
		other = &nodes[n->below].others[side];
		if (*other == 0)
			*other = other_node(m, nodes[n->below].id, side);
		past_meet(met, n->id)->goes_to = *other;
	}
	free(nodes);
}

static void
place_addresses(struct merge *m)
{
	for (size_t i = 0; i < m->met[TABLE_ADDRESS].count; i++) {
		uint32_t id = m->met[TABLE_ADDRESS].items[i].id, to = id, sum;
		struct address_key other = {
			.offset = ADDRESS_OTHER, .dso = m->p->tables.addresses[id].dso,
			.event = m->event,
		};

		if (past_is_light(m, TABLE_ADDRESS, &m->met[TABLE_ADDRESS].items[i]))
			to = tables_address(&m->p->tables, &other);
		sum = sum_of(m, TABLE_ADDRESS, to);
		m->met[TABLE_ADDRESS].items[i].goes_to = sum;
	}
}

static void
place_cpus(struct merge *m)
{
	for (size_t i = 0; i < m->met[TABLE_CPU].count; i++)
		sum_of(m, TABLE_CPU, m->met[TABLE_CPU].items[i].id);
}

void
past_place(struct merge *m)
{
	place_functions(m);
	place_nodes(m);
	place_addresses(m);
	place_cpus(m);
}
