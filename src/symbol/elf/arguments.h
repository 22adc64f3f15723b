/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ARGUMENTS_H
#define PTOP_SYMBOL_ELF_ARGUMENTS_H
/*
 * What a function's arguments are called and what they are, by DWARF data and the calling convention
 * of its machine: those in registers for integers and addresses.  Symbol service thread only.
 */
#include "base/arguments.h"
#include "symbol/elf/debug_finder.h"
#include "symbol/elf/elf_file.h"

struct symbol_place;

/* Fills arguments of @place, code of @f.  Without debug data nothing is known. */
void arguments_find(const struct elf_file *f, const struct debug_finder *finder,
		    struct symbol_place *place);

#endif
