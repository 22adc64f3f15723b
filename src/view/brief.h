/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_BRIEF_H
#define PTOP_VIEW_BRIEF_H
/*
 * Names of functions for lines that are short.  Exports, filters and the page about a row have them
 * whole.  Any thread.
 */
#include "base/buf.h"

/*
 * Adds @name with each list of arguments as "...": std::sort<...>, f(...)::{lambda(...)#1}, and in
 * Go main.Map[...].  A list that is no longer than that stays: A<int>::f, operator().  What names
 * the type that a function belongs to stays, too: <Vec<...> as Extend<...>>::extend, (*T).Len,
 * (anonymous namespace)::f.  Nothing is made safe for a terminal, and at most 4 KiB are looked at.
 */
void brief_add(struct buf *b, const char *name);

#endif
