/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_WRITE_ENDS_H
#define PTOP_DATAFILE_WRITE_ENDS_H
/*
 * Where a recording may end if its disk is full: behind a whole record, and so that what must follow
 * the records still fits.
 */
#include <stdint.h>
#include <stddef.h>

/* An offset where a record ends, and how many samples are before it. */
struct write_end {
	uint64_t at, samples;
};

/* Zero-initialise to begin.  One thread. */
struct write_ends {
	struct write_end block; /* where the block that was written last begins */
	size_t block_written;
	struct write_end before; /* the end found in the one before: that is not in memory any more */
	struct write_end *packed; /* compressed: ends of what was put since the last round */
	size_t packed_len, packed_cap;
};

void write_ends_release(struct write_ends *e);

/* A block begins at @begin; @written bytes of it are in the file. */
void write_ends_set_block(struct write_ends *e, struct write_end begin, size_t written);

/*
 * Of records as they are: the last end in @block, the bytes of the block that was written last, with
 * @room behind it; else that of the one before.  *@samples: of the whole block.
 */
struct write_end write_ends_last(const struct write_ends *e, const uint8_t *block, uint64_t room,
				 uint64_t *samples);

/* What was put before @end can be decompressed. */
void write_ends_add_packed(struct write_ends *e, struct write_end end);

/* Of compressed records, likewise. */
struct write_end write_ends_last_packed(const struct write_ends *e, uint64_t room);

#endif
