/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/wait/process_clock.h"

#include <time.h>

#include "base/clock.h"
#include "base/util.h"

enum {
	EACH_NS = 400000, /* for each thread: the kernel takes 60 to 450 ns, so 0.12 % of a CPU at most */
	CHANGED_MS = 5,   /* one that changes is read not before that, and ever more seldom, */
	CHANGES_MAX = 4,  /* up to that power of two */
};

static uint64_t
read_clock(int pid)
{
	struct timespec t;
	clockid_t id;

	if (clock_getcpuclockid(pid, &id) != 0 || clock_gettime(id, &t) < 0)
		return 0;
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

void
process_clock_step(struct process_clock *c, int pid, unsigned threads, uint64_t now_ns)
{
	uint64_t gap_ns = threads * (uint64_t)EACH_NS, cpu_ns;

	if (now_ns < c->next_ns)
		return;
	cpu_ns = read_clock(pid);
	if (cpu_ns == c->cpu_ns) {
		c->changes = 0;
	} else {
		gap_ns = MAX(gap_ns, CHANGED_MS * NSEC_PER_MSEC) << c->changes;
		c->changes += c->changes < CHANGES_MAX;
	}
	c->cpu_ns = cpu_ns;
	c->at_ns = now_ns;
	c->next_ns = now_ns + gap_ns;
}
