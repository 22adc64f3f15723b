/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_RECORD_RECORD_H
#define PTOP_RECORD_RECORD_H
/*
 * One record of the perf stream as plain data, decoded in place: pointers lead into the bytes
 * that were decoded and live as long as those do.  The layouts are those of perf_event_open(2)
 * and linux/perf_event.h.
 */
#include <linux/perf_event.h>

#include "base/err.h"
#include "base/reader.h"

/* Which sample_type bits say what a record carries; all events of a stream have the same. */
struct record_layout {
	uint64_t sample_type;
	bool sample_id_all;
	/* What follows from those two, for the way of each sample: see RECORD_LAYOUT(). */
	uint16_t sample_time_at;  /* bytes from a sample's begin to its time, 0: it has none */
	uint16_t sample_period_at; /* likewise */
	uint16_t trailer_bytes;   /* of the sample_id at the end of all other records */
	uint16_t trailer_time_at; /* bytes from a record's end back to its time, 0: it has none */
};

#define RECORD_WORDS(type, bits) (__builtin_popcountll((type) & (bits)) * 8)
#define RECORD_BEFORE_TIME \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)
#define RECORD_BEFORE_PERIOD \
	(RECORD_BEFORE_TIME | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)
#define RECORD_SAMPLE_AT(type, bit, before) \
	((uint16_t)((type) & (bit) ? sizeof(struct perf_event_header) + RECORD_WORDS(type, before) : 0))
#define RECORD_TRAILER \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Initialises a layout; constant if its arguments are. */
#define RECORD_LAYOUT(type, id_all) { \
	.sample_type = (type), \
	.sample_id_all = (id_all), \
	.sample_time_at = RECORD_SAMPLE_AT(type, PERF_SAMPLE_TIME, RECORD_BEFORE_TIME), \
	.sample_period_at = RECORD_SAMPLE_AT(type, PERF_SAMPLE_PERIOD, RECORD_BEFORE_PERIOD), \
	.trailer_bytes = (uint16_t)((id_all) ? RECORD_WORDS(type, RECORD_TRAILER) : 0), \
	.trailer_time_at = (uint16_t)((id_all) && (type) & PERF_SAMPLE_TIME \
		? RECORD_WORDS(type, RECORD_TRAILER) - RECORD_WORDS(type, PERF_SAMPLE_TID) : 0), \
}

/* perf's own types, written by user space, begin here: they carry no trailer. */
enum { RECORD_USER_TYPE_FIRST = 64 };

/* What the sample_id trailer of a record tells; what it does not carry is 0. */
struct record_id {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t id, stream_id;
	uint32_t cpu;
};

struct record_sample {
	uint64_t ip, addr, period, cgroup;
	const uint64_t *chain; /* may be unaligned by 4: the kernel aligns records by 8 */
	uint64_t chain_len;
};

struct record_mmap {
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	const char *name;
	bool is_mmap2, has_build_id;
};

struct record_comm {
	uint32_t pid, tid;
	const char *comm;
	bool is_exec;
};

struct record_task { /* FORK and EXIT */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
};

struct record_lost { /* LOST and LOST_SAMPLES */
	uint64_t id, lost;
};

struct record_throttle {
	uint64_t time_ns, id, stream_id;
};

struct record_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t kind, flags;
	const char *name;
};

struct record_cgroup {
	uint64_t id;
	const char *path;
};

struct record {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	struct record_id id;
	union {
		struct record_sample sample;
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_lost lost;
		struct record_throttle throttle;
		struct record_ksymbol ksymbol;
		struct record_cgroup cgroup;
	};
};

/*
 * Decodes @bytes, one whole record.  1: done; 0: a type that is not known (type, misc and id are
 * set as far as the layout allows); -1: its bytes contradict themselves.
 */
int record_decode(const struct record_layout *layout, struct bytes bytes, struct record *rec);

/* PERF_RECORD_* of @bytes, one whole record. */
static inline uint32_t
record_type(struct bytes bytes)
{
	uint32_t type;

	memcpy(&type, bytes.data, sizeof(type));
	return type;
}

/* When @bytes, one whole record, was written; 0 if it does not say.  Cheap: for merging. */
static inline uint64_t
record_time(const struct record_layout *layout, struct bytes bytes)
{
	uint64_t time_ns = 0;
	uint32_t type;
	size_t at;

	if (bytes.len < sizeof(struct perf_event_header))
		return 0;
	type = record_type(bytes);
	if (type == PERF_RECORD_SAMPLE) {
		at = layout->sample_time_at;
	} else if (type >= RECORD_USER_TYPE_FIRST) {
		return 0;
	} else {
		at = layout->trailer_time_at;
		if (at == 0 || at > bytes.len - sizeof(struct perf_event_header))
			return 0;
		at = bytes.len - at;
	}
	if (at != 0 && at + 8 <= bytes.len)
		memcpy(&time_ns, bytes.data + at, 8);
	return time_ns;
}

/*
 * A hash of all that @bytes, one whole sample record, carries but its time and period: samples
 * alike have it in common.  0: the layout does not carry both, or the record is too short.
 */
static inline uint64_t
record_sample_tag(const struct record_layout *layout, struct bytes bytes)
{
	size_t time_at = layout->sample_time_at, period_at = layout->sample_period_at;
	uint64_t tag;

	if (time_at == 0 || period_at == 0 || bytes.len < period_at + 8)
		return 0;
	tag = hash_bytes(bytes.data, time_at);
	tag = hash_mix(tag, hash_bytes(bytes.data + time_at + 8, period_at - time_at - 8));
	return hash_mix(tag, hash_bytes(bytes.data + period_at + 8, bytes.len - period_at - 8)) | 1;
}

/* The period of a sample that has a tag. */
static inline uint64_t
record_sample_period(const struct record_layout *layout, struct bytes bytes)
{
	uint64_t period;

	memcpy(&period, bytes.data + layout->sample_period_at, sizeof(period));
	return period;
}

/* "mmap2", "sample"; "unknown" for types that have no row in the table. */
const char *record_type_name(uint32_t type);

#endif
