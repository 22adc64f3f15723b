/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_IMAGE_H
#define PTOP_SYMBOL_ELF_ELF_IMAGE_H
/*
 * The symbol image of an ELF file, from all that can name its functions: its own tables, its debug
 * file, MiniDebugInfo, DWARF.  Symbol service thread only.
 */
#include "symbol/elf/debug_file.h"
#include "symbol/elf/debug_finder.h"
#include "symbol/elf/elf_file.h"
#include "symbol/image/image_build.h"

/* image_source() of what has no more than what it exports. */
#define ELF_IMAGE_EXPORTS ".dynsym only"
/* That of what has the names of its debug file, found by build-id. */
#define ELF_IMAGE_BY_ID "debug file by build-id"

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

/*
 * The functions of a kernel from its ELF file, at the addresses where it runs: each boot may move
 * it.  Symbol service thread only.  An image of absolute addresses, for image_open(); @text is
 * where _text is.  -1: see @err.
 */
int vmlinux_image(const struct elf_file *f, uint64_t text, struct err *err);

/* Where the linker put the kernel's begin; 0: it is no kernel with symbols. */
uint64_t vmlinux_text(const struct elf_file *f);

/*
 * Functions as DWARF data has them, for files whose symbol table was taken out and whose debug
 * data was not.  Symbol service thread only.  Adds the functions of @debug, which is @f itself or
 * its debug file, to the image of @f.  -1: there are none, see @err.
 */
int dwarf_names_add(const struct elf_file *f, const struct elf_file *debug,
		    const struct debug_finder *finder, struct image_build *build,
		    struct err *err);

#endif
