/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_ENTRIES_H
#define PTOP_SYMBOL_ELF_ELF_ENTRIES_H
/*
 * Functions that no symbol names, by their bounds: those of the entries of .eh_frame, which
 * stripped files keep.  Symbol service thread only.
 */
#include "symbol/elf/elf_file.h"
#include "symbol/image/image_build.h"

/* Adds all of them to @build; nothing without libdw.  false: the image is full. */
bool elf_entries_add(const struct elf_file *f, struct image_build *build);

#endif
