/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_CALLS_CALL_POINT_H
#define PTOP_LIVE_CALLS_CALL_POINT_H
/*
 * The instructions of a function that are probed: where it begins, and each at which it may end.
 * Plain data, and what the registers at a hit tell of it.
 */
#include "base/util.h"

enum call_point_kind {
	CALL_BEGIN,
	CALL_RETURN,
	CALL_JUMP,    /* to another function: a tail call */
	CALL_JUMP_IF, /* the same, if the flags are so */
	CALL_JUMP_BY, /* to where a register tells: a tail call unless that is in the function */
};

struct call_point {
	enum call_point_kind kind;
	uint64_t offset;   /* in the file; of the kernel an address */
	uint8_t condition; /* CALL_JUMP_IF: the low four bits of an x86 jcc's opcode */
	uint8_t reg;       /* CALL_JUMP_BY: as asm/perf_regs.h numbers it */
	bool is_stepped;   /* the kernel single-steps the instruction, which costs more */
	unsigned site;     /* of the event's: whose file it is in */
	int64_t low, high; /* CALL_JUMP_BY: the function lies from ip + low to ip + high */
};

enum { CALL_POINTS_MAX = 64 }; /* of one function: with more ends, its begin alone is probed */

/*
 * Whether the kernel single-steps the instruction that begins with @bytes.  What it cannot be told
 * of, of another machine say, is stepped.
 */
bool call_point_is_stepped(const uint8_t *bytes, size_t len);

/* What a point wants to know of user space's registers, beside the stack pointer. */
uint64_t call_point_regs(const struct call_point *p);

/* Registers of a hit: a word for each bit of @mask, from the lowest up. */
struct call_regs {
	uint64_t mask;
	const uint64_t *words;
};

/* The stack pointer; false: it is not among them. */
bool call_regs_sp(const struct call_regs *regs, uint64_t *sp);

/* Whether the call goes on behind a hit at this point at @ip. */
bool call_point_stays(const struct call_point *p, uint64_t ip, const struct call_regs *regs);

/* All that samples have to carry: the stack pointer alone; 0: not known on this machine. */
uint64_t call_sp_mask(void);

#endif
