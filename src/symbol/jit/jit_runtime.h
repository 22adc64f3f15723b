/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_JIT_JIT_RUNTIME_H
#define PTOP_SYMBOL_JIT_JIT_RUNTIME_H
/* What makes a runtime with a JIT compiler say what its code is called.  Any thread. */
#include <stddef.h>

/* For a process whose name is @comm: writes a sentence of at most @size bytes to @out. */
void jit_runtime_remedy(const char *comm, int pid, char *out, size_t size);

#endif
