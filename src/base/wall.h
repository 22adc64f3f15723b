/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_WALL_H
#define PTOP_BASE_WALL_H
/*
 * What the clock on the wall said at moments of another clock, which goes on evenly: that one is worked
 * with, this one is shown.  If the wall's is set, moments keep the time that it showed then.  Plain
 * data: copied between threads.
 */
#include "base/util.h"

enum { WALL_STEPS_MAX = 16 };

struct wall {
	struct wall_step {
		uint64_t from_ns; /* from that moment on */
		int64_t ahead_ns; /* it is so much ahead */
	} steps[WALL_STEPS_MAX];
	size_t len; /* 0: it is not known */
};

/*
 * At @ns it shows @real_ns.  Whether it was set since the last time, and then by how much; of steps
 * beyond the bound the oldest are forgotten.
 */
bool wall_note(struct wall *w, uint64_t ns, uint64_t real_ns, int64_t *set_by_ns);

/* What it showed at @ns; 0: not known. */
uint64_t wall_real_ns(const struct wall *w, uint64_t ns);

/* The last moment before @end_ns at which it showed @real_ns.  false: there is none. */
bool wall_moment(const struct wall *w, uint64_t real_ns, uint64_t end_ns, uint64_t *ns);

#endif
