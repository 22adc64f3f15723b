/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_PROC_PROC_TICK_H
#define PTOP_LIVE_PROC_PROC_TICK_H
/*
 * What PROC_MSG_TICK tells: the machine, its processes, the threads of one.  A tick is done in
 * small steps, each of some ten microseconds, so that something more urgent can come between.
 * One thread.
 */
#include "live/proc/hung.h"
#include "live/proc/proc_msg.h"

struct proc_tick_request {
	const int *hot; /* read whatever the budget */
	size_t hot_count;
	const struct hung *hung; /* whose locks are not to be touched; NULL: nobody */
	int threads_of;   /* 0: none */
	bool wants_io;    /* proc_info.io_read and so on */
	unsigned budget_us;
	bool is_thrifty;  /* of threads, too, little is read */
};

struct proc_tick;

/* @proc_fd stays the caller's. */
struct proc_tick *proc_tick_new(int proc_fd);
void proc_tick_free(struct proc_tick *t);

/* Begins a tick.  @req and its arrays must live until proc_tick_finish(). */
void proc_tick_begin(struct proc_tick *t, const struct proc_tick_request *req);

/* Whether something is left to do in this tick, and with which process (0: none) that is. */
bool proc_tick_next(struct proc_tick *t, int *pid);

/* Does what proc_tick_next() found.  Can hang on that process. */
void proc_tick_step(struct proc_tick *t);

/* The answer; free with msg_free(). */
struct proc_tick_msg *proc_tick_finish(struct proc_tick *t);

#endif
