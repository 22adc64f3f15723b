/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/calls/function_ends.h"

#include <string.h>

#if defined(__x86_64__)
#include <asm/perf_regs.h>

static const uint8_t endbr[4] = { 0xf3, 0x0f, 0x1e, 0xfa };

/* As instructions number the registers. */
static const uint8_t regs[16] = {
	PERF_REG_X86_AX, PERF_REG_X86_CX, PERF_REG_X86_DX, PERF_REG_X86_BX, PERF_REG_X86_SP,
	PERF_REG_X86_BP, PERF_REG_X86_SI, PERF_REG_X86_DI, PERF_REG_X86_R8, PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13,
	PERF_REG_X86_R14, PERF_REG_X86_R15,
};

static bool
is_landing_pad(const struct listing_instruction *in)
{
	return in->len == sizeof(endbr) && memcmp(in->bytes, endbr, sizeof(endbr)) == 0;
}

/* The condition of a jcc; false: it is another kind of jump. */
static bool
condition_of(const struct listing_instruction *in, uint8_t *condition)
{
	size_t at = 0;

	while (at + 1 < in->len && (in->bytes[at] == 0x2e || in->bytes[at] == 0x3e ||
				    in->bytes[at] == 0xf2))
		at++;
	if (in->bytes[at] == 0x0f && at + 1 < in->len)
		at++;
	else if ((in->bytes[at] & 0xf0) != 0x70)
		return false;
	*condition = in->bytes[at] & 0xf;
	return true;
}

enum where { WHERE_REGISTER, WHERE_TABLE, WHERE_SLOT, WHERE_UNKNOWN };

/* jmp *OPERAND, which is 0xff /4: a register, a table with an index, or a place with an address. */
static enum where
operand_of(const struct listing_instruction *in, uint8_t *reg)
{
	size_t at = 0;
	uint8_t rex = 0, modrm;

	while (at + 1 < in->len && (in->bytes[at] == 0x3e || in->bytes[at] == 0xf2))
		at++;
	if ((in->bytes[at] & 0xf0) == 0x40)
		rex = in->bytes[at++];
	if (at + 1 >= in->len || in->bytes[at] != 0xff || (in->bytes[at + 1] >> 3 & 7) != 4)
		return WHERE_UNKNOWN;
	modrm = in->bytes[at + 1];
	if (modrm >> 6 == 3) {
		*reg = regs[(modrm & 7) | (rex & 1) << 3];
		return WHERE_REGISTER;
	}
	if ((modrm & 7) == 4 && at + 2 < in->len &&
	    ((in->bytes[at + 2] >> 3 & 7) != 4 || (rex & 2)))
		return WHERE_TABLE;
	return WHERE_SLOT;
}
#else
static bool
is_landing_pad(const struct listing_instruction *in)
{
	(void)in;
	return false;
}

static bool
condition_of(const struct listing_instruction *in, uint8_t *condition)
{
	(void)in, (void)condition;
	return false;
}

enum where { WHERE_REGISTER, WHERE_TABLE, WHERE_SLOT, WHERE_UNKNOWN };

static enum where
operand_of(const struct listing_instruction *in, uint8_t *reg)
{
	(void)in, (void)reg;
	return WHERE_UNKNOWN;
}
#endif

static bool
is_stepped(const struct listing_instruction *in)
{
	return call_point_is_stepped(in->bytes, in->len);
}

static bool
has_addr(const struct function_code *code, uint64_t addr)
{
	for (size_t i = 0; i < code->count; i++) {
		const struct listing *l = code->parts[i];

		if (l->count > 0 && addr >= l->items[0].addr && addr - l->items[0].addr < l->size)
			return true;
	}
	return false;
}

static bool
is_jump(const struct listing_instruction *in)
{
	return in->kind == LISTING_JUMP || in->kind == LISTING_CONDITIONAL;
}

/* Whether the jump leads to another function; back to the begin is one of itself. */
static bool
leaves(const struct function_code *code, const struct listing_instruction *in)
{
	const struct listing *own = code->parts[0];

	return in->target != 0 &&
	       (!has_addr(code, in->target) || in->target == own->items[0].addr);
}

