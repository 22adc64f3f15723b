/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_IMAGE_H
#define PTOP_SYMBOL_ELF_ELF_IMAGE_H
/*
 * The symbol image of an ELF file, from all that can name its functions: its own tables, its debug
 * file, MiniDebugInfo, DWARF.  Symbol service thread only.
 */
#include "symbol/elf/debug_file.h"

/* image_source() of what has no more than what it exports. */
#define ELF_IMAGE_EXPORTS ".dynsym only"

/*
 * For image_open(), at file offsets; -1: no names.  Asks @finder, NULL for none, for debug files.
 * @err says why there are no names, or, with an image, why it lacks some: ERR_GONE if it was
 * stripped of them.  The files are read with pread(), large debug data is mapped.
 */
int elf_image(const struct elf_file *f, const struct debug_finder *finder, struct err *err);

/*
 * The separate file that has @f's .symtab: a debug file, else its MiniDebugInfo.
 * false: there is none.  Close with debug_file_close().
 */
bool elf_image_names_file(struct debug_file *d, const struct elf_file *f,
			  const struct debug_finder *finder);

#endif
