/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/pages.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define CHECKS_LEAKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECKS_LEAKS
#endif
#endif

enum {
	HEAP_STEP = 1 << 20,  /* what the heap grows by, at least */
	HEAP_ROOM = HEAP_LARGE - (64 << 10), /* what is wanted at first, still of the heap */
};

void
pages_populate(void *at, size_t len)
{
#ifdef MADV_POPULATE_WRITE
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t from = (uintptr_t)at & ~(page - 1);

	if (len > 0)
		madvise((void *)from, (uintptr_t)at + len - from, MADV_POPULATE_WRITE);
#else
	(void)at;
	(void)len;
#endif
}

bool
leaks_are_looked_for(void)
{
#ifdef CHECKS_LEAKS
	return true;
#else
	return false;
#endif
}

bool
pages_are_left(bool process_ends)
{
	return process_ends && !leaks_are_looked_for();
}

void
heap_set_up(void)
{
#ifdef M_TRIM_THRESHOLD
	/*
	 * What a refresh frees the next one takes: giving it back to the kernel costs page faults.  A set
	 * threshold does not move any more, also that of mmap(): arrays of some thousand rows are below it.
	 */
	mallopt(M_TRIM_THRESHOLD, 4 << 20);
	mallopt(M_MMAP_THRESHOLD, HEAP_LARGE);
	mallopt(M_TOP_PAD, HEAP_STEP);
#endif
#ifdef M_ARENA_MAX
	/* What one thread frees another one takes; a heap of its own grows page by page. */
	mallopt(M_ARENA_MAX, 1);
#endif
}

/* Where in the heap the room that nobody has begins: there is some behind it then. */
static uintptr_t
begin_of_room(void)
{
	void *volatile room = malloc(HEAP_ROOM); /* volatile: a compiler may leave both calls out */
	const uintptr_t at = (uintptr_t)room;

	free(room);
	return at;
}

void
heap_populate(void)
{
	static _Atomic uintptr_t populated; /* where the heap ended; 0: nothing was asked for yet */
	uintptr_t from = populated, end;

	if (from == 0)
		from = begin_of_room();
	end = (uintptr_t)sbrk(0);
	populated = end;
	if (from != 0 && end > from)
		pages_populate((void *)from, end - from);
}
