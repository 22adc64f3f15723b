/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_CROWD_H
#define PTOP_PROFILE_COUNT_CROWD_H
/*
 * Names of which processes come and go by the hundred.  A screen tells them as one row of ended
 * tasks soon after; so the samples of a young one are counted there at once: to make rows and trees
 * for each, and to merge them a moment later, took most of ptop's time beside them.  Zero-initialise
 * to begin.  Engine thread only.
 */
#include "base/util.h"

enum {
	CROWD_NAMES_MAX = 16,
	CROWD_LEAST = 256,   /* that ended within seconds make a crowd of their name; */
	CROWD_STAYS = 64,    /* it is one for as long as so many come */
	CROWD_JUDGE_S = 5,   /* in that time */
	CROWD_YOUNG_MS = 1000,
};

/* Those of a name in a control group: of a who. */
struct crowd {
	uint32_t comm, cgroup;
	uint32_t tasks; /* that were counted in it since it was judged last */
};

struct crowds {
	struct crowd items[CROWD_NAMES_MAX];
	size_t len;
	uint64_t judged_ns;
};

/* So many of them ended within seconds: fewer than CROWD_LEAST begin nothing. */
void crowds_ended(struct crowds *c, uint32_t comm, uint32_t cgroup, size_t tasks);

/* The crowd of that name; NULL: there is none.  Good until the next call of another function. */
struct crowd *crowds_find(struct crowds *c, uint32_t comm, uint32_t cgroup);

/* Ends those that nobody, or too few, came to. */
void crowds_judge(struct crowds *c, uint64_t now_ns);

/* Each task has its own row again. */
void crowds_end(struct crowds *c);

#endif
