/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_DWARF_EXPR_H
#define PTOP_SYMBOL_UNWIND_DWARF_EXPR_H
/*
 * A DWARF expression of call frame information (DWARF 5, 2.5), which is a program of a small stack
 * machine.  It knows of no frames: for a register or a word of memory it stops, says so, and goes
 * on with the answer.  Nothing is allocated.
 */
#include "base/reader.h"

enum { DWARF_EXPR_STACK = 32 };

enum dwarf_expr_state {
	DWARF_EXPR_RUNS,
	DWARF_EXPR_WANTS_REG,  /* the value of the register number .wanted, as DWARF numbers them */
	DWARF_EXPR_WANTS_WORD, /* the 8 bytes at the address .wanted */
	DWARF_EXPR_DONE,       /* .wanted is the result */
	DWARF_EXPR_FAILED,     /* it makes no sense, or took too long */
};

struct dwarf_expr {
	uint64_t wanted;
	/* the machine's own */
	enum dwarf_expr_state state;
	struct bytes code;
	struct reader r;
	const uint64_t *cfa;
	unsigned *budget, steps;
	int64_t offset; /* to be added to the wanted register */
	unsigned bytes; /* that are taken of the wanted word */
	unsigned depth;
	uint64_t stack[DWARF_EXPR_STACK];
};

/*
 * Begins with *@cfa on the stack; @cfa NULL: with nothing, and without a CFA.  Each operation takes
 * one of *@budget.  All must stay as long as the expression runs.
 */
void dwarf_expr_begin(struct dwarf_expr *e, struct bytes code, const uint64_t *cfa,
		      unsigned *budget);

/* Goes on until something is wanted, or to the end. */
enum dwarf_expr_state dwarf_expr_run(struct dwarf_expr *e);

/* What was wanted: dwarf_expr_run() goes on with it. */
void dwarf_expr_answer(struct dwarf_expr *e, uint64_t value);

#endif
