/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/whole_file.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/folder_links.h"
#include "base/own_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SPARE_NAMES = 99 };

static void
forget(struct whole_file *f)
{
	if (f->folder >= 0)
		close(f->folder);
	free(f->path);
	free(f->temp);
	*f = (struct whole_file){ .fd = -1, .folder = -1 };
}

/* Of a ptop that is killed nothing is left. */
static int
open_nameless(const struct whole_file *f)
{
	return openat(f->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

static int
link_nameless(const struct whole_file *f, const char *name)
{
	char from[32];

	snprintf(from, sizeof(from), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, from, f->folder, name, AT_SYMLINK_FOLLOW);
}

static int
new_temp_name(struct whole_file *f)
{
	enum { TEMP_MAX = 32 };
	uint64_t random;

	free(f->temp);
	f->temp = NULL;
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return -1;
	f->temp = mem_calloc(1, TEMP_MAX);
	snprintf(f->temp, TEMP_MAX, ".ptop-%016llx", (unsigned long long)random);
	return 0;
}

/* For a moment, until it gets its own. */
static int
take_temp_name(struct whole_file *f)
{
	do {
		if (new_temp_name(f) < 0)
			return -1;
		if (link_nameless(f, f->temp) == 0) {
			f->is_nameless = false;
			return 0;
		}
	} while (errno == EEXIST);
	free(f->temp);
	f->temp = NULL;
	return -1;
}

/* Where the file system has none without a name. */
static int
open_temp(struct whole_file *f)
{
	int fd;

	do {
		if (new_temp_name(f) < 0)
			return -1;
		fd = openat(f->folder, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (fd < 0 && errno == EEXIST);
	return fd;
}

/*
 * Whether it can be its owner's is told before a run, not after it.  Until it has its name it is
 * ptop's: where hard links are protected, or a folder is sticky, only who owns a file may name it.
 */
static int
check_owner(const struct whole_file *f, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return err_set(err, ERR_IO, errno, "cannot write '%.200s'", path);
	if (file_give_to_caller(f->fd, path, err) < 0)
		return -1;
	return geteuid() != 0 || fchown(f->fd, st.st_uid, st.st_gid) == 0
		       ? 0
		       : err_set(err, ERR_IO, errno, "cannot write '%.200s'", path);
}

static int
open_new(struct whole_file *f, const char *path, struct err *err)
{
	f->path = mem_strdup(path);
	f->fd = open_nameless(f);
	f->is_nameless = f->fd >= 0;
	if (!f->is_nameless)
		f->fd = open_temp(f);
	if (f->fd < 0) {
		err_set(err, ERR_IO, errno, "cannot write '%s'", path);
		forget(f);
		return -1;
	}
	if (check_owner(f, path, err) < 0) {
		whole_file_drop(f);
		return -1;
	}
	return 0;
}

static int
open_file(struct whole_file *f, const char *path, bool force, struct err *err)
{
	struct stat st;
	bool is_there = fstatat(f->folder, file_name_of(path), &st, AT_SYMLINK_NOFOLLOW) == 0;

	f->force = force;
	/* It says why, if the file is not to be overwritten or is a link. */
	if (is_there && !(force && S_ISREG(st.st_mode))) {
		f->fd = file_create(path, force, err);
		f->path = f->fd >= 0 ? mem_strdup(path) : NULL;
		if (f->fd < 0)
			forget(f);
		return f->path != NULL ? 0 : -1;
	}
	return open_new(f, path, err);
}

static int
open_by_rights(struct whole_file *f, const char *path, bool force, bool is_late, struct err *err)
{
	struct own_rights kept;
	int res = -1;

	*f = (struct whole_file){ .fd = -1 };
	own_rights_begin_to_write(&kept);
	f->folder = folder_links_open(path, err);
	if (f->folder >= 0)
		res = is_late ? open_new(f, path, err) : open_file(f, path, force, err);
	own_rights_end(&kept);
	return res;
}

int
whole_file_open(struct whole_file *f, const char *path, bool force, struct err *err)
{
	return open_by_rights(f, path, force, false, err);
}

int
whole_file_open_late(struct whole_file *f, const char *path, struct err *err)
{
	return open_by_rights(f, path, false, true, err);
}

/* A file that came meanwhile is not overwritten; some file systems know links alone. */
static int
take_new_name(const struct whole_file *f, const char *name)
{
	if (f->is_nameless)
		return link_nameless(f, name);
	if (renameat2(f->folder, f->temp, f->folder, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (linkat(f->folder, f->temp, f->folder, name, 0) < 0)
		return -1;
	unlinkat(f->folder, f->temp, 0);
	return 0;
}

static int
take_name(struct whole_file *f)
{
	const char *name = file_name_of(f->path);

	if (!f->force)
		return take_new_name(f, name);
	if (f->is_nameless && take_temp_name(f) < 0)
		return -1;
	return renameat(f->folder, f->temp, f->folder, name);
}

static int
fail(const struct whole_file *f, int sys, struct err *err)
{
	if (sys == EEXIST)
		return err_set(err, ERR_IO, 0, "'%.200s' exists", f->path);
	return err_set(err, ERR_IO, sys, "cannot write '%.200s'", f->path);
}

/* What is whole is not thrown away for the name. */
static int
take_spare_name(const struct whole_file *f, struct err *err)
{
	int res = -1;

	errno = EEXIST;
	for (int i = 1; i <= SPARE_NAMES && res < 0 && errno == EEXIST; i++) {
		struct buf name = { 0 };

		buf_addf(&name, "%s.%d", file_name_of(f->path), i);
		res = take_new_name(f, name.data);
		if (res == 0)
			err_hint(err, "what was written is in '%.200s.%d'", f->path, i);
		buf_release(&name);
	}
	return res;
}

static int
give_away(const struct whole_file *f, struct err *err)
{
	if (file_give_to_caller(f->fd, f->path, err) == 0)
		return 0;
	err_hint(err, "it is written, and root's");
	return 1;
}

/* Some file systems tell of a full disk only when a file is closed. */
static int
flush(const struct whole_file *f)
{
	int copy = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -1 : close(copy);
}

int
whole_file_finish(struct whole_file *f, struct err *err)
{
	const bool is_new = f->is_nameless || f->temp != NULL;
	struct own_rights kept;
	int res = 0;

	own_rights_begin_to_write(&kept);
	if (flush(f) < 0) {
		res = fail(f, errno, err);
	} else if (is_new && take_name(f) < 0) {
		fail(f, errno, err);
		res = take_spare_name(f, err) == 0 ? 1 : -1;
	}
	if (res < 0 && f->temp != NULL)
		unlinkat(f->folder, f->temp, 0);
	if (res >= 0 && is_new)
		res |= give_away(f, res == 0 ? err : NULL);
	close(f->fd);
	own_rights_end(&kept);
	forget(f);
	return res;
}

void
whole_file_drop(struct whole_file *f)
{
	struct own_rights kept;

	if (f->fd >= 0)
		close(f->fd);
	own_rights_begin_to_write(&kept);
	if (f->temp != NULL)
		unlinkat(f->folder, f->temp, 0);
	own_rights_end(&kept);
	forget(f);
}
