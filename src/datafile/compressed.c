/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "datafile/compressed.h"

#include <errno.h>
#include <stdlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* 128 MiB, zstd's own default: a file cannot make it allocate more. */
enum { WINDOW_LOG_MAX = 27 };

struct compressed {
	struct stream stream;
	struct bytes in;
	const char *error;
#ifdef HAVE_ZSTD
	ZSTD_DCtx *dctx;
	bool has_more; /* the last output was full */
#endif
};

#ifdef HAVE_ZSTD

static ssize_t
decompress(struct stream *s, void *data, size_t len)
{
	struct compressed *z = s->user;
	ZSTD_outBuffer out = { data, len, 0 };
	ZSTD_inBuffer in = { z->in.data, z->in.len, 0 };
	size_t res = 0;

	while (out.pos == 0 && (in.pos < in.size || z->has_more)) {
		res = ZSTD_decompressStream(z->dctx, &out, &in);
		if (ZSTD_isError(res)) {
			z->error = ZSTD_getErrorName(res);
			z->in.len = 0;
			errno = EBADMSG;
			return -1;
		}
		z->has_more = out.pos == out.size;
	}
	z->in.data += in.pos;
	z->in.len -= in.pos;
	return (ssize_t)out.pos;
}

static void
start(struct compressed *z)
{
	z->dctx = ZSTD_createDCtx();
	if (z->dctx == NULL)
		die("out of memory (zstd)");
	ZSTD_DCtx_setParameter(z->dctx, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
}

static void
stop(struct compressed *z)
{
	ZSTD_freeDCtx(z->dctx);
}

#else

static ssize_t
decompress(struct stream *s, void *data, size_t len)
{
	struct compressed *z = s->user;

	(void)data;
	(void)len;
	z->error = "this ptop is built without zstd";
	errno = ENOTSUP;
	return -1;
}

static void
start(struct compressed *z)
{
	(void)z;
}

static void
stop(struct compressed *z)
{
	(void)z;
}

#endif

static const struct stream_source source = { .read = decompress };

struct compressed *
compressed_new(struct chunks *chunks, bool swapped)
{
	struct compressed *z = mem_calloc(1, sizeof(*z));

	z->stream = (struct stream){
		.source = &source, .user = z, .chunks = chunks, .swapped = swapped,
	};
	start(z);
	return z;
}

void
compressed_free(struct compressed *z)
{
	if (z == NULL)
		return;
	stream_release(&z->stream);
	stop(z);
	free(z);
}

void
compressed_feed(struct compressed *z, struct bytes data)
{
	z->in = data;
}

enum stream_result
compressed_next(struct compressed *z, struct record_pos *out)
{
	return stream_next(&z->stream, out);
}

struct stream *
compressed_stream(struct compressed *z)
{
	return &z->stream;
}

const char *
compressed_error(const struct compressed *z)
{
	return z->error;
}
