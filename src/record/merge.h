/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_MERGE_H
#define PTOP_RECORD_MERGE_H
/*
 * Merges streams of records by time, in place: nothing is copied, nothing queued.  Each stream
 * shows its next record; a small heap knows which of them is the oldest.  Within a stream order
 * is kept as it comes: nested interrupts may step back in time.  At the same time the stream that
 * is named first comes first.  One thread.
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
 * Begins a round over @streams, which stay the caller's until the round's end.  What says that it
 * was written after @now_ns has another clock's time: it comes as if it had none.
 */
void merge_begin(struct merge *m, const struct record_layout *layout,
		 const struct merge_stream *streams, size_t count, uint64_t now_ns);

/*
 * The oldest record of all streams that was written before @limit_ns; 1 or 0.  Its bytes are valid
 * until the next call, which passes it.  Records without a time come at once.
 */
int merge_next(struct merge *m, uint64_t limit_ns, struct bytes *out, uint64_t *time_ns);

#endif
