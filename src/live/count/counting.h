/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_COUNT_COUNTING_H
#define PTOP_LIVE_COUNT_COUNTING_H
/*
 * Counters in a thread of their own, since opening, reading and closing them blocks: of one list of
 * targets at a time.  Called from one thread; requests are carried out in order.
 */
#include "base/queue.h"
#include "live/count/counting_guard.h"

enum counting_msg_type {
	COUNTING_MSG_READING = 360, /* struct counting_msg */
	COUNTING_MSG_STOPPED,       /* struct counting_stopped_msg */
};

/* Of one target. */
struct counting_part {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	char comm[16];    /* as last seen, "" if it never was: it stays when the task has ended */
	const struct counter_value *values;      /* by event */
	const char *const *whys, *const *remedies, *const *notes; /* by event; of the first reading alone */
};

/* A reading; the first comes unasked as soon as all is open.  Free with msg_free(). */
struct counting_msg {
	struct msg msg;
	uint32_t token;
	struct err err;             /* code is not ERR_NONE: there is nothing to count, and why */
	bool is_first;
	struct counting_part *parts; /* by target */
	size_t target_count, count;  /* values: of each target those of each event */
	struct counter_value *values;
	char **whys, **remedies, **notes;
};

/* A uprobe took too much of its program's time, and is counted no more.  Free with msg_free(). */
struct counting_stopped_msg {
	struct msg msg;
	uint32_t token;
	struct counting_place place;
	char why[160];
};

struct counting;

/* Who finds the places of events; NULL: nobody, they are not counted. */
struct counting_finder {
	/*
	 * Adds the sites of @ev as those processes have them, 0: there is none.  -1: they are not
	 * found, and why.  May block; called by the counting's thread.
	 */
	int (*find)(void *self, struct event *ev, const int *pids, size_t count, struct err *err);
	void *self;
	bool must_find; /* else what is not found is refused, and all else counted */
};

/* Starts the thread.  @env and @finder must outlive it.  @sys NULL: the real kernel. */
struct counting *counting_new(const struct sys *sys, const struct event_env *env,
			      const struct counting_finder *finder, struct queue *answers);
void counting_free(struct counting *k); /* waits for its end; NULL is allowed */

struct counting_order {
	uint32_t token; /* answers carry it */
	struct counter_target *targets; /* their lists of CPUs outlive the counting */
	size_t target_count;
	struct event *events;
	size_t event_count;
	bool is_forced; /* uprobes are counted whatever they take */
};

/* Counts this in place of what was counted; copied. */
void counting_watch(struct counting *k, const struct counting_order *order);
void counting_ask(struct counting *k);   /* for a reading; no answer if nothing is counted */
void counting_leave(struct counting *k); /* closes what is counted */

#endif
