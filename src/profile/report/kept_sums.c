/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place is told by its keys and by what one went into.  Its rows are told by their parts (group.h),
 * those too that the window does not show any more: their past tells how they vary once they are back.
 */
#include "profile/report/kept_sums.h"

#include "profile/report/kept_stretch.h"
#include "profile/report/report_impl.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEPT_PLACES = 3,
	KEPT_REPORTS = 60, /* a place that was not shown in so many is forgotten */
	ROWS_MORE = 1024,  /* rows of the past are left, beside as many as there were, until all is made anew */
};

/* What one went into, beside the keys of rows: numbers that are compared. */
enum { SCOPE_LEN = 9 + 2 * QUERY_WITHIN_MAX };

struct place {
	uint64_t scope[SCOPE_LEN];
	struct grouping rows; /* slots are their numbers, from 1 */
	uint32_t *entries;    /* see kept_walk */
	size_t entry_cap;
	size_t rows_made;     /* so many there were when all was made */
	uint32_t epoch;       /* profile.hot_epoch: ids of entries */
	uint64_t used;        /* the last report that asked for it, */
	uint64_t refused;     /* and the last that it could not be kept for; 0: none */
	struct kept_stretch window, spread;
};

struct kept_sums {
	struct place items[KEPT_PLACES];
	struct kept_walk walk;
	uint64_t reports;
	/* While a report is made. */
	struct report *r;
	struct place *place;
	bool is_full;
};

struct kept_sums *
kept_sums_new(void)
{
	return mem_calloc(1, sizeof(struct kept_sums));
}

static void
release_place(struct place *p)
{
	kept_stretch_release(&p->window);
	kept_stretch_release(&p->spread);
	grouping_release(&p->rows);
	free(p->entries);
	*p = (struct place){ 0 };
}

void
kept_sums_free(struct kept_sums *s)
{
	for (size_t i = 0; s != NULL && i < KEPT_PLACES; i++)
		release_place(&s->items[i]);
	if (s != NULL) {
		free(s->walk.places);
		free(s->walk.gains.items);
	}
	free(s);
}

static size_t
place_bytes(const struct place *p)
{
	return kept_stretch_bytes(&p->window) + kept_stretch_bytes(&p->spread) +
	       p->rows.cap * sizeof(*p->rows.items) + p->rows.part_cap * sizeof(*p->rows.parts) +
	       index_bytes(&p->rows.index) + p->entry_cap * sizeof(*p->entries);
}

size_t
kept_sums_bytes(const struct kept_sums *s)
{
	size_t bytes = sizeof(*s) + s->walk.place_cap * sizeof(*s->walk.places) +
		       s->walk.gains.cap * sizeof(*s->walk.gains.items);

	for (size_t i = 0; i < KEPT_PLACES; i++)
		bytes += place_bytes(&s->items[i]);
	return bytes;
}

/* false: entries of two rows became one. */
static bool
renumber_place(struct place *p, const uint32_t *map, size_t len)
{
	for (size_t id = 1; id < MIN(len, p->entry_cap); id++) {
		uint32_t entry = p->entries[id], *to = &p->entries[map[id]];

		if (map[id] == id || entry == 0)
			continue;
		if (*to != 0 && *to != entry)
			return false;
		*to = entry;
		p->entries[id] = 0;
	}
	return true;
}

void
kept_sums_renumber(void *sums, const struct profile *profile, const uint32_t *map, size_t len)
{
	struct kept_sums *s = sums;

	for (size_t i = 0; i < KEPT_PLACES; i++) {
		struct place *p = &s->items[i];

		if (p->used != 0 && p->epoch + 1 == profile->hot_epoch && renumber_place(p, map, len))
			p->epoch = profile->hot_epoch;
	}
}

static void
fill_scope(const struct report *r, uint64_t scope[SCOPE_LEN])
{
	const struct query *q = r->query;
	const uint64_t parts[] = {
		r->src->shown_event, q->process, q->thread, q->name, q->dso, q->lock, q->shares,
		(uint64_t)q->is_then << 1 | q->of_others, q->within_count,
	};

	_Static_assert(ARRAY_SIZE(parts) + 2 * QUERY_WITHIN_MAX == SCOPE_LEN, "each has its place");
	memset(scope, 0, SCOPE_LEN * sizeof(*scope));
	memcpy(scope, parts, sizeof(parts));
	for (size_t i = 0; i < q->within_count; i++) {
		scope[ARRAY_SIZE(parts) + 2 * i] = q->within[i].key;
		scope[ARRAY_SIZE(parts) + 2 * i + 1] = q->within[i].part;
	}
}

