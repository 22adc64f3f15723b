/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strs.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
find(const struct strs *s, const char *text, size_t len, uint64_t hash)
{
	uint32_t pos, id;

	for (id = index_first(&s->index, hash, &pos); id != 0;
	     id = index_next(&s->index, hash, &pos))
		if (strncmp(s->items[id], text, len) == 0 && s->items[id][len] == '\0')
			return id;
	return 0;
}

uint32_t
strs_find(const struct strs *s, const char *text, size_t len)
{
	return len > 0 ? find(s, text, len, hash_bytes(text, len)) : 0;
}

uint32_t
strs_add(struct strs *s, const char *text, size_t len)
{
	uint64_t hash = hash_bytes(text, len);
	uint32_t id = len > 0 ? find(s, text, len, hash) : 0;

	if (len == 0 || id != 0)
		return id;
	vec_reserve(&s->items, &s->cap, s->len + 2, sizeof(*s->items));
	id = (uint32_t)++s->len;
	s->items[id] = arena_strndup(&s->arena, text, len);
	index_add(&s->index, hash, id);
	return id;
}

uint32_t
strs_add_str(struct strs *s, const char *text)
{
	return strs_add(s, text, strlen(text));
}

const char *
strs_get(const struct strs *s, uint32_t id)
{
	return id != 0 && id <= s->len ? s->items[id] : "";
}

void
strs_release(struct strs *s)
{
	arena_release(&s->arena);
	index_release(&s->index);
	free(s->items);
	*s = (struct strs){ 0 };
}
