/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_LANE_H
#define PTOP_DATAFILE_LANE_H
/*
 * The records of one file descriptor, compressed ones included.  A perf.data directory has a lane
 * for each of its files, anything else has one.  One thread.
 */
#include "datafile/compressed.h"
#include "datafile/contents.h"

struct lane {
	struct stream file;
	struct compressed *compressed; /* NULL: nothing was */
	bool is_decompressing;  /* records come from compressed, up to its end */
	bool has_ended;
	bool is_regular;        /* else a pipe: read one after the other */
	int fd;
	int wake_fd;            /* of a pipe: readable when reading has to stop; -1: never */
	uint64_t begin, end;    /* of the records, in the file */
	uint64_t read_at;       /* what is read next */
	uint64_t compressed_at; /* offset of the record that is decompressed */
	uint64_t last_ns;       /* the latest time of its records */
};

/* Begins; @fd is the lane's from now on.  @lane must not move. */
void lane_init(struct lane *lane, struct chunks *chunks, int fd, bool swapped);

/* The range of its records in a regular file; of a pipe, @begin bytes were read already. */
void lane_set_range(struct lane *lane, uint64_t begin, uint64_t end, bool is_regular);
void lane_release(struct lane *lane);

/* For lane_next(): the next compressed record; what to do at the end. */
bool lane_next_decompressed(struct lane *lane, struct contents *c, struct record_pos *out);
bool lane_end(struct lane *lane, struct contents *c, enum stream_result res, int *sys);

/*
 * The next record.  False: the end; if something is wrong, contents_lose() has noted it.  *@sys:
 * errno if it cannot be read any more, else untouched.
 */
static inline bool
lane_next(struct lane *lane, struct contents *c, struct record_pos *out, int *sys)
{
	enum stream_result res;

	if (lane->is_decompressing && lane_next_decompressed(lane, c, out))
		return true;
	if (lane->has_ended)
		return false;
	res = stream_next(&lane->file, out);
	return res == STREAM_RECORD || lane_end(lane, c, res, sys);
}

/* Decompresses @data, the content of the record that was given last: its records come next. */
void lane_decompress(struct lane *lane, struct bytes data, uint64_t at);

/* Skips bytes behind the record that was given last. */
void lane_skip(struct lane *lane, uint64_t bytes);
void lane_keep(struct lane *lane, uint64_t bytes, struct buf *to); /* as stream_keep() */

/* Where its records come from now. */
static inline struct stream *
lane_stream(struct lane *lane)
{
	return lane->is_decompressing ? compressed_stream(lane->compressed) : &lane->file;
}

/* Where the next record is. */
static inline uint64_t
lane_offset(const struct lane *lane)
{
	return lane->is_decompressing ? lane->compressed_at : lane->file.at;
}

#endif
