/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_VSYSCALL_H
#define PTOP_SYMBOL_KERNEL_VSYSCALL_H
/*
 * The three functions of the page that x86-64 kernels show every program at the same address: its
 * places are part of the ABI, and nothing lists them.  Any thread.
 */
#include "symbol/image/image.h"

/* By offset in the page.  NULL: no memory for it. */
struct image *vsyscall_image(void);

#endif
