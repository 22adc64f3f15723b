/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "datafile/packer.h"

#include "record/abi.h"

#include <stdlib.h>

#ifdef HAVE_ZSTD
#include <zstd.h>

enum {
	LEVEL = 1, /* as perf's: a second of samples takes a millisecond */
	/* perf decompresses each record into a buffer of this size, which it keeps. */
	PIECE_BYTES = 128 << 10,
	CONTENT_MAX = UINT16_MAX - sizeof(struct perf_event_header),
	FEATURE_VERSION = 1, TYPE_ZSTD = 1,
};

struct packer {
	ZSTD_CCtx *cctx;
	size_t piece; /* bytes put since the last flush */
	uint64_t in, out;
	char content[CONTENT_MAX];
	size_t len; /* of content */
};

struct packer *
packer_new(void)
{
	struct packer *p = mem_calloc(1, sizeof(*p));

	p->cctx = ZSTD_createCCtx();
	if (p->cctx == NULL)
		die("out of memory (zstd)");
	ZSTD_CCtx_setParameter(p->cctx, ZSTD_c_compressionLevel, LEVEL);
	return p;
}

void
packer_free(struct packer *p)
{
	if (p == NULL)
		return;
	ZSTD_freeCCtx(p->cctx);
	free(p);
}

/* Adds one COMPRESSED record. */
static void
end_record(struct packer *p, struct buf *out)
{
	struct perf_event_header h = {
		RECORD_PERF_COMPRESSED, 0, (uint16_t)(sizeof(h) + p->len)
	};

	if (p->len == 0)
		return;
	buf_add(out, &h, sizeof(h));
	buf_add(out, p->content, p->len);
	p->out += h.size;
	p->len = 0;
}

/* Cannot fail: there is room for all output. */
static void
pack(struct packer *p, const void *data, size_t len, ZSTD_EndDirective how, struct buf *out)
{
	ZSTD_inBuffer in = { data, len, 0 };
	size_t left;

	do {
		ZSTD_outBuffer to = { p->content, CONTENT_MAX, p->len };

		left = ZSTD_compressStream2(p->cctx, &to, &in, how);
		if (ZSTD_isError(left))
			die("cannot compress: %s", ZSTD_getErrorName(left));
		p->len = to.pos;
		if (p->len == CONTENT_MAX)
			end_record(p, out);
	} while (how == ZSTD_e_flush ? left > 0 : in.pos < in.size);
}

void
packer_flush(struct packer *p, struct buf *out)
{
	if (p->piece > 0)
		pack(p, NULL, 0, ZSTD_e_flush, out);
	end_record(p, out);
	p->piece = 0;
}

void
packer_add(struct packer *p, const void *records, size_t len, struct buf *out)
{
	const char *from = records;

	p->in += len;
	while (len > 0) {
		size_t n = MIN(len, PIECE_BYTES - p->piece);

		pack(p, from, n, ZSTD_e_continue, out);
		p->piece += n;
		if (p->piece == PIECE_BYTES)
			packer_flush(p, out);
		from += n;
		len -= n;
	}
}

void
packer_put_feature(const struct packer *p, struct buf *b)
{
	uint32_t ratio = p->out > 0 ? (uint32_t)((p->in + p->out / 2) / p->out) : 1;
	uint32_t feature[] = { FEATURE_VERSION, TYPE_ZSTD, LEVEL, ratio, PIECE_BYTES };

	buf_add(b, feature, sizeof(feature));
}

#else

struct packer *
packer_new(void)
{
	return NULL;
}

void
packer_free(struct packer *p)
{
	(void)p;
}

void
packer_flush(struct packer *p, struct buf *out)
{
	(void)p;
	(void)out;
}

void
packer_add(struct packer *p, const void *records, size_t len, struct buf *out)
{
	(void)p;
	(void)records;
	(void)len;
	(void)out;
}

void
packer_put_feature(const struct packer *p, struct buf *b)
{
	(void)p;
	(void)b;
}

#endif
