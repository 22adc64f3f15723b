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

/* Adds the limits of all seconds from the next one on. */
void hostfeed_put_limits(struct buf *out, const struct hostfeed_limit *limits, size_t count);

/*
 * Counts in the second that is being made; the heaviest first, since those that there is no room for
 * are one row of their event.  The number of the row, UINT32_MAX: it is in no row of its own.
 */
uint32_t hostfeed_add(struct hostfeed_encoder *e, const struct hostfeed_event *event,
		  const struct hostfeed_task *task, const struct hostfeed_place *place,
		  uint64_t samples, uint64_t period);

/* Those who called: nodes as in a second, what one is below comes before it. */
struct hostfeed_callers {
	const struct hostfeed_place *places;
	const struct hostfeed_node *nodes;
	size_t place_count, node_count;
};

/* What stacks of the second that is being made lead to.  It stays the caller's, until that is put. */
void hostfeed_set_callers(struct hostfeed_encoder *e, const struct hostfeed_callers *callers);

/*
 * Says that so much of @row was called by a node, @callers is its number plus one, 0: by nobody; the
 * heaviest first.  More than the row has is not taken, nor what HOSTFEED_DEPTH_MAX is too few for.
 */
void hostfeed_add_stack(struct hostfeed_encoder *e, uint32_t row, uint32_t callers, uint64_t samples,
			uint64_t period);

/*
 * Adds the second to @out, and begins another one.  Of @s the times and what was lost: its length says
 * how many bytes it may have, HOSTFEED_RATE_MAX a second.
 */
void hostfeed_put_second(struct hostfeed_encoder *e, const struct hostfeed_second *s,
			 struct buf *out);

#endif
