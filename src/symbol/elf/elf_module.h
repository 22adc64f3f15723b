/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_MODULE_H
#define PTOP_SYMBOL_ELF_ELF_MODULE_H
/*
 * Kernel modules' files, *.ko: objects, which have no addresses until the kernel lays them out.
 * Where code lies from the begin of the module on is found here as the kernel does it.  Symbol
 * service thread only.
 */
#include "symbol/elf/elf_file.h"

/* Makes segments of a module's executable sections; of any other file nothing. */
void elf_module_lay_out(struct elf_file *f);

#endif
