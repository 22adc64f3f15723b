/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_INLINES_H
#define PTOP_SYMBOL_ELF_INLINES_H
/*
 * Which functions the compiler put in place of calls, by DWARF data.  With libdw only, as
 * dwarf_file.h.  Symbol service thread only.
 */
#include "base/buf.h"
#include "symbol/elf/dwarf_file.h"

/* The functions of the unit that was asked last: whoever asks in order of addresses has it once. */
struct inlines {
	Dwarf_Off unit;
	struct inlines_function *functions; /* by address */
	size_t len, cap;
	bool is_known;
};

void inlines_release(struct inlines *in); /* one that is zeros is allowed */

/*
 * Adds the names of the functions that are inlined at @addr of @unit, as the linker has them, the
 * outermost first, each with its NUL.  The function that they are in is not among them.  Returns
 * how many, at most INLINES_MAX; what would be further in is left out, as is what follows
 * INLINES_BYTES_MAX.
 */
unsigned inlines_find(struct inlines *in, Dwarf_Die *unit, Dwarf_Addr addr, struct buf *out);

/* The function of @unit that @addr is in; false: none is known. */
bool inlines_function(struct inlines *in, Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die *function);

#endif
