/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_TOLD_RECORD_H
#define PTOP_LIVE_WAIT_TOLD_RECORD_H
/*
 * A record that is told again and again, of a thread that waits where it did: made once, with its
 * copy of the stack, and from then on named by who looks.  It is kept by both sides, and freed by
 * who is last.  Who reads writes its time, period and tag; all else of it stays as it is.
 */
#include "base/buf.h"
#include "base/reader.h"

struct told_record;

struct told_record *told_record_new(struct bytes record); /* copied; of one side */
void told_record_put(struct told_record *r);              /* that is done with it; NULL is allowed */

struct bytes told_record_bytes(const struct told_record *r);

/* Adds to a stream of records: that one again, of that period. */
void told_record_again(struct told_record *r, struct buf *out, uint64_t period_ns);

/*
 * Of such a stream, @at: the whole record, and where its tag is kept, 0: it is not known yet; NULL:
 * it is not kept.  Valid until the place in the stream is passed.
 */
struct bytes told_record_read(uint8_t *at, uint64_t **tag);

/* The place @at has been passed; how many bytes it takes. */
size_t told_record_pass(uint8_t *at);

/* Gives all records of a stream that time. */
void told_record_stamp(uint8_t *stream, size_t len, uint64_t time_ns);

/* All that is left of a stream has been passed. */
void told_record_pass_all(uint8_t *stream, size_t len);

#endif
