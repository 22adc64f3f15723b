/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_FEED_HOSTFEED_ENCODE_H
#define PTOP_FEED_HOSTFEED_ENCODE_H
/* Writes a feed.  One thread. */
#include "base/buf.h"
#include "feed/hostfeed.h"

struct hostfeed_encoder;

struct hostfeed_encoder *hostfeed_encoder_new(void);
void hostfeed_encoder_free(struct hostfeed_encoder *e); /* NULL is allowed */

/* Adds what a feed begins with. */
void hostfeed_put_hello(struct buf *out, const struct hostfeed_hello *hello);

/*
 * Counts in the second that is being made; the heaviest first, since those that there is no room for
 * are one row of their event.  The number of the row, UINT32_MAX: it is in no row of its own.
 */
uint32_t hostfeed_add(struct hostfeed_encoder *e, const struct hostfeed_event *event,
		  const struct hostfeed_task *task, const struct hostfeed_place *place,
		  uint64_t samples, uint64_t period);

/*
 * Says that so much of @row was called by these places, outermost first; the heaviest first.  More than
 * the row has is not taken.
 */
void hostfeed_add_stack(struct hostfeed_encoder *e, uint32_t row, const struct hostfeed_place *callers,
			size_t len, uint64_t samples, uint64_t period);

/*
 * Adds the second to @out, and begins another one.  Of @s the times and what was lost: its length says
 * how many bytes it may have, HOSTFEED_RATE_MAX a second.
 */
void hostfeed_put_second(struct hostfeed_encoder *e, const struct hostfeed_second *s,
			 struct buf *out);

#endif
