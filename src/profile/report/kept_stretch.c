/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A unit that comes in adds what it has, and its products with the one before it; the first one
 * leaves with what it has and its products with the one behind it.  As periods are whole numbers,
 * and products are kept whole, nothing is left of what has left.
 *
 * Units are cut from the first interval on.  So those that are kept stand as long as the stretch
 * begins where one of them does; else they are made anew.
 */
#include "profile/report/kept_stretch.h"

#include "profile/report/report_impl.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

struct kept_moments {
	wide of_of, of_all, of_of_next, cross_next;
	uint64_t of;
};

/* To the sum, or out of it. */
static inline void
move(wide *sum, wide value, bool is_out)
{
	*sum = is_out ? *sum - value : *sum + value;
}

static void
move_unit(struct kept_stretch *st, const struct kept_gains *unit, bool is_out)
{
	const uint64_t all = unit->all;

	for (size_t i = 0; i < unit->len; i++) {
		const uint64_t of = unit->items[i].of;
		struct kept_moments *m = &st->slots[unit->items[i].slot];

		m->of = is_out ? m->of - of : m->of + of;
		move(&m->of_of, (wide)of * of, is_out);
		move(&m->of_all, (wide)of * all, is_out);
	}
	st->totals.all = is_out ? st->totals.all - all : st->totals.all + all;
	move(&st->totals.all_all, (wide)all * all, is_out);
}

/* The products of a unit and the next. */
static void
move_pair(struct kept_stretch *st, struct kept_walk *w, const struct kept_gains *unit,
	  const struct kept_gains *next, bool is_out)
{
	for (size_t i = 0; i < next->len; i++) {
		w->places[next->items[i].slot] = (uint32_t)i + 1;
		move(&st->slots[next->items[i].slot].cross_next, (wide)unit->all * next->items[i].of, is_out);
	}
	for (size_t i = 0; i < unit->len; i++) {
		const struct kept_gain *g = &unit->items[i];
		struct kept_moments *m = &st->slots[g->slot];
		uint32_t at = w->places[g->slot];

		move(&m->cross_next, (wide)g->of * next->all, is_out);
		if (at != 0)
			move(&m->of_of_next, (wide)g->of * next->items[at - 1].of, is_out);
	}
	for (size_t i = 0; i < next->len; i++)
		w->places[next->items[i].slot] = 0;
	move(&st->totals.all_all_next, (wide)unit->all * next->all, is_out);
}

static void
add_interval(struct kept_walk *w, const struct interval *iv)
{
	struct kept_gains *unit = &w->gains;
	struct log_pos pos = { 0 };
	struct delta d;

	while (log_next_hot(w->log, iv, &pos, &d)) {
		uint32_t entry = w->entries[d.id], slot;

		if (entry == 0)
			entry = w->entries[d.id] = w->meet(w->self, d.id);
		slot = entry & KEPT_SLOT_MASK;
		if (entry & KEPT_IN_BASE)
			unit->all += d.period;
		if (slot == 0)
			continue;
		vec_reserve_zeroed(&w->places, &w->place_cap, slot + 1, sizeof(*w->places));
		if (w->places[slot] == 0) {
			VEC_ADD(unit->items, unit->len, unit->cap) = (struct kept_gain){ .slot = slot };
			w->places[slot] = (uint32_t)unit->len;
		}
		unit->items[w->places[slot] - 1].of += d.period;
	}
}

/* The slots that it has are there. */
static void
end_gains(struct kept_stretch *st, struct kept_walk *w)
{
	uint32_t most = 0;

	for (size_t i = 0; i < w->gains.len; i++) {
		most = MAX(most, w->gains.items[i].slot);
		w->places[w->gains.items[i].slot] = 0;
	}
	vec_reserve_zeroed(&st->slots, &st->slot_cap, (size_t)most + 1, sizeof(*st->slots));
}

static void
begin_gains(struct kept_walk *w)
{
	w->gains.len = 0;
	w->gains.all = 0;
}

/* Sums the unit up again; false: the log has not all of it any more. */
static bool
sum_unit(struct kept_stretch *st, struct kept_walk *w, const struct kept_unit *unit)
{
	if (unit->first < log_first(w->log))
		return false;
	begin_gains(w);
	for (uint64_t serial = unit->first; serial < unit->end; serial++) {
		const struct interval *iv = log_at(w->log, serial);

		if (iv->event == w->event)
			add_interval(w, iv);
	}
	end_gains(st, w);
	return true;
}

static void
swap(struct kept_gains *a, struct kept_gains *b)
{
	struct kept_gains kept = *a;

	*a = *b;
	*b = kept;
}

static void
copy(struct kept_gains *to, const struct kept_gains *from)
{
	vec_reserve(&to->items, &to->cap, from->len + 1, sizeof(*to->items));
	if (from->len > 0)
		memcpy(to->items, from->items, from->len * sizeof(*to->items));
	to->len = from->len;
	to->all = from->all;
}

static struct kept_unit *
unit_at(const struct kept_stretch *st, size_t n)
{
	return &st->units[st->gone + n];
}

static void
append(struct kept_stretch *st, const struct kept_unit *unit)
{
	/* Each is moved down once for each that left, at most. */
	if (st->gone > st->len) {
		memmove(st->units, st->units + st->gone, st->len * sizeof(*st->units));
		st->gone = 0;
	}
	vec_reserve(&st->units, &st->cap, st->gone + st->len + 1, sizeof(*st->units));
	st->units[st->gone + st->len++] = *unit;
}

