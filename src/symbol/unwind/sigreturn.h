/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_SIGRETURN_H
#define PTOP_SYMBOL_UNWIND_SIGRETURN_H
/*
 * The code that a signal handler returns to, where no call frame information describes it: in the
 * vdso of arm64, in musl.  Symbol service thread only.
 */
#include "symbol/elf/elf_file.h"
#include "symbol/unwind/rules_build.h"

/* Looks for it in small files alone, by its bytes. */
void sigreturn_add(const struct elf_file *f, const struct unwind_machine *machine,
		   struct rules_build *b);

#endif
