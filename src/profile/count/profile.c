/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/profile.h"

#include "profile/count/lasts.h"
#include "profile/count/window.h"

#include <stdlib.h>
#include <string.h>

/* The hot table is outside the budget; this is what it may hold before ended tasks are merged. */
enum { HOT_ENTRIES_MAX = 48 << 10 };

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, SORT_BITS = 3 * DIGIT_BITS + 2 };

struct profile *
profile_new(struct model *model, struct locations *locations, size_t budget_bytes)
{
	struct profile *p = mem_calloc(1, sizeof(*p));

	p->model = model;
	p->locations = locations;
	p->budget_bytes = budget_bytes;
	p->hot_max = HOT_ENTRIES_MAX;
	p->window_ns = 10 * NSEC_PER_SEC;
	tables_init(&p->tables);
	labels_init(&p->labels);
	p->containers = mem_calloc(1, sizeof(*p->containers));
	containers_init(p->containers, &model->strs);
	return p;
}

void
profile_free(struct profile *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->event_count; i++) {
		free(p->events[i].name);
		free(p->events[i].open);
	}
	free(p->events);
	free(p->spare);
	labels_release(&p->labels);
	split_release(&p->split);
	srclines_release(&p->lines);
	srclines_release(&p->instructions);
	variables_release(&p->variables);
	containers_release(p->containers);
	free(p->containers);
	cpu_nodes_release(&p->nodes);
	tables_release(&p->tables);
	recount_release(&p->recount);
	log_release(&p->log);
	free(p);
}

uint32_t
profile_event(struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->event_count; i++)
		if (strcmp(p->events[i].name, name) == 0)
			return (uint32_t)i;
	if (p->event_count >= EVENTS_MAX)
		return UINT32_MAX;
	vec_reserve(&p->events, &p->event_cap, p->event_count + 1, sizeof(*p->events));
	p->events[p->event_count] = (struct profile_event){
		.name = mem_strdup(name), .win_first = log_end(&p->log),
	};
	return (uint32_t)p->event_count++;
}

static uint32_t
label_of(struct labels *l, const struct profile_sample *s)
{
	struct label want = s->label != NULL ? *s->label : (struct label){ 0 };

	if (labels_want(l, KEY_CPU))
		want.cpu = (uint32_t)(s->cpu + 1); /* 0 of UINT32_MAX: it was on none */
	if (labels_want(l, KEY_ADDRESS) || labels_want(l, KEY_SRCLINE) ||
	    labels_want(l, KEY_INSTRUCTION))
		want.address = s->offset + 1;
	return labels_find(l, &want);
}

static void
count(struct profile *p, struct profile_event *ev, enum table_id table, uint32_t id,
      uint32_t samples, uint64_t period)
{
	struct cell *c = &p->tables.cells[table].items[id];
	struct delta *d;

	c->all_samples += samples;
	c->all_period += period;
	if (p->sums_only)
		return;
	if (c->open == 0) {
		vec_reserve(&ev->open, &ev->open_cap, ev->open_len + 1, sizeof(*ev->open));
		ev->open[ev->open_len++] = (struct delta){ .table = table, .id = id };
		c->open = (uint32_t)ev->open_len;
	}
	d = &ev->open[c->open - 1];
	d->samples += samples;
	d->period += period;
}

static struct delta *
open_delta(const struct profile *p, const struct profile_event *ev, uint32_t hot)
{
	return &ev->open[p->tables.cells[TABLE_HOT].items[hot].open - 1];
}

static void
note_turn(const struct profile *p, const struct profile_event *ev, const struct profile_ids *ids)
{
	struct delta *d = open_delta(p, ev, ids->hot);

	if (ids->turn < d->turn)
		return;
	d->turn = ids->turn;
	d->goes_on = true;
}

void
profile_add_again(struct profile *p, const struct profile_ids *ids, uint32_t event,
		  uint32_t samples, uint64_t period)
{
	struct profile_event *ev = &p->events[event];

	count(p, ev, TABLE_HOT, ids->hot, samples, period);
	if (!p->sums_only)
		note_turn(p, ev, ids);
	if (ids->node != 0)
		count(p, ev, TABLE_TREE, ids->node, samples, period);
	if (ids->address != 0)
		count(p, ev, TABLE_ADDRESS, ids->address, samples, period);
	count(p, ev, TABLE_CPU, ids->cpu, samples, period);
}

/* What it is in the tree. */
static uint32_t
frame_of(const struct profile_sample *s)
{
	return s->frame != 0 ? s->frame : s->leaf;
}

