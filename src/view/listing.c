/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/listing.h"

#include <stdlib.h>

static void
get(unsigned *refs)
{
	__atomic_add_fetch(refs, 1, __ATOMIC_RELAXED);
}

/* Whether that was the last: acquire and release, what others read is over then. */
static bool
put(unsigned *refs)
{
	return __atomic_sub_fetch(refs, 1, __ATOMIC_ACQ_REL) == 0;
}

struct listing *
listing_new(void)
{
	struct listing *l = mem_calloc(1, sizeof(*l));

	l->refs = 1;
	l->function = l->why = l->bytes_from = "";
	return l;
}

struct listing *
listing_get(struct listing *l)
{
	get(&l->refs);
	return l;
}

void
listing_put(struct listing *l)
{
	if (l == NULL || !put(&l->refs))
		return;
	arena_release(&l->arena);
	free(l);
}

struct listing_lines *
listing_lines_new(void)
{
	struct listing_lines *l = mem_calloc(1, sizeof(*l));

	l->refs = 1;
	l->why = l->remedy = "";
	return l;
}

struct listing_lines *
listing_lines_get(struct listing_lines *l)
{
	get(&l->refs);
	return l;
}

void
listing_lines_put(struct listing_lines *l)
{
	if (l == NULL || !put(&l->refs))
		return;
	for (uint32_t i = 0; i < l->file_count; i++)
		listing_source_put(l->files[i].text);
	arena_release(&l->arena);
	free(l);
}

struct listing_source *
listing_source_new(void)
{
	struct listing_source *s = mem_calloc(1, sizeof(*s));

	s->refs = 1;
	s->path = s->found = s->why = s->remedy = s->warning = "";
	return s;
}

struct listing_source *
listing_source_get(struct listing_source *s)
{
	get(&s->refs);
	return s;
}

void
listing_source_put(struct listing_source *s)
{
	if (s == NULL || !put(&s->refs))
		return;
	arena_release(&s->arena);
	free(s);
}

uint32_t
listing_find(const struct listing *l, uint64_t offset)
{
	size_t after;

	FIND_FIRST(after, l->count, l->items[after].offset > offset);
	if (after == 0 || offset - l->items[after - 1].offset >= l->items[after - 1].len)
		return LISTING_NONE;
	return (uint32_t)after - 1;
}
