/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_UNWIND_CFI_COMPILE_H
#define PTOP_SYMBOL_UNWIND_CFI_COMPILE_H
/*
 * The call frame information of an ELF file of x86-64 or arm64, compiled to a block of rules: how
 * to get from each of its instructions to the caller's frame.  .eh_frame goes before .debug_frame,
 * which is looked for in the debug file too if the file has neither.  Symbol service thread only.
 */
#include "symbol/elf/debug_file.h"

/*
 * For unwind_rules_open(), a sealed file in memory; -1: see @err, ERR_GONE if the file has no such
 * information, ERR_UNSUPPORTED if it is of another machine.  Asks @finder, NULL for none, for the
 * debug file.  Functions whose information is broken have no rules.  With ERR_LIMIT in @err the
 * block that is given has the first rules alone.
 */
int cfi_compile(const struct elf_file *f, const struct debug_finder *finder, struct err *err);

#endif
