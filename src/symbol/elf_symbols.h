/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_SYMBOLS_H
#define PTOP_SYMBOL_ELF_SYMBOLS_H
/*
 * The functions of an ELF file: .symtab, else .dynsym.  Tables are read piece by piece, so a
 * binary with a million symbols costs 24 bytes for each and no more.
 */
#include "symbol/elf_file.h"

/*
 * An image of @f's file offsets, for image_open(), with the names of @names: @f itself or its
 * separate debug file.  -1: no names, see @err, whose hint says what would mend it.  With an image,
 * @err is set when some symbols had to be left out.  The files are read with pread() only.
 */
int elf_symbols_image(const struct elf_file *f, const struct elf_file *names, struct err *err);

/* Whether it has a .symtab: one that was stripped has .dynsym at most. */
bool elf_symbols_has_table(const struct elf_file *f);

#endif