void
profile_prefetch(const struct profile *p, const struct profile_sample *s)
{
	tables_prefetch_hot(&p->tables, &(struct hot_key){ s->who, s->leaf, 0, s->event });
	if (s->callers != 0)
		tables_prefetch_node(&p->tables, s->callers, frame_of(s));
}

void
profile_prefetch_entries(const struct profile *p, const struct profile_sample *s)
{
	tables_prefetch_hot_entry(&p->tables, &(struct hot_key){ s->who, s->leaf, 0, s->event });
	if (s->callers != 0)
		tables_prefetch_node_entry(&p->tables, s->callers, frame_of(s));
}

static struct hot_key
hot_key_of(struct profile *p, const struct profile_sample *s)
{
	struct hot_key hot = { s->who, s->leaf, 0, s->event };

	if (p->labels.want != 0 || s->label != NULL)
		hot.label = label_of(&p->labels, s);
	return hot;
}

bool
profile_has(struct profile *p, const struct profile_sample *s)
{
	const struct hot_key hot = hot_key_of(p, s);

	return tables_has_hot(&p->tables, &hot);
}

struct profile_ids
profile_add(struct profile *p, const struct profile_sample *s)
{
	struct tables *t = &p->tables;
	const struct hot_key hot = hot_key_of(p, s);
	struct address_key address = { s->offset, s->dso, s->event, 0, 0 };
	struct profile_ids ids = { 0 };

	ids.hot = tables_hot(t, &hot);
	if (s->callers != 0)
		ids.node = tables_node(t, s->callers, frame_of(s));
	/* Exact places are worth their memory only where there is code to show beside them. */
	if (p->locations->items[s->leaf].kind <= LOCATION_FUNCTION && s->dso != DSO_ID_WAITING &&
	    !p->sums_only) {
		if (watch_has(&p->watch, p->locations, s->leaf)) {
			address.who = s->who;
			address.cpu = p->watch.by_cpu ? (uint32_t)(s->cpu + 1) : 0;
		}
		ids.address = tables_address(t, &address);
	}
	ids.cpu = tables_cpu(t, s->cpu, s->event);
	ids.turn = ++p->turns;
	profile_add_again(p, &ids, s->event, 1, s->period);
	if (s->is_over && !p->sums_only)
		open_delta(p, &p->events[s->event], ids.hot)->goes_on = false;
	return ids;
}

static uint32_t
digit_of(const struct delta *d, unsigned shift)
{
	return (uint32_t)(((uint64_t)d->table << 3 * DIGIT_BITS | d->id) >> shift) & (DIGITS - 1);
}

/* By one digit, those that have the same stay in their order; @ends: how many there are of each. */
static void
sort_by_digit(struct delta *to, const struct delta *from, size_t len, unsigned shift, uint32_t *ends)
{
	uint32_t begin = 0;

	for (size_t i = 0; i < DIGITS; i++) {
		uint32_t count = ends[i];

		ends[i] = begin;
		begin += count;
	}
	for (size_t i = 0; i < len; i++)
		to[ends[digit_of(&from[i], shift)]++] = from[i];
}

/*
 * In the order of tables and entries: whoever walks over the interval finds what is known of an entry
 * near that of the one before.
 */
static void
sort_open(struct profile *p, struct profile_event *ev)
{
	vec_reserve(&p->spare, &p->spare_cap, ev->open_cap, sizeof(*p->spare));
	for (unsigned shift = 0; ev->open_len > 1 && shift < SORT_BITS; shift += DIGIT_BITS) {
		uint32_t counts[DIGITS] = { 0 };
		struct delta *sorted = p->spare;
		size_t cap = p->spare_cap;

		for (size_t i = 0; i < ev->open_len; i++)
			counts[digit_of(&ev->open[i], shift)]++;
		if (counts[digit_of(&ev->open[0], shift)] == ev->open_len)
			continue;
		sort_by_digit(sorted, ev->open, ev->open_len, shift, counts);
		p->spare = ev->open;
		p->spare_cap = ev->open_cap;
		ev->open = sorted;
		ev->open_cap = cap;
	}
}

