/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/series.h"

#include <stdlib.h>
#include <string.h>

void
series_init(struct series *s, size_t max)
{
	*s = (struct series){ .max = max };
}

static void
forget(struct series_item *item)
{
	for (size_t i = 0; i < SERIES_LABELS; i++)
		free(item->labels[i]);
}

void
series_release(struct series *s)
{
	for (size_t i = 0; i < s->len; i++)
		forget(&s->items[i]);
	free(s->items);
	*s = (struct series){ 0 };
}

static uint64_t
hash_of(const char *const labels[SERIES_LABELS])
{
	uint64_t hash = 0;

	for (size_t i = 0; i < SERIES_LABELS; i++)
		hash = hash_mix(hash, hash_bytes(labels[i], strlen(labels[i])));
	return hash;
}

static struct series_item *
find(const struct series *s, const char *const labels[SERIES_LABELS])
{
	uint64_t hash = hash_of(labels);

	for (size_t i = 0; i < s->len; i++)
		if (s->items[i].hash == hash && strcmp(s->items[i].labels[0], labels[0]) == 0 &&
		    strcmp(s->items[i].labels[1], labels[1]) == 0)
			return &s->items[i];
	return NULL;
}

/* What one gains is gain of all: together they never tell more than there was. */
static void
tell(struct series *s, struct series_item *item, uint64_t gain)
{
	gain = MIN(gain, s->left);
	s->left -= gain;
	item->told += gain;
}

void
series_begin(struct series *s, uint64_t all)
{
	s->left = all > s->all ? all - s->all : 0;
	s->all = MAX(s->all, all);
	for (size_t i = 0; i < s->len; i++) {
		s->items[i].now = 0;
		s->items[i].is_seen = s->items[i].is_new = false;
	}
}

/* Names that are long are cut: several rows may have the same one. */
static void
add(struct series *s, struct series_item *item, uint64_t sum)
{
	uint64_t before = MAX(item->seen, item->now);

	item->now += sum;
	item->is_seen = true;
	tell(s, item, MAX(item->seen, item->now) - before);
}

void
series_gain(struct series *s, const char *const labels[SERIES_LABELS], uint64_t sum)
{
	struct series_item *item = find(s, labels);

	if (item != NULL)
		add(s, item, sum);
}

/* A new one has told little yet, one whose tasks were merged has little left. */
static uint64_t
weight(const struct series_item *item)
{
	return MAX(item->is_seen ? item->now : item->seen, item->told);
}

/* Where a new one goes; NULL: all that are here have more. */
static struct series_item *
make_room(struct series *s, uint64_t sum)
{
	struct series_item *least = s->items;

	if (s->len < s->max)
		return &VEC_ADD(s->items, s->len, s->cap);
	for (size_t i = 1; i < s->len; i++)
		if (weight(&s->items[i]) < weight(least))
			least = &s->items[i];
	if (s->len == 0 || weight(least) > sum / 2)
		return NULL;
	s->rest += least->told;
	forget(least);
	return least;
}

void
series_join(struct series *s, const char *const labels[SERIES_LABELS], uint64_t sum)
{
	struct series_item *item = find(s, labels);

	if (item != NULL && item->is_new)
		add(s, item, sum);
	if (sum == 0 || item != NULL)
		return;
	item = make_room(s, sum);
	if (item == NULL)
		return;
	*item = (struct series_item){ .hash = hash_of(labels), .is_new = true };
	for (size_t i = 0; i < SERIES_LABELS; i++)
		item->labels[i] = mem_strdup(labels[i]);
	add(s, item, sum);
}

void
series_end(struct series *s)
{
	s->rest += s->left;
	s->left = 0;
	for (size_t i = 0; i < s->len; i++)
		if (s->items[i].is_seen)
			s->items[i].seen = s->items[i].now;
}
