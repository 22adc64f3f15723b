/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_RULES_BUILD_H
#define PTOP_SYMBOL_UNWIND_RULES_BUILD_H
/*
 * Gathers the rules of one dso and writes them as a block for unwind_rules_open().  Symbol service
 * thread only.
 */
#include "symbol/unwind/unwind_format.h"

#include "base/err.h"
#include "base/reader.h"

struct rules_build;

/* All that is known of the caller's registers at one place. */
struct unwind_state {
	uint8_t cfa_reg; /* or UNWIND_CFA_EXPR */
	uint8_t flags;   /* UNWIND_SIGNAL */
	uint8_t ra;      /* the register that has the return address */
	int32_t cfa;
	uint64_t set; /* registers that have a rule: the others are the same */
	struct unwind_state_reg {
		uint8_t how;
		int32_t value;
	} regs[UNWIND_REGS];
};

/* @base: no address below it will be added. */
struct rules_build *rules_build_new(const struct unwind_machine *machine, uint64_t base);
void rules_build_free(struct rules_build *b);

/* What the rules are of: @len bytes of a build-id, at most 20 are kept. */
void rules_build_set_id(struct rules_build *b, const uint8_t *build_id, size_t len);

/* The place of the expression in the block's code, -1: it is too long, or there are too many. */
int32_t rules_build_code(struct rules_build *b, struct bytes expr);

/*
 * A function begins, and rows of it follow, rising and not before @start.  false: it cannot be
 * taken, as it lies too far from the base or all is full.
 */
bool rules_build_function(struct rules_build *b, uint64_t start, uint64_t end);
void rules_build_row(struct rules_build *b, uint64_t at, const struct unwind_state *state);
void rules_build_drop_function(struct rules_build *b); /* the last one: it is broken */

/* Whether a function of it holds @at.  Slow. */
bool rules_build_has(const struct rules_build *b, uint64_t at);

bool rules_build_is_empty(const struct rules_build *b);
bool rules_build_is_full(const struct rules_build *b); /* something was not taken */

/* The sealed file, -1: see @err. */
int rules_build_finish(struct rules_build *b, struct err *err);

#endif
