/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_READER_H
#define PTOP_BASE_READER_H
/*
 * A bounded reader over bytes that are not trusted.  Reading past the end gives zeros and sets
 * failed, so a decoder reads its fields in ABI order and asks once at the end.  With swap set its
 * numbers are of the other byte order.  One thread.
 */
#include "base/util.h"

#include <string.h>

struct bytes {
	const uint8_t *data;
	size_t len;
};

struct reader {
	const uint8_t *pos, *end;
	bool failed;
	bool swap;
};

/* Of numbers in the other byte order if @swap.  No bytes may be NULL, to which nothing is added. */
static inline struct reader
reader_over_swapped(struct bytes b, bool swap)
{
	return (struct reader){ .pos = b.data, .end = b.len > 0 ? b.data + b.len : b.data,
				.swap = swap };
}

static inline struct reader
reader_over(struct bytes b)
{
	return reader_over_swapped(b, false);
}

static inline size_t
reader_left(const struct reader *r)
{
	return (size_t)(r->end - r->pos);
}

/* What was read makes no sense: nothing is left. */
static inline void
reader_fail(struct reader *r)
{
	r->failed = true;
	r->pos = r->end;
}

/* @len bytes in place, NULL if there are not as many. */
static inline const uint8_t *
reader_bytes(struct reader *r, size_t len)
{
	const uint8_t *p = r->pos;

	if (reader_left(r) < len) {
		reader_fail(r);
		return NULL;
	}
	r->pos += len;
	return p;
}

static inline uint64_t
reader_u64(struct reader *r)
{
	const uint8_t *p = reader_bytes(r, 8);
	uint64_t v = 0;

	if (p != NULL)
		memcpy(&v, p, 8);
	return r->swap ? __builtin_bswap64(v) : v;
}

static inline uint32_t
reader_u32(struct reader *r)
{
	const uint8_t *p = reader_bytes(r, 4);
	uint32_t v = 0;

	if (p != NULL)
		memcpy(&v, p, 4);
	return r->swap ? __builtin_bswap32(v) : v;
}

static inline uint16_t
reader_u16(struct reader *r)
{
	const uint8_t *p = reader_bytes(r, 2);
	uint16_t v = 0;

	if (p != NULL)
		memcpy(&v, p, 2);
	return r->swap ? __builtin_bswap16(v) : v;
}

/* A NUL-terminated string in place; "" and failed if no NUL is left. */
static inline const char *
reader_string(struct reader *r)
{
	const char *s = (const char *)r->pos;
	const uint8_t *nul = memchr(r->pos, 0, reader_left(r));

	if (nul == NULL) {
		reader_fail(r);
		return "";
	}
	r->pos = nul + 1;
	return s;
}

#endif
