/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_PLT_H
#define PTOP_SYMBOL_ELF_ELF_PLT_H
/*
 * The entries of procedure linkage tables, which no symbol names: "malloc@plt", as perf and
 * objdump call them.  Symbol service thread only.
 */
#include "symbol/elf/elf_file.h"
#include "symbol/image/image_build.h"

/* Adds them to @build; how many. */
size_t elf_plt_add(const struct elf_file *f, struct image_build *build);

#endif
