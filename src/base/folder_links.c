/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/folder_links.h"

#include "base/buf.h"
#include "base/sudo_caller.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as the kernel follows at most, path_resolution(7) */

static bool
is_trusted(uid_t owner)
{
	uid_t caller;
	gid_t group;

	return owner == 0 || owner == geteuid() ||
	       (sudo_caller(&caller, &group) && owner == caller);
}

/* The path with the link that its first @len bytes are replaced by what it says; NULL: not read. */
static char *
expand(const char *path, size_t len)
{
	char target[PATH_MAX], *link = mem_strndup(path, len);
	ssize_t n = readlink(link, target, sizeof(target));
	struct buf b = { 0 };

	while (len > 0 && path[len - 1] != '/')
		len--;
	if (n > 0 && target[0] != '/')
		buf_add(&b, path, len);
	if (n > 0)
		buf_add(&b, target, (size_t)n);
	if (n > 0)
		buf_add_str(&b, path + strlen(link));
	free(link);
	return b.data;
}

/* The length of the first folder in @path that is a link, 0: none is. */
static size_t
find_link(const char *path, struct stat *st)
{
	for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		char *folder = mem_strndup(path, (size_t)(slash - path));
		bool is_link = *folder != '\0' && lstat(folder, st) == 0 && S_ISLNK(st->st_mode);

		free(folder);
		if (is_link)
			return (size_t)(slash - path);
	}
	return 0;
}

/* The path without links in its folders; NULL, see @err: one of them is another user's. */
static char *
resolve(const char *path, struct err *err)
{
	char *now = mem_strdup(path), *next;
	struct stat st;
	size_t len;

	for (int i = 0; i < LINKS_MAX && (len = find_link(now, &st)) > 0; i++) {
		if (!is_trusted(st.st_uid)) {
			err_set(err, ERR_DENIED, 0, "cannot write '%.150s': '%.*s' is a link of user %u",
				path, (int)MIN(len, 100), now, (unsigned)st.st_uid);
			err_hint(err, "name the folder itself, if it is the one that is meant");
			free(now);
			return NULL;
		}
		next = expand(now, len);
		if (next == NULL)
			break;
		free(now);
		now = next;
	}
	return now;
}

/* Part by part: one that has become a link meanwhile is not followed.  Takes @path to pieces. */
static int
open_folder(char *path)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(*path == '/' ? "/" : ".", flags);
	char *slash = strrchr(path, '/'), *rest;

	if (slash == NULL)
		return fd;
	*slash = '\0';
	for (char *part = strtok_r(path, "/", &rest); part != NULL && fd >= 0;
	     part = strtok_r(NULL, "/", &rest)) {
		int next = openat(fd, part, flags);

		close(fd);
		fd = next;
	}
	return fd;
}

int
folder_links_open(const char *path, struct err *err)
{
	const size_t len = strlen(path);
	char *now = resolve(path, err);
	int fd;

	if (now == NULL)
		return -1;
	fd = open_folder(now);
	free(now);
	if (fd < 0)
		return err_set(err, ERR_IO, errno, "cannot write '%.200s'", path);
	if (len == 0 || path[len - 1] != '/')
		return fd;
	close(fd);
	err_set(err, ERR_IO, 0, "'%.200s' is a folder", path);
	return err_hint(err, "name a file in it");
}
