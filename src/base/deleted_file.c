/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/deleted_file.h"

#include "base/file.h"
#include "base/own_rights.h"
#include "base/util.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART_BYTES = 64 << 10 };

bool
deleted_file_is_one(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 0;
}

/* It was opened to be written alone. */
static int
open_to_read(int fd)
{
	struct own_rights kept;
	char from[32];
	int res, why;

	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	own_rights_begin_to_write(&kept);
	res = open(from, O_RDONLY | O_CLOEXEC);
	why = errno;
	own_rights_end(&kept);
	errno = why;
	return res;
}

int
deleted_file_copy(int fd, off_t bytes, int to, int (*put)(int to, const void *data, size_t len))
{
	char *part = mem_realloc(NULL, PART_BYTES, 1);
	int from = open_to_read(fd), res = from < 0 ? -1 : 0, why;

	while (res == 0 && bytes > 0) {
		ssize_t n = read(from, part, MIN((size_t)bytes, PART_BYTES));

		if (n == 0)
			errno = EIO; /* it was cut meanwhile */
		res = n > 0 ? put(to, part, (size_t)n) : -1;
		bytes -= n;
	}
	why = errno;
	if (from >= 0)
		close(from);
	free(part);
	errno = why;
	return res;
}

int
deleted_file_restore(int fd, off_t bytes, const char *path, struct err *err)
{
	struct whole_file again;
	int res;

	if (whole_file_open_late(&again, path, err) < 0)
		return -1;
	if (deleted_file_copy(fd, bytes, again.fd, file_write_all) < 0) {
		err_set(err, ERR_IO, errno, "cannot write to '%.200s'", path);
		whole_file_drop(&again);
		return -1;
	}
	res = whole_file_finish(&again, err);
	if (res == 0) {
		err_set(err, ERR_IO, 0, "'%.200s' was deleted while it was written", path);
		err_hint(err, "it is there again");
	}
	return res < 0 ? -1 : 0;
}
