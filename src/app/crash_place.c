/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/crash.h"

#include "base/file.h"
#include "base/own_file.h"
#include "base/sudo_caller.h"
#include "live/sys/capabilities.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

/* Who runs ptop or owns the system made it. */
static bool
is_of_this_user(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Nobody may put another in its place, either. */
static bool
may_follow(int at, const char *name)
{
	struct stat link, parent;

	return fstatat(at, name, &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode) &&
	       is_of_this_user(&link) && fstat(at, &parent) == 0 && is_of_this_user(&parent) &&
	       !(parent.st_mode & S_IWOTH);
}

static int
open_folder(int at, const char *name)
{
	int fd = openat(at, name, FOLDER_FLAGS | O_NOFOLLOW);

	if (fd < 0 && errno == ENOTDIR && may_follow(at, name))
		fd = openat(at, name, FOLDER_FLAGS);
	return fd;
}

/* In a folder of the caller's it is his; in root's it would be a way to root. */
static void
give(const struct crash_place *p, int parent, int fd)
{
	struct stat st;

	if (p->is_sudo && fstat(parent, &st) == 0 && st.st_uid == p->caller &&
	    fstat(fd, &st) == 0 && st.st_uid == geteuid())
		fchownat(fd, "", p->caller, p->group, AT_EMPTY_PATH);
}

static int
make_folder(const struct crash_place *p, int at, const char *name)
{
	int fd;

	if (mkdirat(at, name, 0700) < 0)
		return -1;
	fd = openat(at, name, FOLDER_FLAGS | O_NOFOLLOW);
	if (fd >= 0)
		give(p, at, fd);
	return fd;
}

/* The folder @path, each part of it opened in the one before, or made. */
static int
walk(const struct crash_place *p, const char *path)
{
	int fd = open("/", FOLDER_FLAGS);

	while (fd >= 0 && *(path += strspn(path, "/")) != '\0') {
		size_t len = strcspn(path, "/");
		char name[NAME_MAX + 1];
		int next = -1;

		if (len < sizeof(name)) {
			memcpy(name, path, len);
			name[len] = '\0';
			next = open_folder(fd, name);
			if (next < 0 && errno == ENOENT)
				next = make_folder(p, fd, name);
		}
		close(fd);
		fd = next;
		path += len;
	}
	return fd;
}

/* Nobody else writes there. */
static bool
is_good(const struct crash_place *p, int dir)
{
	struct stat st;

	return fstat(dir, &st) == 0 && (st.st_mode & 022) == 0 &&
	       (st.st_uid == geteuid() || (p->is_sudo && st.st_uid == p->caller));
}

static int
open_in(const struct crash_place *p, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char above[sizeof(p->dirs[0])];
	int parent, dir = -1, fd = -1;

	memcpy(above, path, (size_t)(slash - path));
	above[slash - path] = '\0';
	parent = walk(p, above);
	if (parent >= 0) {
		/* The last one is ptop's own: no link at all. */
		dir = openat(parent, slash + 1, FOLDER_FLAGS | O_NOFOLLOW);
		if (dir < 0 && errno == ENOENT)
			dir = make_folder(p, parent, slash + 1);
		close(parent);
	}
	if (dir >= 0 && is_good(p, dir))
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0 && p->is_sudo && fchown(fd, p->caller, p->group) < 0)
		errno = 0; /* root has it then */
	if (dir >= 0)
		close(dir);
	return fd;
}

int
crash_place_open(const struct crash_place *p, const char *name, const char **dir)
{
	if (p->is_sudo)
		capabilities_for_files();
	else
		capabilities_rest(); /* it is the user's file, with no more rights than theirs */
	for (size_t i = 0; i < ARRAY_SIZE(p->dirs); i++) {
		int fd = p->dirs[i][0] != '\0' ? open_in(p, p->dirs[i], name) : -1;

		*dir = p->dirs[i];
		if (fd >= 0)
			return fd;
	}
	*dir = own_file_is_copy() ? "" : p->dirs[0][0] != '\0' ? p->dirs[0] : "$HOME/.local/state";
	return -1;
}

void
crash_place_choose(struct crash_place *p)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n = -1;

	if (own_file_is_copy())
		return;
	p->is_sudo = sudo_caller(&p->caller, &p->group);
	if (state != NULL && *state == '/')
		n = snprintf(p->dirs[0], sizeof(p->dirs[0]), "%s/ptop", state);
	else if (home != NULL && *home == '/')
		n = snprintf(p->dirs[0], sizeof(p->dirs[0]), "%s/.local/state/ptop", home);
	if (n < 0 || (size_t)n >= sizeof(p->dirs[0]))
		p->dirs[0][0] = '\0';
	/* Where the caller's folder takes nothing of root's, and for services, which have no HOME. */
	if (p->is_sudo || (geteuid() == 0 && p->dirs[0][0] == '\0'))
		strcpy(p->dirs[1], "/root/.local/state/ptop");
}
