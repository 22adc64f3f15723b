/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_COUNTER_H
#define PTOP_LIVE_CALLS_CALL_COUNTER_H
/*
 * Counts calls of functions in a thread of its own, since finding, opening and closing block.
 * Called from one thread; requests are carried out in order.
 */
#include "base/queue.h"
#include "live/calls/call_function.h"

enum call_msg_type {
	CALL_MSG_READING = 380, /* struct call_reading_msg */
};

/* How a function stands: several times a second, and whenever that changes.  Free with msg_free(). */
struct call_reading_msg {
	struct msg msg;
	uint32_t id;
	struct err err; /* its phase is CALL_REFUSED: why */
	bool is_asked;  /* the answer to call_counter_ask() */
	struct call_reading reading;
};

struct call_order {
	uint32_t id;        /* answers carry it */
	struct event event; /* uprobe or kprobe: what is to be found */
	struct call_root *roots; /* none: the machine */
	size_t root_count;
	bool at_exec, is_forced; /* at_exec: the first process stands there */
	bool is_guard;       /* the uprobe is sampled as use says, at all its sites, which are known:
				only hits are counted, to limit what they harm */
	bool is_for_cpus;    /* it is sampled there */
	struct call_use use;
};

/* What was found of it. */
struct call_found {
	struct call_point points[CALL_POINTS_MAX];
	size_t count;
	char why[320]; /* what is not as it was asked for: its ends are not known; "" */
};

struct call_finder {
	/* Adds the site of @order's event.  -1: it is not found.  May block; in the counter's thread. */
	int (*find)(void *self, struct call_order *order, struct call_found *found, struct err *err);
	void *self;
};

struct call_counter;

/* @env and @finder must outlive it.  @sys NULL: the real kernel. */
struct call_counter *call_counter_new(const struct sys *sys, const struct event_env *env,
				      const struct call_finder *finder, struct queue *answers);
void call_counter_free(struct call_counter *k); /* waits until all is closed; NULL is allowed */

void call_counter_begin(struct call_counter *k, const struct call_order *order); /* copied */
/* One more process, from soon on: as call_function_join(). */
void call_counter_join(struct call_counter *k, uint32_t id, const struct call_root *root);
void call_counter_end(struct call_counter *k, uint32_t id); /* no more answers of it, soon */
void call_counter_ask(struct call_counter *k); /* for a reading of each, now: those of functions that are closed, too */

#endif
