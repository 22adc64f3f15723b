/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "export/sink.h"

#ifdef HAVE_ZLIB

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

enum {
	GZIP_WINDOW = 15 + 16, /* with the head and end of a gzip file */
	MEMORY_LEVEL = 8,
	PIECE_BYTES = 16 << 10,
};

struct gzip {
	struct sink in, *out;
	z_stream stream;
};

static void
pack(struct gzip *z, const void *data, size_t len, int how)
{
	unsigned char piece[PIECE_BYTES];

	z->stream.next_in = (unsigned char *)(uintptr_t)data;
	z->stream.avail_in = (uInt)len;
	do {
		z->stream.next_out = piece;
		z->stream.avail_out = sizeof(piece);
		deflate(&z->stream, how);
		buf_add(&z->out->buf, piece, sizeof(piece) - z->stream.avail_out);
		sink_flow(z->out);
	} while (z->stream.avail_out == 0);
}

static int
take(void *self, const void *data, size_t len)
{
	struct gzip *z = self;

	pack(z, data, len, Z_NO_FLUSH);
	errno = z->out->error;
	return z->out->error == 0 ? 0 : -1;
}

struct gzip *
gzip_new(struct sink *out)
{
	struct gzip *z = mem_calloc(1, sizeof(*z));

	z->out = out;
	z->in.write = take;
	z->in.self = z;
	if (deflateInit2(&z->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		die("out of memory");
	return z;
}

struct sink *
gzip_sink(struct gzip *z)
{
	return &z->in;
}

void
gzip_finish(struct gzip *z)
{
	if (sink_flush(&z->in) == 0)
		pack(z, "", 0, Z_FINISH);
	deflateEnd(&z->stream);
	sink_release(&z->in);
	free(z);
}

#endif
