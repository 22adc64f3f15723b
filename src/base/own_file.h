/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_OWN_FILE_H
#define PTOP_BASE_OWN_FILE_H
/*
 * How a command for the user names ptop's file: the one that runs, which need not be in PATH.
 * Any thread.
 */
#include "base/buf.h"

/* Whether --copy has brought it: it leaves nothing on this machine.  Async-signal-safe. */
bool own_file_is_copy(void);

#define OWN_FILE_LINK "/proc/self/exe"
/* Stands for it in a command, and is what a shell can do where its name is not known. */
#define OWN_FILE_WORD "\"$(realpath \"$(command -v ptop)\")\""

/*
 * Adds the text, with what @link points to, quoted for a shell, in place of each OWN_FILE_WORD.
 * Left as it is: if the file was deleted, cannot be named in one line, or is the dynamic linker's.
 * Of a ptop that --copy brought, what needs a file becomes a word about one that is installed there.
 */
void own_file_put(struct buf *b, const char *text, const char *link);

#endif
