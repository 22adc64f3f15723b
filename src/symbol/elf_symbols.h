/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_SYMBOLS_H
#define PTOP_SYMBOL_ELF_SYMBOLS_H
/*
 * The functions of an ELF file: .symtab, else .dynsym.  Tables are read piece by piece, so a
 * binary with a million symbols costs 24 bytes for each and no more.
 */
#include "symbol/elf_file.h"

/*
 * An image of file offsets, for image_open().  -1: no names, see @err, whose hint says what would
 * mend it.  With an image, @err is set when some symbols had to be left out.  The file is read
 * with pread() only.
 */
int elf_symbols_image(const struct elf_file *f, struct err *err);

#endif
