/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A packed delta: varint(number * 8 + table * 2 + odd), varint(samples), and, if odd is 1 because the
 * period is not samples times the interval's usual one, varint(period).  In merged intervals numbers
 * rise, table by table: varint((number - the one before) * 2 + odd), where 0 ends a table; two bytes
 * follow, of how the seconds differ.  In both, those of functions stand before all others; in those that
 * are not merged, the ones of functions that go on stand last.
 */
#include "profile/count/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	DELTA_BYTES_MAX = 6 + 5 + 10 + 2,
	SPREAD_STEPS = 8,  /* of each doubling of the variance, */
	SPREAD_ZERO = 96,  /* beside the one that single samples of the usual period have */
	TOGETHER_ONE = 127,
};

/* Beside its number: key, cell and index of an entry, and, of functions, a part of place and name. */
static const size_t entry_bytes[TABLE_COUNT] = {
	[TABLE_HOT] = 80, [TABLE_TREE] = 64, [TABLE_ADDRESS] = 64, [TABLE_CPU] = 64,
};

const uint64_t log_slot_ns[LOG_TIERS] = { 0, 10 * NSEC_PER_SEC, 60 * NSEC_PER_SEC };

static uint8_t *
put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static inline uint64_t
get_varint(const uint8_t **p)
{
	uint64_t v = *(*p)++;

	if (v < 0x80)
		return v;
	v &= 0x7f;
	for (unsigned shift = 7;; shift += 7) {
		uint8_t b = *(*p)++;

		v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80)
			return v;
	}
}

static uint8_t *
put_counts(uint8_t *p, const struct delta *d, unsigned odd)
{
	p = put_varint(p, d->samples);
	return odd ? put_varint(p, d->period) : p;
}

static size_t
interval_bytes(const struct interval *iv)
{
	return sizeof(*iv) + iv->len;
}

/* The next place in a tier. */
static struct interval *
append(struct interval_list *list, uint32_t event, uint32_t seconds)
{
	struct interval *iv;

	vec_reserve(&list->items, &list->cap, list->gone + list->len + 1, sizeof(*list->items));
	iv = &list->items[list->gone + list->len++];
	*iv = (struct interval){ .event = event, .seconds = seconds };
	return iv;
}

static void
finish(struct interval_list *list, struct interval *iv, uint8_t *packed, const uint8_t *end)
{
	iv->len = (size_t)(end - packed);
	iv->bytes = mem_realloc(packed, iv->len + 1, 1);
	list->bytes += interval_bytes(iv);
}

/* Those of functions, or all others. */
static uint8_t *
put_counted(struct interval_log *log, struct interval *iv, uint8_t *p, const struct delta *deltas,
	    size_t count, bool is_hot)
{
	for (size_t i = 0; i < count; i++) {
		const struct delta *d = &deltas[i];
		unsigned odd = d->period != d->samples * iv->usual_period;

		if (d->samples == 0 || (d->table == TABLE_HOT) != is_hot)
			continue;
		p = put_varint(p, (uint64_t)log_ids_name(&log->ids[d->table], d->id, false) << 3 |
					  (uint64_t)d->table << 1 | odd);
		p = put_counts(p, d, odd);
		if (is_hot) {
			iv->samples += d->samples;
			iv->period += d->period;
		}
	}
	return p;
}

struct interval *
log_append(struct interval_log *log, uint32_t event, const struct delta *deltas, size_t count,
	   size_t lasts)
{
	struct interval_list *list = &log->tiers[LOG_NEWEST];
	uint8_t *packed = mem_realloc(NULL, count * DELTA_BYTES_MAX + 1, 1), *p = packed;
	struct interval *iv = append(list, event, 0);

	if (count > 0 && deltas[0].samples > 0)
		iv->usual_period = deltas[0].period / deltas[0].samples;
	p = put_counted(log, iv, p, deltas, count - lasts, true);
	iv->lasts_at = (size_t)(p - packed);
	p = put_counted(log, iv, p, lasts > 0 ? deltas + (count - lasts) : NULL, lasts, true);
	iv->lasts_end = (size_t)(p - packed);
	p = put_counted(log, iv, p, deltas, count, false);
	finish(list, iv, packed, p);
	return iv;
}

void
log_place(struct interval_log *log, enum log_tier tier, uint64_t start_ns, uint64_t end_ns)
{
	size_t n = log->tiers[tier].len - 1;
	struct interval *iv = log_tier_at(log, tier, n);

	iv->start_ns = start_ns;
	iv->end_ns = end_ns;
	iv->latest_ns = MAX(end_ns, n > 0 ? log_tier_at(log, tier, n - 1)->latest_ns : 0);
}

