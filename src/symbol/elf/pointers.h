/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_POINTERS_H
#define PTOP_SYMBOL_ELF_POINTERS_H
/*
 * Which registers hold pointers to structures at which addresses of one function, so that operands
 * can be called by the members that they access.  With libdw only.  Symbol service thread only.
 * Zero-initialise to begin.
 */
#include "base/buf.h"
#include "symbol/elf/dwarf_file.h"

struct pointers {
	Dwarf_Off function; /* whose they are */
	bool is_known;
	struct pointer *items;
	size_t len, cap;
	Dwarf_Die *scopes; /* that have variables: the function, blocks, what is inlined */
	size_t scope_len, scope_cap;
};

void pointers_release(struct pointers *p);

/* The operand of an instruction: memory at what the register holds, and so many bytes behind. */
struct pointer_use {
	Dwarf_Addr addr; /* of the instruction */
	unsigned reg;    /* as DWARF numbers them */
	int32_t disp;
	unsigned size;   /* bytes that are accessed; 0: their address is taken */
};

/*
 * Adds "req->header.len", of the innermost variable of @function that is in the register and has a
 * member there.  What is walked is taken from @budget.  false: none is known.
 */
bool pointers_name(struct pointers *p, Dwarf_Die *function, const struct pointer_use *use,
		   uint64_t *budget, struct buf *out);

#endif
