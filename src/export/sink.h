/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_SINK_H
#define PTOP_EXPORT_SINK_H
/*
 * Where a report goes, piece by piece: its writer adds to the buffer and calls sink_flow() after
 * each row, so that a report of any length takes little memory.  One thread.
 */
#include "base/buf.h"

struct gzip;

struct sink {
	struct buf buf; /* add to it: what was not passed on yet */
	int (*write)(void *self, const void *data, size_t len); /* 0, or -1 with errno */
	void *self;
	int error;      /* errno of the first write that failed: nothing is written after it; 0 */
	uint64_t bytes; /* passed on so far */
};

/* Passes the buffer on if there is much in it. */
void sink_flow(struct sink *s);

/* Passes the buffer on.  0, or -1: see error. */
int sink_flush(struct sink *s);

/* Forgets what was not passed on. */
void sink_release(struct sink *s);

/* Adds text made safe for terminals (base/text.h). */
void sink_add_safe(struct sink *s, const char *text);

/*
 * A sink that compresses (gzip) into another one.  One thread.  Compresses into @out, which must
 * outlive it.
 */
struct gzip *gzip_new(struct sink *out);

/* The sink to write to. */
struct sink *gzip_sink(struct gzip *z);

/* Finishes the compressed data, and frees. */
void gzip_finish(struct gzip *z);

#endif
