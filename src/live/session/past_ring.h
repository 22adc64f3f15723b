/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_PAST_RING_H
#define PTOP_LIVE_SESSION_PAST_RING_H
/*
 * A ring that nobody empties: the kernel writes it backward, over what is oldest (write_backward,
 * mapped without PROT_WRITE; perf_event_open(2)).  It holds what was last.  One reader.
 */
#include "base/buf.h"
#include "base/err.h"

struct past_ring;

/* Maps the ring of @fd with @pages data pages (a power of two).  @fd stays the caller's. */
struct past_ring *past_ring_new(int fd, unsigned pages, struct err *err);
void past_ring_free(struct past_ring *r); /* NULL is allowed */

size_t past_ring_bytes(const struct past_ring *r);

/*
 * Adds the whole records that it holds to @out, the oldest first.  The kernel must not write
 * meanwhile (PERF_EVENT_IOC_PAUSE_OUTPUT).  What is no record ends it: all older ones are left out.
 */
void past_ring_copy(const struct past_ring *r, struct buf *out);

#endif
