/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_DEMANGLE_H
#define PTOP_SYMBOL_DEMANGLE_H
/*
 * Names as people write them: C++, Rust (both kinds) and D, without parameters and without Rust's
 * hash, as perf shows them.  One thread at a time.
 */
#include "base/util.h"

/* A new string: @raw itself where it is not mangled, too long, or would grow without end. */
char *demangle(const char *raw);

#endif
