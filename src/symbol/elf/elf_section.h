/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_SECTION_H
#define PTOP_SYMBOL_ELF_ELF_SECTION_H
/* Sections of an ELF file by name.  Symbol service thread only. */
#include "symbol/elf/elf_file.h"

#include <gelf.h>

/* Asked for each section that has all of its bytes in the file.  false ends the walk. */
typedef bool elf_section_visit(void *self, Elf_Scn *scn, const GElf_Shdr *sh, const char *name);

void elf_section_each(const struct elf_file *f, elf_section_visit *visit, void *self);

/* The first of that name, with its bytes in the file; NULL: there is none. */
Elf_Scn *elf_section_find(const struct elf_file *f, const char *name, GElf_Shdr *sh);

/* Its bytes as they lie in the file, new memory; NULL if it is empty or larger than @max. */
uint8_t *elf_section_read(const struct elf_file *f, const GElf_Shdr *sh, size_t max, size_t *len);

/* Whether it has DWARF data: .debug_info, compressed or not. */
bool elf_section_has_dwarf(const struct elf_file *f);

#endif
