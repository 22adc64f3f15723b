/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_UNWIND_FORMAT_H
#define PTOP_SYMBOL_UNWIND_UNWIND_FORMAT_H
/*
 * The bytes of a block of unwind rules, shared by who writes it (rules_build.c), who maps it
 * (unwind_rules.c) and who follows it (unwind.c).  In this order, nothing between but zeros:
 *
 *	struct unwind_header
 *	part_count starts of parts, rising: u32 from base, then zeros up to 8
 *	part_count struct unwind_part, each of rows that begin within 64 KiB
 *	rule_count struct unwind_rule
 *	saved_count struct unwind_saved
 *	code_len bytes of DWARF expressions, each after its length as u16
 *
 * Registers are numbered as DWARF does for the machine.  Numbers are in the byte order of the
 * machine that ptop runs on: blocks do not travel.
 */
#include "base/util.h"

#include <elf.h>

#define UNWIND_MAGIC UINT64_C(0x03646e77706f7470)

enum {
	UNWIND_RULES = 4, /* raised when the same file gives other rules: kept ones are void then */
	UNWIND_BUILD_ID_MAX = 20,
	UNWIND_REGS = 33,          /* the highest number of a register that is followed, and one */
	UNWIND_PART = 64,          /* rows of a part */
	UNWIND_MAX_ROWS = 8 << 20, /* libLLVM has 1.4 million */
	/* Full ones, and those that end early: where the next row is 64 KiB or more behind their start. */
	UNWIND_MAX_PARTS = UNWIND_MAX_ROWS / UNWIND_PART + (1 << 16),
	UNWIND_MAX_RULES = 1 << 16,
	UNWIND_MAX_SAVED = 1 << 20,
	UNWIND_MAX_CODE = 1 << 24,
	UNWIND_MAX_EXPR = 1 << 10,
};

struct unwind_header {
	uint64_t magic;
	uint64_t base; /* a file offset */
	uint32_t row_count; /* those that fill up parts left out */
	uint32_t part_count, rule_count, saved_count, code_len;
	uint32_t machine; /* EM_X86_64, EM_AARCH64 */
	uint32_t build_id_len;
	uint8_t build_id[20]; /* of the file: UNWIND_BUILD_ID_MAX */
};

/*
 * A row holds up to where the next one begins, also in another part.  Nearly all bytes of a block are
 * rows, and lookups go all over them: what is known of a row lies near, so that one lookup touches one
 * place, and takes 4 bytes.  A part that has fewer rows is filled up with its last one.
 */
struct unwind_part {
	uint16_t later[UNWIND_PART];   /* rows begin so many bytes behind the part's start; rising */
	uint16_t numbers[UNWIND_PART]; /* of rules; 0: there is no rule */
};

/* Where the caller's value of a register is. */
enum unwind_how {
	UNWIND_SAME,      /* still in it */
	UNWIND_UNDEFINED, /* nowhere; of the return address: there is no caller */
	UNWIND_AT,        /* in memory, so many bytes from the frame's address (CFA) */
	UNWIND_IS,        /* it is the CFA and so many bytes */
	UNWIND_IN,        /* in the register of that number */
	UNWIND_AT_EXPR,   /* in memory, where the expression at that place of the code says */
	UNWIND_IS_EXPR,   /* it is what the expression says */
	UNWIND_HOWS,
};

enum {
	UNWIND_CFA_EXPR = 0xff, /* in place of a register: cfa is the place of an expression */

	UNWIND_SIGNAL = 1 << 0,   /* a signal's frame: the caller was interrupted */
	UNWIND_SAVES_SP = 1 << 1, /* the stack pointer is saved; it is the CFA otherwise */
	UNWIND_RULE_FLAGS = UNWIND_SIGNAL | UNWIND_SAVES_SP,
};

struct unwind_rule {
	uint8_t cfa_reg;
	uint8_t flags;
	uint8_t ra_how, fp_how; /* enum unwind_how */
	int32_t cfa, ra, fp;    /* the number that goes with it */
	uint32_t saved;         /* first of the others in the table */
	uint32_t saved_count;
};

/* Of any other register; those that are not named are the same. */
struct unwind_saved {
	uint8_t reg;
	uint8_t how;
	uint16_t zero;
	int32_t value;
};

/* What the machines differ in. */
struct unwind_machine {
	unsigned machine;
	uint8_t sp, fp;
	uint8_t ra; /* the register of the return address, on x86-64 a name alone */
	uint8_t pc; /* the name of the program counter: on x86-64 the same */
	uint32_t preserved; /* a bit for each register that a call does not change */
};

static const struct unwind_machine unwind_x86_64 = {
	.machine = EM_X86_64, .sp = 7, .fp = 6, .ra = 16, .pc = 16,
	.preserved = 0xf048,
};

static const struct unwind_machine unwind_arm64 = {
	.machine = EM_AARCH64, .sp = 31, .fp = 29, .ra = 30, .pc = 32,
	.preserved = 0x3ff80000,
};

/* Where the parts of a block begin, and its whole length. */
struct unwind_layout {
	size_t firsts, parts, rules, saved, code, bytes;
};

/* The header's counts must be within their limits, or the sums could wrap. */
static inline struct unwind_layout
unwind_layout_of(const struct unwind_header *h)
{
	struct unwind_layout l = { .firsts = sizeof(*h) };

	l.parts = (l.firsts + (size_t)h->part_count * 4 + 7) & ~(size_t)7;
	l.rules = l.parts + (size_t)h->part_count * sizeof(struct unwind_part);
	l.saved = l.rules + (size_t)h->rule_count * sizeof(struct unwind_rule);
	l.code = l.saved + (size_t)h->saved_count * sizeof(struct unwind_saved);
	l.bytes = l.code + h->code_len;
	return l;
}

#endif
