/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/types.h"

/* The fields that samples of a profile have; all others but READ follow them in ABI order. */
#define COMMON_FIELDS \
	((uint64_t)(RECORD_BEFORE_PERIOD | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN))

/*
 * The bits of struct perf_branch_entry as little endian has them: a bit-field begins at the other
 * end of the word on big endian, each of its members stays as it is.
 */
static uint64_t
branch_bits(uint64_t v)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3, 1, 30 };
	uint64_t out = 0;
	unsigned at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(widths); at += widths[i++])
		out |= (v >> (64 - at - widths[i]) & ((UINT64_C(1) << widths[i]) - 1)) << at;
	return out;
}

/* Raw data is padded, its size included, to 8 bytes: any other size is wrong. */
static struct bytes
take_raw(struct reader *r)
{
	size_t len = reader_u32(r);
	const uint8_t *data = reader_bytes(r, len);

	if ((len + 4) % 8 != 0)
		reader_fail(r);
	return (struct bytes){ data, data != NULL ? len : 0 };
}

/* Bytes behind their u64 size. */
static struct bytes
take_sized(struct reader *r)
{
	uint64_t len = reader_u64(r);
	const uint8_t *data = reader_bytes(r, len);

	return (struct bytes){ data, data != NULL ? len : 0 };
}

