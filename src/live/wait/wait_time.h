/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_TIME_H
#define PTOP_LIVE_WAIT_WAIT_TIME_H
/*
 * How long a thread has waited, by its schedstat, and what was stolen of its time.  One thread at
 * a time.
 */
#include "live/wait/wait_state.h"

/* What it has waited by @now_ns and no place was given; less than 0: too much was. */
int64_t wait_time_owed_ns(const struct wait_thread *t, const struct procfs_schedstat *sched,
			  uint64_t now_ns);

/* To the place that it has, or that it has just been given. */
void wait_time_give(struct wait_thread *t, uint64_t ns);

/* It runs, or could: whether something has been stolen of its time.  May block. */
void wait_time_find_stolen(struct wait_thread *t, const struct wait_env *env);

#endif
