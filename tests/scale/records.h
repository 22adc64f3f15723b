/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_SCALE_RECORDS_H
#define PTOP_TESTS_SCALE_RECORDS_H
/* The records of a machine's CPUs as the kernel lays them out, each added to @b. */
#include "base/buf.h"
#include "record/abi.h"
#include "record/record.h"

/* Whose record it is, and when and where it was made. */
struct stamp {
	uint32_t pid, tid;
	uint64_t time_ns; /* 0: it was so before the recording, as perf writes it */
	uint32_t cpu;
};

enum { RECORD_EVENTS = 2, RECORD_SAMPLING = 0, RECORD_SIDEBAND }; /* numbers of the events */

/* The attributes of each, as perf record -a [-g] chooses them. */
struct event_attr record_attr(int event, uint64_t period, bool with_chains);

/* The id of the descriptor of an event on a CPU. */
static inline uint64_t
record_id(int event, uint64_t cpus, uint32_t cpu)
{
	return 1 + (uint64_t)event * cpus + cpu;
}

/* What does not change from one record to the next. */
struct record_frame {
	struct record_layout layout;
	uint64_t cpus, period;
	bool with_chains;
};

/* @chain: as the kernel has it, with its contexts; only with chains. */
void records_sample(struct buf *b, const struct record_frame *l, const struct stamp *s,
		    bool is_kernel, uint64_t ip, const uint64_t *chain, size_t chain_len);
void records_comm(struct buf *b, const struct record_frame *l, const struct stamp *s,
		  const char *comm, bool is_exec);
void records_mmap2(struct buf *b, const struct record_frame *l, const struct stamp *s,
		   const struct record_mmap *map);

/* @ppid and @ptid: whose child it is; the record is the parent's. */
void records_fork(struct buf *b, const struct record_frame *l, const struct stamp *s,
		  uint32_t ppid, uint32_t ptid);
void records_exit(struct buf *b, const struct record_frame *l, const struct stamp *s,
		  uint32_t ppid, uint32_t ptid);

#endif
