/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_VDSO_H
#define PTOP_SYMBOL_KERNEL_VDSO_H
/* The vdso: ptop's own copy, the same as in all other processes of its kind, or that of another. */
#include "symbol/ask/ask.h"
#include "symbol/image/image.h"

/* A file in memory with the vdso's ELF bytes.  -1: see @err. */
int vdso_open(struct err *err);

/* The same from the memory of @ask->pid, which may hang: for the file opener's thread. */
int vdso_open_of(const struct symbol_ask *ask, const char *proc, struct err *err);

/*
 * The three functions of the page that x86-64 kernels show every program at the same address: its
 * places are part of the ABI, and nothing lists them.  Any thread.  By offset in the page.  NULL:
 * no memory for it.
 */
struct image *vsyscall_image(void);

#endif
