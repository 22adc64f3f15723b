/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_TESTS_HANGING_FS_H
#define PTOP_TESTS_HANGING_FS_H
/*
 * A file system in user space with one file in it, which stops to answer when it is told to: what a
 * dead network mount is to who looks at it.  Served by a process of its own; root only.
 */
#include <stdbool.h>
#include <sys/types.h>

enum hanging_fs_mode {
	HANGING_FS_FINE,
	HANGING_FS_NO_READS, /* files open, and no read comes back */
	HANGING_FS_BEGINS,   /* but for that of a file's begin */
	HANGING_FS_DEAD,     /* nothing does */
};

struct hanging_fs {
	pid_t server;
	volatile int *mode; /* shared with it */
	char dir[256];
};

/* Mounts it on @dir, with a copy of the file @path as @name.  false: errno says why. */
bool hanging_fs_start(struct hanging_fs *fs, const char *dir, const char *path, const char *name);

/* What hangs there gets an error.  Also after a start that failed, and for one never started. */
void hanging_fs_end(struct hanging_fs *fs);

#endif
