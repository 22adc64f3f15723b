/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_SCOPES_H
#define PTOP_SYMBOL_ELF_SCOPES_H
/*
 * The calls that were put in place in one function, laid out by address: for who asks for all of a
 * function's instructions, where inlines.h walks the debug data for each.  With libdw only.
 * Symbol service thread only.  Zero-initialise to begin.
 */
#include "symbol/elf/inlines.h"

#define SCOPE_NONE UINT32_MAX

/* An inlined function. */
struct scope {
	Dwarf_Off die;
	uint32_t outer;      /* that it is in, SCOPE_NONE: the function itself */
	uint32_t depth;
	unsigned call_file;  /* in the unit's table, and the line, where it was called */
	unsigned call_line;
};

struct scopes {
	Dwarf_Off function;  /* whose they are */
	bool is_known;
	struct scope *items;
	size_t len, cap;
	struct scope_range {
		Dwarf_Addr low, high;
		uint32_t scope;
	} *ranges;
	size_t range_len, range_cap;
	Dwarf_Addr *bounds;  /* rising; from each to the next the innermost scope is the same: */
	uint32_t *innermost;
	size_t bound_len;
};

void scopes_release(struct scopes *s);

/* The innermost scope at @addr of @unit; SCOPE_NONE: nothing is inlined there. */
uint32_t scopes_find(struct scopes *s, struct inlines *in, Dwarf_Die *unit, Dwarf_Addr addr);

#endif
