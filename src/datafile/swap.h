/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_SWAP_H
#define PTOP_DATAFILE_SWAP_H
/* Numbers of a file that may be of the other byte order.  A reader's rules hold: see reader.h. */
#include "base/reader.h"

static inline uint16_t
swap_u16(uint16_t v, bool swapped)
{
	return swapped ? __builtin_bswap16(v) : v;
}

static inline uint32_t
swap_u32(uint32_t v, bool swapped)
{
	return swapped ? __builtin_bswap32(v) : v;
}

static inline uint64_t
swap_u64(uint64_t v, bool swapped)
{
	return swapped ? __builtin_bswap64(v) : v;
}

static inline uint32_t
take_u32(struct reader *r, bool swapped)
{
	return swap_u32(reader_u32(r), swapped);
}

static inline uint64_t
take_u64(struct reader *r, bool swapped)
{
	return swap_u64(reader_u64(r), swapped);
}

#endif
