/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_LINE_SUMS_H
#define PTOP_SYMBOL_ELF_LINE_SUMS_H
/*
 * MD5 sums of source files, and their texts, as line tables of DWARF 5 can have them; libdw passes
 * over both.  Files are hostile: bounded.  With libdw only, see dwarf_file.h.
 */
#include "symbol/elf/dwarf_file.h"
#include "symbol/elf/line_sum.h"

/* Of the line table that was read last.  Zero-initialise to begin. */
struct line_sums {
	bool is_read;
	Dwarf_Word table; /* where it is */
	struct line_sum *items;
	size_t count;     /* 0: it has none */
};

/* What is told of a unit's file, until the next question; NULL: nothing is. */
const struct line_sum *line_sums_find(struct line_sums *s, Dwarf_Die *unit, size_t file);
void line_sums_release(struct line_sums *s);

#endif
