/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/source_open.h"

#include "base/own_rights.h"
#include "base/sudo_caller.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
open_below(const char *root, const char *path, bool follows, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return fd;
}

/* Who runs the process; root, if that cannot be told: then only what all may read is shown. */
static uid_t
user_of(const char *proc, int pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	return pid > 0 && stat(path, &st) == 0 ? st.st_uid : 0;
}

/* It is believed, or kept: nobody but the user and root may have written it. */
static bool
is_guarded(const struct symbol_ask *ask)
{
	return ask->kind == SYMBOL_SOURCE_SENT || ask->kind == SYMBOL_CONTAINER;
}

/* Who may see what is shown beside root: of two the second called sudo; 0: nobody. */
struct viewers {
	uid_t user, caller;
};

/* Root's ptop may be all that the one who called it by sudo may run as root. */
static uid_t
caller_of_root(void)
{
	uid_t uid;
	gid_t gid;

	return geteuid() == 0 && sudo_caller(&uid, &gid) ? uid : 0;
}

static bool
is_ones(const struct viewers *v, const struct stat *st)
{
	return st->st_uid != 0 && (st->st_uid == v->user || st->st_uid == v->caller);
}

/* Whether all, or one of them, may go through each folder of @path to that very file. */
static bool
leads_to(const char *root, char *path, const struct stat *file, const struct viewers *v)
{
	const int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st = { 0 };
	char *rest, *part = strtok_r(path, "/", &rest);

	for (; part != NULL && fd >= 0; part = strtok_r(NULL, "/", &rest)) {
		const bool is_open = fstat(fd, &st) == 0 && ((st.st_mode & S_IXOTH) || is_ones(v, &st));
		const int next = is_open ? openat(fd, part, flags) : -1;

		close(fd);
		fd = next;
	}
	if (fd < 0)
		return false;
	if (fstat(fd, &st) < 0)
		st = (struct stat){ 0 };
	close(fd);
	return st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* By the path without links that it was found at: of a container that is one in its own root. */
static bool
is_reachable(int fd, const char *root, const struct stat *st, const struct viewers *v)
{
	const char *const roots[] = { root, "/" };
	char link[64], path[PATH_MAX];
	bool is = false;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	for (size_t i = 0; i < ARRAY_SIZE(roots) && !is; i++) {
		const ssize_t n = readlink(link, path, sizeof(path) - 1);

		path[n > 0 ? n : 0] = '\0';
		is = leads_to(roots[i], path, st, v);
	}
	return is;
}

/* The names of files are the program's choice: it shows nothing that its user may not see. */
static bool
may_be_shown(const struct symbol_ask *ask, const char *proc, const char *root, int fd,
	     const struct stat *st)
{
	struct viewers v;

	if (is_guarded(ask))
		return (st->st_uid == geteuid() || st->st_uid == 0) &&
		       (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
	if (ask->kind == SYMBOL_SOURCE_NAMED || geteuid() != 0)
		return true;
	v = (struct viewers){ user_of(proc, ask->pid), caller_of_root() };
	if (!(st->st_mode & S_IROTH) && !is_ones(&v, st))
		return false;
	return v.caller == 0 || is_reachable(fd, root, st, &v);
}

/* A FIFO or a device must not even be opened.  Takes @fd, of O_PATH. */
static int
reopen(const struct symbol_ask *ask, const char *proc, const char *root, int fd, struct err *err)
{
	char path[64], byte;
	struct stat st;
	int res = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) < 0)
		err_set(err, ERR_IO, errno, "cannot look at '%.200s'", ask->path);
	else if (!S_ISREG(st.st_mode))
		err_set(err, ERR_FORMAT, 0, "'%.200s' is not a regular file", ask->path);
	else if (!may_be_shown(ask, proc, root, fd, &st))
		err_set(err, ERR_DENIED, 0, is_guarded(ask)
			? "others may have written '%.200s'" : "'%.200s' is not for all to read",
			ask->path);
	else if ((res = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0 ||
		 pread(res, &byte, 1, 0) < 0)
		err_set(err, ERR_DENIED, errno, "cannot read '%.200s'", ask->path);
	if (err->code != ERR_NONE && res >= 0) {
		close(res);
		res = -1;
	}
	close(fd);
	return res;
}

/*
 * The root of another user's process is closed to rights that are the user's own, and so is that of a
 * process with another group or with rights of its file.
 */
static int
cannot_open(const struct symbol_ask *ask, const char *root, struct err *err)
{
	int why = errno;

	if (ask->pid > 0 && access(root, X_OK) < 0 && errno == EACCES)
		return err_set(err, ERR_DENIED, why, "'%.200s' is looked for in the root of process %d, which "
			       "is closed to you", ask->path, ask->pid);
	return err_set(err, why == ENOENT || why == ENOTDIR ? ERR_GONE : ERR_DENIED, why,
		       "cannot open '%.200s'", ask->path);
}

static int
open_it(const struct symbol_ask *ask, const char *proc, struct err *err)
{
	char root[64] = "/";
	int fd;

	if (ask->pid > 0)
		snprintf(root, sizeof(root), "%s/%d/root", proc, ask->pid);
	/* Links in a folder that was named may be anybody's. */
	fd = open_below(root, ask->path, !is_guarded(ask),
			ask->kind == SYMBOL_SOURCE_NAMED && caller_of_root() != 0 ? RESOLVE_NO_SYMLINKS : 0);
	if (fd < 0)
		return cannot_open(ask, root, err);
	return reopen(ask, proc, root, fd, err);
}

int
source_open(const struct symbol_ask *ask, const char *proc, struct err *err)
{
	struct own_rights kept;
	int fd;

	*err = (struct err){ 0 };
	if (ask->path[0] != '/')
		return err_set(err, ERR_GONE, 0, "'%.200s' is no whole path", ask->path);
	own_rights_begin(&kept);
	fd = open_it(ask, proc, err);
	own_rights_end(&kept);
	return fd;
}
