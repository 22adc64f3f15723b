/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each entry of the intervals that are merged has, and how much of that is light. */
#include "profile/count/past_impl.h"

#include <stdlib.h>

enum {
	LIGHT_PART = 1000, /* of the interval: an entry below it is light */
	ENTRY_BYTES = 5,   /* packed, about */
	CROWD_PART = 8,    /* of the log's share: if kept entries take more than that, */
	CROWD_TIMES = 8,   /* others are light that weigh less than so many times as much */
	TENS = 180, DAY_MINUTES = 24 * 60,
};

struct met *
past_meet(struct met_list *list, uint32_t id)
{
	vec_reserve_zeroed(&list->at, &list->at_cap, (size_t)id + 1, sizeof(*list->at));
	if (list->at[id] == 0) {
		VEC_ADD(list->items, list->len, list->cap) = (struct met){ .id = id };
		list->at[id] = (uint32_t)list->len;
	}
	return &list->items[list->at[id] - 1];
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
		const struct interval *iv = past_source(m, n);
		struct log_pos pos = { 0 };

		/* What weighs nothing is there as well: one more. */
		while (iv != NULL && log_next(&m->p->log, iv, &pos, &d))
			past_meet(&m->met[d.table], d.id)->weight += d.period + 1;
		m->period += iv != NULL ? iv->period : 0;
		m->samples += iv != NULL ? iv->samples : 0;
	}
	for (int t = 0; t < TABLE_COUNT; t++)
		sort_met(&m->met[t], m->entries[t]);
}

/* What is new to the log is light below that: some samples at least, where it is crowded. */
uint64_t
past_least_of_new(const struct merge *m)
{
	if (!m->is_crowded)
		return m->least;
	return MAX(m->least, m->period / MAX(m->samples, 1) + 1) * CROWD_TIMES;
}

bool
past_is_light(const struct merge *m, enum table_id t, const struct met *e)
{
	bool is_kept = log_ids_is_kept(&m->p->log.ids[t], e->id);

	return e->weight <= (is_kept ? m->least : past_least_of_new(m));
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
	       count_above(w->fresh, w->fresh_len, past_least_of_new(m));
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

void
past_weigh(struct merge *m)
{
	weigh(m);
	choose_least(m);
}
