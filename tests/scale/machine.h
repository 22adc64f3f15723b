/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SCALE_MACHINE_H
#define PTOP_TESTS_SCALE_MACHINE_H
/*
 * Processes that run, begin and end on CPUs, and what the kernel would have recorded of it, as who
 * reads its rings gets it: round by round, in each the CPUs in turn.  Each CPU's records are in
 * order; as its ring is read a moment after that of the CPU before, a round's last records are
 * younger than the first ones of the next, never than those of the round after it.
 *
 * What is held is a few bytes for each process and CPU.
 */
#include "scale.h"

#include "base/buf.h"

struct machine;

struct machine *machine_new(const struct scale *s);
void machine_free(struct machine *m);

/* The path of a program, from 0 on; of @program == programs, of the library. */
void machine_path(const struct scale *s, uint64_t program, char path[static 4096]);

/* Adds what was there before the recording. */
void machine_put_first(struct machine *m, struct buf *b);

/* Adds the CPU's records of this round; all CPUs from 0 on, then the round ends. */
void machine_put_cpu(struct machine *m, uint32_t cpu, struct buf *b);
void machine_end_round(struct machine *m);

/* Between samples of a CPU. */
uint64_t machine_period_ns(const struct scale *s);

/* How many samples there were, and the times of the first and last one. */
struct machine_sums {
	uint64_t samples, first_ns, last_ns, tasks; /* @tasks: that ever were */
};
const struct machine_sums *machine_sums(const struct machine *m);

enum { MACHINE_ROUNDS_PER_S = 100 };

/* When the first round begins. */
#define MACHINE_START_NS UINT64_C(1000000000000)

#endif
