/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_COPIES_H
#define PTOP_SYMBOL_ELF_COPIES_H
/*
 * How often the compiler put a function in place of calls of it, by DWARF data: what is probed or
 * counted where the function begins misses these.  Symbol service thread only.
 */
#include "symbol/elf/debug_finder.h"
#include "symbol/elf/elf_file.h"

struct symbol_place;

/* Fills copies of @place, code of @f.  Without debug data nothing is known, which is 0. */
void copies_count(const struct elf_file *f, const struct debug_finder *finder,
		  struct symbol_place *place);

#endif
