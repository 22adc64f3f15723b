/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_VMLINUX_H
#define PTOP_SYMBOL_ELF_VMLINUX_H
/*
 * The functions of a kernel from its ELF file, at the addresses where it runs: each boot may move
 * it.  Symbol service thread only.
 */
#include "symbol/elf/elf_file.h"

/* An image of absolute addresses, for image_open(); @text is where _text is.  -1: see @err. */
int vmlinux_image(const struct elf_file *f, uint64_t text, struct err *err);

#endif
