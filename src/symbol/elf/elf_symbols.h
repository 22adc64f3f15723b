/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_SYMBOLS_H
#define PTOP_SYMBOL_ELF_ELF_SYMBOLS_H
/*
 * The functions in the symbol tables of an ELF file.  Tables are read piece by piece, so a binary
 * with a million symbols costs 24 bytes for each and no more.
 */
#include "symbol/elf/elf_file.h"
#include "symbol/image/image_build.h"

enum elf_table {
	ELF_TABLE_STATIC,  /* .symtab */
	ELF_TABLE_DYNAMIC, /* .dynsym */
};

/* Says where the code of @f is: to be done before symbols are added. */
void elf_symbols_add_code(const struct elf_file *f, struct image_build *build);

/*
 * Adds the functions of a table of @names, which is @f itself or its debug file, at the file
 * offsets of @f.  Read with pread() only.  false: the image is full, some were left out.
 */
bool elf_symbols_add(const struct elf_file *f, const struct elf_file *names, enum elf_table table,
		     struct image_build *build);

/*
 * Adds the sections that linkers make of many pieces, ".init" or ".plt", under their own names, for
 * what no symbol covers in them: to be done last.
 */
void elf_symbols_add_sections(const struct elf_file *f, struct image_build *build);

/* How many symbols a table has, functions or not. */
uint64_t elf_symbols_count(const struct elf_file *f, enum elf_table table);

/* Whether it has a .symtab: one that was stripped has .dynsym at most. */
bool elf_symbols_has_table(const struct elf_file *f);

#endif
