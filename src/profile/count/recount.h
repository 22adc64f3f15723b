/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_RECOUNT_H
#define PTOP_PROFILE_COUNT_RECOUNT_H
/*
 * Samples of one function, or of all of a dso, from before it was looked at, whose they were: the address table does not
 * tell, the flight recorder does.  They are added from the newest on.  Zero-initialise to begin.
 * Engine thread only.
 */
#include "base/util.h"

enum { RECOUNT_MAX = 64 << 10 }; /* samples: of more the oldest are not told apart */

struct recount_sample {
	uint64_t offset, period, time_ns;
	int tid;
	uint16_t event;
	int16_t cpu; /* -1: not known */
};

struct recount {
	uint32_t dso;          /* of the function, 0: there is none */
	uint64_t start, end;   /* as offsets in it; 0 and UINT64_MAX: all of it */
	uint64_t before_ns;    /* from then on the tables tell */
	uint64_t since_ns;     /* what is younger than that is here; before_ns: nothing yet */
	struct recount_sample *items;
	size_t len, cap;
};

/* Another function, or the same once more: nothing is here of it. */
void recount_begin(struct recount *r, uint32_t dso, uint64_t start, uint64_t end,
		   uint64_t before_ns);

static inline bool
recount_is_of(const struct recount *r, uint32_t dso, uint64_t start, uint64_t before_ns)
{
	return r->dso == dso && r->start == start && r->before_ns == before_ns;
}

/* false: there is no room for more. */
bool recount_add(struct recount *r, const struct recount_sample *s);

/* All samples since then were added. */
void recount_reaches(struct recount *r, uint64_t since_ns);

size_t recount_bytes(const struct recount *r); /* that it takes in memory */
void recount_release(struct recount *r);

#endif
