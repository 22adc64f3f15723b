/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/open.h"
#include "symbol/vdso.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DELETED " (deleted)"

struct try {
	const struct symbol_ask *ask;
	const char *proc;
	bool deleted; /* as the map says */
	/* Why nothing was found so far; the most telling is kept. */
	bool replaced, denied, not_regular;
	int sys;
};

static bool
is_deleted(const char *path)
{
	size_t len = strlen(path), tail = strlen(DELETED);

	return len > tail && strcmp(path + len - tail, DELETED) == 0;
}

/* From an O_PATH descriptor, which opened nothing yet, to one that reads.  Takes @fd. */
static int
reopen(struct try *t, int fd)
{
	char path[64];
	int res;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	res = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (res < 0) {
		t->sys = errno;
		t->denied = t->sys == EACCES || t->sys == EPERM;
	}
	close(fd);
	return res;
}

/* A FIFO or a device must not even be opened.  Takes @fd, -1 included. */
static int
take_regular(struct try *t, int fd, struct stat *st)
{
	if (fd < 0) {
		t->sys = errno;
		t->denied = t->denied || t->sys == EACCES || t->sys == EPERM;
		return -1;
	}
	if (fstat(fd, st) != 0) {
		t->sys = errno;
		close(fd);
		return -1;
	}
	if (!S_ISREG(st->st_mode)) {
		t->not_regular = true;
		close(fd);
		return -1;
	}
	return fd;
}

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/*
 * The pid may have been reused, with another file at this very place.  The inode alone does not
 * tell: that of a map and that of a path differ on overlayfs and btrfs.
 */
static bool
map_is_ours(const struct symbol_ask *ask, const char *link, const struct stat *st)
{
	char target[4096];
	ssize_t n;

	if (ask->ino == 0 || st->st_ino == ask->ino)
		return true;
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return strcmp(base_name(target), base_name(ask->path)) == 0;
}

static int
by_map_files(struct try *t)
{
	const struct symbol_ask *ask = t->ask;
	struct stat st;
	char link[512];
	int fd;

	if (ask->pid <= 0 || ask->start >= ask->end)
		return -1;
	snprintf(link, sizeof(link), "%s/%d/map_files/%llx-%llx", t->proc, ask->pid,
		 (unsigned long long)ask->start, (unsigned long long)ask->end);
	fd = take_regular(t, open(link, O_PATH | O_CLOEXEC), &st);
	if (fd < 0)
		return -1;
	if (!map_is_ours(ask, link, &st)) {
		close(fd);
		return -1;
	}
	return reopen(t, fd);
}

/* What a path leads to now; it has to be what was mapped. */
static int
take_same(struct try *t, int fd)
{
	struct stat st;

	fd = take_regular(t, fd, &st);
	if (fd < 0)
		return -1;
	if (t->ask->build_id_len == 0 && t->ask->ino != 0 && st.st_ino != t->ask->ino) {
		t->replaced = true;
		close(fd);
		return -1;
	}
	return reopen(t, fd);
}

/* The path as the process sees it: containers have roots of their own. */
static int
by_root(struct try *t)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char path[512];
	int root, fd;

	if (t->ask->pid <= 0 || t->deleted)
		return -1;
	snprintf(path, sizeof(path), "%s/%d/root", t->proc, t->ask->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	/* Kernels before 5.6 do not have it; then a link in there could lead out of it. */
	fd = (int)syscall(SYS_openat2, root, t->ask->path, &how, sizeof(how));
	if (fd < 0 && errno == ENOSYS) {
		close(root);
		return -1;
	}
	fd = take_same(t, fd);
	close(root);
	return fd;
}

static int
by_path(struct try *t)
{
	if (t->deleted)
		return -1;
	return take_same(t, open(t->ask->path, O_PATH | O_CLOEXEC));
}

static int
explain(const struct try *t, struct err *err)
{
	const char *path = t->ask->path;

	if (t->deleted) {
		err_set(err, ERR_GONE, 0, "deleted");
		if (t->denied)
			return err_hint(err, "root can still read it while a process maps it");
		return err_hint(err, "restart the process, or put the file back and restart it");
	}
	if (t->replaced) {
		err_set(err, ERR_GONE, 0, "replaced since it was mapped");
		return err_hint(err, "restart the process");
	}
	if (t->not_regular)
		return err_set(err, ERR_FORMAT, 0, "not a regular file: '%s'", path);
	err_set(err, t->sys == ENOENT ? ERR_GONE : ERR_IO, t->sys, "cannot open '%s'", path);
	return t->denied ? err_hint(err, "run ptop as root") : -1;
}

int
open_target(const struct symbol_ask *ask, const char *proc, struct err *err)
{
	/* In order: the surest first. */
	static int (*const ways[])(struct try *t) = { by_map_files, by_root, by_path };
	struct try t = { .ask = ask, .proc = proc, .deleted = is_deleted(ask->path) };
	size_t i;
	int fd;

	if (ask->kind == SYMBOL_MEMORY)
		return vdso_open_of(ask, proc, err);
	/* "[heap]", "//anon" */
	if (ask->path[0] != '/' || ask->path[1] == '/')
		return err_set(err, ERR_GONE, 0, "not a file: '%s'", ask->path);
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		fd = ways[i](&t);
		if (fd >= 0)
			return fd;
	}
	return explain(&t, err);
}
