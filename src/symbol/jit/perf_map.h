/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_JIT_PERF_MAP_H
#define PTOP_SYMBOL_JIT_PERF_MAP_H
/*
 * Parses a perf map, the text that JIT compilers append to: "START SIZE name" in each line, numbers
 * in hex, anything in the name.  Not trusted: lines that are not so are counted and passed over.
 * One thread.
 */
#include "base/reader.h"
#include "symbol/jit/jit_batch.h"

/* Zero-initialise to begin. */
struct perf_map {
	uint64_t broken;     /* lines */
	bool is_passing_over; /* the rest of a line that is too long */
};

/*
 * Adds the lines of @b, which goes on where the last call stopped; @b shorter than a line can be is
 * the end of what is written so far.  Returns the bytes that are done with: a line that has no end
 * yet is not.
 */
size_t perf_map_read(struct perf_map *p, struct bytes b, struct jit_batch *out);

#endif
