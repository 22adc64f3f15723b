/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_DATAFILE_COMPRESSED_H
#define PTOP_DATAFILE_COMPRESSED_H
/*
 * Records that perf compressed (-z): the content of all COMPRESSED records of a file is one zstd
 * stream.  One COMPRESSED record can end in the middle of a record in it.  One thread.
 */
#include "datafile/stream.h"

struct compressed;

struct compressed *compressed_new(struct chunks *chunks, bool swapped);
void compressed_free(struct compressed *z); /* NULL is allowed */

/* More of the stream; @data must stay until compressed_next() gave STREAM_END. */
void compressed_feed(struct compressed *z, struct bytes data);

/* The next record; STREAM_FAILED: see compressed_error(). */
enum stream_result compressed_next(struct compressed *z, struct record_pos *out);
struct stream *compressed_stream(struct compressed *z);
const char *compressed_error(const struct compressed *z);

#endif
