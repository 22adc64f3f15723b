/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/source_open.h"

#include "base/own_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int
open_below(const char *root, const char *path, bool follows)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | (follows ? 0 : O_NOFOLLOW),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
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

/* The names of files are the program's choice: it shows nothing that its user may not see. */
static bool
may_be_shown(const struct symbol_ask *ask, const char *proc, const struct stat *st)
{
	uid_t user;

	if (is_guarded(ask))
		return (st->st_uid == geteuid() || st->st_uid == 0) &&
		       (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
	if (ask->kind == SYMBOL_SOURCE_NAMED || geteuid() != 0 || (st->st_mode & S_IROTH))
		return true;
	user = user_of(proc, ask->pid);
	return user != 0 && st->st_uid == user;
}

/* A FIFO or a device must not even be opened.  Takes @fd, of O_PATH. */
static int
reopen(const struct symbol_ask *ask, const char *proc, int fd, struct err *err)
{
	char path[64], byte;
	struct stat st;
	int res = -1;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) < 0)
		err_set(err, ERR_IO, errno, "cannot look at '%.200s'", ask->path);
	else if (!S_ISREG(st.st_mode))
		err_set(err, ERR_FORMAT, 0, "'%.200s' is not a regular file", ask->path);
	else if (!may_be_shown(ask, proc, &st))
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

static int
open_it(const struct symbol_ask *ask, const char *proc, struct err *err)
{
	char root[64] = "/";
	int fd;

	if (ask->pid > 0)
		snprintf(root, sizeof(root), "%s/%d/root", proc, ask->pid);
	fd = open_below(root, ask->path, !is_guarded(ask));
	if (fd < 0)
		return err_set(err, errno == ENOENT || errno == ENOTDIR ? ERR_GONE : ERR_DENIED,
			       errno, "cannot open '%.200s'", ask->path);
	return reopen(ask, proc, fd, err);
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
