/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_RING_H
#define PTOP_LIVE_SESSION_RING_H
/*
 * Reads one perf mmap ring (perf_event_open(2), "MMAP layout").  One reader per ring; no locking.
 */
#include "base/err.h"
#include "base/reader.h"

struct ring;

/*
 * Maps the ring of @fd with @pages data pages (a power of two).  @fd stays the caller's.  Events
 * that write into it may have an AUX area of AUX_BYTES behind its pages.
 */
struct ring *ring_new(int fd, unsigned pages, struct err *err);
void ring_free(struct ring *ring); /* NULL is allowed */

/* Reads the kernel's head: what is there now is what ring_peek() will give. */
void ring_refresh(struct ring *ring);

/*
 * Points @out at the next whole record below the refreshed head.  1: got one, 0: none.  Bytes that
 * are no record (a broken ring) are skipped to the head and counted.  The bytes stay valid until
 * ring_advance(); a record that wraps around the end is copied.
 */
int ring_peek(struct ring *ring, struct bytes *out);
void ring_advance(struct ring *ring);

/* Gives the space of all that was passed back to the kernel. */
void ring_commit(struct ring *ring);

/* Bytes waiting at the last refresh, and the ring's size. */
size_t ring_fill_bytes(const struct ring *ring);
size_t ring_size_bytes(const struct ring *ring);

/*
 * How many records were skipped since the last call, 0: none.  What lies behind broken bytes cannot
 * be told apart: it is taken for as many as would be as long as the last whole one.
 */
uint64_t ring_take_skipped(struct ring *ring);

#endif
