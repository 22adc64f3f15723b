/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "records.h"

#include "record/encode.h"

#include <string.h>

struct event_attr
record_attr(int event, uint64_t period, bool with_chains)
{
	struct event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.read_format = PERF_FORMAT_ID,
		.sample_id_all = 1, .exclude_guest = 1,
	};

	if (with_chains)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (event == RECORD_SIDEBAND) {
		attr.config = PERF_COUNT_SW_DUMMY;
		attr.sample_period = 1;
		attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
	}
	return attr;
}

/* Behind the header of a sample; of other records, behind all else. */
struct sample_head {
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, zero;
	uint64_t period;
};

struct trailer {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint32_t cpu, zero;
	uint64_t id;
};

struct task_record {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
	struct trailer trailer;
};

void
records_sample(struct buf *b, const struct record_frame *l, const struct stamp *s,
	       bool is_kernel, uint64_t ip, const uint64_t *chain, size_t chain_len)
{
	const struct sample_head body = {
		.id = record_id(RECORD_SAMPLING, l->cpus, s->cpu), .ip = ip, .pid = s->pid,
		.tid = s->tid, .time_ns = s->time_ns, .cpu = s->cpu, .period = l->period,
	};
	struct perf_event_header header = {
		PERF_RECORD_SAMPLE, is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
		sizeof(header) + sizeof(body),
	};
	uint64_t len = chain_len;

	if (l->with_chains)
		header.size = (uint16_t)(header.size + sizeof(len) + len * sizeof(*chain));
	buf_add(b, &header, sizeof(header));
	buf_add(b, &body, sizeof(body));
	if (l->with_chains) {
		buf_add(b, &len, sizeof(len));
		buf_add(b, chain, len * sizeof(*chain));
	}
}

static struct trailer
make_trailer(const struct record_frame *l, const struct stamp *s)
{
	return (struct trailer){ s->pid, s->tid, s->time_ns, s->cpu, 0,
				 record_id(RECORD_SIDEBAND, l->cpus, s->cpu) };
}

/* Fills the trailer of the record that was added last; of what was before it stays empty. */
static void
stamp_last(struct buf *b, const struct record_frame *l, const struct stamp *s)
{
	const struct trailer t = make_trailer(l, s);

	if (s->time_ns != 0)
		memcpy(b->data + b->len - sizeof(t), &t, sizeof(t));
}

static void
set_misc(struct buf *b, size_t at, uint16_t misc)
{
	struct perf_event_header header;

	memcpy(&header, b->data + at, sizeof(header));
	header.misc = misc;
	memcpy(b->data + at, &header, sizeof(header));
}

void
records_comm(struct buf *b, const struct record_frame *l, const struct stamp *s,
	     const char *comm, bool is_exec)
{
	size_t at = b->len;

	record_encode_comm(b, &l->layout, (int)s->pid, (int)s->tid, comm);
	if (is_exec)
		set_misc(b, at, PERF_RECORD_MISC_COMM_EXEC);
	stamp_last(b, l, s);
}

void
records_mmap2(struct buf *b, const struct record_frame *l, const struct stamp *s,
	      const struct record_mmap *map)
{
	record_encode_mmap2(b, &l->layout, map);
	stamp_last(b, l, s);
}

static void
add_task(struct buf *b, const struct record_frame *l, const struct stamp *s,
	 const struct task_record *task)
{
	struct task_record r = *task;

	r.header.size = sizeof(r);
	r.time_ns = s->time_ns;
	r.trailer = make_trailer(l, s);
	buf_add(b, &r, sizeof(r));
}

void
records_fork(struct buf *b, const struct record_frame *l, const struct stamp *s, uint32_t ppid,
	     uint32_t ptid)
{
	const struct stamp parent = { ppid, ptid, s->time_ns, s->cpu };

	add_task(b, l, &parent,
		 &(struct task_record){ .header.type = PERF_RECORD_FORK, .pid = s->pid,
					.ppid = ppid, .tid = s->tid, .ptid = ptid });
}

void
records_exit(struct buf *b, const struct record_frame *l, const struct stamp *s, uint32_t ppid,
	     uint32_t ptid)
{
	add_task(b, l, s,
		 &(struct task_record){ .header.type = PERF_RECORD_EXIT, .pid = s->pid,
					.ppid = ppid, .tid = s->tid, .ptid = ptid });
}
