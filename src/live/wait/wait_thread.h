/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_WAIT_WAIT_THREAD_H
#define PTOP_LIVE_WAIT_WAIT_THREAD_H
/*
 * One thread that is looked at.  How long it waits is told by its schedstat: all that it neither
 * ran nor waited for a CPU.  Looks only say where: what it has waited between two of them is
 * halved between their places, and none of it is lost.  Where looks are far apart some of it is
 * presumed before schedstat tells, and taken from what comes if it was too much.  The thread is
 * never stopped: of a look during which it has run the call alone is told, which was read in one
 * piece, and of its stack what was the same twice.  One thread at a time; all may block.
 */
#include "live/wait/wait_place.h"
#include "live/wait/wait_state.h"

void wait_thread_init(struct wait_thread *t, int pid, int tid, struct wait_env *env,
		      uint64_t now_ns);
void wait_thread_release(struct wait_thread *t, struct wait_env *env);

/*
 * Looks at it.  1: it has run since the last look, or that was the first; 0: it has not; -1: it is
 * gone, or nothing can be had of it.
 */
int wait_thread_look(struct wait_thread *t, struct wait_env *env);

enum {
	WAIT_ASKS = 2,    /* wait_thread_end_look() is to have the answer */
	WAIT_PUT_OFF = 3, /* it has run; where it waits now is not known yet */
	WAIT_BEHIND = 4,  /* it could run, and the looker may keep it from that: wait_thread_look_behind() */
};

/* The same in two steps, or as above.  @is_short: unless it has not run it is put off. */
int wait_thread_begin_look(struct wait_thread *t, struct wait_env *env, bool is_short,
			   struct wait_ask *ask);
int wait_thread_end_look(struct wait_ask *ask, struct wait_env *env);

/*
 * After WAIT_BEHIND: the looker has slept since @slept_ns.  A thread that was woken on its CPU meanwhile
 * could not go on: of waits as short as a few looks the end would be seen and never the wait.  It
 * counts as waiting where it waits next; one that did run is known by its time in the run queue.
 */
int wait_thread_look_behind(struct wait_thread *t, struct wait_env *env, uint64_t slept_ns);

/* Whether it waits as it did if its process has not run: @clock_ns is the CPU time of that. */
bool wait_thread_stays(const struct wait_thread *t, uint64_t clock_ns);

/* A look at such a one as of @now_ns, for which nothing is read. */
void wait_thread_stay(struct wait_thread *t, struct wait_env *env, uint64_t now_ns);

/* What it has waited so far is told, and where it waits is looked at anew. */
void wait_thread_renew(struct wait_thread *t, struct wait_env *env);

/* The copies of its stack were too short: longer ones from now on, up to a bound. */
void wait_thread_copy_more(struct wait_thread *t, struct wait_env *env);

#endif
