/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_CLOCK_H
#define PTOP_BASE_CLOCK_H
/* The clocks of ptop, in nanoseconds. */
#include "base/util.h"

uint64_t clock_mono_ns(void);       /* CLOCK_MONOTONIC: the time of records */
uint64_t clock_real_ns(void);       /* CLOCK_REALTIME: for people */
int64_t clock_asleep_ns(void);      /* that the machine was suspended since it booted, to 10 ms */
uint64_t clock_process_cpu_ns(void); /* what this process used, all threads */
uint64_t clock_thread_cpu_ns(void);  /* what the calling thread used */

/* The clocks that the kernel has for records (perf_event_open(2), clockid), by perf's names. */
struct clock_def {
	const char *name;
	int32_t id;
};

enum { CLOCK_DEFS = 5 };
extern const struct clock_def clock_defs[CLOCK_DEFS];

uint64_t clock_of_ns(int32_t id);         /* what that clock says */
uint64_t clock_resolution_ns(int32_t id);

/* How much CLOCK_MONOTONIC is ahead of that clock now, to some 100 ns; 0 of itself. */
int64_t clock_ahead_ns(int32_t id);

#endif
