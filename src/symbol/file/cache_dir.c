/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/file/cache_dir.h"

#include "base/own_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

struct kept {
	char name[192];
	int64_t changed_s;
	uint64_t bytes;
};

bool
cache_dir_path(struct buf *b)
{
	return own_folder_path(b, "XDG_CACHE_HOME", ".cache");
}

int
cache_dir_open(const char *path)
{
	return own_folder_open(AT_FDCWD, path, 077);
}

int
cache_dir_open_shared(int at, const char *path)
{
	return own_folder_open(at, path, 022);
}

int
cache_dir_load(int dir, const char *name)
{
	return own_folder_file(dir, name, O_NOFOLLOW, 077);
}

static int
copy_all(int from, int to)
{
	struct stat st;
	off_t pos = 0;

	if (fstat(from, &st) != 0)
		return -1;
	while (pos < st.st_size)
		if (sendfile(to, from, &pos, (size_t)(st.st_size - pos)) <= 0)
			return -1;
	return 0;
}

bool
cache_dir_save(int dir, const char *name, int image_fd)
{
	char temp[192];
	bool good;
	int fd;

	/* With the prefix: what a killed run left half written is trimmed like the rest. */
	snprintf(temp, sizeof(temp), "%.160s.new-%d", name, (int)getpid());
	unlinkat(dir, temp, 0);
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	good = copy_all(image_fd, fd) == 0;
	if (close(fd) == 0 && good && renameat(dir, temp, dir, name) == 0)
		return true;
	unlinkat(dir, temp, 0);
	return false;
}

static int
compare_age(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->changed_s > y->changed_s) - (x->changed_s < y->changed_s);
}

static size_t
list(int dir, const char *prefix, const char *keep, struct kept **files)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	size_t n = 0, cap = 0;
	struct dirent *e;
	struct stat st;

	*files = NULL;
	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((e = readdir(d)) != NULL) {
		if (strncmp(e->d_name, prefix, strlen(prefix)) != 0 ||
		    strlen(e->d_name) >= sizeof((*files)->name) ||
		    (keep != NULL && strcmp(e->d_name, keep) == 0) ||
		    fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		vec_reserve(files, &cap, n + 1, sizeof(**files));
		(*files)[n] = (struct kept){ .changed_s = st.st_mtime, .bytes = (uint64_t)st.st_size };
		strcpy((*files)[n++].name, e->d_name);
	}
	closedir(d);
	return n;
}

void
cache_dir_trim(int dir, const char *prefix, const char *keep, uint64_t bytes_max)
{
	struct kept *files;
	size_t n = list(dir, prefix, keep, &files);
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += files[i].bytes;
	if (n > 0)
		qsort(files, n, sizeof(*files), compare_age);
	for (size_t i = 0; i < n && bytes > bytes_max; i++) {
		unlinkat(dir, files[i].name, 0);
		bytes -= files[i].bytes;
	}
	free(files);
}
