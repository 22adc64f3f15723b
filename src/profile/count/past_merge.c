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

struct merge {
	struct profile *p;
	enum log_tier tier;
	size_t len;
	uint32_t event;
	uint64_t *weights[TABLE_COUNT]; /* by entry: period */
	uint32_t *goes_to[TABLE_COUNT]; /* by entry: its sum, plus one */
	size_t goes_to_cap[TABLE_COUNT];
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

static void
weigh(struct merge *m)
{
	struct delta d;

	for (int t = 0; t < TABLE_COUNT; t++) {
		m->entries[t] = m->p->tables.cells[t].len;
		m->weights[t] = mem_calloc(m->entries[t], sizeof(*m->weights[t]));
		vec_reserve_zeroed(&m->goes_to[t], &m->goes_to_cap[t], m->entries[t],
				   sizeof(*m->goes_to[t]));
	}
	for (size_t n = 0; n < m->len; n++) {
		const struct interval *iv = source(m, n);
		struct log_pos pos = { 0 };

		/* What weighs nothing is there as well: one more. */
		while (iv != NULL && log_next(&m->p->log, iv, &pos, &d))
			m->weights[d.table][d.id] += d.period + 1;
		m->period += iv != NULL ? iv->period : 0;
		m->samples += iv != NULL ? iv->samples : 0;
	}
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
is_light(const struct merge *m, enum table_id t, size_t id)
{
	bool is_kept = log_ids_is_kept(&m->p->log.ids[t], (uint32_t)id);

	return m->weights[t][id] <= (is_kept ? m->least : least_of_new(m));
}

/* How many of a table's entries are not light. */
static size_t
count_heavy(const struct merge *m, enum table_id t)
{
	size_t heavy = 0;

	for (size_t id = 1; id < m->entries[t]; id++)
		heavy += m->weights[t][id] > 0 && !is_light(m, t, id);
	return heavy;
}

/* A thousandth, and as much more as it takes to have room for as many as the tier is to have. */
static void
choose_least(struct merge *m)
{
	/* Of the log's share: an eighth for half an hour, a fourth for a day; names and [other] come on top. */
	size_t room = m->tier == LOG_NEWEST ? profile_log_share(m->p) / 8 / TENS
					    : profile_log_share(m->p) / 4 / DAY_MINUTES;

	m->is_crowded = log_kept_bytes(&m->p->log) > profile_log_share(m->p) / CROWD_PART;
	m->least = m->period / LIGHT_PART;
	while ((count_heavy(m, TABLE_HOT) + count_heavy(m, TABLE_TREE) +
		count_heavy(m, TABLE_ADDRESS)) * ENTRY_BYTES > room &&
	       m->least < m->period / 8)
		m->least += m->least / 2 + 1;
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
	vec_reserve_zeroed(&m->goes_to[table], &m->goes_to_cap[table], (size_t)id + 1,
			   sizeof(*m->goes_to[table]));
	if (m->goes_to[table][id] == 0)
		m->goes_to[table][id] = new_sum(m, table, id);
	return m->goes_to[table][id];
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
	const uint64_t *weights = m->weights[TABLE_HOT];
	const size_t whos = m->p->model->who_len;
	uint32_t (*light)[SIDES] = mem_calloc(whos, sizeof(*light));
	uint32_t (*others)[SIDES] = mem_calloc(whos, sizeof(*others));

	for (size_t id = 1; id < m->entries[TABLE_HOT]; id++) {
		const struct hot_key *hot = &m->p->tables.hot[id];

		if (weights[id] > 0 && is_light(m, TABLE_HOT, id))
			light[hot->who][side_of(m, hot->location)]++;
	}
	for (uint32_t id = 1; id < m->entries[TABLE_HOT]; id++) {
		uint32_t who = m->p->tables.hot[id].who;
		unsigned side;

		if (weights[id] == 0)
			continue;
		side = side_of(m, m->p->tables.hot[id].location);
		if (!is_light(m, TABLE_HOT, id) || (light[who][side] == 1 && owner_of(m, who) == who)) {
			sum_of(m, TABLE_HOT, id);
			continue;
		}
		if (others[who][side] == 0)
			others[who][side] = other_function(m, who, side);
		m->goes_to[TABLE_HOT][id] = others[who][side];
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

/*
 * What is light goes up, to the first node where enough has come together, or to the root: there it is
 * below a node [other].
 */
static void
place_nodes(struct merge *m)
{
	const uint64_t *weights = m->weights[TABLE_TREE];
	size_t len = m->entries[TABLE_TREE];
	const uint64_t least = least_of_new(m);
	uint64_t *carried = mem_calloc(len, sizeof(*carried));
	uint32_t *below = mem_calloc(len, sizeof(*below)); /* the node where it comes together */
	uint32_t (*others)[SIDES] = mem_calloc(len, sizeof(*others));

	for (size_t id = len - 1; id > 0; id--) {
		uint32_t parent = m->p->tables.tree[id].parent;

		if (weights[id] > 0 && is_light(m, TABLE_TREE, id))
			carried[id] += weights[id];
		if (parent != 0 && carried[id] <= least) {
			carried[parent] += carried[id];
			carried[id] = 0;
		}
	}
	for (uint32_t id = 1; id < len; id++) {
		const struct tree_key *node = &m->p->tables.tree[id];
		uint32_t *other;
		unsigned side;

		below[id] = carried[id] > 0 ? id : below[node->parent];
		if (weights[id] == 0)
			continue;
		if (!is_light(m, TABLE_TREE, id)) {
			sum_of(m, TABLE_TREE, id);
			continue;
		}
		side = node->parent != 0 ? side_of(m, node->location) : OF_USER;
		other = &others[below[id]][side];
		if (*other == 0)
			*other = other_node(m, below[id], side);
		m->goes_to[TABLE_TREE][id] = *other;
	}
	free(below);
	free(carried);
	free(others);
}

static void
place_addresses(struct merge *m)
{
	for (uint32_t id = 1; id < m->entries[TABLE_ADDRESS]; id++) {
		struct address_key other = {
			.offset = ADDRESS_OTHER, .dso = m->p->tables.addresses[id].dso,
			.event = m->event,
		};
		uint64_t weight = m->weights[TABLE_ADDRESS][id];
		uint32_t to = id, sum;

		if (weight == 0)
			continue;
		if (is_light(m, TABLE_ADDRESS, id))
			to = tables_address(&m->p->tables, &other);
		sum = sum_of(m, TABLE_ADDRESS, to);
		m->goes_to[TABLE_ADDRESS][id] = sum;
	}
}

static void
place_cpus(struct merge *m)
{
	for (uint32_t id = 1; id < m->entries[TABLE_CPU]; id++)
		if (m->weights[TABLE_CPU][id] > 0)
			sum_of(m, TABLE_CPU, id);
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
			add(m, &m->sums[m->goes_to[d.table][d.id] - 1], part, iv, &d);
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
		free(m.weights[t]);
		free(m.goes_to[t]);
	}
	free(m.sums);
	free(m.parts);
}
