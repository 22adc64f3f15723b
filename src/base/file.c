/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"
#include "base/folder_links.h"
#include "base/num.h"
#include "base/own_rights.h"
#include "base/sudo_caller.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef RESOLVE_CACHED /* of Linux 5.12 */
#define RESOLVE_CACHED 0x20
#endif

/* All that is in @fd from where it stands; as file_read() else. */
static int
read_rest(int fd, struct buf *b, size_t max)
{
	size_t start = b->len;
	ssize_t n;

	for (;;) {
		size_t want = MIN(max - (b->len - start), 64 << 10);
		char more;

		if (want == 0) {
			n = read(fd, &more, 1); /* as long as allowed, or longer? */
			if (n > 0)
				errno = EFBIG;
			return n == 0 ? 0 : -1;
		}
		/* Files of /proc give at most a page at a time: begin small. */
		if (b->len == start)
			want = MIN(want, 4096);
		vec_reserve(&b->data, &b->cap, b->len + want + 1, 1);
		n = read(fd, b->data + b->len, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		b->len += (size_t)n;
		b->data[b->len] = '\0';
		if (n == 0)
			return 0;
	}
}

static int
open_to_read(int dirfd, const char *path)
{
	return openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

int
file_read_close(int fd, struct buf *b, size_t max)
{
	int res = read_rest(fd, b, max), saved = errno;

	close(fd);
	errno = saved;
	return res;
}

int
file_read_kept(struct file_kept *k, int dirfd, const char *path, struct buf *b, size_t max)
{
	size_t start = b->len;

	if (k->is_open && lseek(k->fd, 0, SEEK_SET) == 0 && read_rest(k->fd, b, max) == 0)
		return 0;
	/* The first time, or whoever served the file was replaced. */
	b->len = start;
	file_close_kept(k);
	k->fd = open_to_read(dirfd, path);
	k->is_open = k->fd >= 0;
	return k->is_open ? read_rest(k->fd, b, max) : -1;
}

void
file_close_kept(struct file_kept *k)
{
	if (k->is_open)
		close(k->fd);
	k->is_open = false;
}

int
file_read(const char *path, struct buf *b, size_t max)
{
	int fd = open_to_read(AT_FDCWD, path);

	return fd >= 0 ? file_read_close(fd, b, max) : -1;
}

char *
file_whole_path(const char *path)
{
	char *whole = realpath(path, NULL);

	return whole != NULL ? whole : mem_strdup(path);
}

int64_t
file_number(const char *path, int64_t missing)
{
	struct buf b = { 0 };
	int64_t v = missing;
	char *end;

	if (file_read(path, &b, 4096) == 0 && b.len > 0) {
		v = strtoll(b.data, &end, 10);
		if (end == b.data)
			v = missing;
	}
	buf_release(&b);
	return v;
}

int
file_give_to_caller(int fd, const char *path, struct err *err)
{
	uid_t uid;
	gid_t gid;

	if (!sudo_caller(&uid, &gid) || fchown(fd, uid, gid) == 0)
		return 0;
	return err_set(err, ERR_IO, errno, "cannot give '%s' to who called sudo", path);
}

bool
file_is_known_missing(const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_CACHED };
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR;
	close(fd);
	return false;
}

enum { READER_STEP_MS = 20, READER_MOST_MS = 3000 };

enum { WRITE_FLAGS = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY };

/* Whoever made a pipe or a socket in a shared folder reads what comes. */
static bool
may_write_into(const struct stat *st)
{
	uid_t uid;
	gid_t gid;

	return S_ISCHR(st->st_mode) ||
	       (S_ISFIFO(st->st_mode) && (st->st_uid == geteuid() || st->st_uid == 0 ||
					  (sudo_caller(&uid, &gid) && st->st_uid == uid)));
}

/* What is at @path can be overwritten, or written into: 0.  Else force does not help, and why is in @err. */
static int
check_kind(const char *path, const struct stat *st, struct err *err)
{
	static const struct {
		mode_t type;
		const char *what, *hint;
	} others[] = {
		{ S_IFDIR, "a folder", "name a file in it" },
		{ S_IFIFO, "a pipe of another user", "" },
		{ S_IFSOCK, "a socket", "" },
		{ S_IFBLK, "a block device", "" },
	};

	if (S_ISREG(st->st_mode) || may_write_into(st))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if ((st->st_mode & S_IFMT) != others[i].type)
			continue;
		err_set(err, ERR_IO, 0, "'%s' is %s", path, others[i].what);
		return err_hint(err, "%s", others[i].hint);
	}
	return err_set(err, ERR_IO, 0, "'%s' is no file", path);
}

/* What is to be made: by its folder, which a link that comes meanwhile does not replace. */
struct spot {
	int folder; /* AT_FDCWD: the name is the whole path */
	const char *name, *path;
};

