/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_INTAKE_DEFERRED_H
#define PTOP_ENGINE_INTAKE_DEFERRED_H
/*
 * Samples whose call chain in user space is not taken yet: the kernel writes a cookie in its place,
 * and the chain as a record of its own when the task goes back to user space.  They are kept here
 * meanwhile, a bounded number of them.  One thread.
 */
#include "base/buf.h"
#include "record/abi.h"
#include "record/record.h"

struct deferred;

/* A sample that waits; who gets it from here frees data. */
struct deferred_sample {
	uint64_t cookie, time_ns, period;
	uint32_t event, layout, task; /* the caller's */
	size_t chain_at;              /* bytes from the record's begin to the number of its frames */
	size_t len;
	uint8_t *data;                /* the record */
};

/* Whether the chain of user space comes later. */
static inline bool
deferred_is(const struct record_sample *s)
{
	return s->chain_len >= 2 && s->chain[s->chain_len - 2] == ABI_CONTEXT_USER_DEFERRED;
}

struct deferred *deferred_new(void);
void deferred_free(struct deferred *d); /* NULL is allowed */

/*
 * Keeps @bytes, from which @rec was decoded in place, a sample that deferred_is() of; of @s the
 * caller's members are taken.  false: there is no room, or its bytes are of the other order.
 */
bool deferred_hold(struct deferred *d, const struct deferred_sample *s, const struct record *rec,
		   struct bytes bytes);

/* Takes one that waits for @cookie. */
bool deferred_take(struct deferred *d, uint64_t cookie, struct deferred_sample *out);

/* Takes one that waits since before @before_ns. */
bool deferred_take_old(struct deferred *d, uint64_t before_ns, struct deferred_sample *out);

/*
 * Makes @b the record of @s with @chain in place of the cookie, as far as a record has room; without
 * a chain (@len 0) it ends with the kernel's part.
 */
void deferred_join(const struct deferred_sample *s, const uint64_t *chain, uint64_t len,
		   struct buf *b);

#endif