/* The unit whose gains were summed. */
static void
add_unit(struct kept_stretch *st, struct kept_walk *w, const struct kept_unit *unit)
{
	end_gains(st, w);
	if (st->len > 0)
		move_pair(st, w, &st->last, &w->gains, false);
	else
		copy(&st->first, &w->gains);
	move_unit(st, &w->gains, false);
	swap(&st->last, &w->gains);
	append(st, unit);
}

static bool
drop_first(struct kept_stretch *st, struct kept_walk *w)
{
	if (st->len < 2 || !sum_unit(st, w, unit_at(st, 1)))
		return false;
	move_pair(st, w, &st->first, &w->gains, true);
	move_unit(st, &st->first, true);
	swap(&st->first, &w->gains);
	st->gone++;
	st->len--;
	return true;
}

static bool
drop_last(struct kept_stretch *st, struct kept_walk *w)
{
	if (st->len < 2 || !sum_unit(st, w, unit_at(st, st->len - 2)))
		return false;
	move_pair(st, w, &w->gains, &st->last, true);
	move_unit(st, &st->last, true);
	swap(&st->last, &w->gains);
	st->len--;
	return true;
}

/* Leaves the units that begin with interval @first and are in the walk's time. */
static void
drop_units(struct kept_stretch *st, struct kept_walk *w, uint64_t first)
{
	bool is_good = !st->has_tail || drop_last(st, w);

	st->has_tail = false;
	while (is_good && st->len > 0 && unit_at(st, 0)->first < first)
		is_good = drop_first(st, w);
	if (!is_good || st->len == 0 || unit_at(st, 0)->first != first ||
	    unit_at(st, st->len - 1)->end_ns > w->to_ns)
		kept_stretch_clear(st);
}

/* From interval @serial on.  What is left at the end is a unit if it is long enough, or all there is. */
static void
add_units(struct kept_stretch *st, struct kept_walk *w, uint64_t serial)
{
	struct kept_unit unit = { 0 };
	uint64_t length_ns = 0;

	begin_gains(w);
	for (; serial < log_end(w->log); serial++) {
		const struct interval *iv = log_at(w->log, serial);

		if (iv->event != w->event || iv->start_ns < w->from_ns || iv->end_ns > w->to_ns)
			continue;
		if (unit.end == 0)
			unit.first = serial;
		unit.end = serial + 1;
		unit.end_ns = iv->end_ns;
		add_interval(w, iv);
		length_ns += iv->end_ns - iv->start_ns;
		if (!report_ends_unit(w->src, iv, length_ns, REPORT_UNIT_NS))
			continue;
		add_unit(st, w, &unit);
		begin_gains(w);
		unit = (struct kept_unit){ 0 };
		length_ns = 0;
	}
	if (length_ns > 0 && (st->len == 0 || length_ns >= REPORT_UNIT_NS / 2)) {
		st->has_tail = true;
		add_unit(st, w, &unit);
	}
	end_gains(st, w);
}

bool
kept_stretch_move(struct kept_stretch *st, struct kept_walk *w)
{
	const struct interval_list *newest = &w->log->tiers[LOG_NEWEST];
	const struct interval *iv;
	struct log_walk walk;
	uint64_t first;

	log_walk_begin(&walk, w->log, w->event, w->from_ns, w->to_ns);
	iv = report_next_whole(&walk);
	if (iv == NULL || iv->seconds > 0) {
		kept_stretch_clear(st);
		return iv == NULL;
	}
	first = newest->first + (uint64_t)(iv - &newest->items[newest->gone]);
	drop_units(st, w, first);
	add_units(st, w, st->len > 0 ? unit_at(st, st->len - 1)->end : first);
	return true;
}

void
kept_stretch_read(const struct kept_stretch *st, uint32_t slot, struct share_moments *m)
{
	*m = (struct share_moments){
		.units = (unsigned)st->len, .all = (double)st->totals.all,
		.all_all = (double)st->totals.all_all, .all_all_next = (double)st->totals.all_all_next,
	};
	if (slot == KEPT_ALL) {
		m->of = m->all;
		m->of_of = m->of_all = m->all_all;
		m->of_of_next = m->all_all_next;
		m->cross_next = 2 * m->all_all_next;
	} else if (slot < st->slot_cap) {
		const struct kept_moments *k = &st->slots[slot];

		m->of = (double)k->of;
		m->of_of = (double)k->of_of;
		m->of_all = (double)k->of_all;
		m->of_of_next = (double)k->of_of_next;
		m->cross_next = (double)k->cross_next;
	}
}

void
kept_stretch_clear(struct kept_stretch *st)
{
	st->gone = st->len = 0;
	st->has_tail = false;
	st->first.len = st->last.len = 0;
	if (st->slots != NULL)
		memset(st->slots, 0, st->slot_cap * sizeof(*st->slots));
	st->totals = (struct kept_totals){ 0 };
}

size_t
kept_stretch_bytes(const struct kept_stretch *st)
{
	return st->cap * sizeof(*st->units) + st->slot_cap * sizeof(*st->slots) +
	       (st->first.cap + st->last.cap) * sizeof(*st->first.items);
}

void
kept_stretch_release(struct kept_stretch *st)
{
	free(st->units);
	free(st->first.items);
	free(st->last.items);
	free(st->slots);
	*st = (struct kept_stretch){ 0 };
}