static int
create_own(const struct spot *at, struct err *err)
{
	int fd = openat(at->folder, at->name, WRITE_FLAGS | O_CREAT | O_EXCL, 0600);
	struct stat st;

	if (fd < 0 && errno == EEXIST) {
		if (fstatat(at->folder, at->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    check_kind(at->path, &st, err) < 0)
			return -1;
		err_set(err, ERR_IO, 0, "'%s' exists", at->path);
		return err_hint(err, "--force overwrites it");
	}
	return fd >= 0 ? fd : err_set(err, ERR_IO, errno, "cannot write '%s'", at->path);
}

static int
create_new(const struct spot *at, struct err *err)
{
	int fd = create_own(at, err);

	if (fd >= 0 && file_give_to_caller(fd, at->path, err) < 0) {
		close(fd);
		unlinkat(at->folder, at->name, 0);
		return -1;
	}
	return fd;
}

/* A pipe's reader may never come: what waited for that in the kernel could not be ended. */
static int
open_to_reader(const struct spot *at)
{
	static const struct timespec step = { .tv_nsec = READER_STEP_MS * NSEC_PER_MSEC };
	int fd = -1;

	errno = ENXIO;
	for (int ms = 0; fd < 0 && errno == ENXIO && ms <= READER_MOST_MS; ms += READER_STEP_MS) {
		if (ms > 0)
			nanosleep(&step, NULL);
		fd = openat(at->folder, at->name, WRITE_FLAGS | O_NONBLOCK);
	}
	return fd;
}

static int
open_device(const struct spot *at, const struct stat *st, struct err *err)
{
	struct stat opened;
	int fd;

	if (check_kind(at->path, st, err) < 0)
		return -1;
	fd = open_to_reader(at);
	if (fd < 0 && errno == ENXIO) {
		err_set(err, ERR_IO, 0, "cannot write '%s': nobody reads it", at->path);
		return err_hint(err, "start who reads it first");
	}
	if (fd < 0)
		return err_set(err, ERR_IO, errno, "cannot write '%s'", at->path);
	if (fstat(fd, &opened) == 0 && may_write_into(&opened) &&
	    fcntl(fd, F_SETFL, O_WRONLY) == 0)
		return fd;
	close(fd);
	return err_set(err, ERR_IO, 0, "'%s' is another file now", at->path);
}

/* Not into a file that is there: its mode or its owner may let others read it. */
static int
create_over(const struct spot *at, struct err *err)
{
	struct stat st;

	if (fstatat(at->folder, at->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return create_new(at, err);
	if (!S_ISREG(st.st_mode))
		return open_device(at, &st, err);
	if (unlinkat(at->folder, at->name, 0) < 0 && errno != ENOENT)
		return err_set(err, ERR_IO, errno, "cannot replace '%s'", at->path);
	return create_new(at, err);
}

/* The kernel would say that there are too many links, or that it exists. */
static int
check_link(const struct spot *at, struct err *err)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(at->folder, at->name, target, sizeof(target));

	if (n < 0)
		return 0;
	err_set(err, ERR_IO, 0, "cannot write '%.100s': it is a link to '%.*s', and ptop follows no link to a file",
		at->path, (int)MIN(n, 80), target);
	return err_hint(err, strcmp(at->path, "/dev/stdout") == 0 ? "reports go to standard output without -o"
								  : "name the file that is meant, or remove the link");
}

int
file_create_own(const char *path, struct err *err)
{
	struct own_rights kept;
	int fd;

	own_rights_begin(&kept);
	fd = create_own(&(struct spot){ AT_FDCWD, path, path }, err);
	own_rights_end(&kept);
	return fd;
}

const char *
file_name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

int
file_create(const char *path, bool force, struct err *err)
{
	struct spot at = { .name = file_name_of(path), .path = path };
	struct own_rights kept;
	int fd = -1;

	own_rights_begin_to_write(&kept);
	at.folder = folder_links_open(path, err);
	if (at.folder >= 0 && check_link(&at, err) == 0)
		fd = force ? create_over(&at, err) : create_new(&at, err);
	if (at.folder >= 0)
		close(at.folder);
	own_rights_end(&kept);
	return fd;
}

void
file_remove_made(int fd, const char *path)
{
	struct own_rights kept;
	struct stat made, there;
	int folder;

	own_rights_begin_to_write(&kept);
	folder = folder_links_open(path, NULL);
	if (folder >= 0 && fstat(fd, &made) == 0 && S_ISREG(made.st_mode) &&
	    fstatat(folder, file_name_of(path), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    made.st_dev == there.st_dev && made.st_ino == there.st_ino)
		unlinkat(folder, file_name_of(path), 0);
	if (folder >= 0)
		close(folder);
	own_rights_end(&kept);
}

void
file_hold_standard(void)
{
	int fd = STDIN_FILENO;

	/* The lowest number that is free. */
	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = open("/dev/null", O_RDONLY | O_NOCTTY);
	if (fd > STDERR_FILENO)
		close(fd);
}

bool
file_is_writable(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

int
file_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}
