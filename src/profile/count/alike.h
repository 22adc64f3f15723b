/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_COUNT_ALIKE_H
#define PTOP_PROFILE_COUNT_ALIKE_H
/*
 * Chains that were unwound lately, each known by what it was made of: a few registers and words of
 * the stack.  A sample that has the same there has the same chain, whatever else its registers and
 * its stack hold, and need not be unwound: busy loops are sampled with few chains.  Compared are the
 * values themselves, not hashes.  One thread.
 */
#include "record/copy.h"
#include "symbol/unwind/unwind.h"

struct alike; /* empty: NULL */

/* Which two registers are always among those that a chain is made of: their bits. */
struct alike_regs {
	uint64_t ip, sp;
};

void alike_free(struct alike *a);

/* Forgets all: rules have changed. */
void alike_clear(struct alike *a);

/* The number of the chain that the sample has, which no other will ever have.  0: it is not known. */
uint64_t alike_find(const struct alike *a, const struct record_copy *s);

/*
 * Notes that the sample's chain was made of @reads, which are known, by maps that have that number;
 * its own number, new or as before.  0: it was made of too many registers.  Makes *@a if need be.
 */
uint64_t alike_note(struct alike **a, const struct alike_regs *regs, const struct record_copy *s,
		    uint64_t maps, const struct unwind_reads *reads);

#endif
