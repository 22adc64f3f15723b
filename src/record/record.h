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

/*
 * The layout of the records of one event: the members of its perf_event_attr that decide it, by the
 * same names.  Most events of a live session share one; each event of a file has its own.
 */
struct record_layout {
	uint64_t sample_type;
	uint64_t sample_period; /* the period of samples that do not carry one */
	uint64_t read_format, branch_sample_type, sample_regs_user, sample_regs_intr;
	uint16_t max_stack; /* the most frames of a call chain, 0: as many as the kernel takes */
	bool sample_id_all;
	bool has_values_by_task; /* PERF_SAMPLE_READ: one id is a counter of its own in each task */
	const char *const *reg_names; /* for record_put(): see reg_names.h; NULL: not known */
	bool swapped; /* numbers are of the other byte order; but type, misc, size are native */
	int64_t clock_ahead_ns; /* added to times: by another clock they are the reader's then */
	/* Derived from sample_type and sample_id_all by RECORD_LAYOUT(): read for each record. */
	uint16_t sample_time_at;   /* offset of a sample's time, 0: it has none */
	uint16_t sample_period_at; /* likewise */
	uint32_t sample_place_len; /* bytes of a sample up to its period; UINT32_MAX: it has no tag */
	uint16_t trailer_bytes;    /* of the sample_id at the end of all other records */
	uint16_t trailer_time_at;  /* bytes from a record's end back to its time, 0: it has none */
};

/* Bytes of the fields that @bits of a sample_type stand for; the fields before time, and period. */
#define RECORD_WORDS(type, bits) ((size_t)__builtin_popcountll((type) & (bits)) * 8)
#define RECORD_BEFORE_TIME \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)
#define RECORD_BEFORE_PERIOD \
	(RECORD_BEFORE_TIME | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU)
#define RECORD_SAMPLE_AT(type, bit, before) \
	((uint16_t)((type) & (bit) ? sizeof(struct perf_event_header) + RECORD_WORDS(type, before) : 0))
#define RECORD_PLACE_LEN(type) \
	(((type) & PERF_SAMPLE_TIME) && ((type) & PERF_SAMPLE_PERIOD) \
		? RECORD_SAMPLE_AT(type, PERF_SAMPLE_PERIOD, RECORD_BEFORE_PERIOD) + 8U : UINT32_MAX)
/* The fields of the sample_id trailer. */
#define RECORD_TRAILER \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Initialises a layout; constant if its arguments are. */
#define RECORD_LAYOUT(type, id_all) { \
	.sample_type = (type), \
	.sample_id_all = (id_all), \
	.sample_time_at = RECORD_SAMPLE_AT(type, PERF_SAMPLE_TIME, RECORD_BEFORE_TIME), \
	.sample_period_at = RECORD_SAMPLE_AT(type, PERF_SAMPLE_PERIOD, RECORD_BEFORE_PERIOD), \
	.sample_place_len = RECORD_PLACE_LEN(type), \
	.trailer_bytes = (uint16_t)((id_all) ? RECORD_WORDS(type, RECORD_TRAILER) : 0), \
	.trailer_time_at = (uint16_t)((id_all) && (type) & PERF_SAMPLE_TIME \
		? RECORD_WORDS(type, RECORD_TRAILER) - RECORD_WORDS(type, PERF_SAMPLE_TID) : 0), \
}

/* perf's own types, written by user space, begin here: they carry no trailer. */
enum { RECORD_USER_TYPE_FIRST = 64 };

/* The sample_id trailer of a record; what it does not carry is 0. */
struct record_id {
	uint32_t pid, tid;
	uint64_t time_ns;
	uint64_t id, stream_id;
	uint32_t cpu;
};

/* The registers of a sample: one word for each bit of @mask, from the lowest bit up. */
struct record_regs {
	uint64_t abi;  /* PERF_SAMPLE_REGS_ABI_*; none: no words */
	uint64_t mask;
	const uint64_t *words;
};

enum { RECORD_BRANCH_WORDS = 3 };

/* Branches, as struct perf_branch_entry: from, to, bits (mispred the lowest of either order). */
struct record_branches {
	uint64_t len;
	uint64_t hw_idx;          /* UINT64_MAX: not carried */
	bool is_call_stack;       /* calls that did not return yet, the newest first */
	const uint64_t *entries;  /* three words each */
	const uint64_t *counters; /* one word each, NULL: not carried */
};

/* What is not carried is 0 or NULL.  Words are in place: aligned if the record is, native. */
struct record_sample {
	uint64_t carries; /* the layout's sample_type: tells 0 from what is not carried */
	uint64_t ip, addr, period;
	const uint64_t *chain;
	uint64_t chain_len;
	uint16_t chain_max;       /* the layout's max_stack */
	struct bytes read;        /* struct read_format, see record_read_begin() */
	struct bytes raw;
	struct record_branches branches;
	struct record_regs regs_user, regs_intr;
	struct bytes stack_user;  /* the room for the copy of the stack, */
	uint64_t stack_dyn_size;  /* and how much of it was filled: the rest is what lay there before */
	uint64_t weight;          /* or struct: var1_dw, var2_w, var3_w from the low bits up */
	uint64_t data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	struct bytes aux;
};

