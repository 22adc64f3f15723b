/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_STREAM_CLOCK_H
#define PTOP_ENGINE_LEAF_STREAM_CLOCK_H
/*
 * The time of what is measured: CLOCK_MONOTONIC while it is sampled, that of its records while a
 * recording is read.  Whoever brings records sets it; all others read it.  Engine thread only.
 */
#include "base/clock.h"

struct stream_clock {
	uint64_t begin_ns;      /* the start of sampling, or the first record that tells a time */
	uint64_t counted_to_ns; /* all records that are older have been counted */
	uint64_t rings_since_ns; /* the newest ring is read; what it had before is no loss of order */
	bool is_recorded;        /* time goes on with the records alone */
};

/* Now, in the time of what is measured. */
static inline uint64_t
stream_clock_now_ns(const struct stream_clock *c)
{
	return c->is_recorded ? c->counted_to_ns : clock_mono_ns();
}

#endif
