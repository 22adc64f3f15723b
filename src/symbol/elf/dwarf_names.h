/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_DWARF_NAMES_H
#define PTOP_SYMBOL_ELF_DWARF_NAMES_H
/*
 * Functions as DWARF data has them, for files whose symbol table was taken out and whose debug
 * data was not.  Symbol service thread only.
 */
#include "symbol/elf/debug_finder.h"
#include "symbol/elf/elf_file.h"
#include "symbol/image/image_build.h"

/*
 * Adds the functions of @debug, which is @f itself or its debug file, to the image of @f.  -1:
 * there are none, see @err.
 */
int dwarf_names_add(const struct elf_file *f, const struct elf_file *debug,
		    const struct debug_finder *finder, struct image_build *build,
		    struct err *err);

#endif
