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

/* By @sched, of now, which is not yet its own: what part of its time since the look before it did not wait. */
void wait_time_note_busy(struct wait_thread *t, const struct procfs_schedstat *sched);

/*
 * Gives what it is likely to have waited by @now_ns, as its times were not looked at: if it was busy
 * as it had been.  What was too much or too little is set right by the next look at them.
 */
void wait_time_presume(struct wait_thread *t, uint64_t now_ns);

/* It runs, or could: whether something has been stolen of its time.  May block. */
void wait_time_find_stolen(struct wait_thread *t, const struct wait_env *env);

#endif
