/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_DEMANGLE_H
#define PTOP_SYMBOL_ELF_DEMANGLE_H
/*
 * Names as people write them: C++ and Rust (both manglings) without parameters and hashes, as perf
 * shows them, D, and Go without its escapes.  Suffixes of compilers stay ("ns::f.part.0",
 * "f.constprop.0", "f@plt"), but for LLVM's number (".llvm.123").  Swift and Zig are left as the
 * file has them.  One thread at a time.
 */
#include "base/util.h"

/* A new string: @raw itself where it is not mangled, too long, or would grow without end. */
char *demangle(const char *raw);

#endif
