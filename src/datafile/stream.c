/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/stream.h"

#include "datafile/swap.h"

#include <linux/perf_event.h>

enum { HEADER_BYTES = sizeof(struct perf_event_header) };

uint32_t
stream_left(const struct stream *s)
{
	return s->end - s->pos;
}

void
stream_skip(struct stream *s, uint64_t bytes)
{
	s->skip += bytes;
}

void
stream_keep(struct stream *s, uint64_t bytes, struct buf *to)
{
	stream_skip(s, bytes);
	s->kept = to;
}

/* Goes on in a chunk with room at its end; what is left of the old one moves to its begin. */
static void
next_chunk(struct stream *s)
{
	uint32_t left = s->end - s->pos, old = s->chunk;
	const uint8_t *from;

	if (s->end != 0 && s->chunks->items[old].refs == 1) {
		from = s->chunks->items[old].data + s->pos;
		memmove(s->chunks->items[old].data, from, left);
	} else {
		s->chunk = chunk_take(s->chunks);
		if (s->end != 0) {
			from = s->chunks->items[old].data + s->pos;
			memcpy(s->chunks->items[s->chunk].data, from, left);
			chunk_put(s->chunks, old);
		}
	}
	s->pos = 0;
	s->end = left;
}

/* Reads until @need bytes are there. */
static enum stream_result
fill(struct stream *s, uint32_t need)
{
	ssize_t n;

	/* A pipe may give little at a time: at least half of a chunk is used. */
	if (s->end == 0 || s->pos + need > CHUNK_BYTES ||
	    (s->pos == s->end && s->end > CHUNK_BYTES / 2))
		next_chunk(s);
	while (s->end - s->pos < need) {
		n = s->source->read(s, s->chunks->items[s->chunk].data + s->end,
				    CHUNK_BYTES - s->end);
		if (n <= 0) {
			if (s->end == 0) {
				/* end 0 means that there is no chunk. */
				chunk_put(s->chunks, s->chunk);
				s->pos = 0;
			}
			return n == 0 ? STREAM_END : STREAM_FAILED;
		}
		s->end += (uint32_t)n;
	}
	return STREAM_RECORD;
}

static enum stream_result
skip_bytes(struct stream *s)
{
	while (s->skip > 0) {
		uint32_t n = (uint32_t)MIN(s->skip, s->end - s->pos);
		enum stream_result res;

		if (s->kept != NULL && n > 0)
			buf_add(s->kept, s->chunks->items[s->chunk].data + s->pos, n);
		s->pos += n;
		s->at += n;
		s->skip -= n;
		if (s->skip > 0 && s->kept == NULL && s->source->skip != NULL) {
			const uint64_t skipped = s->source->skip(s, s->skip);

			s->at += skipped;
			s->skip -= skipped;
		}
		if (s->skip > 0) {
			res = fill(s, 1);
			if (res != STREAM_RECORD)
				return res;
		}
	}
	s->kept = NULL;
	return STREAM_RECORD;
}

/*
 * Copies the record to a multiple of 8: decoders read words in place, and old files have odd sizes.
 */
static struct record_pos
align_record(struct stream *s, uint32_t size)
{
	uint32_t at = s->copies_used;

	if (at == 0 || at + size > CHUNK_BYTES) {
		if (at != 0)
			chunk_put(s->chunks, s->copies);
		s->copies = chunk_take(s->chunks);
		at = 0;
	}
	memcpy(s->chunks->items[s->copies].data + at, s->chunks->items[s->chunk].data + s->pos,
	       size);
	s->copies_used = (at + size + 7) & ~7u;
	return (struct record_pos){ s->copies, at };
}

static void
swap_header(uint8_t *data)
{
	struct perf_event_header header;

	memcpy(&header, data, sizeof(header));
	header.type = __builtin_bswap32(header.type);
	header.misc = __builtin_bswap16(header.misc);
	header.size = __builtin_bswap16(header.size);
	memcpy(data, &header, sizeof(header));
}

enum stream_result
stream_next_slow(struct stream *s, struct record_pos *out)
{
	enum stream_result res;
	uint16_t size;

	if (s->skip > 0 && (res = skip_bytes(s)) != STREAM_RECORD)
		return res;
	if (s->end - s->pos < HEADER_BYTES && (res = fill(s, HEADER_BYTES)) != STREAM_RECORD)
		return res;
	memcpy(&size, s->chunks->items[s->chunk].data + s->pos + 6, sizeof(size));
	size = swap_u16(size, s->swapped);
	if (size < HEADER_BYTES) {
		s->bad_size = size;
		return STREAM_BROKEN;
	}
	if (s->end - s->pos < size && (res = fill(s, size)) != STREAM_RECORD)
		return res;
	*out = (struct record_pos){ s->chunk, s->pos };
	if (s->pos % 8 != 0)
		*out = align_record(s, size);
	if (s->swapped)
		swap_header(s->chunks->items[out->chunk].data + out->at);
	s->pos += size;
	s->at += size;
	return STREAM_RECORD;
}

void
stream_release(struct stream *s)
{
	if (s->end != 0)
		chunk_put(s->chunks, s->chunk);
	if (s->copies_used != 0)
		chunk_put(s->chunks, s->copies);
	s->end = s->pos = s->copies_used = 0;
}
