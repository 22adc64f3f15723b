/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_JIT_JITDUMP_H
#define PTOP_SYMBOL_JIT_JITDUMP_H
/*
 * Parses a jitdump (perf's jitdump-specification.txt), the binary file that JIT compilers append
 * to: what code was made or moved, and when.  Of either byte order, not trusted.  One thread.
 */
#include "base/err.h"
#include "base/reader.h"
#include "symbol/jit/jit_batch.h"

/* Zero-initialise to begin. */
struct jitdump {
	bool has_header; /* what follows is known: */
	bool swap;       /* the file is of the other byte order */
	uint32_t pid;    /* of the runtime, in its own pid namespace */
	uint64_t broken; /* records that make no sense */
	bool is_closed;  /* the runtime wrote that it has ended */
};

/*
 * Adds what @b says, which goes on where the last call stopped; the file has @left bytes from
 * there. *@done is set to the bytes that are done with, which can be more than @b has, since code
 * itself is passed over; 0: the file must grow first.  -1: this is no jitdump, or not one that can
 * be used. @b shorter than JITDUMP_LEAST holds all that is left.
 */
enum { JITDUMP_LEAST = 4096 };
int jitdump_read(struct jitdump *d, struct bytes b, uint64_t left, struct jit_batch *out,
		 uint64_t *done, struct err *err);

#endif
