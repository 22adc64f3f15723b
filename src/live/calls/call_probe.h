/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_PROBE_H
#define PTOP_LIVE_CALLS_CALL_PROBE_H
/*
 * The probes of one function.  First its begin is counted by one descriptor for each task or CPU;
 * then, if that does little harm, begin and ends are sampled, and calls made of them.  Opening and
 * closing block.  One thread at a time.
 */
#include "event/event.h"
#include "live/calls/call_cost.h"
#include "live/calls/call_pairs.h"
#include "live/calls/call_point.h"
#include "live/session/named_probes.h"
#include "live/sys/sys.h"

/* Where its probes are open: for a task wherever it runs, or for all that runs on a CPU. */
struct call_place {
	int tid, cpu; /* -1: any */
};

/*
 * What else is at the begins: an event that samples.  Its hits cost more than what is counted here.
 */
struct call_use {
	bool is_sampled;
	uint64_t period;   /* one sample each so many hits */
	bool has_returns;  /* the event is at the returns, too: a second trap */
};

struct call_probe_spec {
	const struct sys *sys;
	const struct event_env *env;
	const struct event *event; /* its sites: the files of points, or the kernel; copied */
	const struct call_point *points; /* the begins first; copied */
	size_t count, begins;            /* begins: one, or without ends all of them */
	struct call_use use;
	const struct call_cost *cost; /* outlives it */
	struct named_probes **named;  /* outlives it; NULL: each place has probes of its own */
};

/* Asked between two opens, which take 20 ms each: false: it harms too much to go on. */
struct call_watch {
	bool (*goes_on)(void *self);
	void *self;
};

struct call_probe;

struct call_probe *call_probe_new(const struct call_probe_spec *spec);
void call_probe_free(struct call_probe *p); /* NULL is allowed; closes what is open */

/*
 * From now on those of all places are one in tracefs: at a hit the kernel asks each probe that is there,
 * whoever has opened it.  Where none can be made there, each place has its own.
 */
void call_probe_share(struct call_probe *p);

/*
 * Counts the begins there, too; where there are several, until @watch (NULL: none) says no.  -1: not,
 * see @err; its sys is ESRCH if the task has ended.
 */
int call_probe_add(struct call_probe *p, struct call_place place, const struct call_watch *watch,
		   struct err *err);

/* The task has ended, or the CPU gone. */
void call_probe_remove(struct call_probe *p, struct call_place place);
bool call_probe_has(const struct call_probe *p, struct call_place place);
size_t call_probe_places(const struct call_probe *p);

/*
 * Has the calls timed, at all places.  -1: an end cannot be probed, see @err, or @watch (NULL: none)
 * has ended it (ERR_LIMIT): begins are counted on.
 */
int call_probe_time(struct call_probe *p, const struct call_watch *watch, struct err *err);
bool call_probe_is_timing(const struct call_probe *p);

/* Ends are not looked at any more, begins counted on, without samples. */
void call_probe_stop_timing(struct call_probe *p);

/* Nothing is probed until call_probe_add().  Returns when all is closed: nanoseconds that it took. */
uint64_t call_probe_close(struct call_probe *p);

/* Takes what rings have; hits younger than @until_ns wait for the next time. */
void call_probe_drain(struct call_probe *p, uint64_t until_ns);

/* So far. */
struct call_counts {
	uint64_t calls;   /* begins, counted by the kernel */
	uint64_t lost;    /* hits whose samples found no room */
	uint64_t cost_ns; /* what the probes have taken */
	uint64_t worst_cost_ns; /* the same, of the place that has most */
};
struct call_counts call_probe_counts(struct call_probe *p);
const struct call_pairs *call_probe_pairs(const struct call_probe *p);

/* What a call costs that is timed. */
uint64_t call_probe_timed_call_ns(const struct call_probe *p);

#endif
