/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/own_folder.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
own_folder_is(int fd, mode_t type, mode_t others)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type && st.st_uid == geteuid() &&
	       (st.st_mode & others) == 0;
}

static bool
is_another(const struct stat *st, uid_t system)
{
	return st->st_uid != geteuid() && st->st_uid != system;
}

/*
 * A folder of the path, a link to one, or what that leads to, as far as there is something.  In a user
 * namespace what is the system's reads as nobody's.
 */
static bool
passes_another(const char *path)
{
	bool is_there = true, is_others = false;
	struct stat root;
	uid_t system = stat("/", &root) == 0 ? root.st_uid : geteuid();

	for (size_t len = 1; len <= strlen(path) && is_there && !is_others; len++) {
		struct stat link, target;
		char *part;

		if (path[len] != '/' && path[len] != '\0')
			continue;
		part = mem_strndup(path, len);
		is_there = lstat(part, &link) == 0;
		is_others = is_there && (is_another(&link, system) ||
					 (stat(part, &target) == 0 && is_another(&target, system)));
		free(part);
	}
	return is_others;
}

bool
own_folder_path(struct buf *b, const char *variable, const char *in_home)
{
	const char *folder = getenv(variable), *home = getenv("HOME");
	struct buf path = { 0 };

	if (folder != NULL && *folder == '/')
		buf_addf(&path, "%s/ptop", folder);
	else if (home != NULL && *home == '/')
		buf_addf(&path, "%s/%s/ptop", home, in_home);
	else
		return false;
	/*
	 * The home that sudo leaves may be its caller's, whose files are not root's, and whose links lead
	 * to any that are.
	 */
	if (geteuid() == 0 && passes_another(path.data)) {
		buf_reset(&path);
		buf_addf(&path, "/root/%s/ptop", in_home);
	}
	buf_add(b, path.data, path.len);
	buf_release(&path);
	return true;
}

/* In a new home not even ~/.local is there; what cannot be made, the open that follows tells. */
static void
make_folders(int at, const char *path)
{
	for (size_t len = 1; len <= strlen(path); len++) {
		char *folder;

		if (path[len] != '/' && path[len] != '\0')
			continue;
		folder = mem_strndup(path, len);
		mkdirat(at, folder, 0700);
		free(folder);
	}
}

/* @fd, if it is as own_folder_is() says; else it is closed. */
static int
keep_own(int fd, mode_t type, mode_t others)
{
	if (fd < 0 || own_folder_is(fd, type, others))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

int
own_folder_open(int at, const char *path, mode_t others)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int dir = openat(at, path, flags);

	if (dir < 0 && errno == ENOENT) {
		make_folders(at, path);
		dir = openat(at, path, flags);
	}
	return keep_own(dir, S_IFDIR, others);
}

int
own_folder_file(int dir, const char *name, int flags, mode_t others)
{
	const int usual = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

	return keep_own(openat(dir, name, usual | flags), S_IFREG, others);
}

bool
own_folder_save(int dir, const char *name, const struct buf *content)
{
	char temp[192];
	bool good;
	int fd, saved;

	snprintf(temp, sizeof(temp), "%.160s.new-%d", name, (int)getpid());
	unlinkat(dir, temp, 0);
	fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	good = file_write_all(fd, buf_str(content), content->len) == 0;
	saved = errno;
	if (close(fd) == 0 && good && renameat(dir, temp, dir, name) == 0)
		return true;
	errno = good ? errno : saved;
	saved = errno;
	unlinkat(dir, temp, 0);
	errno = saved;
	return false;
}
