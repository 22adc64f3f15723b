/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intervals become one in two walks over them: the first sums what each entry has, and finds where that
 * goes; the second adds it there, second by second, so that it is known how these differ.
 */
#include "profile/count/past.h"
#include "profile/count/window.h"

#include <stdlib.h>

enum {
	LIGHT_PART = 1000, /* of the interval: an entry below it is light */
	ENTRY_BYTES = 5,   /* packed, about */
	CROWD_PART = 8,    /* of the log's share: if kept entries take more than that, */
	CROWD_TIMES = 8,   /* others are light that weigh less than so many times as much */
	TENS = 180, DAY_MINUTES = 24 * 60,
};

/* What an entry of the new interval has. */
struct sum {
	uint32_t table, id;
	uint32_t samples;
	uint64_t period;
	double of_of, of_all;          /* products in one second, summed: of all, what all have */
	double of_of_next, cross_next; /* of a second and the next; cross: both ways */
	uint32_t part;           /* the last of @parts that had some of it, plus one; 0: none yet */
	double now;              /* its period in that one, and of merged ones */
	double squares, lagged;  /* what is known of their seconds */
	uint32_t before;         /* the part before that, and the mean of its seconds */
	double before_mean;
};

/* Of the new interval: a second, or what was merged before. */
struct part {
	size_t first; /* of the intervals that are merged */
	uint32_t seconds;
	double mean;  /* what all have in a second */
};

/* An entry of the tables that the merge has to do with. */
struct met {
	uint32_t id;
	uint32_t goes_to; /* its sum, plus one; 0: not told yet */
	uint64_t weight;  /* period, and one for each time; 0: it has nothing */
};

/* Those of one table: a few of all that there are. */
struct met_list {
	struct met *items;
	size_t len, cap;
	size_t count;  /* so many have something, the lowest first; they come first */
	uint32_t *at;  /* by entry: its place, plus one; 0: it is not among them */
	size_t at_cap;
};

struct merge {
	struct profile *p;
	enum log_tier tier;
	size_t len;
	uint32_t event;
	struct met_list met[TABLE_COUNT];
	size_t entries[TABLE_COUNT];    /* how many there were before */
	uint64_t period, least;         /* of all; below which an entry is light */
	uint64_t samples;               /* of all */
	bool is_crowded;                /* of the log's share too much are entries: new ones have to weigh more */
	struct sum *sums;
	size_t sum_len, sum_cap;
	struct part *parts;
	size_t part_len, part_cap;
	uint32_t seconds;
	double all_all, all_all_next;   /* as those of a sum */
};

static const struct interval *
source(const struct merge *m, size_t n)
{
	const struct interval *iv = log_tier_at(&m->p->log, m->tier, n);

	return iv->event == m->event && iv->end_ns > m->p->events[m->event].zero_ns ? iv : NULL;
}

/* The entry among them, made if it is new. */
static struct met *
meet(struct met_list *list, uint32_t id)
{
	vec_reserve_zeroed(&list->at, &list->at_cap, (size_t)id + 1, sizeof(*list->at));
	if (list->at[id] == 0) {
		VEC_ADD(list->items, list->len, list->cap) = (struct met){ .id = id };
		list->at[id] = (uint32_t)list->len;
	}
	return &list->items[list->at[id] - 1];
}

static uint64_t
weight_of(const struct met_list *list, uint32_t id)
{
	return list->at[id] != 0 ? list->items[list->at[id] - 1].weight : 0;
}

/* The lowest first. */
static void
sort_met(struct met_list *list, size_t entries)
{
	struct met *sorted = mem_realloc(NULL, list->len + 1, sizeof(*sorted));
	size_t len = 0;

	for (size_t id = 1; len < list->len && id < entries; id++) {
		if (list->at[id] == 0)
			continue;
		sorted[len++] = list->items[list->at[id] - 1];
		list->at[id] = (uint32_t)len;
	}
	free(list->items);
	list->items = sorted;
	list->cap = list->len + 1;
	list->count = len;
}

