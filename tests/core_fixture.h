/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_CORE_FIXTURE_H
#define PTOP_TESTS_CORE_FIXTURE_H
/*
 * Records as the kernel would write them, byte by byte, for the tests of record, model and profile.
 */
#include "model/model.h"
#include "record/abi.h"
#include "record/record.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Not in the oldest header that the tests compile with. */
enum { REC_KSYMBOL = 17, REC_BPF_EVENT = 18, REC_CGROUP = 19 };

/* The layout of live sampling. */
enum { LIVE_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
		   PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN };
static const struct record_layout live_layout = RECORD_LAYOUT(LIVE_TYPE, true);

struct maker {
	struct record_layout layout;
	_Alignas(8) uint8_t data[8192];
	size_t len;
};

static inline void
make_u64(struct maker *m, uint64_t v)
{
	memcpy(m->data + m->len, &v, 8);
	m->len += 8;
}

static inline void
make_u32(struct maker *m, uint32_t v)
{
	memcpy(m->data + m->len, &v, 4);
	m->len += 4;
}

static inline void
make_u16(struct maker *m, uint16_t v)
{
	memcpy(m->data + m->len, &v, 2);
	m->len += 2;
}

/* NUL-terminated, padded to 8 as the kernel does. */
static inline void
make_text(struct maker *m, const char *s)
{
	size_t len = strlen(s) + 1;

	memcpy(m->data + m->len, s, len);
	m->len += len;
	while (m->len % 8 != 0)
		m->data[m->len++] = 0;
}

static inline void
make_begin(struct maker *m, const struct record_layout *layout, uint32_t type, uint16_t misc)
{
	m->layout = *layout;
	m->len = 0;
	make_u32(m, type);
	make_u16(m, misc);
	make_u16(m, 0);
}

static inline struct bytes
make_done(struct maker *m)
{
	uint16_t size = (uint16_t)m->len;

	memcpy(m->data + 6, &size, 2);
	return (struct bytes){ m->data, m->len };
}

