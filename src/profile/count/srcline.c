/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/srcline.h"

#include <stdlib.h>
#include <string.h>

static struct srcline *
place_of(const struct srclines *l, uint32_t dso, uint64_t offset)
{
	uint64_t hash = hash_mix(dso, offset);
	uint32_t n, pos;

	for (n = index_first(&l->index, hash, &pos); n != 0; n = index_next(&l->index, hash, &pos))
		if (l->items[n - 1].dso == dso && l->items[n - 1].offset == offset)
			return &l->items[n - 1];
	return NULL;
}

void
srclines_release(struct srclines *l)
{
	free(l->items);
	index_release(&l->index);
	*l = (struct srclines){ 0 };
}

void
srclines_want(struct srclines *l, uint32_t dso, uint64_t offset)
{
	if (place_of(l, dso, offset) != NULL)
		return;
	vec_reserve(&l->items, &l->cap, l->len + 1, sizeof(*l->items));
	l->items[l->len++] = (struct srcline){ .offset = offset, .dso = dso };
	index_add(&l->index, hash_mix(dso, offset), (uint32_t)l->len);
}

void
srclines_learn(struct srclines *l, uint32_t dso, uint64_t offset, uint32_t text)
{
	struct srcline *line = place_of(l, dso, offset);

	if (line != NULL)
		line->text = text;
}

void
srclines_learn_path(struct srclines *l, uint32_t dso, uint64_t offset, uint32_t path)
{
	struct srcline *line = place_of(l, dso, offset);

	if (line != NULL)
		line->path = path;
}

uint32_t
srclines_line_in(const struct srclines *l, const struct strs *strs, uint32_t path, uint32_t dso,
		 uint64_t offset)
{
	const struct srcline *line = place_of(l, dso, offset);
	const char *colon;

	if (line == NULL || line->text == 0 || line->path != path)
		return 0;
	colon = strrchr(strs_get(strs, line->text), ':');
	return colon != NULL ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
}

bool
srclines_lack(const struct srclines *l, uint32_t dso, uint64_t offset)
{
	const struct srcline *line = place_of(l, dso, offset);

	return line != NULL && line->text == 0;
}

uint32_t
srclines_find(const struct srclines *l, uint32_t dso, uint64_t offset)
{
	const struct srcline *line = place_of(l, dso, offset);

	return line != NULL ? line->text : 0;
}

static int
compare_dsos(const void *a, const void *b)
{
	const struct srcline *x = a, *y = b;

	return x->dso < y->dso ? -1 : x->dso > y->dso;
}

void
srclines_ask_again(struct srclines *l)
{
	l->asked = 0;
}

struct srcline *
srclines_take(struct srclines *l, size_t *count)
{
	struct srcline *out;

	*count = 0;
	if (l->asked == l->len)
		return NULL;
	out = mem_calloc(l->len - l->asked, sizeof(*out));
	for (; l->asked < l->len; l->asked++)
		if (l->items[l->asked].text == 0)
			out[(*count)++] = l->items[l->asked];
	qsort(out, *count, sizeof(*out), compare_dsos);
	return out;
}
