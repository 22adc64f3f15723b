/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_FUNCTION_H
#define PTOP_LIVE_CALLS_CALL_FUNCTION_H
/*
 * A function whose calls are counted, from its trial on: what is open, what it harms, what was
 * counted.  Blocks.  One thread.
 */
#include "live/calls/call_limit.h"
#include "live/calls/call_probe.h"
#include "live/calls/call_who.h"

enum call_phase {
	CALL_FINDING,  /* where it is */
	CALL_ON_TRIAL, /* begins are counted, for CALL_TRIAL_MS */
	CALL_TIMING,   /* begins and ends */
	CALL_COUNTING, /* begins, without ends */
	CALL_CLOSING,
	CALL_CLOSED,   /* by a limit, or since there is nobody any more; what was counted stays */
	CALL_REFUSED,  /* it cannot be probed: note says why */
};

/* What is to be counted. */
struct call_target {
	const struct event *event;       /* its sites: the files of points */
	const struct call_point *points; /* the begins first; alone: its ends are not known */
	size_t count, begins;            /* begins: as call_probe_spec has them */
	struct call_use use;             /* of what else is there */
	const char *why_no_ends;         /* "" if they are known */
	const struct call_root *roots;   /* none: the machine */
	size_t root_count;
	bool is_for_cpus;                /* all that runs there is hit, whoever is meant */
	bool is_forced;                  /* no limits */
	struct named_probes **named;     /* as call_probe_spec has them */
};

struct call_function;

/* Opens the begins.  NULL: it cannot be probed, see @err. */
struct call_function *call_function_open(const struct sys *sys, const struct event_env *env,
					 const struct call_cost *cost,
					 const struct call_target *target, struct err *err);
void call_function_free(struct call_function *f); /* NULL is allowed */

/*
 * Its calls in one more process count, too, from the next look on; also if it was closed since nobody
 * was left, but not if a limit closed it.
 */
void call_function_join(struct call_function *f, const struct call_root *root);

/* What is due: drains, looks, acts on limits.  At least each CALL_BEAT_MS. */
void call_function_beat(struct call_function *f);

/* Closes it, since a limit said so.  It takes some 70 ms. */
bool call_function_wants_close(const struct call_function *f);
void call_function_close(struct call_function *f);

/* Waits, some milliseconds, until all hits so far can be told. */
void call_function_settle(struct call_function *f);

struct call_reading {
	enum call_phase phase;
	uint64_t for_ns;      /* that it has been counted */
	uint64_t calls, lost_hits;
	double per_second;    /* of the last second; closed by a limit: of the time that told it */
	double cost_percent;  /* of CPU time of who is probed, taken by probes; <0: not known */
	uint64_t open_calls, unreturned, recursive;
	uint64_t over_ns;     /* when it took more than CALL_COUNTED_PERCENT; 0: it did not */
	uint64_t told_by_ns;  /* for how long it did, as was measured; 0 likewise */
	struct histogram times;
	char note[512];       /* what is not as it was asked for, "" */
};

void call_function_read(struct call_function *f, struct call_reading *r);

#endif
