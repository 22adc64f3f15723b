/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_LIBRARY_H
#define PTOP_SYMBOL_FIND_LIBRARY_H
/* Where a library is that is known by its name: as the dynamic linker finds it.  May wait. */
#include "base/err.h"

/*
 * The file of library @name ("libc.so.6") for programs like this one, by ld.so.cache(8).  -1: there
 * is none, see @err.
 */
int library_find(const char *name, char *path, size_t size, struct err *err);

#endif
