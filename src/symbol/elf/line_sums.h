/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_LINE_SUMS_H
#define PTOP_SYMBOL_ELF_LINE_SUMS_H
/*
 * MD5 sums of source files, as line tables of DWARF 5 have them; libdw passes over them.  Files are
 * hostile: bounded.  With libdw only, see dwarf_file.h.
 */
#include "symbol/elf/dwarf_file.h"
#include "symbol/file/md5.h"

/* Of the line table that was read last.  Zero-initialise to begin. */
struct line_sums {
	bool is_read;
	Dwarf_Word table; /* where it is */
	uint8_t (*items)[MD5_BYTES];
	size_t count;     /* 0: it has none */
};

/* The sum of a unit's file, MD5_BYTES, until the next question; NULL: none is known. */
const uint8_t *line_sums_find(struct line_sums *s, Dwarf_Die *unit, size_t file);
void line_sums_release(struct line_sums *s);

#endif
