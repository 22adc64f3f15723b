/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_KERNEL_KCORE_H
#define PTOP_SYMBOL_KERNEL_KCORE_H
/*
 * The running kernel's memory, with its code as it is patched now: /proc/kcore, which takes
 * CAP_SYS_RAWIO to open.  Any thread.
 */
#include "base/err.h"

/* Reads @len bytes at @addr of the core file at @path.  -1: see @err. */
int kcore_read(const char *path, uint64_t addr, uint8_t *out, size_t len, struct err *err);

#endif
