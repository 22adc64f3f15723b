/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_FIND_SOURCE_OPEN_H
#define PTOP_SYMBOL_FIND_SOURCE_OPEN_H
/*
 * Opens source files, whose paths a program's debug data chose: anybody may have made it.  May hang
 * on a dead file system: see file_opener.h.
 */
#include "symbol/ask/ask.h"

/*
 * A readable descriptor of the regular file at @ask->path: below the root of the process, if one is
 * given, and never out of it.  By the user's own rights, not by those that are lent: see
 * base/own_rights.h.  Of SYMBOL_SOURCE to root, only what others, that process's user or who
 * called sudo may read as well, and under sudo reach; of SYMBOL_SOURCE_NAMED under sudo nothing behind
 * a link; of SYMBOL_SOURCE_SENT and SYMBOL_CONTAINER, if nobody but the user and root can have put it
 * there.  -1: see @err.
 */
int source_open(const struct symbol_ask *ask, const char *proc, struct err *err);

#endif
