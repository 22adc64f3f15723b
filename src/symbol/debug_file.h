/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_DEBUG_FILE_H
#define PTOP_SYMBOL_DEBUG_FILE_H
/* The separate debug file of a stripped one, by its build-id.  Symbol service thread only. */
#include "symbol/debug_find.h"
#include "symbol/elf_file.h"

/*
 * Opens into @debug the file of the same build-id with a symbol table; its descriptor, which the
 * caller closes after elf_file_close(), or -1: there is none.
 */
int debug_file_open(struct elf_file *debug, const struct elf_file *f,
		    const struct debug_finder *finder);

#endif
