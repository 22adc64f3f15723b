/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_MERGE_H
#define PTOP_RECORD_MERGE_H
/*
 * A k-way merge of streams of records by time, in place: nothing is copied or queued.  A binary
 * heap holds the next record of each stream.  The order within a stream is kept: nested interrupts
 * may step back in time.  Of equal times the stream that is named first comes first.  One thread.
 */
#include "record/record.h"

struct merge_stream {
	void *self;
	/* The next record; 1 or 0.  Valid until advance. */
	int (*peek)(void *self, struct bytes *out);
	void (*advance)(void *self);
};

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *m);

/*
 * Begins a round over @streams, which stay the caller's.  Records of times after @now_ns have the
 * time of another clock: they count as records without a time.
 */
void merge_begin(struct merge *m, const struct record_layout *layout,
		 const struct merge_stream *streams, size_t count, uint64_t now_ns);

/*
 * The oldest record of all streams that is older than @limit_ns; 1 or 0.  Its bytes are valid until
 * the next call, which passes it.  Records without a time come at once.
 */
int merge_next(struct merge *m, uint64_t limit_ns, struct bytes *out, uint64_t *time_ns);

#endif
