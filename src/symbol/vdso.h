/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_VDSO_H
#define PTOP_SYMBOL_VDSO_H
/* ptop's own copy of the vdso, the same as in all other processes of its kind. */
#include "base/err.h"

/* A file in memory with the vdso's ELF bytes.  -1: see @err. */
int vdso_open(struct err *err);

#endif
