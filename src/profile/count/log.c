/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A packed delta: varint(id * 8 + table * 2 + odd), varint(samples), and, if odd is 1 because the
 * period is not samples times the interval's usual one, varint(period).
 */
#include "profile/count/log.h"

#include <stdlib.h>
#include <string.h>

enum { DELTA_BYTES_MAX = 6 + 5 + 10 };

static uint8_t *
put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static uint64_t
get_varint(const uint8_t *bytes, size_t *pos)
{
	uint64_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = bytes[(*pos)++];

		v |= (uint64_t)(b & 0x7f) << shift;
		if (b < 0x80)
			return v;
	}
}

static uint8_t *
put_delta(uint8_t *p, const struct delta *d, uint64_t usual)
{
	unsigned odd = d->period != d->samples * usual;

	p = put_varint(p, (uint64_t)d->id << 3 | (uint64_t)d->table << 1 | odd);
	p = put_varint(p, d->samples);
	return odd ? put_varint(p, d->period) : p;
}

static size_t
interval_bytes(const struct interval *iv)
{
	return sizeof(*iv) + iv->len;
}

struct interval *
log_append(struct interval_log *log, uint32_t event, const struct delta *deltas, size_t count)
{
	struct interval *iv;
	uint8_t *packed = mem_realloc(NULL, count * DELTA_BYTES_MAX + 1, 1), *p = packed;

	vec_reserve(&log->items, &log->cap, log->gone + log->len + 1, sizeof(*log->items));
	iv = &log->items[log->gone + log->len++];
	*iv = (struct interval){ .event = event };
	if (count > 0 && deltas[0].samples > 0)
		iv->usual_period = deltas[0].period / deltas[0].samples;
	for (size_t i = 0; i < count; i++) {
		if (deltas[i].samples == 0)
			continue;
		p = put_delta(p, &deltas[i], iv->usual_period);
		if (deltas[i].table == TABLE_HOT) {
			iv->samples += deltas[i].samples;
			iv->period += deltas[i].period;
		}
	}
	iv->len = (size_t)(p - packed);
	iv->bytes = mem_realloc(packed, iv->len + 1, 1);
	log->bytes += interval_bytes(iv);
	return iv;
}

void
log_drop_first(struct interval_log *log)
{
	if (log->len == 0)
		return;
	log->bytes -= interval_bytes(&log->items[log->gone]);
	free(log->items[log->gone].bytes);
	log->gone++;
	log->len--;
	log->first++;
	/* A quiet machine's log is long: it moves down once in a while, not each time. */
	if (log->gone <= log->len)
		return;
	memmove(log->items, log->items + log->gone, log->len * sizeof(*log->items));
	log->gone = 0;
}

const struct interval *
log_at(const struct interval_log *log, uint64_t serial)
{
	if (serial < log->first || serial - log->first >= log->len)
		return NULL;
	return &log->items[log->gone + (size_t)(serial - log->first)];
}

bool
log_next(const struct interval *iv, size_t *pos, struct delta *out)
{
	uint64_t head;

	if (*pos >= iv->len)
		return false;
	head = get_varint(iv->bytes, pos);
	out->id = (uint32_t)(head >> 3);
	out->table = (uint32_t)(head >> 1) & 3;
	out->samples = (uint32_t)get_varint(iv->bytes, pos);
	out->period = head & 1 ? get_varint(iv->bytes, pos) : out->samples * iv->usual_period;
	return true;
}

void
log_mark(const struct interval_log *log, uint32_t table, uint8_t *marks)
{
	for (size_t i = 0; i < log->len; i++) {
		const struct interval *iv = &log->items[log->gone + i];
		struct delta d;
		size_t pos = 0;

		while (log_next(iv, &pos, &d))
			if (d.table == table)
				marks[d.id] = 1;
	}
}

/* New ids are never larger than old ones, so each delta fits where it was. */
static void
renumber_interval(struct interval *iv, uint32_t table, const uint32_t *map)
{
	uint8_t *to = iv->bytes;
	struct delta d;
	size_t pos = 0;

	while (log_next(iv, &pos, &d)) {
		if (d.table == table) {
			d.id = map[d.id];
			if (d.id == 0)
				continue;
		}
		to = put_delta(to, &d, iv->usual_period);
	}
	iv->len = (size_t)(to - iv->bytes);
}

void
log_renumber(struct interval_log *log, uint32_t table, const uint32_t *map)
{
	for (size_t i = 0; i < log->len; i++) {
		struct interval *iv = &log->items[log->gone + i];
		size_t old = iv->len;

		renumber_interval(iv, table, map);
		log->bytes -= old - iv->len;
	}
}

void
log_release(struct interval_log *log)
{
	for (size_t i = 0; i < log->len; i++)
		free(log->items[log->gone + i].bytes);
	free(log->items);
	*log = (struct interval_log){ 0 };
}
