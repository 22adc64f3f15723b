/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_ENCODE_H
#define PTOP_RECORD_ENCODE_H
/*
 * Encodes records that ptop makes itself, in the kernel's layout: tasks and maps that were there
 * before a recording began.  Like those that perf makes, they have the time 0, which means
 * "already", and the id 0.  Each is added to @b.
 */
#include "base/buf.h"
#include "record/abi.h"
#include "record/record.h"

/* PERF_RECORD_COMM.  The name may be longer than the kernel's would. */
void record_encode_comm(struct buf *b, const struct record_layout *layout, int pid, int tid,
			const char *comm);

/* PERF_RECORD_MMAP2 of a process's executable map; of @m, all but build_id and is_mmap2 is used. */
void record_encode_mmap2(struct buf *b, const struct record_layout *layout,
			 const struct record_mmap *m);

/* PERF_RECORD_MMAP of the kernel or one of its modules; of @m start, len, pgoff and name. */
void record_encode_kernel_mmap(struct buf *b, const struct record_layout *layout,
			       const struct record_mmap *m);

/* PERF_RECORD_KSYMBOL: code that the kernel has loaded; @is_bpf: a BPF program. */
struct encode_ksymbol {
	uint64_t start, len;
	const char *name;
	bool is_bpf;
};
void record_encode_ksymbol(struct buf *b, const struct record_layout *layout,
			   const struct encode_ksymbol *k);

/* What samples carry to be unwound, and need no more when that was done. */
#define RECORD_COPIES ((uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER))

/* Whether record_encode_unwound() takes samples of that sample_type. */
static inline bool
record_has_copies(uint64_t sample_type)
{
	const uint64_t needs = PERF_SAMPLE_CALLCHAIN | RECORD_COPIES;

	return (sample_type & (needs | PERF_SAMPLE_READ)) == needs;
}

/* A chain of user space, innermost first, its callers by the addresses they return to. */
struct record_unwound {
	const uint64_t *addrs;
	size_t len;
	bool is_cut; /* its outer part is missing */
};

/*
 * The sample @bytes, from which @rec was decoded, native, as the kernel writes it where it takes
 * chains itself: without RECORD_COPIES, with @user in their place as far as a record has room.  A
 * chain that is cut ends with a second PERF_CONTEXT_USER, which says nothing to perf.
 */
void record_encode_unwound(struct buf *b, const struct record *rec, struct bytes bytes,
			   const struct record_unwound *user);

/* The attributes of an event of such samples. */
void record_attr_unwound(struct event_attr *attr);

/* PERF_RECORD_LOST: @lost records are missing at this point. */
void record_encode_lost(struct buf *b, const struct record_layout *layout, uint64_t id,
			uint64_t lost);

/*
 * PERF_RECORD_LOST_SAMPLES as perf writes it at the end: without a time, all that FORMAT_LOST counted
 * of the event with @id.  @layout has PERF_SAMPLE_IDENTIFIER.
 */
void record_encode_lost_samples(struct buf *b, const struct record_layout *layout, uint64_t id,
				uint64_t lost);

#endif
