/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_DEBUG_FIND_H
#define PTOP_SYMBOL_FIND_DEBUG_FIND_H
/* The finder of debug files that looks into folders itself: it may hang on a dead file system. */
#include "symbol/elf/debug_finder.h"

/*
 * Looks at once, in the root of a process that maps the dso and then in ptop's own: a find of
 * struct debug_finder.  It trusts no field of @ask; paths do not lead out of the root.
 */
int debug_find(const struct debug_finder *self, const struct debug_ask *ask);

/*
 * Whether it is in the kernel's cache of names that debug_find() would find none by this build-id:
 * no file system is asked, nothing waits.  false: it is not known.
 */
bool debug_find_is_none(const struct debug_finder *self, const struct debug_ask *ask);

#endif
