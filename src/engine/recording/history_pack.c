/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <config.h>

#include "engine/recording/history.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

enum { LEVEL = 1 };

/* A type of zstd's, by a name of ours. */
static ZSTD_CCtx *
cctx_of(struct history_pack *p)
{
	return (ZSTD_CCtx *)p;
}

struct history_pack *
history_pack_new(void)
{
	ZSTD_CCtx *cctx = ZSTD_createCCtx();

	if (cctx == NULL)
		die("out of memory (zstd)");
	return (struct history_pack *)cctx;
}

void
history_pack_free(struct history_pack *p)
{
	ZSTD_freeCCtx(cctx_of(p));
}

size_t
history_pack_bound(size_t len)
{
	return ZSTD_compressBound(len);
}

size_t
history_pack(struct history_pack *p, const void *from, size_t len, void *to, size_t cap)
{
	size_t res = ZSTD_compressCCtx(cctx_of(p), to, cap, from, len, LEVEL);

	return ZSTD_isError(res) ? 0 : res;
}

void
history_unpack(const void *packed, size_t packed_len, void *to, size_t len)
{
	size_t res = ZSTD_decompress(to, len, packed, packed_len);

	/* What was packed here comes back unless memory is broken. */
	if (res != len)
		die("the flight recorder cannot be unpacked: %s",
		    ZSTD_isError(res) ? ZSTD_getErrorName(res) : "it is cut");
}

#else

struct history_pack *
history_pack_new(void)
{
	return NULL;
}

void
history_pack_free(struct history_pack *p)
{
	(void)p;
}

size_t
history_pack_bound(size_t len)
{
	return len;
}

size_t
history_pack(struct history_pack *p, const void *from, size_t len, void *to, size_t cap)
{
	(void)p;
	(void)from;
	(void)len;
	(void)to;
	(void)cap;
	return 0;
}

void
history_unpack(const void *packed, size_t packed_len, void *to, size_t len)
{
	(void)packed;
	(void)packed_len;
	(void)to;
	(void)len;
}

#endif
