/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/jit/jit_batch.h"

enum { LINE_MAX_BYTES = 16 << 10 };

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A number and the blank behind it; some writers put 0x in front. */
static bool
parse_hex(struct reader *r, uint64_t *out)
{
	const char *p = (const char *)r->pos, *end = (const char *)r->end;
	unsigned digits = 0;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	for (*out = 0; p < end && hex_digit(*p) >= 0; p++, digits++) {
		if (*out >> 60 != 0)
			return false;
		*out = *out << 4 | (unsigned)hex_digit(*p);
	}
	if (digits == 0 || p == end || *p != ' ')
		return false;
	while (p < end && *p == ' ')
		p++;
	r->pos = (const uint8_t *)p;
	return true;
}

static bool
parse_line(struct bytes line, struct jit_batch *out)
{
	struct reader r = reader_over(line);
	struct jit_change c = { 0 };

	if (reader_left(&r) > 0 && r.end[-1] == '\r')
		r.end--;
	if (!parse_hex(&r, &c.start) || !parse_hex(&r, &c.size) ||
	    !jit_code_is_sane(c.start, c.size) || reader_left(&r) == 0)
		return false;
	return jit_batch_add(out, &c, (const char *)r.pos, reader_left(&r));
}

size_t
perf_map_read(struct perf_map *p, struct bytes b, struct jit_batch *out)
{
	size_t at = 0;

	while (at < b.len && !jit_batch_is_full(out)) {
		const uint8_t *from = b.data + at;
		const uint8_t *newline = memchr(from, '\n', b.len - at);
		size_t len = newline != NULL ? (size_t)(newline - from) : b.len - at;

		if (newline == NULL && len < LINE_MAX_BYTES && !p->is_passing_over)
			return at;
		/* The name's first part is all that is kept of a line without end. */
		if (!p->is_passing_over && !parse_line((struct bytes){ from, len }, out))
			p->broken++;
		p->is_passing_over = newline == NULL;
		at += len + (newline != NULL);
	}
	return at;
}
