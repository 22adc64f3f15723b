/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_ENCODE_H
#define PTOP_RECORD_ENCODE_H
/*
 * Encodes records that ptop makes itself, in the kernel's layout: tasks and maps that were there
 * before a recording began.  Like those that perf makes, they have the time 0, which means
 * "already", and the id 0.  Each is added to @b.
 */
#include "base/buf.h"
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

/* PERF_RECORD_LOST: @lost records are missing at this point. */
void record_encode_lost(struct buf *b, const struct record_layout *layout, uint64_t id,
			uint64_t lost);

#endif
