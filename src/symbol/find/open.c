/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/open.h"
#include "symbol/file/build_id.h"
#include "symbol/find/build_store.h"
#include "symbol/find/mapped.h"
#include "symbol/find/source_open.h"
#include "symbol/kernel/vdso.h"

#include "base/own_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DELETED " (deleted)"

enum { COARSE_MS = 10 }; /* clocks of files and samples differ by a tick */

struct try {
	const struct symbol_ask *ask;
	const char *proc;
	bool deleted; /* as the map says */
	bool ended;   /* a live process, so that nobody leads to the file as it saw it */
	/* Why nothing was found so far; the most telling is kept. */
	bool replaced, changed, other_build, unproven, denied, root_denied, not_regular;
	int sys;
};

static bool
is_deleted(const char *path)
{
	size_t len = strlen(path), tail = strlen(DELETED);

	return len > tail && strcmp(path + len - tail, DELETED) == 0;
}

static bool
is_denial(int sys)
{
	return sys == EACCES || sys == EPERM;
}

static int
refused(struct try *t, int sys)
{
	t->sys = sys;
	t->denied = t->denied || is_denial(sys);
	return -1;
}

/*
 * From an O_PATH descriptor, which opened nothing yet, to one that reads.  A byte is read here,
 * where a file system that hangs holds up nobody else.  Takes @fd.
 */
static int
reopen(struct try *t, int fd)
{
	char path[64], byte;
	int res;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	res = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (res < 0)
		refused(t, errno);
	close(fd);
	if (res >= 0 && pread(res, &byte, 1, 0) < 0) {
		refused(t, errno);
		close(res);
		return -1;
	}
	return res;
}