struct record_mmap {
	uint32_t pid, tid;
	uint64_t start, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
	const char *name;
	bool is_mmap2, has_build_id;
	uint8_t build_id_len;
	const uint8_t *build_id; /* NULL: none */
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

struct record_read {
	uint32_t pid, tid;
	struct bytes values; /* as record_sample.read */
};

struct record_aux {
	uint64_t offset, size, flags;
};

struct record_itrace_start {
	uint32_t pid, tid;
};

struct record_switch { /* SWITCH and SWITCH_CPU_WIDE */
	uint32_t next_prev_pid, next_prev_tid; /* 0 in SWITCH */
	bool is_out, is_preempt;
};

struct record_namespaces {
	uint32_t pid, tid;
	uint64_t len;
	const uint64_t *links; /* two words each: dev, inode */
};

struct record_bpf_event {
	uint16_t type, flags;
	uint32_t id;
	const uint8_t *tag; /* 8 bytes */
};

struct record_text_poke {
	uint64_t addr;
	struct bytes old_bytes, new_bytes;
};

struct record_aux_output_hw_id {
	uint64_t hw_id;
};

struct record_callchain_deferred {
	uint64_t cookie;
	const uint64_t *chain;
	uint64_t chain_len;
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
		struct record_read read;
		struct record_aux aux;
		struct record_itrace_start itrace_start;
		struct record_switch cpu_switch;
		struct record_namespaces namespaces;
		struct record_bpf_event bpf_event;
		struct record_text_poke text_poke;
		struct record_aux_output_hw_id aux_output_hw_id;
		struct record_callchain_deferred callchain_deferred;
		struct bytes payload; /* of perf's own types: all behind the header, as it is */
	};
};

/*
 * Decodes @bytes, one whole record.  1: done; 0: a type that is not known (type, misc and id are
 * set as far as the layout allows); -1: its bytes contradict themselves.
 *
 * The bytes of a swapped stream are the caller's own and writable: words that are handed out in
 * place are swapped there, so decode them once only.  In a swapped record the header is native.
 */
int record_decode(const struct record_layout *layout, struct bytes bytes, struct record *rec);

/*
 * How @bytes, one whole sample of a stream that is not swapped, fit @layout.  Longer than its fields
 * they are also where the kernel counted those of another program's sample in.
 */
enum record_fit { RECORD_FITS_NOT, RECORD_IS_LONGER, RECORD_FITS };
enum record_fit record_sample_fit(const struct record_layout *layout, struct bytes bytes);

/*
 * Takes struct read_format apart, value by value:
 *
 *	struct record_values v = record_read_begin(layout->read_format, s->read);
 *
 *	while (record_read_next(&v))
 *		v.id, v.value, v.lost
 */
struct record_values {
	uint64_t time_enabled, time_running; /* of all; what is not carried is 0 */
	uint64_t id, value, lost;            /* of one */
	size_t value_at;                     /* bytes from the begin of all to this value */
	uint64_t format, left;
	size_t len;
	struct reader r;
};

struct record_values record_read_begin(uint64_t read_format, struct bytes read);
bool record_read_next(struct record_values *v);

/* PERF_RECORD_* of @bytes, one whole record. */
static inline uint32_t
record_type(struct bytes bytes)
{
	uint32_t type;

	memcpy(&type, bytes.data, sizeof(type));
	return type;
}

/*
 * The true length of @bytes, one whole record of the kernel that is no sample: some kernels write
 * bytes behind the trailer that are none of it, see length.c.
 */
size_t record_true_len(const struct record_layout *layout, struct bytes bytes);

/*
 * No clock of the kernel comes so far: what is later is no time.  So times can be added to without
 * a thought.
 */
#define RECORD_TIME_MAX ((uint64_t)INT64_MAX)

/* @time_ns as a record has it, by the reader's clock; 0: it carries none. */
static inline uint64_t
record_own_time(const struct record_layout *layout, uint64_t time_ns)
{
	return time_ns != 0 ? time_ns + (uint64_t)layout->clock_ahead_ns : 0;
}

/* The time of @bytes, one whole record; 0: it carries none.  Cheap: for merging. */
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
		size_t len = record_true_len(layout, bytes);

		at = layout->trailer_time_at;
		if (at == 0 || at > len - sizeof(struct perf_event_header))
			return 0;
		at = len - at;
	}
	if (at != 0 && at + 8 <= bytes.len)
		memcpy(&time_ns, bytes.data + at, 8);
	return record_own_time(layout, layout->swapped ? __builtin_bswap64(time_ns) : time_ns);
}

/*
 * A hash of where @bytes, one whole sample record, was taken: of all fields before its period but
 * the time.  0: the layout does not carry both time and period, or the record is too short, or
 * swapped.
 */
static inline uint64_t
record_sample_place(const struct record_layout *layout, struct bytes bytes)
{
	size_t time_at = layout->sample_time_at, period_at = layout->sample_period_at;
	uint64_t head;

	if (bytes.len < layout->sample_place_len)
		return 0;
	/* Type and misc, without the size: what follows the period may be of any. */
	memcpy(&head, bytes.data, sizeof(head));
	return (hash_mix(head & UINT64_C(0xffffffffffff), 0) ^
		hash_words_between(bytes.data, sizeof(head), time_at) ^
		hash_words_between(bytes.data, time_at + 8, period_at)) | 1;
}

/* The same of all fields but time and period: samples of one stack have it in common. */
static inline uint64_t
record_sample_tag(const struct record_layout *layout, struct bytes bytes)
{
	size_t rest_at = (size_t)layout->sample_period_at + 8;
	uint64_t tag = record_sample_place(layout, bytes);

	if (tag == 0)
		return 0;
	return hash_mix(tag, hash_bytes(bytes.data + rest_at, bytes.len - rest_at)) | 1;
}

/* The period of a sample that has a tag. */
static inline uint64_t
record_sample_period(const struct record_layout *layout, struct bytes bytes)
{
	uint64_t period;

	memcpy(&period, bytes.data + layout->sample_period_at, sizeof(period));
	return period;
}

/* Whether the type has a row in types.c: those of the kernel and of perf itself do. */
bool record_type_is_known(uint32_t type);

/* "mmap2", "sample", "finished-round"; "unknown" for types that are not known. */
const char *record_type_name(uint32_t type);

#endif
