/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 10 };

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	uint64_t data[];
};

static void *
arena_take(struct arena *a, size_t size)
{
	struct arena_block *b = a->blocks;
	size_t want;
	void *p;

	size = (size + 7) & ~(size_t)7;
	if (b == NULL || b->size - b->used < size) {
		want = MAX(size, BLOCK_BYTES - sizeof(*b));
		b = mem_realloc(NULL, 1, sizeof(*b) + want);
		b->size = want;
		b->used = 0;
		b->next = a->blocks;
		a->blocks = b;
		a->bytes += sizeof(*b) + want;
	}
	p = (char *)b->data + b->used;
	b->used += size;
	return p;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	return memset(arena_take(a, size), 0, size);
}

char *
arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = arena_take(a, len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *
arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	p = arena_take(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void *
arena_adopt(struct arena *a, void *bytes, size_t size)
{
	void *copy = arena_take(a, size);

	if (size > 0)
		memcpy(copy, bytes, size);
	free(bytes);
	return copy;
}

void
arena_release(struct arena *a)
{
	while (a->blocks != NULL) {
		struct arena_block *next = a->blocks->next;

		free(a->blocks);
		a->blocks = next;
	}
	a->bytes = 0;
}
