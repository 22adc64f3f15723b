/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_CHUNK_H
#define PTOP_DATAFILE_CHUNK_H
/*
 * The memory that records are read into: chunks of one size, reference-counted, used again when the
 * last reference is gone.  A record's position is two small numbers, so that many can wait cheaply.
 * Zero-initialise to begin.  One thread.
 */
#include "base/reader.h"

/* A multiple of what read() is good at, several times the longest record, and less than L2. */
enum { CHUNK_BYTES = 256 << 10 };

struct chunk {
	uint8_t *data;
	uint32_t refs;
	uint32_t next; /* the next unused one, plus 1 */
};

struct chunks {
	struct chunk *items;
	size_t len, cap;
	uint32_t unused; /* the first unused one, plus 1; 0: none */
	uint32_t kept;   /* unused ones that still have memory */
	uint32_t live;   /* chunks with references */
};

struct record_pos {
	uint32_t chunk, at;
};

/* A chunk with one reference, the caller's. */
uint32_t chunk_take(struct chunks *c);
void chunk_retire(struct chunks *c, uint32_t chunk); /* for chunk_put() */
void chunks_release(struct chunks *c);

static inline void
chunk_hold(struct chunks *c, uint32_t chunk)
{
	c->items[chunk].refs++;
}

/* Drops @n references, which were taken or held. */
static inline void
chunk_put_many(struct chunks *c, uint32_t chunk, uint32_t n)
{
	c->items[chunk].refs -= n;
	if (c->items[chunk].refs == 0)
		chunk_retire(c, chunk);
}

static inline void
chunk_put(struct chunks *c, uint32_t chunk)
{
	chunk_put_many(c, chunk, 1);
}

/* The whole record there; its header is of native byte order. */
static inline struct bytes
place_bytes(const struct chunks *c, struct record_pos place)
{
	const uint8_t *data = c->items[place.chunk].data + place.at;
	uint16_t size;

	memcpy(&size, data + 6, sizeof(size));
	return (struct bytes){ data, size };
}

#endif
