/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * data_head falls: the newest record begins there, and what follows it is older, up to what was
 * overwritten, or was never written and is 0.
 */
#include "live/session/past_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct past_ring {
	const struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t size, map_len; /* data bytes, a power of two; all that is mapped */
};

struct past_ring *
past_ring_new(int fd, unsigned pages, struct err *err)
{
	struct past_ring *r = mem_calloc(1, sizeof(*r));
	void *map;

	r->size = (size_t)pages * page_size();
	r->map_len = r->size + page_size();
	map = mmap(NULL, r->map_len, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		err_set(err, ERR_LIMIT, errno, "cannot map a ring of %u pages", pages);
		free(r);
		return NULL;
	}
	r->page = map;
	r->data = (const uint8_t *)map + page_size();
	return r;
}

void
past_ring_free(struct past_ring *r)
{
	if (r == NULL)
		return;
	munmap((void *)(uintptr_t)r->page, r->map_len);
	free(r);
}

size_t
past_ring_bytes(const struct past_ring *r)
{
	return r->size;
}

static void
copy_one(const struct past_ring *r, uint64_t at, size_t len, struct buf *out)
{
	size_t from = at & (r->size - 1), front = MIN(len, r->size - from);

	buf_add(out, r->data + from, front);
	buf_add(out, r->data, len - front);
}

void
past_ring_copy(const struct past_ring *r, struct buf *out)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), at = head;
	uint64_t *places = NULL;
	size_t count = 0, cap = 0;

	while (at % 8 == 0) {
		struct perf_event_header h;
		size_t held = at - head;

		if (held + sizeof(h) > r->size)
			break;
		/* Records are multiples of 8, so a header never wraps. */
		memcpy(&h, r->data + (at & (r->size - 1)), sizeof(h));
		if (h.size < sizeof(h) || h.size % 8 != 0 || held + h.size > r->size)
			break;
		VEC_ADD(places, count, cap) = at;
		at += h.size;
	}
	/* A record ends where the one before it, which is newer, began. */
	while (count-- > 0) {
		copy_one(r, places[count], (size_t)(at - places[count]), out);
		at = places[count];
	}
	free(places);
}
