/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/sys/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

ssize_t
proc_file_read(int dir_fd, const char *path, char *text, size_t size)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	ssize_t n;
	int saved;

	if (fd < 0)
		return -1;
	do
		n = read(fd, text, size);
	while (n < 0 && errno == EINTR);
	saved = errno;
	close(fd);
	errno = saved;
	return n;
}

int
proc_file_ids(int fd, int *ids, size_t *count)
{
	/* The shortest entry, a one digit name, takes 24 bytes. */
	enum { BATCH = PROC_FILE_IDS * 24 };
	uint64_t space[BATCH / 8];
	char *entries = (char *)space;
	ssize_t n = getdents64(fd, entries, BATCH);
	struct dirent64 *d;

	*count = 0;
	if (n <= 0)
		return n < 0 ? -1 : 0;
	for (ssize_t at = 0; at < n && *count < PROC_FILE_IDS; at += d->d_reclen) {
		d = (struct dirent64 *)(entries + at);
		if (procfs_pid(d->d_name, &ids[*count]))
			(*count)++;
	}
	return 1;
}

int
proc_file_other_id(int dir_fd, const char *path, int id)
{
	int fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ids[PROC_FILE_IDS], other = 0;
	size_t count;

	if (fd < 0)
		return 0;
	while (other == 0 && proc_file_ids(fd, ids, &count) > 0)
		for (size_t i = 0; i < count && other == 0; i++)
			if (ids[i] != id)
				other = ids[i];
	close(fd);
	return other;
}
