/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_BASE_FILE_H
#define PTOP_BASE_FILE_H
/*
 * Small files read whole, and files written anew.  May block: not for the engine thread, save for
 * /proc and /sys files that describe ptop itself or the machine.
 */
#include "base/buf.h"
#include "base/err.h"

#include <sys/types.h>

/*
 * Adds the whole content to @b, at most @max bytes.  0, or -1 with errno set (EFBIG: longer than
 * @max; what was read is kept).
 */
int file_read(const char *path, struct buf *b, size_t max);
int file_read_close(int fd, struct buf *b, size_t max); /* from where it stands; closes it */

/*
 * The same for a file of /proc that is read again and again: it stays open from the first reading
 * on.  Zero-initialise to begin.
 */
struct file_kept {
	int fd;
	bool is_open;
};

int file_read_kept(struct file_kept *k, int dirfd, const char *path, struct buf *b, size_t max);
void file_close_kept(struct file_kept *k);

/* The path from the root on, @path as it is if it is not there.  free(). */
char *file_whole_path(const char *path);

/* The first unsigned number in a small file; @missing if it cannot be read. */
int64_t file_number(const char *path, int64_t missing);

/*
 * Opens a new @path for writing, 0600, never through a link, with the user's own rights; an
 * existing file is refused, or with @force replaced; a device, or a pipe of this user, is written
 * into then.
 * Under sudo the new file belongs to who called that.  The descriptor, or -1 with the reason.
 */
int file_create(const char *path, bool force, struct err *err);

/* Removes what file_create() made of @path, as @fd, if that is still there; no device. */
void file_remove_made(int fd, const char *path);

/* The last part of a path. */
const char *file_name_of(const char *path);

/* The same of a file that is ptop's own, also under sudo: it is in a folder of its own, and new. */
int file_create_own(const char *path, struct err *err);

/*
 * Whether the kernel remembers that nothing is at @path.  Never waits for a file system; false also
 * where one would have to be asked.
 */
bool file_is_known_missing(const char *path);

/* Under sudo the file, which the error calls @path, becomes its caller's.  -1: see @err. */
int file_give_to_caller(int fd, const char *path, struct err *err);

/*
 * Standard input, output and error that are closed become /dev/null, to be read only: nothing that
 * is opened later gets their numbers, and what is meant for them.  Before anything is opened.
 */
void file_hold_standard(void);
bool file_is_writable(int fd); /* it is open for that */

/* All the bytes, or -1 with errno. */
int file_write_all(int fd, const void *data, size_t len);

#endif
