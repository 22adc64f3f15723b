/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_TELL_H
#define PTOP_LIVE_WAIT_WAIT_TELL_H
/*
 * Records of what a thread has waited, and up to when all is told.  One thread at a time.
 */
#include "live/wait/wait_state.h"

/* It is looked at for the first time: from when on it may be told. */
void wait_tell_begin(struct wait_thread *t, const struct wait_env *env);

/*
 * Makes a record of what was given to its place.  As long as it waits there (not @is_over) addresses
 * of the kernel's functions that are soon known are waited for.
 */
void wait_tell_place(struct wait_thread *t, struct wait_env *env, bool is_over);

/* It is somewhere else now.  What could not be told is given to another place. */
void wait_tell_and_leave(struct wait_thread *t, struct wait_env *env);

/* What has been kept back for @hold_ns, after a look. */
void wait_tell_due(struct wait_thread *t, struct wait_env *env, uint64_t hold_ns);

/* All that it has waited, whatever was kept back. */
void wait_tell_all(struct wait_thread *t, struct wait_env *env);

/* Notes up to when all it has waited is told: wait_env.told_sum_ns. */
void wait_tell_note(struct wait_thread *t, struct wait_env *env);

#endif
