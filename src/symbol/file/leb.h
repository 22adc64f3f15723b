/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FILE_LEB_H
#define PTOP_SYMBOL_FILE_LEB_H
/* The numbers of DWARF that have no fixed length. */
#include "base/reader.h"

static inline uint8_t
reader_u8(struct reader *r)
{
	const uint8_t *p = reader_bytes(r, 1);

	return p != NULL ? *p : 0;
}

/* Bits beyond 64 are lost. */
static inline uint64_t
reader_leb(struct reader *r, unsigned *bits)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = reader_u8(r);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	*bits = shift;
	return v;
}

static inline uint64_t
reader_uleb(struct reader *r)
{
	unsigned bits;

	return reader_leb(r, &bits);
}

static inline int64_t
reader_sleb(struct reader *r)
{
	unsigned bits;
	uint64_t v = reader_leb(r, &bits);

	if (bits < 64 && v >> (bits - 1) & 1)
		v |= UINT64_MAX << bits;
	return (int64_t)v;
}

#endif
