/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_MEMBERS_H
#define PTOP_SYMBOL_ELF_MEMBERS_H
/*
 * What lies where in a structure, by DWARF data.  With libdw only, as dwarf_file.h.  Symbol service
 * thread only.
 */
#include "base/buf.h"
#include "symbol/elf/dwarf_file.h"

enum {
	MEMBERS_TYPES_MAX = 32, /* names and qualifiers in a row, types in each other */
	MEMBERS_PATH_MAX = 240, /* bytes of a path: a longer one is none */
};

/* The type of @entry, behind all names, "const" and the like; false: it has none, or no end of them. */
bool members_type_of(Dwarf_Die *entry, Dwarf_Die *type);

/* Whether it is a structure, class or union whose members are known. */
bool members_has_any(Dwarf_Die *type);

/* @size bytes at @offset; 0: their address alone is taken. */
struct members_place {
	int64_t offset;
	unsigned size;
};

/*
 * Adds the path of the member at a place of @type, which a pointer, or a reference, leads to:
 * "->header.len", ".names[2]".  Where several lie, as in a union, they are up to three: "->a|b".  Bytes
 * of entries that are walked are taken from @budget.  false: no member is there, or it is used up.
 */
bool members_put(struct buf *out, Dwarf_Die *type, bool is_reference,
		 const struct members_place *place, uint64_t *budget);

#endif
