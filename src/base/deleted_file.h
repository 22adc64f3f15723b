/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_DELETED_FILE_H
#define PTOP_BASE_DELETED_FILE_H
/* A file that was deleted, or replaced by another one, while it was written.  Calls may block. */
#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* Of a pipe or a device: false. */
bool deleted_file_is_one(int fd);

/* Its first @bytes, by @put, which is as file_write_all().  -1 with errno. */
int deleted_file_copy(int fd, off_t bytes, int to,
		      int (*put)(int to, const void *data, size_t len));

/*
 * What it has, its first @bytes, goes to a new file of that name, or beside another that has the name
 * by now.  @err says in any case what happened.  -1: it could be written nowhere.
 */
int deleted_file_restore(int fd, off_t bytes, const char *path, struct err *err);

#endif
