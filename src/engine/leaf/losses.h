/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_ENGINE_LEAF_LOSSES_H
#define PTOP_ENGINE_LEAF_LOSSES_H
/*
 * Where and when samples were lost, and how long the kernel held sampling back: from records that
 * are rare.  How many were lost in all is another matter, which the kernel counts for each event.
 * Of the engine thread.
 */
#include "view/loss.h"

enum { LOSS_MARKS = 256, LOSS_CPUS_MAX = 1 << 16 };

struct loss_cpu {
	uint64_t lost, throttled;
	uint64_t throttled_ns, since_ns; /* @since_ns: now, 0: it is not */
};

struct losses {
	struct loss_cpu *cpus; /* by number */
	size_t cpu_len, cpu_cap;
	/* When the sum of what was lost had risen since it was looked at before; the oldest are overwritten. */
	struct loss_mark {
		uint64_t since_ns, ns, sum;
	} marks[LOSS_MARKS];
	uint64_t mark_count, looked_ns;
	uint64_t throttled_ns;
	/*
	 * How often since the start, for what is noted as it comes.  Of LOSS_SAMPLES it is what
	 * records told: the kernel's own counts of each event may be higher.
	 */
	uint64_t counts[LOSS_KINDS];
	uint64_t unmeasured; /* by a recording's counts of events that have no samples */
	uint64_t skipped; /* samples behind broken bytes in a ring: no count of the kernel's has them */
};

/* All that was lost, where the kernel's counts add up to @counted. */
uint64_t losses_all(const struct losses *l, uint64_t counted);

void losses_release(struct losses *l);

/* What a record of that CPU tells.  CPUs beyond LOSS_CPUS_MAX are left out. */
void losses_lost(struct losses *l, unsigned cpu, uint64_t count);
void losses_throttle(struct losses *l, unsigned cpu, uint64_t ns, bool begins);

/* So much has been lost in all, up to @ns. */
void losses_mark(struct losses *l, uint64_t ns, uint64_t sum);

/*
 * How much between @from_ns and @to_ns, as far as marks go: what was found lost first after it
 * counts, since nobody knows when it was, unless nothing was when @to_ns had passed.
 */
uint64_t losses_between(const struct losses *l, uint64_t from_ns, uint64_t to_ns);

/* Sentences for the page of messages: the CPUs that lost most, and that were held back longest. */
void losses_put(const struct losses *l, struct buf *b);

#endif
