/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_LOOK_FIGURES_H
#define PTOP_LIVE_WAIT_LOOK_FIGURES_H
/*
 * What the thread that looks says of itself: it writes, any thread reads.  Zero-initialise to begin.
 */
#include "live/wait/look_round.h"
#include "live/wait/looker.h"

#include <stdatomic.h>

struct look_figures {
	_Atomic uint64_t threads, unseen, interval_ns, looks, same, stayed, presumed, torn, denied, cpu_ns,
		told_sum_ns, hold_ns, planned_ns, reached_ns, behind_ns;
	atomic_bool is_dear, is_still, is_first_turn, is_listed, is_full, lacks_kernel, lacks_files, has_yama;
	atomic_int deadlock[WAIT_CYCLE_MAX];
	atomic_size_t deadlock_len;

	/* The writer's own. */
	uint64_t stepped_ns; /* when those were made that take a while, */
	uint64_t starved;    /* looks, as of then, */
	struct {
		uint64_t at_ns, looks, same, behind_ns;
	} paced;             /* as of when the pace that is reached was measured, */
	int cycle[WAIT_CYCLE_MAX]; /* and what cycle was seen */
	size_t cycle_len;
};

/* After looks; all are looked at, and told, within @turn_ns. */
void look_figures_show(struct look_figures *f, const struct look_round *r, uint64_t turn_ns);

/* What takes a while, once a second; @has_locks: a lock with an owner was seen, once. */
void look_figures_step(struct look_figures *f, const struct look_round *r, bool has_locks);

/* All but looker_figures.begun_ns. */
void look_figures_read(const struct look_figures *f, struct looker_figures *out);

#endif
