/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/calls/call_point.h"

#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
#include <asm/perf_regs.h>
#endif

#if defined(__x86_64__) || defined(__i386__)
enum { SP = PERF_REG_X86_SP, FLAGS = PERF_REG_X86_FLAGS };
#elif defined(__aarch64__)
enum { SP = PERF_REG_ARM64_SP, FLAGS = 64 };
#else
enum { SP = 64, FLAGS = 64 };
#endif

enum { CARRY = 1 << 0, PARITY = 1 << 2, ZERO = 1 << 6, SIGN = 1 << 7, OVERFLOW = 1 << 11 };

static uint64_t
bit(unsigned reg)
{
	return reg < 64 ? UINT64_C(1) << reg : 0;
}

/* What the kernel does itself, without running the instruction (arch/x86/kernel/uprobes.c). */
bool
call_point_is_stepped(const uint8_t *bytes, size_t len)
{
#if defined(__x86_64__)
	bool has_rex = len > 1 && (bytes[0] & 0xf0) == 0x40;
	uint8_t op = len > 0 ? bytes[has_rex] : 0;

	if ((op & 0xf8) == 0x50 || (op & 0xf0) == 0x70)
		return false;
	if (op == 0x0f && len > has_rex + 1U)
		return (bytes[has_rex + 1] & 0xf0) != 0x80;
	return op != 0x90 && op != 0xe8 && op != 0xe9 && op != 0xeb;
#else
	(void)bytes, (void)len;
	return true;
#endif
}

uint64_t
call_sp_mask(void)
{
	return bit(SP);
}

uint64_t
call_point_regs(const struct call_point *p)
{
	switch (p->kind) {
	case CALL_JUMP_IF:
		return bit(FLAGS);
	case CALL_JUMP_BY:
		return bit(p->reg);
	case CALL_BEGIN:
	case CALL_RETURN:
	case CALL_JUMP:
		break;
	}
	return 0;
}

static bool
get_reg(const struct call_regs *regs, unsigned reg, uint64_t *value)
{
	if (reg >= 64 || !(regs->mask & bit(reg)))
		return false;
	*value = regs->words[bits_below(regs->mask, bit(reg))];
	return true;
}

bool
call_regs_sp(const struct call_regs *regs, uint64_t *sp)
{
	return get_reg(regs, SP, sp);
}

/* The lowest bit of a condition negates it. */
static bool
is_met(unsigned condition, uint64_t flags)
{
	bool differs = !(flags & SIGN) != !(flags & OVERFLOW);
	const bool met[8] = {
		flags & OVERFLOW, flags & CARRY, flags & ZERO, flags & (CARRY | ZERO),
		flags & SIGN, flags & PARITY, differs, (flags & ZERO) || differs,
	};

	return met[condition >> 1 & 7] != (condition & 1);
}

bool
call_point_stays(const struct call_point *p, uint64_t ip, const struct call_regs *regs)
{
	uint64_t value;

	if (p->kind == CALL_JUMP_IF)
		return get_reg(regs, FLAGS, &value) && !is_met(p->condition, value);
	if (p->kind == CALL_JUMP_BY)
		return get_reg(regs, p->reg, &value) &&
		       (int64_t)(value - ip) >= p->low && (int64_t)(value - ip) < p->high;
	return false;
}