static void
weigh(struct merge *m)
{
	struct delta d;

	for (int t = 0; t < TABLE_COUNT; t++) {
		m->entries[t] = m->p->tables.cells[t].len;
		/* With room for some that are made new: it grows by moving all. */
		m->met[t].at_cap = m->entries[t] + m->entries[t] / 16 + 64;
		m->met[t].at = mem_calloc(m->met[t].at_cap, sizeof(*m->met[t].at));
	}
	for (size_t n = 0; n < m->len; n++) {
		const struct interval *iv = source(m, n);
		struct log_pos pos = { 0 };

		/* What weighs nothing is there as well: one more. */
		while (iv != NULL && log_next(&m->p->log, iv, &pos, &d))
			meet(&m->met[d.table], d.id)->weight += d.period + 1;
		m->period += iv != NULL ? iv->period : 0;
		m->samples += iv != NULL ? iv->samples : 0;
	}
	for (int t = 0; t < TABLE_COUNT; t++)
		sort_met(&m->met[t], m->entries[t]);
}

/* What is new to the log is light below that: some samples at least, where it is crowded. */
static uint64_t
least_of_new(const struct merge *m)
{
	if (!m->is_crowded)
		return m->least;
	return MAX(m->least, m->period / MAX(m->samples, 1) + 1) * CROWD_TIMES;
}

static bool
is_light(const struct merge *m, enum table_id t, const struct met *e)
{
	bool is_kept = log_ids_is_kept(&m->p->log.ids[t], e->id);

	return e->weight <= (is_kept ? m->least : least_of_new(m));
}

/* The weights of entries that are told apart: of those that the log keeps, and of those new to it. */
struct weights {
	uint64_t *kept, *fresh;
	size_t kept_len, fresh_len;
};

static struct weights
list_weights(const struct merge *m)
{
	static const enum table_id tables[] = { TABLE_HOT, TABLE_TREE, TABLE_ADDRESS };
	struct weights w = { .kept_len = 0 };
	size_t count = 1;

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		count += m->met[tables[t]].count;
	w.kept = mem_realloc(NULL, count, sizeof(*w.kept));
	w.fresh = mem_realloc(NULL, count, sizeof(*w.fresh));
	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		const struct met_list *met = &m->met[tables[t]];

		for (size_t i = 0; i < met->count; i++) {
			if (log_ids_is_kept(&m->p->log.ids[tables[t]], met->items[i].id))
				w.kept[w.kept_len++] = met->items[i].weight;
			else
				w.fresh[w.fresh_len++] = met->items[i].weight;
		}
	}
	return w;
}

static size_t
count_above(const uint64_t *weights, size_t len, uint64_t least)
{
	size_t count = 0;

	for (size_t i = 0; i < len; i++)
		count += weights[i] > least;
	return count;
}

/* How many entries are not light. */
static size_t
count_heavy(const struct merge *m, const struct weights *w)
{
	return count_above(w->kept, w->kept_len, m->least) +
	       count_above(w->fresh, w->fresh_len, least_of_new(m));
}

