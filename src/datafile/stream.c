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

/* A chunk with room at its end: the rest of the old one is moved to its begin. */
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

	/* Of a pipe little may come at a time: a chunk is used to its half at the least. */
	if (s->end == 0 || s->pos + need > CHUNK_BYTES ||
	    (s->pos == s->end && s->end > CHUNK_BYTES / 2))
		next_chunk(s);
	while (s->end - s->pos < need) {
		n = s->source->read(s, s->chunks->items[s->chunk].data + s->end,
				    CHUNK_BYTES - s->end);
		if (n <= 0) {
			if (s->end == 0) {
				/* Nothing is in it: 0 means that there is none. */
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
leave_out(struct stream *s)
{
	while (s->skip > 0) {
		uint32_t n = (uint32_t)MIN(s->skip, s->end - s->pos);
		enum stream_result res;

		if (s->kept != NULL && n > 0)
			buf_add(s->kept, s->chunks->items[s->chunk].data + s->pos, n);
		s->pos += n;
		s->at += n;
		s->skip -= n;
		if (s->skip > 0 && s->kept == NULL && s->source->leave_out != NULL) {
			s->source->leave_out(s, s->skip);
			s->at += s->skip;
			s->skip = 0;
		} else if (s->skip > 0) {
			res = fill(s, 1);
			if (res != STREAM_RECORD)
				return res;
		}
	}
	s->kept = NULL;
	return STREAM_RECORD;
}

/*
 * A copy of the record at a multiple of 8: records of old files have sizes of all kinds, and who
 * decodes one reads words in place.
 */
static struct record_pos
align_record(struct stream *s, uint32_t size)
{
	uint32_t at = s->aside_used;

	if (at == 0 || at + size > CHUNK_BYTES) {
		if (at != 0)
			chunk_put(s->chunks, s->aside);
		s->aside = chunk_take(s->chunks);
		at = 0;
	}
	memcpy(s->chunks->items[s->aside].data + at, s->chunks->items[s->chunk].data + s->pos,
	       size);
	s->aside_used = (at + size + 7) & ~7u;
	return (struct record_pos){ s->aside, at };
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

	if (s->skip > 0 && (res = leave_out(s)) != STREAM_RECORD)
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
	if (s->aside_used != 0)
		chunk_put(s->chunks, s->aside);
	s->end = s->pos = s->aside_used = 0;
}
