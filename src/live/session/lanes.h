/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SESSION_LANES_H
#define PTOP_LIVE_SESSION_LANES_H
/*
 * Per CPU two rings, each owned by a disabled dummy that is opened on ptop itself: that needs no
 * right, and every event of the same CPU and clock can be switched into it (IOC_SET_OUTPUT),
 * whether it is of all tasks or of one.
 */
#include "live/sys/cpus.h"
#include "live/session/session.h"
#include "live/sys/sys.h"

struct lane {
	unsigned cpu;
	int sideband_fd, sample_fd; /* belong to the rings */
	int past_fd; /* likewise, -1: there is none */
	uint64_t aux_at; /* where AUX areas of events in the ring of samples are mapped */
};

struct lanes {
	struct lane *items;
	size_t len, cap;
	const struct clock_def *clock; /* of their rings, NULL: CLOCK_MONOTONIC */
};

enum {
	LANE_SIDEBAND_PAGES = 16, /* wanted for the ring of the side-band */
	LANES_BYTES_MAX = 512 << 20, /* of all rings, if nobody asked for their size */
	LANES_BURST_MAX = 64 << 20,  /* where larger ones are only better */
	LANE_BURST_BYTES = 8 << 20,  /* a burst of some 50,000 samples */
	LANE_COPIES_BYTES = 4 << 20, /* half a second of copies of stacks: rings that wake seldom */
};

/* Sizes may shrink to what the locked-memory limit allows; *pages is what was reached. */
struct lane_pages {
	unsigned sideband, sample, past; /* past: 0: no such ring */
};

size_t lane_pages_bytes(const struct lane_pages *pages); /* of one lane, with what describes it */

/* Makes those of samples @bytes large, within LANES_BURST_MAX; they are never made smaller. */
void lane_pages_raise(struct lane_pages *pages, size_t bytes, size_t cpus);

/*
 * Gives each lane a sampling ring of that size for what is opened from now on, which *@rings are
 * then.  What is open stays in the rings that it has.  -1: all is as it was.
 */
int lanes_grow(struct lanes *lanes, const struct sys *sys, const struct event_env *env,
	       unsigned sample_pages, struct session_ring **rings, size_t *ring_count);

/* Makes them smaller, if the lanes of @cpus CPUs were more than LANES_BYTES_MAX. */
void lane_pages_bound(struct lane_pages *pages, size_t cpus);

/*
 * Opens a lane for each of @cpus and appends to @lanes and, two for each, to *@rings.  All or
 * nothing.
 */
int lanes_open(struct lanes *lanes, const struct sys *sys, const struct event_env *env,
	       const struct cpus *cpus, struct lane_pages *pages, struct session_ring **rings,
	       size_t *ring_count, struct err *err);

/* Forgets the lane of @cpu; its rings live on. */
void lanes_remove(struct lanes *lanes, unsigned cpu);
bool lanes_has(const struct lanes *lanes, unsigned cpu);
void lanes_release(struct lanes *lanes);

/* Unmaps a ring and closes its owner. */
void session_ring_close(struct session_ring *ring);

#endif
