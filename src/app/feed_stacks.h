/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_APP_FEED_STACKS_H
#define PTOP_APP_FEED_STACKS_H
/* Who called the functions of a second that is being fed.  Main thread. */
#include "feed/hostfeed_encode.h"
#include "view/row_callers.h"

/* Callers in the words of a feed.  Zero-initialise; release it once the second is put. */
struct feed_stacks {
	struct hostfeed_place *places;
	struct hostfeed_node *nodes;
};

/*
 * Adds the stacks of @c to the rows of its second: @numbers says for each of the snapshot's rows which
 * one that is, UINT32_MAX: none.
 */
void feed_stacks_add(struct feed_stacks *f, struct hostfeed_encoder *e, const struct row_callers *c,
		     const uint32_t *numbers);
void feed_stacks_release(struct feed_stacks *f);

#endif