static void
close_event(struct profile *p, uint32_t event, uint64_t now_ns)
{
	struct profile_event *ev = &p->events[event];
	struct interval *iv;
	size_t lasts;

	sort_open(p, ev);
	lasts = lasts_take(p, ev->open, ev->open_len);
	for (size_t i = 0; i < ev->open_len; i++)
		p->tables.cells[ev->open[i].table].items[ev->open[i].id].open = 0;
	iv = log_append(&p->log, event, ev->open, ev->open_len, lasts);
	log_place(&p->log, LOG_NEWEST, ev->open_since_ns, now_ns);
	ev->last_end_ns = now_ns;
	ev->all_ns += now_ns - ev->open_since_ns;
	ev->open_len = 0;
	window_take(p, iv);
}

/* Samples that waited (for maps, for rules) until their event was closed: their time is counted. */
static void
close_late(struct profile *p, uint32_t event)
{
	struct profile_event *ev = &p->events[event];

	ev->open_since_ns = ev->last_end_ns;
	close_event(p, event, ev->last_end_ns);
	ev->open_since_ns = 0;
}

void
profile_close_interval(struct profile *p, uint64_t now_ns)
{
	for (uint32_t i = 0; i < p->event_count; i++) {
		struct profile_event *ev = &p->events[i];

		/* An event that is not sampled has no intervals: its window waits for it. */
		if (ev->open_since_ns == 0 && ev->open_len > 0 && ev->last_end_ns != 0)
			close_late(p, i);
		if (ev->open_since_ns == 0 || now_ns <= ev->open_since_ns)
			continue;
		close_event(p, i, now_ns);
		ev->open_since_ns = now_ns;
	}
	p->turns = 0;
}

void
profile_stand_still(struct profile *p, uint64_t now_ns)
{
	for (uint32_t i = 0; i < p->event_count; i++) {
		struct profile_event *ev = &p->events[i];

		if (ev->open_since_ns != 0 && ev->open_len == 0)
			ev->open_since_ns = MAX(ev->open_since_ns, now_ns);
	}
	profile_close_interval(p, now_ns);
}

/* The event of an entry. */
static uint32_t
event_of(const struct tables *t, enum table_id table, uint32_t id)
{
	switch (table) {
	case TABLE_HOT:
		return t->hot[id].event;
	case TABLE_ADDRESS:
		return t->addresses[id].event;
	case TABLE_CPU:
		return t->cpus[id].event;
	case TABLE_TREE:
		while (t->tree[id].parent != 0)
			id = t->tree[id].parent;
		return t->tree[id].location >> TREE_EVENT_SHIFT;
	case TABLE_COUNT:
		break;
	}
	return UINT32_MAX;
}

void
profile_zero(struct profile *p, uint32_t event)
{
	struct profile_event *ev = &p->events[event];

	for (enum table_id t = 0; t < TABLE_COUNT; t++) {
		for (uint32_t i = 1; i < p->tables.cells[t].len; i++) {
			struct cell *c = &p->tables.cells[t].items[i];

			if (event_of(&p->tables, t, i) == event)
				*c = (struct cell){ 0 };
		}
	}
	ev->open_len = 0;
	ev->win_ns = ev->all_ns = 0;
	ev->win_first = log_end(&p->log);
	ev->win_merged = 0;
	ev->zero_ns = ev->last_end_ns;
}

void
profile_watch(struct profile *p, uint32_t location, bool by_cpu, uint64_t now_ns)
{
	struct watch *w = &p->watch;

	location = locations_resolve(p->locations, location);
	if (by_cpu && !w->by_cpu) {
		w->by_cpu = true;
		w->cpu_since_ns = now_ns;
		p->epoch++;
	}
	if (watch_has(w, p->locations, location))
		return;
	watch_add(w, p->locations, location, now_ns);
	/* What is known of samples leads to entries without who. */
	p->epoch++;
}

void
profile_watch_dso(struct profile *p, uint32_t dso, uint64_t now_ns)
{
	if (p->watch.dso == dso)
		return;
	watch_dso(&p->watch, dso, now_ns);
	p->epoch++;
}

uint64_t
profile_told_since(const struct profile *p, uint32_t location, bool by_cpu)
{
	return watch_cpu_since(&p->watch, watch_since(&p->watch, p->locations, location), by_cpu);
}

uint64_t
profile_dso_told_since(const struct profile *p, uint32_t dso, bool by_cpu)
{
	return watch_cpu_since(&p->watch, watch_dso_since(&p->watch, dso), by_cpu);
}

void
profile_watch_none(struct profile *p, uint64_t now_ns)
{
	recount_release(&p->recount);
	if (p->watch.len == 0 && p->watch.dso == 0)
		return;
	watch_end(&p->watch, p->locations, now_ns);
	p->epoch++;
}
