/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CPUS_H
#define PTOP_LIVE_CPUS_H
/* The machine's CPUs, as /sys tells them. */
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

bool cpus_has(const struct cpus *cpus, unsigned cpu);
void cpus_release(struct cpus *cpus);

/* Tells when the list of CPUs on line has changed: one cheap read at a time.  One thread. */
struct cpus_watch {
	int fd;
	char last[512]; /* long enough to see a change in all but absurd lists */
};

void cpus_watch_open(struct cpus_watch *w, const struct event_env *env);
bool cpus_watch_changed(struct cpus_watch *w);
void cpus_watch_close(struct cpus_watch *w);

#endif
