/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_COUNT_COUNTING_H
#define PTOP_LIVE_COUNT_COUNTING_H
/*
 * Counters in a thread of their own, since opening and closing them blocks: one target at a time.
 * Called from one thread; requests are carried out in order.
 */
#include "base/queue.h"
#include "live/count/counter.h"

enum counting_msg_type {
	COUNTING_MSG_READING = 360, /* struct counting_msg */
};

/* A reading; the first comes unasked as soon as all is open.  Free with msg_free(). */
struct counting_msg {
	struct msg msg;
	uint32_t token;
	struct err err;             /* code is not ERR_NONE: there is nothing to count, and why */
	bool is_first;
	uint64_t time_ns;           /* CLOCK_MONOTONIC */
	struct counter_value *values;
	char **whys, **notes;       /* by event, of the first reading alone */
	size_t count;
};

struct counting;

/* Who finds the places of events; NULL: nobody, they are not counted. */
struct counting_finder {
	/*
	 * Adds the sites of @ev as process @pid has them, 0: there is none.  -1: they are not
	 * found, and why.  May block; called by the counting's thread.
	 */
	int (*find)(struct event *ev, int pid, struct err *err);
};

/* Starts the thread.  @env and @finder must outlive it.  @sys NULL: the real kernel. */
struct counting *counting_new(const struct sys *sys, const struct event_env *env,
			      const struct counting_finder *finder, struct queue *answers);
void counting_free(struct counting *k); /* waits for its end; NULL is allowed */

/* Counts this in place of what was counted; all is copied.  Answers carry @token. */
void counting_watch(struct counting *k, uint32_t token, const struct counter_target *target,
		    const struct event *events, size_t count);
void counting_ask(struct counting *k);   /* for a reading; no answer if nothing is counted */
void counting_leave(struct counting *k); /* closes what is counted */


#endif
