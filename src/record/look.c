/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/look.h"

#include <linux/perf_event.h>
#include <string.h>

enum { REGS = 9, SAMPLE_TYPE = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW };

/* The bits by which asm/perf_regs.h numbers what a call into the kernel keeps: syscall(2). */
struct machine {
	uint8_t call, args[RECORD_LOOK_ARGS], sp, pc;
};

#if defined(__x86_64__)
static const struct machine machine = { 0, { 5, 4, 3, 18, 16, 17 }, 7, 8 };
enum { HAS_REGS = 1 };
#elif defined(__aarch64__)
static const struct machine machine = { 8, { 0, 1, 2, 3, 4, 5 }, 31, 32 };
enum { HAS_REGS = 1 };
#else
/* No unwinder knows it: where it waits is all. */
static const struct machine machine = { 0, { 0 }, 0, 0 };
enum { HAS_REGS = 0 };
#endif

static uint64_t
regs_mask(void)
{
	uint64_t mask = UINT64_C(1) << machine.call | UINT64_C(1) << machine.sp |
			UINT64_C(1) << machine.pc;

	for (size_t i = 0; i < RECORD_LOOK_ARGS; i++)
		mask |= UINT64_C(1) << machine.args[i];
	return mask;
}

void
record_look_attr(struct event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->freq = 0;
	attr->sample_period = 1;
	attr->sample_type = SAMPLE_TYPE;
	/* A dummy counts nothing, but without these it would need the right to the kernel. */
	attr->exclude_kernel = attr->exclude_hv = 1;
	if (!HAS_REGS)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = regs_mask();
	attr->sample_stack_user = RECORD_LOOK_STACK_MAX;
	attr->exclude_callchain_user = 1;
}

bool
record_look_is_attr(const struct event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY &&
	       (attr->sample_type & SAMPLE_TYPE) == SAMPLE_TYPE;
}

bool
record_look_is_layout(const struct record_layout *layout)
{
	return (layout->sample_type & SAMPLE_TYPE) == SAMPLE_TYPE &&
	       layout->sample_regs_user == (HAS_REGS ? regs_mask() : 0);
}

static void
add_u32(struct buf *b, uint32_t value)
{
	buf_add(b, &value, sizeof(value));
}

static void
add_u64(struct buf *b, uint64_t value)
{
	buf_add(b, &value, sizeof(value));
}

/* 64-bit programs have their stacks above what 32 bits reach. */
static uint64_t
abi_of(const struct record_look *look)
{
	if (!look->has_place)
		return PERF_SAMPLE_REGS_ABI_NONE;
	return look->sp >> 32 != 0 ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32;
}

/* In the order of their bits. */
static void
add_regs(struct buf *b, const struct record_look *look)
{
	uint64_t by_bit[64] = { 0 }, mask = regs_mask();

	by_bit[machine.call] = (uint64_t)(int64_t)look->call;
	for (size_t i = 0; i < RECORD_LOOK_ARGS; i++)
		by_bit[machine.args[i]] = look->args[i];
	by_bit[machine.sp] = look->sp;
	by_bit[machine.pc] = look->pc;
	for (; mask != 0; mask &= mask - 1)
		add_u64(b, by_bit[__builtin_ctzll(mask)]);
}

/* The letter of the state, and the file; whole words with their size before them. */
static void
add_raw(struct buf *b, const struct record_look *look)
{
	size_t file = MIN(look->file.len, (size_t)RECORD_LOOK_FILE_MAX);
	size_t len = ((4 + 1 + file + 7) & ~(size_t)7) - 4;

	add_u32(b, (uint32_t)len);
	buf_add_char(b, look->state);
	buf_add(b, look->file.data, file);
	buf_add_fill(b, '\0', len - 1 - file);
}

/* Whole words, as the kernel copies. */
static void
add_stack(struct buf *b, const struct record_look *look)
{
	size_t len = look->has_place ? MIN(look->stack.len, (size_t)RECORD_LOOK_STACK_MAX) : 0;

	len &= ~(size_t)7;
	add_u64(b, len);
	if (len == 0)
		return;
	buf_add(b, look->stack.data, len);
	add_u64(b, len);
}

void
record_encode_look(struct buf *b, const struct record_look *look)
{
	struct perf_event_header head = {
		.type = PERF_RECORD_SAMPLE,
		.misc = look->has_place ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_CPUMODE_UNKNOWN,
	};
	const size_t at = b->len;

	buf_add(b, &head, sizeof(head));
	add_u64(b, look->id);
	add_u64(b, look->has_place ? look->pc : 0);
	add_u32(b, look->pid);
	add_u32(b, look->tid);
	add_u64(b, look->time_ns);
	add_u32(b, RECORD_LOOK_NO_CPU);
	add_u32(b, 0);
	add_u64(b, look->period_ns);
	add_u64(b, 0); /* no chain */
	add_raw(b, look);
	if (HAS_REGS) {
		add_u64(b, abi_of(look));
		if (look->has_place)
			add_regs(b, look);
		add_stack(b, look);
	}
	head.size = (uint16_t)(b->len - at);
	memcpy(b->data + at, &head, sizeof(head));
}

void
record_look_stamp(uint8_t *looks, size_t len, uint64_t time_ns)
{
	const size_t time_at = RECORD_SAMPLE_AT(SAMPLE_TYPE, PERF_SAMPLE_TIME, RECORD_BEFORE_TIME);
	struct perf_event_header head;

	for (size_t at = 0; at < len; at += head.size) {
		memcpy(&head, looks + at, sizeof(head));
		memcpy(looks + at + time_at, &time_ns, sizeof(time_ns));
	}
}

static uint64_t
reg_of(const struct record_regs *regs, unsigned bit)
{
	return regs->words[__builtin_popcountll(regs->mask & ((UINT64_C(1) << bit) - 1))];
}

static bool
carries_look(const struct record_sample *s)
{
	return HAS_REGS && s->regs_user.mask == regs_mask() &&
	       (s->carries & SAMPLE_TYPE) == SAMPLE_TYPE && s->raw.len > 0;
}

bool
record_is_look(const struct record_sample *s)
{
	return s->regs_user.words != NULL && carries_look(s);
}

bool
record_is_blind_look(const struct record_sample *s)
{
	return s->regs_user.words == NULL && carries_look(s);
}

uint64_t
record_look_sp(const struct record_sample *s)
{
	return reg_of(&s->regs_user, machine.sp);
}

int
record_look_call(const struct record_sample *s, uint64_t args[RECORD_LOOK_ARGS])
{
	for (size_t i = 0; i < RECORD_LOOK_ARGS; i++)
		args[i] = reg_of(&s->regs_user, machine.args[i]);
	return (int)(int64_t)reg_of(&s->regs_user, machine.call);
}

struct bytes
record_look_file(const struct record_sample *s)
{
	const char *file = (const char *)s->raw.data + 1;

	return (struct bytes){ (const uint8_t *)file, strnlen(file, s->raw.len - 1) };
}

enum wait_kind
record_look_kind(const struct record_sample *s)
{
	const char state = (char)s->raw.data[0];
	uint64_t args[RECORD_LOOK_ARGS];
	int call;

	if (s->regs_user.words == NULL)
		return state == 'R' ? WAIT_QUEUE : WAIT_UNKNOWN;
	call = record_look_call(s, args);
	return wait_kind_of(call, args, state, record_look_file(s));
}
