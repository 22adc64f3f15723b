/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_EXPORT_SINK_H
#define PTOP_EXPORT_SINK_H
/*
 * Where a report goes, piece by piece: who writes it adds to the buffer and calls sink_flow() now
 * and then, so that a report of any length takes little memory.  One thread.
 */
#include "base/buf.h"

struct sink {
	struct buf buf; /* what was not passed on yet: add to it */
	int (*write)(void *self, const void *data, size_t len); /* 0, or -1 with errno */
	void *self;
	int error;      /* errno of the write that failed, 0: none did; nothing is written after it */
	uint64_t bytes; /* passed on */
};

/* Passes on what is there, if that is much. */
void sink_flow(struct sink *s);

/* Passes on all.  0, or -1: see error. */
int sink_flush(struct sink *s);

/* Forgets what was not passed on. */
void sink_release(struct sink *s);

/* Adds text of others made safe (base/text.h). */
void sink_add_safe(struct sink *s, const char *text);

#endif
