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
 * What the counter of that id gained since it was last seen.  The whole value, if it is seen for
 * the first time or is less than before (another task has the tid now).  @tid: each task of an
 * inherited event has a counter of its own under the same id; 0: it is one counter.
 */
uint64_t gains_add(struct gains *g, uint64_t id, uint32_t tid, uint64_t value);

/*
 * For recordings that keep only some samples: the counter's value as a kept sample has to say it,
 * the sum of the gains of all samples kept so far.  Begins at 0 after gains_restart().
 */
uint64_t gains_keep(struct gains *g, uint64_t id, uint64_t gain);
void gains_restart(struct gains *g);

/* Now and then: forgets the counters of tasks that are gone. */
void gains_sweep(struct gains *g, bool (*is_there)(const void *self, uint32_t tid),
		 const void *self);

void gains_release(struct gains *g);

#endif