static int
by_number(const void *a, const void *b)
{
	const struct delta *x = a, *y = b;

	if (x->table != y->table)
		return x->table < y->table ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Sums them up, and puts them in the order in which they are written: by the numbers of entries. */
static void
prepare(struct interval_log *log, struct interval *iv, struct delta *deltas, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		deltas[i].id = log_ids_name(&log->ids[deltas[i].table], deltas[i].id, true);
		if (deltas[i].table != TABLE_HOT)
			continue;
		iv->samples += deltas[i].samples;
		iv->period += deltas[i].period;
	}
	iv->usual_period = iv->samples > 0 ? iv->period / iv->samples : 0;
	qsort(deltas, count, sizeof(*deltas), by_number);
}

struct interval *
log_append_merged(struct interval_log *log, enum log_tier tier, uint32_t event, uint32_t seconds,
		  struct delta *deltas, size_t count)
{
	uint8_t *packed = mem_realloc(NULL, count * DELTA_BYTES_MAX + TABLE_COUNT, 1), *p = packed;
	struct interval *iv = append(&log->tiers[tier], event, seconds);
	uint32_t table = 0, before = 0;

	prepare(log, iv, deltas, count);
	for (size_t i = 0; i < count; i++) {
		const struct delta *d = &deltas[i];
		unsigned odd = d->period != d->samples * iv->usual_period;

		for (; table < d->table; table++, before = 0)
			*p++ = 0;
		p = put_varint(p, (uint64_t)(d->id - before) << 1 | odd);
		p = put_counts(p, d, odd);
		*p++ = d->spread;
		*p++ = (uint8_t)d->together;
		before = d->id;
	}
	finish(&log->tiers[tier], iv, packed, p);
	return iv;
}

static bool
next_merged(const struct interval *iv, struct log_pos *pos, struct delta *out)
{
	const uint8_t *p = iv->bytes + pos->at;
	uint64_t head = 0;

	while (head == 0) {
		if (p >= iv->bytes + iv->len) {
			pos->at = iv->len;
			return false;
		}
		head = get_varint(&p);
		if (head == 0) {
			pos->table++;
			pos->number = 0;
		}
	}
	out->table = pos->table;
	pos->number += (uint32_t)(head >> 1);
	out->samples = (uint32_t)get_varint(&p);
	out->period = head & 1 ? get_varint(&p) : out->samples * iv->usual_period;
	out->spread = *p++;
	out->together = (int8_t)*p++;
	out->goes_on = false;
	pos->at = (size_t)(p - iv->bytes);
	return true;
}

static bool
next_counted(const struct interval *iv, struct log_pos *pos, struct delta *out)
{
	const uint8_t *p = iv->bytes + pos->at;
	uint64_t head;

	if (pos->at >= iv->len)
		return false;
	head = get_varint(&p);
	pos->number = (uint32_t)(head >> 3);
	out->table = (uint32_t)(head >> 1) & 3;
	out->samples = (uint32_t)get_varint(&p);
	out->period = head & 1 ? get_varint(&p) : out->samples * iv->usual_period;
	out->spread = 0;
	out->together = 0;
	out->goes_on = pos->at >= iv->lasts_at && pos->at < iv->lasts_end;
	pos->at = (size_t)(p - iv->bytes);
	return true;
}

bool
log_next(const struct interval_log *log, const struct interval *iv, struct log_pos *pos,
	 struct delta *out)
{
	if (iv->seconds > 0 ? !next_merged(iv, pos, out) : !next_counted(iv, pos, out))
		return false;
	out->id = log_ids_entry(&log->ids[out->table], pos->number);
	return true;
}

void
log_set_moments(struct delta *d, double usual_period, double squares, double lagged)
{
	double single = (double)d->period * usual_period, steps;

	d->spread = 0;
	d->together = 0;
	if (single <= 0 || squares <= 0)
		return;
	steps = round(log2(squares / single) * SPREAD_STEPS) + SPREAD_ZERO;
	d->spread = (uint8_t)MIN(MAX(steps, 1), UINT8_MAX);
	d->together = (int8_t)round(MIN(MAX(lagged / squares, -1), 1) * TOGETHER_ONE);
}

void
log_moments(const struct interval *iv, const struct delta *d, double *squares, double *lagged)
{
	*squares = 0;
	if (d->spread != 0)
		*squares = exp2((double)(d->spread - SPREAD_ZERO) / SPREAD_STEPS) * (double)d->period *
			   (double)iv->usual_period;
	*lagged = *squares * d->together / TOGETHER_ONE;
}

/* What it names it does not any more. */
static void
unname(struct interval_log *log, const struct interval *iv)
{
	struct log_pos pos = { 0 };
	struct delta d;

	while (log_next(log, iv, &pos, &d))
		log_ids_drop(&log->ids[d.table], pos.number, iv->seconds > 0);
}

