/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_NAME_H
#define PTOP_VIEW_NAME_H
/* The error for a word that is none of a table's names.  Any thread. */
#include "base/buf.h"
#include "base/err.h"

/*
 * ERR_USAGE: "@what 'wrod': did you mean 'word'?", or, if no name is near, the names as the hint.
 * Always -1.
 */
int name_unknown(struct err *err, const char *what, const char *word, const char *const *names,
		 size_t n);

/*
 * Function names shortened for the screen.  Exports and filters have them whole.  Any thread.
 * Adds @name with "..." for each list of arguments: std::sort<...>, f(...)::{lambda(...)#1}, in Go
 * main.Map[...].  Lists that are no longer than that stay: A<int>::f, operator().  So do brackets
 * that name the function's type: <Vec<...> as Extend<...>>::extend, (*T).Len, (anonymous
 * namespace)::f. Does not make it safe for a terminal; looks at 4 KiB at most.
 */
void brief_add(struct buf *b, const char *name);

#endif