static bool
has_keys(const struct grouping *g, const struct grouping *keys)
{
	return g->key_count == keys->key_count && g->whole_process == keys->whole_process &&
	       memcmp(g->keys, keys->keys, keys->key_count * sizeof(*keys->keys)) == 0;
}

/* All is to be made anew: of the place nothing is left but what it is. */
static void
begin_place(struct place *p, const struct report *r)
{
	grouping_release(&p->rows);
	p->rows.profile = r->src->profile;
	p->rows.whole_process = r->groups.whole_process;
	p->rows.key_count = r->groups.key_count;
	memcpy(p->rows.keys, r->groups.keys, sizeof(p->rows.keys));
	grouping_begin(&p->rows);
	if (p->entries != NULL)
		memset(p->entries, 0, p->entry_cap * sizeof(*p->entries));
	kept_stretch_clear(&p->window);
	kept_stretch_clear(&p->spread);
	p->rows_made = 0;
	p->epoch = r->src->profile->hot_epoch;
}

/* The place that is shown; one that was not for the longest time becomes it. */
static struct place *
find_place(struct kept_sums *s, const struct report *r)
{
	struct place *oldest = &s->items[0];
	uint64_t scope[SCOPE_LEN];

	fill_scope(r, scope);
	for (size_t i = 0; i < KEPT_PLACES; i++) {
		struct place *p = &s->items[i];

		if (p->used != 0 && has_keys(&p->rows, &r->groups) &&
		    memcmp(p->scope, scope, sizeof(scope)) == 0)
			return p;
		if (p->used < oldest->used)
			oldest = p;
	}
	release_place(oldest);
	memcpy(oldest->scope, scope, sizeof(scope));
	begin_place(oldest, r);
	return oldest;
}

static void
forget_places(struct kept_sums *s)
{
	for (size_t i = 0; i < KEPT_PLACES; i++)
		if (s->items[i].used != 0 && s->items[i].used + KEPT_REPORTS < s->reports)
			release_place(&s->items[i]);
}

/*
 * What an entry is to the report, whether the window has any of it or not: as group_entries() and
 * choose_base() (report.c) have it of those in the window.  Its row is likely the one that it was of.
 */
static uint32_t
ask(void *sums, uint32_t id)
{
	struct kept_sums *s = sums;
	struct report *r = s->r;
	struct grouping *rows = &s->place->rows;
	const struct hot_key *hot = &r->src->profile->tables.hot[id];
	bool in_scope, is_shown, is_rest;
	uint32_t entry = KEPT_MET;

	if (r->query->shares != SHARES_OF_SHOWN && report_is_of_all(r, hot->who))
		entry |= KEPT_IN_BASE;
	if (!report_is_work(r, hot->who, hot->location))
		return entry;
	in_scope = report_in_scope(r, id);
	is_shown = in_scope && !report_hides(r, hot->who, hot->location);
	is_rest = in_scope && report_is_rest(r, hot->location);
	if (is_shown || is_rest)
		entry |= KEPT_IN_BASE;
	if (is_shown) {
		const uint32_t likely = s->place->entries[id] & KEPT_SLOT_MASK;
		const struct group *g = group_find_likely(rows, id, likely); /* may move the items */

		entry |= (uint32_t)(g - rows->items) + 1;
	}
	s->is_full |= rows->len > KEPT_ROWS_MAX;
	return entry;
}

/* Whether each entry that has something in the sums is still what it was. */
static bool
is_as_it_was(struct kept_sums *s)
{
	struct place *p = s->place;
	const struct profile *profile = s->r->src->profile;
	size_t len = profile->tables.cells[TABLE_HOT].len;

	if (p->epoch != profile->hot_epoch || p->rows.len > 2 * p->rows_made + ROWS_MORE)
		return false;
	for (uint32_t id = 1; id < len; id++)
		if (p->entries[id] != 0 && p->entries[id] != ask(s, id))
			return false;
	return true;
}