/* A FIFO or a device must not even be opened.  Takes @fd, -1 included. */
static int
take_regular(struct try *t, int fd, struct stat *st)
{
	if (fd < 0)
		return refused(t, errno);
	if (fstat(fd, st) != 0) {
		refused(t, errno);
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

static int
replaced(struct try *t, int fd)
{
	t->replaced = true;
	close(fd);
	return -1;
}

/*
 * Whether a recording's inode proves nothing any more: it was written again, or given to another
 * file.  To lose its last name changes it, too: of such a file the time of its content tells.
 */
static bool
is_changed(const struct symbol_ask *ask, const struct stat *st)
{
	const struct timespec *t = st->st_nlink > 0 ? &st->st_ctim : &st->st_mtim;
	const uint64_t ns = (uint64_t)t->tv_sec * NSEC_PER_SEC + (uint64_t)t->tv_nsec;

	return ask->unchanged_since_ns != 0 &&
	       ns > ask->unchanged_since_ns + COARSE_MS * NSEC_PER_MSEC;
}

/* What has the inode.  Takes @fd. */
static int
take_unchanged(struct try *t, int fd, const struct stat *st)
{
	if (!is_changed(t->ask, st))
		return fd;
	t->changed = true;
	close(fd);
	return -1;
}

/* A file that does not tell its build is left to the parser, which sees more of it.  Takes @fd. */
static int
take_build(struct try *t, int fd)
{
	const struct symbol_ask *ask = t->ask;
	uint8_t id[BUILD_ID_BYTES];
	int len;

	fd = reopen(t, fd);
	if (fd < 0 || ask->build_id_len == 0)
		return fd;
	len = build_id_read(fd, id);
	if (len <= 0 || (len == ask->build_id_len && memcmp(id, ask->build_id, (size_t)len) == 0))
		return fd;
	t->other_build = true;
	close(fd);
	return -1;
}

/* What something leads to now; it has to be what was mapped.  Takes @fd, an O_PATH one or -1. */
static int
take_same(struct try *t, int fd)
{
	const struct symbol_ask *ask = t->ask;
	bool has_inode, by_map;
	struct stat st;

	fd = take_regular(t, fd, &st);
	if (fd < 0)
		return -1;
	if (ask->build_id_len > 0 || (ask->ino == 0 && ask->pid <= 0))
		return take_build(t, fd);
	if (ask->ino == 0) {
		t->unproven = true;
		close(fd);
		return -1;
	}
	has_inode = mapped_has_inode(ask, &st);
	by_map = !has_inode && mapped_is_renumbered(fd);
	if (!has_inode && !by_map)
		return replaced(t, fd);
	fd = reopen(t, fd);
	if (fd < 0)
		return -1;
	if ((by_map && !mapped_as_asked(ask, fd)) || !mapped_is_same_generation(ask, fd))
		return replaced(t, fd);
	return take_unchanged(t, fd, &st);
}

/* The pid may have been reused, with another file at this very place. */
static int
take_if_ours(struct try *t, int fd, const char *link, const struct stat *st)
{
	const struct symbol_ask *ask = t->ask;
	char target[4096];
	ssize_t n;

	if (ask->ino == 0) {
		n = readlink(link, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strcmp(target, ask->path) == 0)
			return reopen(t, fd);
		close(fd);
		return -1;
	}
	fd = reopen(t, fd);
	if (fd < 0)
		return -1;
	if (!mapped_has_inode(ask, st) && !mapped_as_asked(ask, fd)) {
		close(fd);
		return -1;
	}
	return take_unchanged(t, fd, st);
}

static int
open_range(struct try *t, uint64_t start, uint64_t end)
{
	struct stat st;
	char link[512];
	int fd;

	snprintf(link, sizeof(link), "%s/%d/map_files/%llx-%llx", t->proc, t->ask->pid,
		 (unsigned long long)start, (unsigned long long)end);
	fd = take_regular(t, open(link, O_PATH | O_CLOEXEC), &st);
	return fd >= 0 ? take_if_ours(t, fd, link, &st) : -1;
}

static int
by_map_files(struct try *t)
{
	const struct symbol_ask *ask = t->ask;
	uint64_t start, end;
	int fd;

	if (ask->pid <= 0 || ask->start >= ask->end)
		return -1;
	fd = open_range(t, ask->start, ask->end);
	if (fd < 0 && t->sys == ENOENT && mapped_find(ask, t->proc, &start, &end))
		fd = open_range(t, start, end);
	return fd;
}

static int
open_path(int dir, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* The path as the process sees it: containers have roots of their own. */
static int
by_root(struct try *t)
{
	char path[512];
	int root, fd;

	if (t->ask->pid <= 0)
		return -1;
	snprintf(path, sizeof(path), "%s/%d/root", t->proc, t->ask->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0) {
		t->ended = t->ask->is_live && (errno == ENOENT || errno == ESRCH);
		t->root_denied = is_denial(errno);
		return refused(t, errno);
	}
	/* Kernels before 5.6 do not have it; then a link in there could lead out of it. */
	fd = open_path(root, t->ask->path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	if (fd >= 0 || errno != ENOSYS)
		fd = take_same(t, fd);
	close(root);
	return fd;
}

static int
open_at_path(struct try *t, uint64_t resolve)
{
	int fd = open_path(AT_FDCWD, t->ask->path, resolve);

	if (fd < 0 && errno == ENOSYS)
		fd = open(t->ask->path, O_PATH | O_CLOEXEC);
	return take_same(t, fd);
}

/* For what has ended, and where /proc/PID/maps told of a process that has another root. */
static int
by_path(struct try *t)
{
	/* Who names a file himself may mean one below /proc/PID/root. */
	bool is_named = t->ask->pid <= 0 && t->ask->ino == 0 && t->ask->build_id_len == 0;
	struct own_rights kept;
	int fd;

	if (!is_named && t->ask->kind != SYMBOL_VMLINUX)
		return open_at_path(t, RESOLVE_NO_MAGICLINKS);
	own_rights_begin(&kept);
	fd = open_at_path(t, is_named ? 0 : RESOLVE_NO_MAGICLINKS);
	own_rights_end(&kept);
	return fd;
}

/* For what is nowhere any more, or another build is in its place: a copy that somebody kept. */
static int
by_build_id(struct try *t)
{
	if (t->ask->kind == SYMBOL_VMLINUX)
		return -1; /* somebody chose that very file */
	return build_store_open(BUILD_STORE_FILE, t->ask->build_id, t->ask->build_id_len, 0);
}

/* The program itself, also deleted or in another root, for whom map_files is not allowed. */
static int
by_exe(struct try *t)
{
	struct try other = *t; /* what is refused here says nothing about the file */
	char path[512];

	if (t->ask->pid <= 0 || t->ask->ino == 0)
		return -1;
	snprintf(path, sizeof(path), "%s/%d/exe", t->proc, t->ask->pid);
	return take_same(&other, open(path, O_PATH | O_CLOEXEC));
}

void
open_explain_build(const struct symbol_ask *ask, struct err *err)
{
	if (ask->kind == SYMBOL_VMLINUX) {
		err_set(err, ERR_GONE, 0, "'%.100s' is not the kernel that was sampled", ask->path);
		err_hint(err, "its build-id must be the same");
		return;
	}
	err_set(err, ERR_GONE, 0, "the file at '%.100s' is another build", ask->path);
	err_hint(err, "install the build that was recorded%s",
		 ask->is_live ? "" : ", or name a folder that has it: --symfs DIR");
}

static int
explain(const struct try *t, struct err *err)
{
	static const char again[] = "record again; a program with a build-id is known by that";
	const char *path = t->ask->path;

	if (t->deleted) {
		err_set(err, ERR_GONE, 0, "deleted");
		if (t->denied)
			return err_hint(err, "root can still read it while a process maps it");
		return err_hint(err, "restart the process, or put the file back and restart it");
	}
	if (t->ended && !t->other_build && !t->unproven) {
		err_set(err, ERR_GONE, 0, "the process ended before the file could be opened");
		return err_hint(err, "another process that maps it and lives longer leads to it");
	}
	if (t->replaced) {
		err_set(err, ERR_GONE, 0, "replaced since it was mapped");
		return err_hint(err, "%s", t->ask->is_live ? "restart the process" : again);
	}
	if (t->changed) {
		err_set(err, ERR_GONE, 0, "changed since it was recorded");
		return err_hint(err, "%s", again);
	}
	if (t->other_build) {
		open_explain_build(t->ask, err);
		return -1;
	}
	if (t->not_regular)
		return err_set(err, ERR_FORMAT, 0, "not a regular file: '%s'", path);
	if (t->unproven)
		return err_set(err, ERR_GONE, 0,
			       "nothing tells whether '%s' is the file that was mapped", path);
	if (t->root_denied) {
		err_set(err, ERR_DENIED, EACCES, "cannot look for '%s' where the process sees it",
			path);
		return err_hint(err, "run ptop as root");
	}
	err_set(err, t->sys == ENOENT ? ERR_GONE : is_denial(t->sys) ? ERR_DENIED : ERR_IO, t->sys,
		"cannot open '%s'", path);
	if (t->denied)
		return err_hint(err, "run ptop as root");
	return t->ask->is_live ? -1 : err_hint(err, "put the file back, or name a folder that has it: --symfs DIR");
}

int
open_target(const struct symbol_ask *ask, const char *proc, struct err *err)
{
	/* In order: the surest first. */
	static int (*const ways[])(struct try *t) = { by_map_files, by_root, by_path, by_exe,
							    by_build_id };
	struct try t = { .ask = ask, .proc = proc, .deleted = is_deleted(ask->path),
			 .ended = ask->is_live && ask->pid <= 0 };
	size_t i;
	int fd;

	if (ask->kind == SYMBOL_SOURCE || ask->kind == SYMBOL_SOURCE_NAMED ||
	    ask->kind == SYMBOL_SOURCE_SENT || ask->kind == SYMBOL_CONTAINER)
		return source_open(ask, proc, err);
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

static bool
leads_to(const char *path, const struct stat *to)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == to->st_dev && st.st_ino == to->st_ino;
}

void
open_path_to(const struct symbol_ask *ask, const char *proc, int fd, char path[OPEN_PATH_BYTES])
{
	struct stat st;

	snprintf(path, OPEN_PATH_BYTES, "%s", ask->path);
	if (fstat(fd, &st) != 0 || leads_to(path, &st))
		return;
	snprintf(path, OPEN_PATH_BYTES, "%s/%d/root%s", proc, ask->pid, ask->path);
	if (leads_to(path, &st))
		return;
	snprintf(path, OPEN_PATH_BYTES, "%s/%d/map_files/%llx-%llx", proc, ask->pid,
		 (unsigned long long)ask->start, (unsigned long long)ask->end);
	if (!leads_to(path, &st))
		snprintf(path, OPEN_PATH_BYTES, "%s", ask->path);
}
