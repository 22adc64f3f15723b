/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/viewer/change_rows.h"

#include <stdlib.h>

#define STAYS 2 /* so many times as heavy is what takes the place of a row whose seconds are kept */

enum {
	SUMMED_MAX = 1 << 14,        /* rows within a second */
	KNOWN_MAX = SUMMED_MAX / 2,  /* from one to the next: then those with nothing are forgotten */
};

struct ranked {
	double weight;
	size_t row;
};

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
	VEC_ADD(r->items, r->len, r->cap) = (struct changing){
		.comm = comm, .name = name,
		.have = name == 0 ? MIN(r->seconds, (unsigned)CUSUM_PAST) : 0,
	};
	index_add(&r->index, hash, (uint32_t)r->len);
	return &r->items[r->len - 1];
}

static double
usual(const struct changing *row)
{
	return row->cusum != NULL ? cusum_mean(row->cusum) : row->mean;
}

/* By the share that it has in this second, or has had in the mean: the larger. */
static double
weight(const struct changing *row, double all)
{
	return MAX(usual(row), row->gain / all) * (row->cusum != NULL ? STAYS : 1);
}

/* Of equal ones the older comes first. */
static int
compare_weights(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

static void
keep_seconds(struct changing *row)
{
	if (row->cusum != NULL)
		return;
	row->cusum = mem_calloc(1, sizeof(*row->cusum));
	cusum_begin(row->cusum, row->have, row->mean);
}

static void
keep_mean(struct changing *row, double share)
{
	if (row->cusum != NULL) {
		row->mean = usual(row);
		row->have = row->cusum->have;
		free(row->cusum);
		row->cusum = NULL;
	}
	row->have = MIN(row->have + 1, (unsigned)CUSUM_PAST);
	row->mean += (share - row->mean) / row->have;
}

static void
choose(struct change_rows *r, double all)
{
	struct ranked *ranked = mem_calloc(r->len, sizeof(*ranked));

	for (size_t i = 0; i < r->len; i++)
		ranked[i] = (struct ranked){ weight(&r->items[i], all), i };
	qsort(ranked, r->len, sizeof(*ranked), compare_weights);
	for (size_t i = 0; i < r->len; i++) {
		struct changing *row = &r->items[ranked[i].row];

		if (i < CHANGE_ROWS_MAX)
			keep_seconds(row);
		else
			keep_mean(row, row->gain / all);
	}
	free(ranked);
}

static void
forget_ended(struct change_rows *r)
{
	size_t n = 0;

	index_clear(&r->index);
	for (size_t i = 0; i < r->len; i++) {
		const struct changing row = r->items[i];

		if (row.cusum == NULL && (row.gain <= 0 || n >= KNOWN_MAX))
			continue;
		r->items[n++] = row;
		index_add(&r->index, hash_mix(row.comm, row.name), (uint32_t)n);
	}
	r->len = n;
}

void
change_rows_settle(struct change_rows *r, double all)
{
	choose(r, all);
	if (r->len > KNOWN_MAX)
		forget_ended(r);
	r->seconds++;
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
	return r->cap * sizeof(*r->items) + index_bytes(&r->index) +
	       MIN(r->len, (size_t)CHANGE_ROWS_MAX) * sizeof(struct cusum);
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
