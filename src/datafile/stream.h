/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_STREAM_H
#define PTOP_DATAFILE_STREAM_H
/*
 * Takes records one by one from a source of bytes: a file, a pipe, a decompressor.  Bytes are read
 * into chunks in large pieces, and records stay where they are; one that is cut by the end of a
 * chunk is moved to the next chunk.  One thread.
 */
#include "base/buf.h"
#include "datafile/chunk.h"

#include <sys/types.h>

struct stream;

struct stream_source {
	/* As read(2): how many bytes came, 0 none (for now), -1 with errno. */
	ssize_t (*read)(struct stream *s, void *data, size_t len);
	/* Skips @len bytes, or all that are left: how many; NULL: they are read. */
	uint64_t (*skip)(struct stream *s, uint64_t len);
};

struct stream {
	const struct stream_source *source;
	void *user; /* the source's own */
	struct chunks *chunks;
	bool swapped;
	uint32_t chunk, pos, end; /* what is left of the chunk that is read into; end 0: none */
	uint32_t copies, copies_used; /* chunk of records copied to be aligned; used 0: none */
	uint64_t at;   /* offset of pos in the source */
	uint64_t skip; /* bytes before the next record that are none of it */
	struct buf *kept; /* gets the bytes that are skipped; NULL: they are dropped */
	uint32_t bad_size; /* of the record that broke it */
};

enum stream_result {
	STREAM_FAILED = -2, /* errno */
	STREAM_BROKEN = -1, /* the record at offset at has a size that cannot be: bad_size */
	STREAM_END = 0, /* no more bytes, at least for now; stream_left() of a record are there */
	STREAM_RECORD = 1,
};

/* For stream_next(). */
enum stream_result stream_next_slow(struct stream *s, struct record_pos *out);

/* The next record, its header turned to native byte order; it begins at a multiple of 8. */
static inline enum stream_result
stream_next(struct stream *s, struct record_pos *out)
{
	uint32_t left = s->end - s->pos;
	uint16_t size;

	/* Nearly always: it is there as a whole, aligned, of native byte order. */
	if (left >= 8 && s->skip == 0 && !s->swapped && s->pos % 8 == 0) {
		memcpy(&size, s->chunks->items[s->chunk].data + s->pos + 6, sizeof(size));
		if (size >= 8 && size <= left) {
			*out = (struct record_pos){ s->chunk, s->pos };
			s->pos += size;
			s->at += size;
			return STREAM_RECORD;
		}
	}
	return stream_next_slow(s, out);
}

/* Skips the next @bytes: they are no records. */
void stream_skip(struct stream *s, uint64_t bytes);

/* The same; when the next record is asked for they are added to @to, which stays the caller's. */
void stream_keep(struct stream *s, uint64_t bytes, struct buf *to);
uint32_t stream_left(const struct stream *s); /* bytes read and not handed out */
void stream_release(struct stream *s);

#endif
