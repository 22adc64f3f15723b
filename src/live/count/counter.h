/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_COUNT_COUNTER_H
#define PTOP_LIVE_COUNT_COUNTER_H
/*
 * Counts events of a process, a thread or the machine, without samples.  Events of one group are
 * read together, at one moment.  Opening, reading /proc and closing may block.  One thread at a
 * time.
 */
#include "base/err.h"
#include "event/event.h"

struct sys;
struct counters;

/* Of one with the other 0. */
struct counter_task {
	int pid; /* with all its threads, present and future */
	int tid; /* this thread alone */
	bool with_children; /* of the process, present and future */
};

/* What is counted: a process, else a thread, else every CPU. */
struct counter_target {
	int pid, tid;         /* as in counter_task; both 0: none */
	bool with_children;
	const struct counter_task *besides; /* counted together with it, each task once */
	size_t beside_count;
	bool waits_for_exec;  /* the process is COMMAND: counting begins when it executes */
	const unsigned *cpus; /* on these alone, NULL: on all */
	size_t cpu_count;
};

/* What one event has counted since counters_open(). */
struct counter_value {
	bool is_refused;      /* it could not be opened everywhere: counter_why() */
	bool is_unread;       /* a part of it could not be read, or had no room on the PMU */
	uint64_t raw, lost;
	uint64_t enabled_ns;  /* of CPUs: the time that it should have counted */
	uint64_t running_ns;  /* less if other events had the hardware for a part of it */
};

/*
 * Opens @events, of which those with the same group form one, and begins to count; with
 * waits_for_exec, COMMAND's exec does.  @env must outlive it, the rest is copied.  @sys NULL: the
 * real kernel.  An event that cannot be opened refuses its value, no more.  NULL: there is no such
 * process, thread or CPU; of several one is enough.
 */
struct counters *counters_open(const struct sys *sys, const struct event_env *env,
			       const struct counter_target *target, const struct event *events,
			       size_t count, struct err *err);
void counters_close(struct counters *c); /* NULL is allowed */

/* Reads all into @values, one for each event, and returns when: CLOCK_MONOTONIC. */
uint64_t counters_read(struct counters *c, struct counter_value *values);

/* Event @i is refused from here on, and its descriptors are closed: returns when all are. */
void counters_stop(struct counters *c, size_t i, const char *why);

/* Why event @i is refused, "" if it is not. */
const char *counter_why(const struct counters *c, size_t i);

/* What would let this user count event @i, "" if no right is missing. */
const char *counter_remedy(const struct counters *c, size_t i);

/* What was left out to open event @i, as sentences, "" if nothing was. */
const char *counter_note(const struct counters *c, size_t i);

/*
 * What was counted between two readings, @before NULL: since the beginning; scaled up if the event
 * had the hardware for a part of the time only (*@is_scaled).  false: it cannot be known.
 */
bool counter_between(const struct counter_value *before, const struct counter_value *now,
		     uint64_t *count, bool *is_scaled);

#endif