static void
take_branches(const struct record_layout *layout, struct reader *r, struct record_branches *b)
{
	b->len = reader_u64(r);
	b->hw_idx = layout->branch_sample_type & ABI_BRANCH_HW_INDEX ? reader_u64(r) : UINT64_MAX;
	b->is_call_stack = layout->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
	b->entries = record_counted(r, &b->len, RECORD_BRANCH_WORDS);
	if (layout->branch_sample_type & ABI_BRANCH_COUNTERS)
		b->counters = record_counted(r, &b->len, 1);
	if (r->swap && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		for (uint64_t i = 0; i < b->len; i++) {
			uint64_t *e = (uint64_t *)(uintptr_t)(b->entries + i * RECORD_BRANCH_WORDS);

			e[2] = branch_bits(e[2]);
		}
}

static void
take_regs(uint64_t mask, struct reader *r, struct record_regs *regs)
{
	regs->abi = reader_u64(r);
	regs->mask = mask;
	if (regs->abi != PERF_SAMPLE_REGS_ABI_NONE)
		regs->words = record_words(r, (uint64_t)__builtin_popcountll(mask), 1);
}

static void
take_stack(struct reader *r, struct record_sample *s)
{
	s->stack_user = take_sized(r);
	if (s->stack_user.len == 0)
		return;
	s->stack_dyn_size = reader_u64(r);
	if (s->stack_user.len % 8 != 0 || s->stack_dyn_size > s->stack_user.len)
		reader_fail(r);
}

/* The fields behind the common ones, in ABI order. */
static __attribute__((noinline)) void
decode_further(const struct record_layout *layout, struct reader *r, struct record_sample *s)
{
	uint64_t type = layout->sample_type;

	if (type & PERF_SAMPLE_RAW)
		s->raw = take_raw(r);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		take_branches(layout, r, &s->branches);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(layout->sample_regs_user, r, &s->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(r, s);
	if (type & (PERF_SAMPLE_WEIGHT | ABI_SAMPLE_WEIGHT_STRUCT))
		s->weight = reader_u64(r);
	if (type & PERF_SAMPLE_DATA_SRC)
		s->data_src = reader_u64(r);
	if (type & PERF_SAMPLE_TRANSACTION)
		s->transaction = reader_u64(r);
	if (type & PERF_SAMPLE_REGS_INTR)
		take_regs(layout->sample_regs_intr, r, &s->regs_intr);
	if (type & ABI_SAMPLE_PHYS_ADDR)
		s->phys_addr = reader_u64(r);
	if (type & ABI_SAMPLE_CGROUP)
		s->cgroup = reader_u64(r);
	if (type & ABI_SAMPLE_DATA_PAGE_SIZE)
		s->data_page_size = reader_u64(r);
	if (type & ABI_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = reader_u64(r);
	if (type & ABI_SAMPLE_AUX)
		s->aux = take_sized(r);
}

/* The fields of struct perf_event_sample in ABI order. */
static inline __attribute__((always_inline)) void
decode_sample(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	uint64_t type = layout->sample_type;
	struct record_sample *s = &rec->sample;

	s->carries = type;
	if (type & PERF_SAMPLE_IDENTIFIER)
		rec->id.id = reader_u64(r);
	if (type & PERF_SAMPLE_IP)
		s->ip = reader_u64(r);
	if (type & PERF_SAMPLE_TID) {
		rec->id.pid = reader_u32(r);
		rec->id.tid = reader_u32(r);
	}
	if (type & PERF_SAMPLE_TIME)
		rec->id.time_ns = record_own_time(layout, reader_u64(r));
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
	s->period = type & PERF_SAMPLE_PERIOD ? reader_u64(r) : layout->sample_period;
	if (type & PERF_SAMPLE_READ)
		s->read = record_read_words(layout->read_format, r);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->chain_len = reader_u64(r);
		s->chain = record_counted(r, &s->chain_len, 1);
		s->chain_max = layout->max_stack;
	}
	if (type & ~COMMON_FIELDS)
		decode_further(layout, r, s);
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
		id->time_ns = record_own_time(layout, reader_u64(r));
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

static inline void
decode_field(const struct record_layout *layout, struct reader *r, const struct record_field *f,
	     struct record *rec)
{
	void *member = (char *)rec + f->at;

	switch (f->bytes) {
	case FIELD_U16:
		*(uint16_t *)member = reader_u16(r);
		break;
	case FIELD_U32:
		*(uint32_t *)member = reader_u32(r);
		break;
	case FIELD_U64:
		*(uint64_t *)member = reader_u64(r);
		break;
	case FIELD_STRING:
		*(const char **)member = reader_string(r);
		break;
	case FIELD_READ:
		*(struct bytes *)member = record_read_words(layout->read_format, r);
		break;
	case FIELD_OWN:
		f->read(r, rec);
		break;
	case FIELD_NONE:
		break;
	}
}

/* A record that is no sample: its trailer tells its id even if nobody knows its type. */
static int
decode_side(const struct record_layout *layout, struct reader *r, struct record *rec)
{
	const struct record_type *type = record_type_find(rec->type);
	size_t tail = layout->trailer_bytes;
	struct reader trailer;

	if (r->failed)
		return -1;
	if (rec->type >= RECORD_USER_TYPE_FIRST) {
		rec->payload = (struct bytes){ r->pos, reader_left(r) };
		return type != NULL ? 1 : 0;
	}
	if (reader_left(r) < tail)
		return -1;
	r->end -= tail;
	trailer = reader_over_swapped((struct bytes){ r->end, tail }, r->swap);
	decode_trailer(layout, &trailer, &rec->id);
	if (type == NULL)
		return 0;
	for (const struct record_field *f = type->fields; f->name != NULL; f++)
		decode_field(layout, r, f, rec);
	return r->failed ? -1 : 1;
}

/*
 * By 64 bytes, which compile to a few stores: a large memset() becomes a slow string instruction.
 */
static inline void
record_clear(struct record *rec)
{
	enum { PIECE = 64 };
	uint8_t *p = (uint8_t *)rec, *end = p + sizeof(*rec) / PIECE * PIECE;

	for (; p != end; p += PIECE)
		memset(p, 0, PIECE);
	memset(p, 0, sizeof(*rec) % PIECE);
}

static inline __attribute__((always_inline)) int
decode(const struct record_layout *layout, struct bytes bytes, struct record *rec, bool swap)
{
	struct reader r = reader_over(bytes);
	uint32_t type = reader_u32(&r);

	record_clear(rec);
	rec->type = type;
	rec->misc = reader_u16(&r);
	reader_u16(&r);
	r.swap = swap;
	if (type != PERF_RECORD_SAMPLE) {
		if (type < RECORD_USER_TYPE_FIRST && !r.failed)
			r.end = bytes.data + record_true_len(layout, bytes);
		return decode_side(layout, &r, rec);
	}
	decode_sample(layout, &r, rec);
	return r.failed ? -1 : 1;
}

int
record_decode(const struct record_layout *layout, struct bytes bytes, struct record *rec)
{
	/* The code twice, so that native streams test no flag for each number. */
	return layout->swapped ? decode(layout, bytes, rec, true)
			       : decode(layout, bytes, rec, false);
}

enum record_fit
record_sample_fit(const struct record_layout *layout, struct bytes bytes)
{
	struct reader r = reader_over(bytes);
	struct record rec;

	record_clear(&rec);
	reader_bytes(&r, sizeof(struct perf_event_header));
	decode_sample(layout, &r, &rec);
	if (r.failed)
		return RECORD_FITS_NOT;
	return reader_left(&r) > 0 ? RECORD_IS_LONGER : RECORD_FITS;
}
