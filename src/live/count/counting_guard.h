/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_COUNT_COUNTING_GUARD_H
#define PTOP_LIVE_COUNT_COUNTING_GUARD_H
/*
 * Limits of uprobes that are counted: beside each its hits are priced, as those of counted functions
 * are (live/calls/).  Zero-initialise, and give it sys and env, to begin.  Blocks; the counting's thread.
 */
#include "live/calls/call_cost.h"
#include "live/count/counter.h"

struct counting_guard;

struct counting_guards {
	const struct sys *sys;
	const struct event_env *env;
	struct call_cost cost;
	bool has_cost;
	struct counting_guard *items;
	size_t len, cap;
};

/* Which event of which target, as the order numbers them. */
struct counting_place {
	size_t target, event;
};

/*
 * Tries for 20 ms what the uprobe takes of the time of @who, and watches it from then on; nothing of an
 * event of another kind.  -1: it takes too much, or that cannot be known: it is not to be counted.
 */
int counting_guards_add(struct counting_guards *g, struct counting_place place,
			const struct event *ev, const struct counter_target *who, struct err *err);

/* What takes too much by now. */
struct counting_excess {
	struct counting_place place;
	uint64_t over_ns; /* since when: CLOCK_MONOTONIC */
	uint64_t told_by_ns; /* as in call_reading */
};

/* To be called each CALL_BEAT_MS while there are any.  The next that is to be closed; false: none. */
bool counting_guards_beat(struct counting_guards *g, struct counting_excess *excess);

/* Of that place there is none any more. */
void counting_guards_drop(struct counting_guards *g, struct counting_place place);
void counting_guards_release(struct counting_guards *g); /* of all; its cost is kept */

#endif