/* Notes of which row is whose are those of one report: parts may change. */
static void
begin_report(struct kept_sums *s, struct report *r, struct place *p)
{
	s->r = r;
	s->place = p;
	p->used = s->reports;
	vec_reserve_zeroed(&p->entries, &p->entry_cap, r->src->profile->tables.cells[TABLE_HOT].len,
			   sizeof(*p->entries));
	free(p->rows.known);
	p->rows.known = NULL;
	grouping_begin(&p->rows);
	if (!is_as_it_was(s))
		begin_place(p, r);
	s->is_full = false;
	s->walk.src = r->src;
	s->walk.log = &r->src->profile->log;
	s->walk.event = r->src->shown_event;
	s->walk.entries = p->entries;
	s->walk.meet = ask;
	s->walk.self = s;
}

static bool
move_to(struct kept_sums *s, struct kept_stretch *st, uint64_t from_ns, uint64_t to_ns)
{
	s->walk.from_ns = from_ns;
	s->walk.to_ns = to_ns;
	return kept_stretch_move(st, &s->walk) && !s->is_full;
}

/* More time tells how shares vary where the window is short. */
static bool
move_stretches(struct kept_sums *s)
{
	struct place *p = s->place;
	uint64_t from_ns, to_ns, past_ns = SHARE_SPREAD_S * NSEC_PER_SEC;

	report_window_of(s->r->src->profile, s->r->src->shown_event, &from_ns, &to_ns);
	if (!move_to(s, &p->window, from_ns, to_ns))
		return false;
	if (p->window.len < SHARE_MANY_UNITS)
		return move_to(s, &p->spread, to_ns - MIN(to_ns, past_ns), to_ns);
	kept_stretch_clear(&p->spread);
	return true;
}

static const struct share_sums *
sums_of(const struct kept_sums *s, uint32_t slot)
{
	const struct report *r = s->r;
	struct share_sums *sums = arena_alloc(&r->out->arena, sizeof(*sums));

	*sums = (struct share_sums){ .samples = (double)r->total_samples[r->src->shown_event],
				     .unit_s = 1 };
	kept_stretch_read(&s->place->window, slot, &sums->window);
	if (s->place->window.len < SHARE_MANY_UNITS) {
		kept_stretch_read(&s->place->spread, slot, &sums->spread);
		sums->spread_unit_s = 1;
	}
	return sums;
}

/* What was cut off is no row; what only events beside the one shown have is none of its. */
static void
fill(struct kept_sums *s)
{
	static const struct share_sums nothing = { .unit_s = 1 };
	struct report *r = s->r;
	const struct hot_key *hot = r->src->profile->tables.hot;
	size_t count = r->groups.len - (r->cut_groups > 0);

	r->event_sums[r->src->shown_event] = sums_of(s, KEPT_ALL);
	for (size_t g = 0; g < count; g++) {
		uint32_t first = r->groups.items[g].first;
		bool is_shown = hot[first].event == r->src->shown_event;

		if (is_shown)
			r->rows[g].sums = sums_of(s, ask(s, first) & KEPT_SLOT_MASK);
		else
			r->rows[g].sums = report_wants_sums(r, hot[first].event) ? &nothing : NULL;
	}
}

/* Whether its rows are those of entries, of one event, whatever the window has of these. */
static bool
can_keep(const struct report *r)
{
	return r->src->kept != NULL && !r->query->all_events && r->src->filter == NULL &&
	       r->tree == NULL && r->groups.len <= KEPT_ROWS_MAX;
}

/* Nothing is left of it but that it is not tried again at each report: that costs what a walk does. */
static void
refuse(struct kept_sums *s, struct report *r)
{
	uint64_t scope[SCOPE_LEN];

	memcpy(scope, s->place->scope, sizeof(scope));
	release_place(s->place);
	memcpy(s->place->scope, scope, sizeof(scope));
	begin_place(s->place, r);
	s->place->used = s->place->refused = s->reports;
}

bool
report_find_kept_sums(struct report *r)
{
	struct kept_sums *s = r->src->kept;
	struct place *p;
	bool is_known;

	if (s != NULL) {
		s->reports++;
		forget_places(s);
	}
	if (!can_keep(r))
		return false;
	p = find_place(s, r);
	if (p->refused != 0 && s->reports < p->refused + KEPT_REPORTS) {
		p->used = s->reports;
		return false;
	}
	begin_report(s, r, p);
	is_known = move_stretches(s);
	if (p->rows_made == 0)
		p->rows_made = p->rows.len;
	if (is_known)
		fill(s);
	else
		refuse(s, r);
	free(p->rows.known);
	p->rows.known = NULL;
	s->r = NULL;
	return is_known;
}