void
log_drop_first(struct interval_log *log, enum log_tier tier)
{
	struct interval_list *list = &log->tiers[tier];

	if (list->len == 0)
		return;
	unname(log, &list->items[list->gone]);
	list->bytes -= interval_bytes(&list->items[list->gone]);
	free(list->items[list->gone].bytes);
	list->gone++;
	list->len--;
	list->first++;
	/* A quiet machine's log is long: it moves down once in a while, not each time. */
	if (list->gone <= list->len)
		return;
	memmove(list->items, list->items + list->gone, list->len * sizeof(*list->items));
	list->gone = 0;
}

const struct interval *
log_at(const struct interval_log *log, uint64_t serial)
{
	const struct interval_list *list = &log->tiers[LOG_NEWEST];

	if (serial < list->first || serial - list->first >= list->len)
		return NULL;
	return &list->items[list->gone + (size_t)(serial - list->first)];
}

struct log_second
log_last_second(const struct interval_log *log, uint32_t event)
{
	struct log_second s = { 0 };
	uint64_t newest_ns = 0;

	/* Intervals can be short, and together a little less than a second. */
	for (uint64_t i = log_end(log); i > log_first(log) && s.ns < NSEC_PER_SEC * 9 / 10; i--) {
		const struct interval *iv = log_at(log, i - 1);

		newest_ns = MAX(newest_ns, iv->end_ns);
		if (iv->end_ns + NSEC_PER_SEC <= newest_ns)
			break;
		if (iv->event != event)
			continue;
		s.samples += iv->samples;
		s.period += iv->period;
		s.ns += iv->end_ns - iv->start_ns;
	}
	return s;
}

const struct interval *
log_oldest(const struct interval_log *log, enum log_tier *tier)
{
	for (int t = LOG_TIERS - 1; t >= 0; t--) {
		*tier = (enum log_tier)t;
		if (log->tiers[t].len > 0)
			return log_tier_at(log, *tier, 0);
	}
	return NULL;
}

/*
 * None of the tier before it ends after @ns.  They are not in the order of their ends: events are merged
 * together, and samples can come long after their event was closed.
 */
static size_t
first_after(const struct interval_log *log, enum log_tier tier, uint64_t ns)
{
	size_t from = 0, to = log->tiers[tier].len;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (log_tier_at(log, tier, middle)->latest_ns > ns)
			to = middle;
		else
			from = middle + 1;
	}
	return from;
}

size_t
log_count_before(const struct interval_log *log, enum log_tier tier, uint32_t event, uint64_t ns)
{
	size_t n = first_after(log, tier, ns);
	const struct interval *iv;

	for (; n < log->tiers[tier].len; n++) {
		iv = log_tier_at(log, tier, n);
		if (iv->event == event && iv->start_ns >= ns)
			break;
	}
	return n;
}

void
log_walk_begin(struct log_walk *w, const struct interval_log *log, uint32_t event, uint64_t from_ns,
	       uint64_t to_ns)
{
	*w = (struct log_walk){ log, from_ns, to_ns, event, LOG_TIERS - 1, 0 };
	w->next = first_after(log, LOG_TIERS - 1, from_ns);
}

const struct interval *
log_walk_next(struct log_walk *w)
{
	while (w->tier >= 0) {
		const struct interval_list *list = &w->log->tiers[w->tier];

		while (w->next < list->len) {
			const struct interval *iv = &list->items[list->gone + w->next++];

			if (iv->event != w->event || iv->end_ns <= w->from_ns)
				continue;
			/* Those of one event are in order: all that follow are later. */
			if (iv->start_ns < w->to_ns)
				return iv;
			w->tier = -1;
			return NULL;
		}
		if (--w->tier >= 0)
			w->next = first_after(w->log, (enum log_tier)w->tier, w->from_ns);
	}
	return NULL;
}

void
log_mark(const struct interval_log *log, enum table_id table, uint8_t *marks)
{
	log_ids_mark(&log->ids[table], marks);
}

void
log_renumber(struct interval_log *log, enum table_id table, const uint32_t *map)
{
	log_ids_renumber(&log->ids[table], map);
}

size_t
log_kept_bytes(const struct interval_log *log)
{
	size_t bytes = 0;

	for (int t = 0; t < TABLE_COUNT; t++)
		bytes += log->ids[t].kept * entry_bytes[t];
	return bytes;
}

size_t
log_bytes(const struct interval_log *log)
{
	size_t bytes = log_kept_bytes(log);

	for (int t = 0; t < LOG_TIERS; t++)
		bytes += log->tiers[t].bytes;
	for (int t = 0; t < TABLE_COUNT; t++)
		bytes += log_ids_bytes(&log->ids[t]);
	return bytes;
}

void
log_release(struct interval_log *log)
{
	for (int t = 0; t < LOG_TIERS; t++) {
		for (size_t i = 0; i < log->tiers[t].len; i++)
			free(log_tier_at(log, (enum log_tier)t, i)->bytes);
		free(log->tiers[t].items);
	}
	for (int t = 0; t < TABLE_COUNT; t++)
		log_ids_release(&log->ids[t]);
	*log = (struct interval_log){ 0 };
}
