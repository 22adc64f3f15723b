/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/write_ends.h"

#include "base/util.h"
#include "datafile/whole_records.h"

#include <stdlib.h>

void
write_ends_release(struct write_ends *e)
{
	free(e->packed);
}

void
write_ends_set_block(struct write_ends *e, struct write_end begin, size_t written)
{
	e->block = begin;
	e->block_written = written;
}

/* Up to where records are kept. */
static uint64_t
limit_of(const struct write_ends *e, uint64_t room)
{
	uint64_t there = e->block.at + e->block_written;

	return there - MIN(there, room);
}

struct write_end
write_ends_last(const struct write_ends *e, const uint8_t *block, uint64_t room, uint64_t *samples)
{
	uint64_t limit = limit_of(e, room);
	struct records_sum first;

	*samples = whole_records_sum(block, e->block_written, limit - MIN(limit, e->block.at), &first)
			   .samples;
	if (limit < e->block.at)
		return e->before;
	return (struct write_end){ e->block.at + first.bytes, e->block.samples + first.samples };
}

void
write_ends_add_packed(struct write_ends *e, struct write_end end)
{
	VEC_ADD(e->packed, e->packed_len, e->packed_cap) = end;
}

struct write_end
write_ends_last_packed(const struct write_ends *e, uint64_t room)
{
	uint64_t limit = limit_of(e, room);
	struct write_end last = { 0 };

	for (size_t n = 0; n < e->packed_len && e->packed[n].at <= limit; n++)
		last = e->packed[n];
	return last;
}
