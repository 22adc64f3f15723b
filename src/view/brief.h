/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_BRIEF_H
#define PTOP_VIEW_BRIEF_H
/* Function names shortened for the screen.  Exports and filters have them whole.  Any thread. */
#include "base/buf.h"

/*
 * Adds @name with "..." for each list of arguments: std::sort<...>, f(...)::{lambda(...)#1}, in Go
 * main.Map[...].  Lists that are no longer than that stay: A<int>::f, operator().  So do brackets
 * that name the function's type: <Vec<...> as Extend<...>>::extend, (*T).Len, (anonymous
 * namespace)::f. Does not make it safe for a terminal; looks at 4 KiB at most.
 */
void brief_add(struct buf *b, const char *name);

#endif
