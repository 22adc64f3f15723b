/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_CPUS_H
#define PTOP_LIVE_SYS_CPUS_H
/* The machine's CPUs, as /sys tells them. */
#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"

enum { CPUS_MAX = 8192 }; /* CONFIG_NR_CPUS is at most that */

struct cpus {
	unsigned *items; /* rising */
	size_t len;
};

/* The CPUs that are on line.  0, or -1 if /sys cannot be read. */
int cpus_read_online(const struct event_env *env, struct cpus *cpus, struct err *err);

/* CPUs that could be there; at least 1. */
unsigned cpus_possible(const struct event_env *env);

/* Those of @wanted (NULL: all) that are in @online.  A wanted one that is not: ERR_GONE. */
int cpus_choose(const struct cpus *online, const unsigned *wanted, size_t count, struct cpus *out,
		struct err *err);

void cpus_sort(struct cpus *cpus);
bool cpus_has(const struct cpus *cpus, unsigned cpu);
void cpus_release(struct cpus *cpus);

/* As the kernel prints lists: "0-3,8". */
void cpus_put_list(struct buf *b, const struct cpus *cpus);

#endif