uint64_t
function_part(const struct function_code *code)
{
	const struct listing *l = code->parts[0];

	for (uint32_t i = 0; i < l->count && code->count < FUNCTION_PARTS_MAX; i++) {
		const struct listing_instruction *in = &l->items[i];
		const char *cold = strstr(in->operand, ".cold");

		if (is_jump(in) && in->target != 0 && !has_addr(code, in->target) &&
		    cold != NULL && strchr("+.[", cold[5]) != NULL)
			return in->offset + (in->target - in->addr);
	}
	return 0;
}

/* Where it is counted as begun: behind what does nothing but cost a second trap. */
static uint32_t
begin_of(const struct listing *l)
{
	if (l->count < 2 || !is_landing_pad(&l->items[0]))
		return 0;
	for (uint32_t i = 0; i < l->count; i++)
		if (l->items[i].target_index == 1)
			return 0;
	return 1;
}

/* NULL: it is no end, or is added; else why the ends cannot be known. */
static const char *
add_jump(const struct function_code *code, const struct listing_instruction *in,
	 struct call_point *p, size_t *count)
{
	const struct listing *own = code->parts[0];

	if (in->target != 0 && !leaves(code, in))
		return NULL;
	if (in->target != 0 && in->kind == LISTING_JUMP) {
		p->kind = CALL_JUMP;
	} else if (in->target != 0) {
		p->kind = CALL_JUMP_IF;
		if (!condition_of(in, &p->condition))
			return "the condition of a jump out of it is not understood";
	} else {
		switch (operand_of(in, &p->reg)) {
		case WHERE_TABLE:
			return NULL;
		case WHERE_SLOT:
			p->kind = CALL_JUMP;
			break;
		case WHERE_REGISTER:
			p->kind = CALL_JUMP_BY;
			p->low = (int64_t)(own->offset - in->offset);
			p->high = p->low + (int64_t)own->size;
			break;
		case WHERE_UNKNOWN:
			return "where one of its jumps leads is not known";
		}
	}
	++*count;
	return NULL;
}

static const char *
add_ends(const struct function_code *code, const struct listing *l, struct call_point *points,
	 size_t *count)
{
	for (uint32_t i = 0; i < l->count; i++) {
		const struct listing_instruction *in = &l->items[i];
		struct call_point *p = &points[*count];
		const char *why = NULL;

		if (in->kind != LISTING_RETURN && !is_jump(in))
			continue;
		if (*count == CALL_POINTS_MAX)
			return "it has too many returns and tail calls";
		*p = (struct call_point){ .kind = CALL_RETURN, .offset = in->offset,
					  .is_stepped = is_stepped(in) };
		if (in->kind == LISTING_RETURN)
			++*count;
		else
			why = add_jump(code, in, p, count);
		if (why != NULL)
			return why;
	}
	return NULL;
}

static const char *
why_not(const struct listing *l)
{
	if (l->count == 0)
		return l->why;
	if (l->undecoded > 0)
		return "not all of its instructions can be decoded";
	return l->notice_count > 0 ? l->notices[0] : NULL;
}

const char *
function_ends(const struct function_code *code, struct call_point *points, size_t *count)
{
	const struct listing *own = code->parts[0];
	const struct listing_instruction *first =
		own->count > 0 ? &own->items[begin_of(own)] : NULL;
	const char *why = NULL;

	points[0] = (struct call_point){ .kind = CALL_BEGIN,
					 .offset = first != NULL ? first->offset : own->offset,
					 .is_stepped = first == NULL || is_stepped(first) };
	*count = 1;
	for (size_t i = 0; i < code->count && why == NULL; i++)
		why = why_not(code->parts[i]);
	for (size_t i = 0; i < code->count && why == NULL; i++)
		why = add_ends(code, code->parts[i], points, count);
	for (size_t i = 1; i < *count && why == NULL; i++)
		if (points[i].offset == points[0].offset)
			why = "its first instruction already leaves it";
	if (why == NULL && *count == 1)
		why = "no return or tail call is found in it";
	if (why != NULL)
		*count = 1;
	return why != NULL ? why : "";
}
