/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/look.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

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

/* The raw data of a look: all of it but the chain, which is unwound before it is recorded. */
#define MAGIC UINT32_C(0x6b6f6f6c) /* "look" */
enum raw_flag {
	RAW_BLIND, /* no place was seen */
	RAW_OWNER_RUNS, RAW_OWNER_WAITS, RAW_HOLDING, RAW_OVER, RAW_RAN, /* see struct record_look */
};

struct raw {
	uint32_t magic;
	int32_t call;
	uint64_t args[RECORD_LOOK_ARGS];
	char state;
	uint8_t flags;  /* bits 1 << enum raw_flag */
	uint8_t kind;   /* enum wait_kind, plus one; 0: the call tells */
	uint8_t length; /* of record_look_length() */
	uint32_t waker;
};

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
record_wait_attr(struct event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->freq = attr->context_switch = 0;
	attr->sample_period = 1;
}

void
record_look_attr(struct event_attr *attr)
{
	record_wait_attr(attr);
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

/* 64-bit programs have their stacks, or their code, above what 32 bits reach. */
static uint64_t
abi_of(const struct record_look *look)
{
	if (!look->has_place)
		return PERF_SAMPLE_REGS_ABI_NONE;
	return (look->sp | look->pc) >> 32 != 0 ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32;
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
		buf_add_raw64(b, by_bit[__builtin_ctzll(mask)]);
}

/* What it waits for, the file behind it; whole words with their size before them. */
static void
add_raw(struct buf *b, const struct raw *raw, struct bytes file)
{
	size_t file_len = MIN(file.len, (size_t)RECORD_LOOK_FILE_MAX);
	size_t len = ((4 + sizeof(*raw) + file_len + 7) & ~(size_t)7) - 4;

	buf_add_raw32(b, (uint32_t)len);
	buf_add(b, raw, sizeof(*raw));
	buf_add(b, file.data, file_len);
	buf_add_fill(b, '\0', len - sizeof(*raw) - file_len);
}

/* That of user space is made of the stack. */
static void
add_chain(struct buf *b, const struct record_look *look)
{
	buf_add_raw64(b, look->kernel_len > 0 ? look->kernel_len + 1 : 0);
	if (look->kernel_len > 0)
		buf_add_raw64(b, (uint64_t)PERF_CONTEXT_KERNEL);
	for (size_t i = 0; i < look->kernel_len; i++)
		buf_add_raw64(b, look->kernel[i]);
}

/* Whole words, as the kernel copies. */
static void
add_stack(struct buf *b, const struct record_look *look)
{
	size_t len = look->has_place ? MIN(look->stack.len, (size_t)RECORD_LOOK_STACK_MAX) : 0;

	len &= ~(size_t)7;
	buf_add_raw64(b, len);
	if (len == 0)
		return;
	buf_add(b, look->stack.data, len);
	buf_add_raw64(b, len);
}

static uint8_t
flags_of(const struct record_look *look)
{
	return (uint8_t)(!look->has_place << RAW_BLIND | (look->owner_state == 'R') << RAW_OWNER_RUNS |
			 (look->owner_state == 'S') << RAW_OWNER_WAITS |
			 look->is_holding << RAW_HOLDING | look->is_over << RAW_OVER | look->has_run << RAW_RAN);
}

void
record_encode_look(struct buf *b, const struct record_look *look)
{
	struct perf_event_header head = {
		.type = PERF_RECORD_SAMPLE,
		.misc = look->has_place ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_CPUMODE_UNKNOWN,
	};
	struct raw raw = {
		.magic = MAGIC, .call = look->call, .state = look->state,
		.flags = flags_of(look),
	};
	const size_t at = b->len;

	memcpy(raw.args, look->args, sizeof(raw.args));
	buf_add(b, &head, sizeof(head));
	buf_add_raw64(b, look->id);
	buf_add_raw64(b, look->has_place ? look->pc : 0);
	buf_add_raw32(b, look->pid);
	buf_add_raw32(b, look->tid);
	buf_add_raw64(b, look->time_ns);
	buf_add_raw32(b, RECORD_LOOK_NO_CPU);
	buf_add_raw32(b, 0);
	buf_add_raw64(b, look->period_ns);
	add_chain(b, look);
	add_raw(b, &raw, look->file);
	if (HAS_REGS) {
		buf_add_raw64(b, abi_of(look));
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

void
record_look_set_period(uint8_t *look, uint64_t period_ns)
{
	const size_t period_at =
		RECORD_SAMPLE_AT(SAMPLE_TYPE, PERF_SAMPLE_PERIOD, RECORD_BEFORE_PERIOD);

	memcpy(look + period_at, &period_ns, sizeof(period_ns));
}

static uint64_t
reg_of(const struct record_regs *regs, unsigned bit)
{
	return regs->words[bits_below(regs->mask, UINT64_C(1) << bit)];
}

/* false: it is none. */
static bool
read_raw(const struct record_sample *s, struct raw *raw)
{
	if ((s->carries & SAMPLE_TYPE) != SAMPLE_TYPE || s->raw.len < sizeof(*raw))
		return false;
	memcpy(raw, s->raw.data, sizeof(*raw));
	return raw->magic == MAGIC;
}

bool
record_call_args(const struct record_sample *s, uint64_t args[RECORD_LOOK_ARGS])
{
	const struct record_regs *regs = &s->regs_user;

	if (!HAS_REGS || regs->words == NULL || regs->abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (size_t i = 0; i < RECORD_LOOK_ARGS; i++) {
		if (!(regs->mask >> machine.args[i] & 1))
			return false;
		args[i] = reg_of(regs, machine.args[i]);
	}
	return true;
}

static uint8_t
length_of(uint64_t whole_ns)
{
	uint64_t us = whole_ns / 1000;

	if (whole_ns == 0)
		return RECORD_LOOK_GOES_ON;
	return us == 0 ? 1 : (uint8_t)(65 - __builtin_clzll(us));
}

/* The kernel's functions tell it, and no other call has them. */
static bool
is_of_futex(enum wait_kind kind)
{
	return kind == WAIT_LOCK || kind == WAIT_CONDITION || kind == WAIT_FUTEX;
}

void
record_encode_wait(struct buf *b, const struct record_layout *layout, const struct record *rec,
		   struct bytes bytes, const struct record_wait *wait)
{
	const struct record_sample *s = &rec->sample;
	const size_t raw_at = (size_t)(s->raw.data - bytes.data) - 4;
	const size_t rest_at = raw_at + 4 + s->raw.len;
	const size_t at = b->len;
	struct raw raw = {
		.magic = MAGIC, .call = RECORD_LOOK_NO_CALL, .state = wait->state,
		.kind = (uint8_t)(wait->kind + 1), .length = length_of(wait->whole_ns),
		.waker = wait->waker,
	};
	struct perf_event_header head;
	char file[32] = "";

	if (record_call_args(s, raw.args) && is_of_futex(wait->kind))
		raw.call = SYS_futex;
	if (raw.call == SYS_futex && wait->kind == WAIT_LOCK)
		snprintf(file, sizeof(file), "mutex 0x%llx", (unsigned long long)raw.args[0]);
	buf_add(b, bytes.data, raw_at);
	add_raw(b, &raw, (struct bytes){ (const uint8_t *)file, strlen(file) });
	buf_add(b, bytes.data + rest_at, bytes.len - rest_at);
	memcpy(&head, bytes.data, sizeof(head));
	head.size = (uint16_t)(b->len - at);
	memcpy(b->data + at, &head, sizeof(head));
	memcpy(b->data + at + layout->sample_time_at, &wait->over_ns, sizeof(wait->over_ns));
	memcpy(b->data + at + layout->sample_period_at, &wait->period_ns, sizeof(wait->period_ns));
}

bool
record_is_look(const struct record_sample *s)
{
	struct raw raw;

	return read_raw(s, &raw);
}

struct bytes
record_look_stack(struct bytes look)
{
	uint64_t len = 0;

	if (!HAS_REGS || look.len < 2 * sizeof(len))
		return (struct bytes){ 0 };
	/* It is the last, and its length comes before and after it. */
	memcpy(&len, look.data + look.len - sizeof(len), sizeof(len));
	if (len == 0 || len > look.len - 2 * sizeof(len))
		return (struct bytes){ 0 };
	return (struct bytes){ look.data + look.len - sizeof(len) - len, len };
}

bool
record_look_sp(const struct record_sample *s, uint64_t *sp)
{
	if (!HAS_REGS || s->regs_user.words == NULL || s->regs_user.mask != regs_mask())
		return false;
	*sp = reg_of(&s->regs_user, machine.sp);
	return true;
}

int
record_look_call(const struct record_sample *s, uint64_t args[RECORD_LOOK_ARGS])
{
	struct raw raw;

	if (!read_raw(s, &raw))
		return RECORD_LOOK_NO_CALL;
	memcpy(args, raw.args, sizeof(raw.args));
	return raw.call;
}

struct bytes
record_look_file(const struct record_sample *s)
{
	const char *file = (const char *)s->raw.data + sizeof(struct raw);

	if (s->raw.len < sizeof(struct raw))
		return (struct bytes){ 0 };
	return (struct bytes){ (const uint8_t *)file, strnlen(file, s->raw.len - sizeof(struct raw)) };
}

char
record_look_owner_state(const struct record_sample *s)
{
	struct raw raw;

	if (!read_raw(s, &raw))
		return 0;
	return raw.flags & 1 << RAW_OWNER_RUNS ? 'R' : raw.flags & 1 << RAW_OWNER_WAITS ? 'S' : 0;
}

bool
record_look_is_holding(const struct record_sample *s)
{
	struct raw raw;

	return read_raw(s, &raw) && (raw.flags & 1 << RAW_HOLDING);
}

bool
record_look_is_over(const struct record_sample *s)
{
	struct raw raw;

	return read_raw(s, &raw) && ((raw.flags & 1 << RAW_OVER) ||
				     (raw.length != 0 && raw.length != RECORD_LOOK_GOES_ON));
}

bool
record_look_has_run(const struct record_sample *s)
{
	struct raw raw;

	return read_raw(s, &raw) && (raw.flags & 1 << RAW_RAN);
}

bool
record_look_variable(struct bytes file, uint64_t *address)
{
	static const char *const words[] = { RECORD_LOOK_MUTEX, RECORD_LOOK_RWLOCK,
					     RECORD_LOOK_CONDITION };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const size_t at = strlen(words[i]);
		char text[32] = "", *end;

		if (file.len <= at || memcmp(file.data, words[i], at) != 0)
			continue;
		memcpy(text, file.data + at, MIN(file.len - at, sizeof(text) - 1));
		*address = strtoull(text, &end, 16);
		return end != text;
	}
	return false;
}

enum wait_kind
record_look_kind(const struct record_sample *s)
{
	struct raw raw;

	if (!read_raw(s, &raw))
		return WAIT_UNKNOWN;
	if (raw.kind > 0 && raw.kind <= WAIT_KINDS)
		return raw.kind - 1;
	if ((raw.flags & 1 << RAW_BLIND) && raw.state != 'R' && raw.state != WAIT_STATE_STOLEN)
		return WAIT_UNKNOWN;
	return wait_kind_of(raw.call, raw.args, raw.state, record_look_file(s));
}

uint32_t
record_look_waker(const struct record_sample *s)
{
	struct raw raw;

	return read_raw(s, &raw) ? raw.waker : 0;
}

unsigned
record_look_length(const struct record_sample *s)
{
	struct raw raw;

	return read_raw(s, &raw) ? raw.length : 0;
}
