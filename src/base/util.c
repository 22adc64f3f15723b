/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/util.h"

#include "base/pages.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DIE_MAX = 1024 };

/* The terminal must be put back whoever calls die(). */
static void (*die_hook)(void);

void
die_set_hook(void (*hook)(void))
{
	die_hook = hook;
}

void
die_run_hook(void)
{
	if (die_hook != NULL)
		die_hook();
}

/* Without memory threads do so together: the first has the terminal, and ends the others. */
static void
be_first(void)
{
	static atomic_flag has_begun = ATOMIC_FLAG_INIT;

	while (atomic_flag_test_and_set(&has_begun))
		pause();
}

/* In one piece: a frame of the screen may be on its way. */
void
die(const char *fmt, ...)
{
	char text[DIE_MAX] = "ptop: ";
	size_t len = strlen(text);
	va_list ap;

	be_first();
	va_start(ap, fmt);
	vsnprintf(text + len, sizeof(text) - len - 1, fmt, ap);
	va_end(ap);
	len = strlen(text);
	text[len++] = '\n';
	die_run_hook();
	(void)!write(STDERR_FILENO, text, len); /* or nobody sees it */
	_exit(1);
}

static _Noreturn void
no_memory(size_t n, size_t size)
{
	die("out of memory (%zu x %zu bytes more): --memory and --history bound what is kept", n,
	    size);
}

void *
mem_calloc(size_t n, size_t size)
{
	void *ptr = calloc(n, size);

	if (ptr == NULL && n != 0 && size != 0)
		no_memory(n, size);
	return ptr;
}

void *
mem_pages_new(size_t len)
{
	void *at;

	if (leaks_are_looked_for())
		return mem_calloc(1, len);
	at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		die("out of memory (%zu bytes more)", len);
	return at;
}

void
mem_pages_free(void *at, size_t len)
{
	if (leaks_are_looked_for())
		free(at);
	else
		munmap(at, len);
}

void *
mem_realloc(void *ptr, size_t n, size_t size)
{
	void *res = reallocarray(ptr, n, size);

	if (res == NULL && n != 0 && size != 0)
		no_memory(n, size);
	return res;
}

char *
mem_strndup(const char *s, size_t len)
{
	char *copy = mem_calloc(1, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *
mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

/* As realloc(), for large arrays: what is new is asked for before anything is copied there. */
static void *
grow_large(void *old, size_t had, size_t bytes)
{
	char *items;

	if (had >= HEAP_LARGE) {
		items = mem_realloc(old, bytes, 1);
		pages_populate(items + had, bytes - had);
		return items;
	}
	items = mem_realloc(NULL, bytes, 1);
	pages_populate(items, MIN(bytes, had + had / 4)); /* the rest may never be written */
	if (had > 0)
		memcpy(items, old, had);
	free(old);
	return items;
}

void
vec_grow(void *items, size_t *cap, size_t need, size_t size)
{
	const size_t had = *cap;
	void *old;

	*cap = MAX(need, MAX(had * size < HEAP_LARGE ? had * 2 : had + had / 4, 16));
	memcpy(&old, items, sizeof(old));
	if (*cap > SIZE_MAX / size || *cap * size < HEAP_LARGE)
		old = mem_realloc(old, *cap, size);
	else
		old = grow_large(old, had * size, *cap * size);
	memcpy(items, &old, sizeof(old));
}

void
vec_grow_zeroed(void *items, size_t *cap, size_t need, size_t size)
{
	size_t had = *cap;
	char *first;

	vec_grow(items, cap, need, size);
	memcpy(&first, items, sizeof(first));
	memset(first + had * size, 0, (*cap - had) * size);
}

int
compare_u64(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

size_t
page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}
