/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_WHOLE_FILE_H
#define PTOP_BASE_WHOLE_FILE_H
/*
 * A file that is there whole or not at all: it is written without a name, or where the file system
 * has no such files under another one in the same folder, and gets its own when all is in it.  Calls
 * may block.  One thread at a time.
 */
#include "base/err.h"

struct whole_file {
	int fd; /* to write to */
	int folder; /* of the path when it was opened: a link that comes in its place leads nowhere */
	char *path, *temp; /* the second is a name in the folder */
	bool force, is_nameless;
};

/*
 * As file_create() opens: 0600, never through a link, under sudo its caller's, an existing file is
 * refused unless @force.  What is there and is no file (a pipe, /dev/null) is written to as it is.
 * -1: see @err.
 */
int whole_file_open(struct whole_file *f, const char *path, bool force, struct err *err);

/* The same for what was written already: what has its name by now stays, and it is PATH.1. */
int whole_file_open_late(struct whole_file *f, const char *path, struct err *err);

/*
 * Gives it its name, then its owner.  1: it is whole, but another was faster and it is PATH.1 or the
 * next of 99 that is free, or it cannot be given away: @err says which.  -1: not all could be
 * written, or there is no place for it any more; nothing is left.
 */
int whole_file_finish(struct whole_file *f, struct err *err);

/* Nothing is left of it. */
void whole_file_drop(struct whole_file *f);

#endif
