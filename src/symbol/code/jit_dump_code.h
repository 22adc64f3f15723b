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

/*
 * The code of the function @name that was put at @addr last, or moved there; if none was, the last
 * of any name.  -1: see @err.
 */
int jit_dump_code(int fd, uint64_t addr, const char *name, struct jit_dump_found *out,
		  struct err *err);

#endif