/* A thousandth, and as much more as it takes to have room for as many as the tier is to have. */
static void
choose_least(struct merge *m)
{
	/* Of the log's share: an eighth for half an hour, a fourth for a day; names and [other] come on top. */
	size_t room = m->tier == LOG_NEWEST ? profile_log_share(m->p) / 8 / TENS
					    : profile_log_share(m->p) / 4 / DAY_MINUTES;
	struct weights w = list_weights(m);

	m->is_crowded = log_kept_bytes(&m->p->log) > profile_log_share(m->p) / CROWD_PART;
	m->least = m->period / LIGHT_PART;
	while (count_heavy(m, &w) * ENTRY_BYTES > room && m->least < m->period / 8)
		m->least += m->least / 2 + 1;
	free(w.kept);
	free(w.fresh);
}

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
	struct met *e = meet(&m->met[table], id);

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
	return model_ended_who(model, w->comm, w->cgroup);
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

		if (is_light(m, TABLE_HOT, &met->items[i]))
			light[hot->who][side_of(m, hot->location)]++;
	}
	for (size_t i = 0; i < met->count; i++) {
		uint32_t id = met->items[i].id, who = m->p->tables.hot[id].who;
		unsigned side = side_of(m, m->p->tables.hot[id].location);

		if (!is_light(m, TABLE_HOT, &met->items[i]) || (light[who][side] == 1 && owner_of(m, who) == who)) {
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

/*
 * What is light goes up, to the first node where enough has come together, or to the root: there it is
 * below a node [other].
 */
static void
place_nodes(struct merge *m)
{
	struct met_list *met = &m->met[TABLE_TREE];
	const uint64_t least = least_of_new(m);
	size_t len;
	struct placed *nodes = list_nodes(m, &len);

	for (size_t i = len; i-- > 1;) {
		struct placed *n = &nodes[i];

		if (weight_of(met, n->id) > 0 && is_light(m, TABLE_TREE, meet(met, n->id)))
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
		if (!is_light(m, TABLE_TREE, meet(met, n->id))) {
			sum_of(m, TABLE_TREE, n->id);
			continue;
		}
		side = node->parent != 0 ? side_of(m, node->location) : OF_USER;
		other = &nodes[n->below].others[side];
		if (*other == 0)
			*other = other_node(m, nodes[n->below].id, side);
		meet(met, n->id)->goes_to = *other;
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

		if (is_light(m, TABLE_ADDRESS, &m->met[TABLE_ADDRESS].items[i]))
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

/*
 * How many of the pairs of seconds that follow each other are told by the part alone: those within,
 * and, where parts were merged before, the one with the part before it, of which no more is known.
 */
static double
pairs_of(const struct merge *m, size_t part)
{
	bool is_merged = m->tier != LOG_NEWEST;

	return m->parts[part].seconds - (is_merged && part > 0 ? 0 : 1);
}

/* What all have in the seconds next to it, where pairs with these are known. */
static double
next_to(const struct merge *m, size_t part)
{
	if (m->tier != LOG_NEWEST)
		return 0;
	return (part > 0 ? m->parts[part - 1].mean : 0) +
	       (part + 1 < m->part_len ? m->parts[part + 1].mean : 0);
}

/* The part that @s had something of last is over. */
static void
end_part(const struct merge *m, struct sum *s)
{
	const struct part *part;
	double mean, pairs;

	if (s->part == 0)
		return;
	part = &m->parts[s->part - 1];
	mean = s->now / part->seconds;
	pairs = pairs_of(m, s->part - 1);
	s->of_of += mean * s->now + s->squares;
	s->of_all += s->now * part->mean;
	s->of_of_next += pairs * mean * mean;
	s->of_of_next += part->seconds > 1 ? s->lagged * pairs / (part->seconds - 1) : 0;
	s->cross_next += mean * (2 * pairs * part->mean + next_to(m, s->part - 1));
	if (m->tier == LOG_NEWEST && s->before != 0 && s->before + 1 == s->part)
		s->of_of_next += s->before_mean * mean;
	s->before = s->part;
	s->before_mean = mean;
	s->now = s->squares = s->lagged = 0;
}

static void
add(const struct merge *m, struct sum *s, size_t part, const struct interval *iv,
    const struct delta *d)
{
	double squares, lagged;

	if (s->part != part) {
		end_part(m, s);
		s->part = (uint32_t)part;
	}
	s->samples += d->samples;
	s->period += d->period;
	s->now += (double)d->period;
	if (iv->seconds == 0)
		return;
	log_moments(iv, d, &squares, &lagged);
	s->squares += squares;
	s->lagged += lagged;
}

/*
 * Intervals can be shorter than a second, then several are a part; or longer: time in which nothing
 * was sampled.  @part_ns: how long the last part is so far, 0: there is none.
 */
static bool
begins_part(const struct interval *iv, uint64_t part_ns)
{
	/* A refresh may be a little early. */
	return part_ns == 0 || part_ns >= NSEC_PER_SEC / 10 * 9 || iv->seconds > 0;
}

static uint32_t
whole_seconds(uint64_t ns)
{
	return (uint32_t)MIN(MAX((ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC, 1), INT32_MAX);
}

static void
find_parts(struct merge *m)
{
	uint64_t part_ns = 0;

	for (size_t n = 0; n < m->len; n++) {
		const struct interval *iv = source(m, n);
		struct part *part;

		if (iv == NULL)
			continue;
		if (begins_part(iv, part_ns)) {
			VEC_ADD(m->parts, m->part_len, m->part_cap) = (struct part){ n, 1, 0 };
			part_ns = 0;
		}
		part = &m->parts[m->part_len - 1];
		part_ns += iv->end_ns - iv->start_ns;
		part->mean += (double)iv->period;
		part->seconds = iv->seconds > 0 ? iv->seconds : whole_seconds(part_ns);
	}
	for (size_t i = 0; i < m->part_len; i++) {
		struct part *part = &m->parts[i];

		part->mean /= part->seconds;
		m->seconds = MIN(m->seconds + part->seconds, INT32_MAX);
		m->all_all += part->mean * part->mean * part->seconds;
		m->all_all_next += part->mean * part->mean * pairs_of(m, i);
		if (m->tier == LOG_NEWEST && i > 0)
			m->all_all_next += part->mean * part[-1].mean;
	}
}

static void
add_up(struct merge *m)
{
	struct delta d;
	size_t part = 0;

	find_parts(m);
	for (size_t n = 0; n < m->len; n++) {
		const struct interval *iv = source(m, n);
		struct log_pos pos = { 0 };

		if (iv == NULL)
			continue;
		part += part < m->part_len && m->parts[part].first == n;
		while (log_next(&m->p->log, iv, &pos, &d))
			add(m, &m->sums[meet(&m->met[d.table], d.id)->goes_to - 1], part, iv, &d);
	}
	for (size_t i = 0; i < m->sum_len; i++)
		end_part(m, &m->sums[i]);
}

/* What its seconds have more or less than its part of all; what is left of none is rounding. */
static void
set_moments(const struct merge *m, struct delta *d, const struct sum *s, double usual)
{
	double p = m->period > 0 ? (double)s->period / (double)m->period : 0;
	double squares = s->of_of - 2 * p * s->of_all + p * p * m->all_all;
	double lagged = s->of_of_next - p * s->cross_next + p * p * m->all_all_next;

	log_set_moments(d, usual, squares > s->of_of * 1e-12 ? squares : 0, lagged);
}

/* Out of the window with what is merged, and in with the new one if that is most of it. */
static bool
leave_windows(struct merge *m, uint64_t *start_ns, uint64_t *end_ns)
{
	uint64_t shown_ns = 0, ns = 0;

	*end_ns = 0;
	for (size_t n = 0; n < m->len; n++) {
		const struct interval *iv = source(m, n);

		if (iv == NULL)
			continue;
		*start_ns = *end_ns == 0 ? iv->start_ns : *start_ns;
		*end_ns = iv->end_ns;
		ns += iv->end_ns - iv->start_ns;
		if (window_leave(m->p, m->tier, m->p->log.tiers[m->tier].first + n, iv))
			shown_ns += iv->end_ns - iv->start_ns;
	}
	return shown_ns > ns / 2;
}

static struct interval *
append(struct merge *m)
{
	struct delta *deltas = mem_calloc(m->sum_len + 1, sizeof(*deltas));
	uint64_t samples = 0;
	double usual;
	struct interval *iv;

	for (size_t i = 0; i < m->sum_len; i++)
		samples += m->sums[i].table == TABLE_HOT ? m->sums[i].samples : 0;
	usual = samples > 0 ? (double)(m->period / samples) : 0;
	for (size_t i = 0; i < m->sum_len; i++) {
		const struct sum *s = &m->sums[i];

		deltas[i] = (struct delta){ s->table, s->id, s->samples, s->period, 0, 0 };
		set_moments(m, &deltas[i], s, usual);
	}
	iv = log_append_merged(&m->p->log, m->tier + 1, m->event, m->seconds, deltas, m->sum_len);
	free(deltas);
	return iv;
}

void
past_merge(struct profile *p, enum log_tier tier, size_t len, uint32_t event)
{
	struct merge m = { .p = p, .tier = tier, .len = len, .event = event };
	uint64_t start_ns = 0, end_ns;
	struct interval *iv;
	bool is_shown = leave_windows(&m, &start_ns, &end_ns);

	if (end_ns == 0)
		return;
	weigh(&m);
	choose_least(&m);
	place_functions(&m);
	place_nodes(&m);
	place_addresses(&m);
	place_cpus(&m);
	add_up(&m);
	iv = append(&m);
	iv->start_ns = start_ns;
	iv->end_ns = end_ns;
	if (is_shown)
		window_enter(p, iv);
	for (int t = 0; t < TABLE_COUNT; t++) {
		free(m.met[t].items);
		free(m.met[t].at);
	}
	free(m.sums);
	free(m.parts);
}
