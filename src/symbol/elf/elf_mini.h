/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_MINI_H
#define PTOP_SYMBOL_ELF_ELF_MINI_H
/*
 * MiniDebugInfo: the symbols that a stripped file has left, as an ELF file in its section
 * .gnu_debugdata, compressed by xz.  Any thread.
 */
#include "symbol/elf/elf_file.h"

/* That file, in memory, bounded: a descriptor, the caller's.  -1: there is none, or see @err. */
int elf_mini_unpack(const struct elf_file *f, struct err *err);

#endif
