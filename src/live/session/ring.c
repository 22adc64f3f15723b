/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between tail and head lie whole records.  The kernel writes head, ptop writes tail; both run on
 * without wrapping, the position in the buffer is their low bits.  head was read with acquire
 * order before any byte below it, tail is written with release order after the last use.
 */
#include "live/session/ring.h"

#include "live/sys/events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	HEADER_BYTES = sizeof(struct perf_event_header),
	PREFETCH_BYTES = 512, /* some three samples ahead; what is longer has a copy of the stack */
	COPY_BYTES = 768,     /* of such a one: its begin, and what a shallow chain is made of */
	NEAR_RECORDS = 8,     /* of such, whose pages are asked for together */
	LINE_BYTES = 64,
	RECORD_BYTES_MAX = UINT16_MAX, /* perf_event_header.size is 16 bits wide */
};

struct ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	size_t size, map_len; /* data bytes, a power of two; all that is mapped */
	uint64_t head, tail;
	uint32_t peeked; /* bytes of the record last peeked */
	size_t last_len; /* bytes of the last whole one; before that, all there is room for */
	uint64_t near;   /* pages of records that begin before there were asked for */
	uint64_t skipped;
	uint8_t *whole; /* a record that wraps around the end is put together here */
};

struct ring *
ring_new(int fd, unsigned pages, struct err *err)
{
	struct ring *r = mem_calloc(1, sizeof(*r));
	void *map;

	r->size = r->last_len = (size_t)pages * page_size();
	r->map_len = r->size + page_size();
	map = mmap(NULL, r->map_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		err_set(err, ERR_LIMIT, errno, "cannot map a ring of %u pages", pages);
		free(r);
		return NULL;
	}
	r->page = map;
	/* data_offset is 0 before kernel 4.1: the data then follow the first page. */
	r->data = (const uint8_t *)map + (r->page->data_offset ? r->page->data_offset : page_size());
	r->tail = r->head = r->page->data_tail;
	r->page->aux_offset = r->map_len;
	r->page->aux_size = AUX_BYTES;
	return r;
}

void
ring_free(struct ring *r)
{
	if (r == NULL)
		return;
	munmap(r->page, r->map_len);
	free(r->whole);
	free(r);
}

void
ring_refresh(struct ring *r)
{
	r->head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

static const uint8_t *
ring_bytes(struct ring *r, uint32_t len)
{
	size_t at = r->tail & (r->size - 1);
	size_t front = r->size - at;

	if (len <= front)
		return r->data + at;
	if (r->whole == NULL)
		r->whole = mem_calloc(1, RECORD_BYTES_MAX);
	memcpy(r->whole, r->data + at, front);
	memcpy(r->whole + front, r->data, len - front);
	return r->whole;
}

/*
 * What follows is in the cache of the CPU that wrote it.  Of a record with a copy of the stack it is the
 * begin, in which all that tells samples apart lies, and the end of the one before; of the one after
 * the next, as all that is done for one may take less time than memory does.
 */
static inline __attribute__((always_inline)) void
prefetch_ahead(const struct ring *r, uint32_t len)
{
	bool is_large = len > PREFETCH_BYTES;
	uint64_t at = r->tail + (is_large ? 2 * (uint64_t)len - LINE_BYTES : PREFETCH_BYTES);
	uint64_t end = at + (is_large ? COPY_BYTES : 2 * LINE_BYTES);

	for (; at < end; at += LINE_BYTES)
		__builtin_prefetch(r->data + (at & (r->size - 1)));
}

/*
 * Records with copies of stacks are pages apart.  A prefetch from a page whose translation the CPU does
 * not have waits for it; several wait together.
 */
static inline __attribute__((always_inline)) void
ask_pages(struct ring *r, uint32_t len)
{
	uint64_t at = r->tail + 3 * (uint64_t)len;

	if (len <= PREFETCH_BYTES || at < r->near)
		return;
	for (unsigned i = 0; i < NEAR_RECORDS; i++, at += len)
		__builtin_prefetch(r->data + (at & (r->size - 1)));
	r->near = at;
}

int
ring_peek(struct ring *r, struct bytes *out)
{
	uint64_t left = r->head - r->tail;
	struct perf_event_header h;

	if (left == 0)
		return 0;
	if (left >= HEADER_BYTES && left <= r->size && r->tail % 8 == 0) {
		/* Records are multiples of 8, so a header never wraps. */
		memcpy(&h, r->data + (r->tail & (r->size - 1)), sizeof(h));
		if (h.size >= HEADER_BYTES && h.size <= left && h.size % 8 == 0) {
			r->peeked = h.size;
			r->last_len = h.size;
			ask_pages(r, h.size);
			prefetch_ahead(r, h.size);
			*out = (struct bytes){ ring_bytes(r, h.size), h.size };
			return 1;
		}
	}
	r->skipped += MAX(MIN(left, r->size) / r->last_len, 1);
	r->tail = r->head;
	return 0;
}

void
ring_advance(struct ring *r)
{
	r->tail += r->peeked;
	r->peeked = 0;
}

void
ring_commit(struct ring *r)
{
	__atomic_store_n(&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

size_t
ring_fill_bytes(const struct ring *r)
{
	return (size_t)(r->head - r->tail);
}

size_t
ring_size_bytes(const struct ring *r)
{
	return r->size;
}

uint64_t
ring_take_skipped(struct ring *r)
{
	uint64_t skipped = r->skipped;

	r->skipped = 0;
	return skipped;
}
