/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_LIVE_SYS_PROC_FILE_H
#define PTOP_LIVE_SYS_PROC_FILE_H
/* Small files and numbered directories of /proc, with as few system calls as can be. */
#include "base/util.h"

#include <sys/types.h>

enum {
	PROC_FILE_SMALL = 1024, /* enough for stat and schedstat */
	PROC_FILE_IDS = 512,    /* room for one batch */
};

/* What one read() gives, at most @size bytes.  The length, or -1 with errno. */
ssize_t proc_file_read(int dir_fd, const char *path, char *text, size_t size);

/*
 * The next few pids or tids of an open directory, at most PROC_FILE_IDS.  1: *@count of them, can
 * be 0; 0: the end; -1: errno.
 */
int proc_file_ids(int fd, int *ids, size_t *count);

/* An id in the directory @path that is not @id; 0: none. */
int proc_file_other_id(int dir_fd, const char *path, int id);

#endif
