/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_UI_OUTPUT_H
#define PTOP_UI_OUTPUT_H
/* The last of what COMMAND wrote, in a ring of fixed size.  Zero-initialise to begin. */
#include "base/buf.h"

struct output {
	char *ring;         /* NULL until something came */
	uint64_t written;   /* all that ever came */
	bool fresh;         /* more came since output_take() */
	bool closed;
};

/* Reads once from @fd, which poll() has called readable. */
void output_read(struct output *o, int fd);

/* The text kept, the oldest whole line first. */
void output_take(struct output *o, struct buf *b);
void output_release(struct output *o);

#endif
