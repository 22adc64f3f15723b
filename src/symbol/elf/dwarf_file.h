/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_DWARF_FILE_H
#define PTOP_SYMBOL_ELF_DWARF_FILE_H
/*
 * The DWARF data of an ELF file, together with the dwz(1) file that it may share some with.  With
 * libdw only: whoever includes this is built with HAVE_LIBDW.  Symbol service thread only: libdw
 * is not thread safe.
 */
#include "symbol/elf/debug_file.h"

#include <elfutils/libdw.h>

struct dwarf_file {
	Dwarf *dwarf, *shared;
	Elf *mapped, *shared_mapped; /* what libdw reads from, NULL: the elf_file's own */
	struct debug_file shared_file;
};

/* Bytes of its debug data, 0: there are none. */
uint64_t dwarf_file_weight(const struct elf_file *f);

/*
 * Opens it; @f stays open until dwarf_file_close().  -1: there is none, it is broken, too large,
 * or lacks its dwz file: see @err.  Nothing is ever opened but by @finder.
 */
int dwarf_file_open(struct dwarf_file *d, const struct elf_file *f,
		    const struct debug_finder *finder, struct err *err);
void dwarf_file_close(struct dwarf_file *d); /* one that is zeros is allowed */

/* The compile unit with the next offset; @off is 0 at first.  false: that was the last. */
bool dwarf_file_next_unit(const struct dwarf_file *d, Dwarf_Off *off, Dwarf_Die *unit);

/*
 * Moves to the entry after @die on the same level.  Where an entry does not say where that is,
 * libdw walks all of its children, and a hostile file may lead backward: only steps forward are
 * made, and their bytes, those of the last entry, too, are taken from @budget.  false: that was
 * the last, or the budget is used up, 0 then.
 */
bool dwarf_file_next_entry(Dwarf_Die *die, uint64_t *budget);

/* What a function is called: as the linker knows it, else as the source has it; NULL: nothing. */
const char *dwarf_file_name_of(Dwarf_Die *function);

#endif
