/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_CFI_PROGRAM_H
#define PTOP_SYMBOL_UNWIND_CFI_PROGRAM_H
/* The interpreter of call frame instructions.  Symbol service thread only. */
#include "symbol/elf/elf_file.h"
#include "symbol/elf/cfi_section.h"
#include "symbol/unwind/rules_build.h"

/* The state that the functions of @common begin with.  false: it is broken. */
bool cfi_program_begin(const struct cfi_section *s, const struct cfi_common *common,
		       struct rules_build *b, struct unwind_state *state);

/*
 * Adds the rows of the function that was begun in @b, @shift added to its addresses.  false: it
 * is broken, or of a kind that is not known.
 */
bool cfi_program_run(const struct cfi_section *s, const struct cfi_common *common,
		     const struct cfi_function *fn, const struct unwind_state *initial,
		     uint64_t shift, struct rules_build *b);

/*
 * The code that a signal handler returns to, where no call frame information describes it: in the
 * vdso of arm64, in musl.  Symbol service thread only.  Looks for it in small files alone, by its
 * bytes.
 */
void sigreturn_add(const struct elf_file *f, const struct unwind_machine *machine,
		   struct rules_build *b);

#endif
