/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/whole_file.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/own_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
forget(struct whole_file *f)
{
	free(f->path);
	free(f->temp);
	*f = (struct whole_file){ .fd = -1 };
}

/* Beside the file: only there can it be given its name. */
static char *
temp_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct buf b = { 0 };

	if (slash != NULL)
		buf_add(&b, path, (size_t)(slash - path) + 1);
	buf_add_str(&b, ".ptop-XXXXXX");
	return b.data;
}

static int
open_file(struct whole_file *f, const char *path, bool force, struct err *err)
{
	struct stat st;
	bool is_there = lstat(path, &st) == 0;

	*f = (struct whole_file){ .fd = -1, .force = force };
	/* It says why, if the file is not to be overwritten or is a link. */
	if (is_there && !(force && S_ISREG(st.st_mode))) {
		f->fd = file_create(path, force, err);
		f->path = f->fd >= 0 ? mem_strdup(path) : NULL;
		return f->fd >= 0 ? 0 : -1;
	}
	f->temp = temp_name(path);
	f->path = mem_strdup(path);
	f->fd = mkostemp(f->temp, O_CLOEXEC);
	if (f->fd < 0) {
		err_set(err, ERR_IO, errno, "cannot write '%s'", path);
		forget(f);
		return -1;
	}
	if (file_give_to_caller(f->fd, path, err) < 0) {
		whole_file_drop(f);
		return -1;
	}
	return 0;
}

int
whole_file_open(struct whole_file *f, const char *path, bool force, struct err *err)
{
	struct own_rights kept;
	int res;

	own_rights_begin(&kept);
	res = open_file(f, path, force, err);
	own_rights_end(&kept);
	return res;
}

/* A file that came meanwhile is not overwritten; some file systems know links alone. */
static int
take_name(const struct whole_file *f)
{
	if (f->force)
		return rename(f->temp, f->path);
	if (renameat2(AT_FDCWD, f->temp, AT_FDCWD, f->path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (link(f->temp, f->path) < 0)
		return -1;
	unlink(f->temp);
	return 0;
}

int
whole_file_finish(struct whole_file *f, struct err *err)
{
	struct own_rights kept;
	int res = 0;

	own_rights_begin(&kept);
	/* Some file systems tell of a full disk only here. */
	if (close(f->fd) < 0)
		res = err_set(err, ERR_IO, errno, "cannot write '%s'", f->path);
	else if (f->temp != NULL && take_name(f) < 0)
		res = errno == EEXIST ? err_set(err, ERR_IO, 0, "'%s' exists", f->path)
				      : err_set(err, ERR_IO, errno, "cannot write '%s'", f->path);
	if (res < 0 && f->temp != NULL)
		unlink(f->temp);
	own_rights_end(&kept);
	forget(f);
	return res;
}

void
whole_file_drop(struct whole_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->temp != NULL)
		unlink(f->temp);
	forget(f);
}
