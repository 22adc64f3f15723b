/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_VIEWER_MACHINE_LOG_H
#define PTOP_ENGINE_VIEWER_MACHINE_LOG_H
/*
 * What /proc said of the machine, as far back as the log of intervals reaches: each reading for two
 * minutes, means of ten seconds for half an hour, of minutes for a day.  Of a fixed size.  Engine
 * thread only.
 */
#include "live/proc/proc_msg.h"

struct machine_log;

/* What it was from @from_ns to @to_ns: means. */
struct machine_state {
	uint64_t from_ns, to_ns; /* CLOCK_MONOTONIC */
	float load[3], tasks, running;
	float user, system, softirq, idle, iowait, steal; /* 0..1 */
};

enum { MACHINE_TIERS = 3 };
extern const uint64_t machine_step_ns[MACHINE_TIERS];
extern const size_t machine_steps[MACHINE_TIERS]; /* so many are kept */

struct machine_log *machine_log_new(void);
void machine_log_free(struct machine_log *l); /* NULL is allowed */

/* A reading that tells shares: they are since the one before. */
void machine_log_add(struct machine_log *l, const struct proc_tick_msg *t);

/* The means over a stretch, from the finest that reaches back so far.  false: nothing is known of it. */
bool machine_log_mean(const struct machine_log *l, uint64_t from_ns, uint64_t to_ns,
		      struct machine_state *out);

/*
 * The part of the CPUs that was busy, 0..1, in the @len steps of a tier that end at @end_ns; NAN where
 * it is not known.
 */
void machine_log_busy(const struct machine_log *l, int tier, uint64_t end_ns, float *busy, size_t len);

/* What it holds, and will when a day is full. */
size_t machine_log_bytes(const struct machine_log *l);
size_t machine_log_bound(const struct machine_log *l);

#endif
