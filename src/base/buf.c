/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
buf_add(struct buf *b, const void *data, size_t len)
{
	vec_reserve(&b->data, &b->cap, b->len + len + 1, 1);
	if (len > 0)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void
buf_add_str(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void
buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void
buf_add_fill(struct buf *b, char c, size_t n)
{
	vec_reserve(&b->data, &b->cap, b->len + n + 1, 1);
	memset(b->data + b->len, c, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void
buf_addv(struct buf *b, const char *fmt, va_list ap)
{
	size_t room = b->cap - b->len;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(room > 0 ? b->data + b->len : NULL, room, fmt, ap);
	if (n > 0 && (size_t)n >= room) {
		vec_reserve(&b->data, &b->cap, b->len + (size_t)n + 1, 1);
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	if (n > 0)
		b->len += (size_t)n;
}

void
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_addv(b, fmt, ap);
	va_end(ap);
}

void
buf_add_u64(struct buf *b, uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	buf_add(b, digits + at, sizeof(digits) - at);
}

void
buf_add_fixed(struct buf *b, double v)
{
	enum { ONE = 10000 };
	double scaled = v * ONE;
	uint64_t n = v > 0 && scaled < 1e9 ? (uint64_t)(scaled + 0.5) : 0;
	double off = scaled - (double)n;
	char digits[4];

	/* The product is off by less than 1e-7: near the middle between two it tells nothing. */
	if (n == 0 || off > 0.499 || off < -0.499) {
		buf_addf(b, "%.4f", v);
		return;
	}
	buf_add_u64(b, n / ONE);
	n %= ONE;
	for (size_t i = sizeof(digits); i-- > 0; n /= 10)
		digits[i] = (char)('0' + n % 10);
	buf_add_char(b, '.');
	buf_add(b, digits, sizeof(digits));
}

void
buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data != NULL)
		b->data[0] = '\0';
}

void
buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

const char *
buf_str(const struct buf *b)
{
	return b->data != NULL ? b->data : "";
}
