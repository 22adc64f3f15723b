/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_CODE_JIT_DUMP_CODE_H
#define PTOP_SYMBOL_CODE_JIT_DUMP_CODE_H
/*
 * Bytes of code that a JIT compiler wrote into its jitdump (perf's jitdump-specification.txt): not
 * trusted, bounded.  In the process that parses alone.
 */
#include "base/err.h"

struct jit_dump_found {
	uint64_t start; /* of the function, in the memory of the process */
	uint8_t *code;  /* the caller's */
	size_t len;
	unsigned machine; /* EM_X86_64 */
	bool is_named_otherwise; /* no code of that name was there: it is another's */
};

bool jit_dump_is_one(int fd);

/* What is looked for. */
struct jit_dump_ask {
	uint64_t addr;
	uint64_t as_of_ns; /* as it was at that time of the compiler's clock; 0: as it is at the end */
	const char *name;
};

/*
 * The code of the function of that name that was put at the address last, or moved there; if none
 * was, the last of any name.  -1: see @err.
 */
int jit_dump_code(int fd, const struct jit_dump_ask *ask, struct jit_dump_found *out,
		  struct err *err);

#endif
