/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/record.h"

enum { HEADER_BYTES = sizeof(struct perf_event_header) };

/* Newer than the oldest header that this must compile with. */
enum {
	RECORD_KSYMBOL = 17,
	RECORD_BPF_EVENT = 18,
	RECORD_CGROUP = 19,
	MISC_MMAP_BUILD_ID = 1 << 14,
};

static void
decode_mmap(struct reader *r, struct record *rec)
{
	struct record_mmap *m = &rec->mmap;

	m->pid = reader_u32(r);
	m->tid = reader_u32(r);
	m->start = reader_u64(r);
	m->len = reader_u64(r);
	m->pgoff = reader_u64(r);
	if (rec->type == PERF_RECORD_MMAP2) {
		m->is_mmap2 = true;
		m->has_build_id = rec->misc & MISC_MMAP_BUILD_ID;
		m->maj = reader_u32(r);
		m->min = reader_u32(r);
		m->ino = reader_u64(r);
		m->ino_generation = reader_u64(r);
		if (m->has_build_id)
			m->maj = m->min = 0, m->ino = m->ino_generation = 0;
		m->prot = reader_u32(r);
		m->flags = reader_u32(r);
	}
	m->name = reader_string(r);
}

static void
decode_comm(struct reader *r, struct record *rec)
{
	rec->comm.pid = reader_u32(r);
	rec->comm.tid = reader_u32(r);
	rec->comm.comm = reader_string(r);
	rec->comm.is_exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC;
}

static void
decode_task(struct reader *r, struct record *rec)
{
	rec->task.pid = reader_u32(r);
	rec->task.ppid = reader_u32(r);
	rec->task.tid = reader_u32(r);
	rec->task.ptid = reader_u32(r);
	rec->task.time_ns = reader_u64(r);
}

static void
decode_lost(struct reader *r, struct record *rec)
{
	rec->lost.id = rec->type == PERF_RECORD_LOST ? reader_u64(r) : 0;
	rec->lost.lost = reader_u64(r);
}

static void
decode_throttle(struct reader *r, struct record *rec)
{
	rec->throttle.time_ns = reader_u64(r);
	rec->throttle.id = reader_u64(r);
	rec->throttle.stream_id = reader_u64(r);
}

static void
decode_ksymbol(struct reader *r, struct record *rec)
{
	rec->ksymbol.addr = reader_u64(r);
	rec->ksymbol.len = reader_u32(r);
	rec->ksymbol.kind = reader_u16(r);
	rec->ksymbol.flags = reader_u16(r);
	rec->ksymbol.name = reader_string(r);
}

static void
decode_cgroup(struct reader *r, struct record *rec)
{
	rec->cgroup.id = reader_u64(r);
	rec->cgroup.path = reader_string(r);
}

/* A record whose content nothing here uses: known, so not counted as unknown. */
static void
decode_nothing(struct reader *r, struct record *rec)
{
	(void)r;
	(void)rec;
}

static const struct record_type {
	const char *name;
	void (*decode)(struct reader *r, struct record *rec);
} record_types[] = {
	[PERF_RECORD_MMAP] = { "mmap", decode_mmap },
	[PERF_RECORD_LOST] = { "lost", decode_lost },
	[PERF_RECORD_COMM] = { "comm", decode_comm },
	[PERF_RECORD_EXIT] = { "exit", decode_task },
	[PERF_RECORD_THROTTLE] = { "throttle", decode_throttle },
	[PERF_RECORD_UNTHROTTLE] = { "unthrottle", decode_throttle },
	[PERF_RECORD_FORK] = { "fork", decode_task },
	[PERF_RECORD_MMAP2] = { "mmap2", decode_mmap },
	[PERF_RECORD_LOST_SAMPLES] = { "lost-samples", decode_lost },
	[PERF_RECORD_NAMESPACES] = { "namespaces", decode_nothing },
	[RECORD_KSYMBOL] = { "ksymbol", decode_ksymbol },
	[RECORD_BPF_EVENT] = { "bpf-event", decode_nothing },
	[RECORD_CGROUP] = { "cgroup", decode_cgroup },
};

static const struct record_type *
type_row(uint32_t type)
{
	if (type >= ARRAY_SIZE(record_types) || record_types[type].name == NULL)
		return NULL;
	return &record_types[type];
}

const char *
record_type_name(uint32_t type)
{
	const struct record_type *t = type_row(type);

	if (type == PERF_RECORD_SAMPLE)
		return "sample";
	return t != NULL ? t->name : "unknown";
}

/* The fields of struct perf_event_sample in ABI order. */
static void
decode_sample(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	uint64_t type = layout->sample_type;
	struct record_sample *s = &rec->sample;

	if (type & PERF_SAMPLE_IDENTIFIER)
		rec->id.id = reader_u64(r);
	if (type & PERF_SAMPLE_IP)
		s->ip = reader_u64(r);
	if (type & PERF_SAMPLE_TID) {
		rec->id.pid = reader_u32(r);
		rec->id.tid = reader_u32(r);
	}
	if (type & PERF_SAMPLE_TIME)
		rec->id.time_ns = reader_u64(r);
	if (type & PERF_SAMPLE_ADDR)
		s->addr = reader_u64(r);
	if (type & PERF_SAMPLE_ID)
		rec->id.id = reader_u64(r);
	if (type & PERF_SAMPLE_STREAM_ID)
		rec->id.stream_id = reader_u64(r);
	if (type & PERF_SAMPLE_CPU) {
		rec->id.cpu = reader_u32(r);
		reader_u32(r);
	}
	if (type & PERF_SAMPLE_PERIOD)
		s->period = reader_u64(r);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->chain_len = reader_u64(r);
		/* Checked by division: a length from the stream must not overflow. */
		if (s->chain_len > reader_left(r) / 8)
			r->failed = true, s->chain_len = 0;
		s->chain = (const uint64_t *)(const void *)reader_bytes(r, s->chain_len * 8);
	}
}

static void
decode_trailer(const struct record_layout *layout, struct reader *r, struct record_id *id)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_TID) {
		id->pid = reader_u32(r);
		id->tid = reader_u32(r);
	}
	if (type & PERF_SAMPLE_TIME)
		id->time_ns = reader_u64(r);
	if (type & PERF_SAMPLE_ID)
		id->id = reader_u64(r);
	if (type & PERF_SAMPLE_STREAM_ID)
		id->stream_id = reader_u64(r);
	if (type & PERF_SAMPLE_CPU) {
		id->cpu = reader_u32(r);
		reader_u32(r);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = reader_u64(r);
}

int
record_decode(const struct record_layout *layout, struct bytes bytes, struct record *rec)
{
	struct reader r = reader_over(bytes), trailer;
	size_t tail = layout->trailer_bytes;
	const struct record_type *t;
	uint32_t type = reader_u32(&r);

	memset(rec, 0, sizeof(*rec));
	rec->type = type;
	rec->misc = reader_u16(&r);
	reader_u16(&r);
	if (type == PERF_RECORD_SAMPLE) {
		decode_sample(layout, &r, rec);
		return r.failed ? -1 : 1;
	}
	if (type >= RECORD_USER_TYPE_FIRST)
		return r.failed ? -1 : 0;
	if (r.failed || reader_left(&r) < tail)
		return -1;
	r.end -= tail;
	trailer = reader_over((struct bytes){ r.end, tail });
	decode_trailer(layout, &trailer, &rec->id);
	t = type_row(type);
	if (t == NULL)
		return 0;
	t->decode(&r, rec);
	return r.failed ? -1 : 1;
}
