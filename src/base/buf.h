/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_BUF_H
#define PTOP_BASE_BUF_H
/*
 * Bytes that grow.  data is always NUL-terminated once something was added.
 * Zero-initialise to begin: struct buf b = { 0 }.  One thread.
 */
#include "base/util.h"

#include <stdarg.h>

struct buf {
	char *data;
	size_t len, cap;
};

void buf_add(struct buf *b, const void *data, size_t len);
void buf_add_str(struct buf *b, const char *s);
void buf_add_char(struct buf *b, char c);
void buf_add_u64(struct buf *b, uint64_t n); /* decimal */
void buf_add_fixed(struct buf *b, double v); /* as "%.4f", which takes most of a report's time */
void buf_add_fill(struct buf *b, char c, size_t n);
void buf_addf(struct buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void buf_addv(struct buf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
void buf_reset(struct buf *b); /* empty, memory kept */
void buf_release(struct buf *b);
const char *buf_str(const struct buf *b); /* "" when nothing was added */

/* The bytes of a number, in the order of the machine that ptop runs on. */
static inline void
buf_add_raw32(struct buf *b, uint32_t n)
{
	buf_add(b, &n, sizeof(n));
}

static inline void
buf_add_raw64(struct buf *b, uint64_t n)
{
	buf_add(b, &n, sizeof(n));
}

#endif
