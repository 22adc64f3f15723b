/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_GAINS_H
#define PTOP_RECORD_GAINS_H
/*
 * What counters gained between the samples that carry their values (PERF_SAMPLE_READ), which is
 * what such a sample counts for.  One thread.
 */
#include "base/index.h"

struct gains {
	struct gains_value {
		uint64_t id, value; /* as last seen */
		uint64_t kept;      /* with the tid 0 */
		uint32_t tid;
	} *items;
	size_t len, cap, sweep_len;
	struct index by_key; /* of items, counted from 1 */
};

/*
 * What the counter of that id gained since it was last seen, all of it at the first time and if it
 * is less than it was: another task has the tid now.  @tid: of an inherited event each task counts
 * for itself under the same id; 0: it is one counter.
 */
uint64_t gains_take(struct gains *g, uint64_t id, uint32_t tid, uint64_t value);

/*
 * The value that a sample has among those that are kept: the sum of its gain and theirs, of whatever
 * task, from 0 on after gains_restart().
 */
uint64_t gains_keep(struct gains *g, uint64_t id, uint64_t gain);
void gains_restart(struct gains *g);

/* Now and then, forgets those of tasks that are there no more. */
void gains_sweep(struct gains *g, bool (*is_there)(const void *self, uint32_t tid),
		 const void *self);

void gains_release(struct gains *g);

#endif
