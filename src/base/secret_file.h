/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_SECRET_FILE_H
#define PTOP_BASE_SECRET_FILE_H
/* A token that is the first line of a file, which nobody else may know.  May block.  Any thread. */
#include "base/buf.h"
#include "base/err.h"

/* How an error calls it, and what is allowed. */
struct secret_rule {
	const char *option;     /* that names the file */
	size_t least, most;     /* bytes, all of them printable ASCII */
	const char *hint;       /* to make a better one; NULL: none */
};

/*
 * Adds the first line of @path, a file of this user, of root, or under sudo of its caller, to @b.  -1:
 * it cannot be read, is another's, others may read or change it, or it is no token; see @err.  Who
 * called this wipes it: secret_release().
 */
int secret_file_read(const struct secret_rule *rule, const char *path, struct buf *b, struct err *err);

/* buf_release(), and nothing of it stays in memory. */
void secret_release(struct buf *b);

/* The text of @b, which is released so, in memory that processes forked later do not have. */
char *secret_hide(struct buf *b);
void secret_forget(char *text); /* what that gave; NULL is allowed */

#endif
