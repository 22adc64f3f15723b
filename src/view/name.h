/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_VIEW_NAME_H
#define PTOP_VIEW_NAME_H
/* The error for a word that is none of a table's names.  Any thread. */
#include "base/err.h"

/*
 * ERR_USAGE: "@what 'wrod': did you mean 'word'?", or, if no name is near, the names as the hint.
 * Always -1.
 */
int name_unknown(struct err *err, const char *what, const char *word, const char *const *names,
		 size_t n);

#endif
