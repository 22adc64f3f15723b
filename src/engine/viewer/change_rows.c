/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/change_rows.h"

#include <stdlib.h>

#define LIGHT 0.0001 /* of all: such rows make room first, then those twice as heavy, and so on */

enum { SUMMED_MAX = 1 << 14 }; /* rows within a second */

struct changing *
change_rows_find(struct change_rows *r, uint32_t comm, uint32_t name)
{
	const uint64_t hash = hash_mix(comm, name);
	uint32_t n, pos;

	for (n = index_first(&r->index, hash, &pos); n != 0; n = index_next(&r->index, hash, &pos))
		if (r->items[n - 1].comm == comm && r->items[n - 1].name == name)
			return &r->items[n - 1];
	if (r->len >= SUMMED_MAX)
		return NULL;
	VEC_ADD(r->items, r->len, r->cap) = (struct changing){ .comm = comm, .name = name };
	index_add(&r->index, hash, (uint32_t)r->len);
	return &r->items[r->len - 1];
}

/* The share that a row has in this second, or has had in the mean: the larger. */
static double
weight(const struct changing *row, double all)
{
	const struct cusum *past = row->cusum;
	const double usual = past != NULL && past->have > 0 ? past->sum / past->have : 0;

	return MAX(usual, row->gain / all);
}

static void
drop_lighter(struct change_rows *r, double all, double least)
{
	size_t n = 0;

	index_clear(&r->index);
	for (size_t i = 0; i < r->len; i++) {
		const struct changing row = r->items[i];

		if (weight(&row, all) < least) {
			free(row.cusum);
			continue;
		}
		r->items[n++] = row;
		index_add(&r->index, hash_mix(row.comm, row.name), (uint32_t)n);
	}
	r->len = n;
}

void
change_rows_settle(struct change_rows *r, double all, unsigned seconds)
{
	for (double least = LIGHT; r->len > CHANGE_ROWS_MAX; least *= 2)
		drop_lighter(r, all, least);
	for (size_t i = 0; i < r->len; i++) {
		struct changing *row = &r->items[i];

		if (row->cusum != NULL)
			continue;
		row->cusum = mem_calloc(1, sizeof(*row->cusum));
		cusum_begin(row->cusum, row->name == 0 ? seconds : 0);
	}
}

void
change_rows_begin_second(struct change_rows *r)
{
	for (size_t i = 0; i < r->len; i++)
		r->items[i].gain = 0;
}

size_t
change_rows_bytes(const struct change_rows *r)
{
	return r->cap * sizeof(*r->items) + index_bytes(&r->index) + r->len * sizeof(struct cusum);
}

void
change_rows_release(struct change_rows *r)
{
	for (size_t i = 0; i < r->len; i++)
		free(r->items[i].cusum);
	free(r->items);
	index_release(&r->index);
	*r = (struct change_rows){ 0 };
}