/* The sample_id trailer, in the order of perf_event_open(2). */
static inline struct bytes
make_end(struct maker *m, const struct record_id *id)
{
	uint64_t type = m->layout.sample_id_all ? m->layout.sample_type : 0;

	if (type & PERF_SAMPLE_TID) {
		make_u32(m, id->pid);
		make_u32(m, id->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		make_u64(m, id->time_ns);
	if (type & PERF_SAMPLE_ID)
		make_u64(m, id->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		make_u64(m, id->stream_id);
	if (type & PERF_SAMPLE_CPU) {
		make_u32(m, id->cpu);
		make_u32(m, 0);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		make_u64(m, id->id);
	return make_done(m);
}

static inline struct bytes
make_sample(struct maker *m, const struct record_layout *layout, uint16_t misc,
	    const struct record_id *id, const struct record_sample *s)
{
	uint64_t type = layout->sample_type;

	make_begin(m, layout, PERF_RECORD_SAMPLE, misc);
	if (type & PERF_SAMPLE_IDENTIFIER)
		make_u64(m, id->id);
	if (type & PERF_SAMPLE_IP)
		make_u64(m, s->ip);
	if (type & PERF_SAMPLE_TID) {
		make_u32(m, id->pid);
		make_u32(m, id->tid);
	}
	if (type & PERF_SAMPLE_TIME)
		make_u64(m, id->time_ns);
	if (type & PERF_SAMPLE_ADDR)
		make_u64(m, s->addr);
	if (type & PERF_SAMPLE_ID)
		make_u64(m, id->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		make_u64(m, id->stream_id);
	if (type & PERF_SAMPLE_CPU) {
		make_u32(m, id->cpu);
		make_u32(m, 0);
	}
	if (type & PERF_SAMPLE_PERIOD)
		make_u64(m, s->period);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		make_u64(m, s->chain_len);
		for (uint64_t i = 0; i < s->chain_len; i++)
			make_u64(m, s->chain[i]);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		make_u64(m, s->branches.len);
		for (uint64_t i = 0; i < 3 * s->branches.len; i++)
			make_u64(m, s->branches.entries[i]);
	}
	if (type & (PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT))
		make_u64(m, s->weight);
	if (type & PERF_SAMPLE_DATA_SRC)
		make_u64(m, s->data_src);
	if (type & ABI_SAMPLE_CGROUP)
		make_u64(m, s->cgroup);
	return make_done(m);
}

static inline struct bytes
make_mmap2(struct maker *m, const struct record_mmap *map, const struct record_id *id)
{
	make_begin(m, &live_layout, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	make_u32(m, map->pid);
	make_u32(m, map->tid);
	make_u64(m, map->start);
	make_u64(m, map->len);
	make_u64(m, map->pgoff);
	make_u32(m, map->maj);
	make_u32(m, map->min);
	make_u64(m, map->ino);
	make_u64(m, map->ino_generation);
	make_u32(m, map->prot);
	make_u32(m, map->flags);
	make_text(m, map->name);
	return make_end(m, id);
}

static inline struct bytes
make_comm(struct maker *m, uint32_t pid, uint32_t tid, const char *comm, bool is_exec,
	  const struct record_id *id)
{
	make_begin(m, &live_layout, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	make_u32(m, pid);
	make_u32(m, tid);
	make_text(m, comm);
	return make_end(m, id);
}

/* FORK and EXIT. */
static inline struct bytes
make_task(struct maker *m, uint32_t type, const struct record_task *t, const struct record_id *id)
{
	make_begin(m, &live_layout, type, 0);
	make_u32(m, t->pid);
	make_u32(m, t->ppid);
	make_u32(m, t->tid);
	make_u32(m, t->ptid);
	make_u64(m, t->time_ns);
	return make_end(m, id);
}

/* What the side-band would tell the model. */
static inline void
tell(struct model *m, struct bytes b)
{
	struct record rec;

	if (record_decode(&live_layout, b, &rec) != 1)
		abort();
	model_record(m, &rec);
}

static inline void
tell_fork(struct model *m, int ppid, int ptid, int pid, int tid, uint64_t time_ns)
{
	struct record_task t = { (uint32_t)pid, (uint32_t)ppid, (uint32_t)tid, (uint32_t)ptid,
				 time_ns };
	struct maker k;

	tell(m, make_task(&k, PERF_RECORD_FORK, &t, &(struct record_id){ .time_ns = time_ns }));
}

static inline void
tell_exit(struct model *m, int pid, int tid, uint32_t cpu, uint64_t time_ns)
{
	struct record_task t = { (uint32_t)pid, 1, (uint32_t)tid, 1, time_ns };
	struct record_id id = { .pid = (uint32_t)pid, .tid = (uint32_t)tid, .time_ns = time_ns,
				.cpu = cpu };
	struct maker k;

	tell(m, make_task(&k, PERF_RECORD_EXIT, &t, &id));
}

static inline void
tell_comm(struct model *m, int pid, int tid, const char *comm, bool is_exec)
{
	struct record_id id = { .time_ns = 1 };
	struct maker k;

	tell(m, make_comm(&k, (uint32_t)pid, (uint32_t)tid, comm, is_exec, &id));
}

/* An executable map of a file. */
static inline void
tell_map(struct model *m, int pid, uint64_t start, uint64_t len, uint64_t pgoff, const char *name,
	 uint64_t time_ns)
{
	struct record_mmap map = { .pid = (uint32_t)pid, .tid = (uint32_t)pid, .start = start,
				   .len = len, .pgoff = pgoff, .ino = *name == '/' ? 42 : 0,
				   .prot = 5, .name = name };
	struct maker k;

	tell(m, make_mmap2(&k, &map, &(struct record_id){ .time_ns = time_ns }));
}

#endif
