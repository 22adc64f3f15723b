/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_PROFILE_PLACE_JIT_CODE_H
#define PTOP_PROFILE_PLACE_JIT_CODE_H
/*
 * Which code lies where in the memory of a JIT compiler, as it is now: pieces that never overlap.
 * Code that is put over another is there in its place, and nothing is left of the other.  One
 * thread.
 */
#include "base/util.h"

struct jit_range {
	uint64_t start;
	uint32_t size;
	uint32_t name; /* the owner's, not 0 */
};

/* Zero-initialise to begin. */
struct jit_code {
	struct jit_block **blocks; /* in rising order, none of them empty */
	size_t len, cap;
	size_t count; /* of ranges */
};

/* Removes all that lies in @start and @size bytes from there; returns how many were there. */
size_t jit_code_remove(struct jit_code *c, uint64_t start, uint64_t size);

/* Puts @range in the place of all that it overlaps. */
void jit_code_add(struct jit_code *c, const struct jit_range *range);

/* What is at @addr, NULL if nothing is.  Valid until the next change. */
const struct jit_range *jit_code_find(const struct jit_code *c, uint64_t addr);

/* Whether anything lies in @size bytes from @start. */
bool jit_code_overlaps(const struct jit_code *c, uint64_t start, uint64_t size);

void jit_code_release(struct jit_code *c);

#endif
