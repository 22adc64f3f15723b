/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve/record_file.h"

#include "base/own_rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int
record_file_begin(struct record_file *f, struct err *err)
{
	struct own_rights kept;
	const char *made;
	int why;

	*f = (struct record_file){ .dir = { 0 } };
	buf_add_str(&f->dir, "/tmp/ptop-serve-XXXXXX");
	own_rights_begin(&kept);
	made = mkdtemp(f->dir.data);
	why = errno;
	own_rights_end(&kept);
	if (made == NULL) {
		buf_release(&f->dir);
		return err_set(err, ERR_IO, why, "cannot make a folder in /tmp");
	}
	buf_addf(&f->path, "%s/perf.data", f->dir.data);
	return 0;
}

int
record_file_open(const struct record_file *f, struct err *err)
{
	struct own_rights kept;
	int fd;

	own_rights_begin(&kept);
	fd = open(buf_str(&f->path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	own_rights_end(&kept);
	return fd >= 0 ? fd : err_set(err, ERR_IO, errno, "cannot read '%s'", buf_str(&f->path));
}

void
record_file_end(struct record_file *f)
{
	struct own_rights kept;

	if (f->dir.len == 0)
		return;
	own_rights_begin(&kept);
	unlink(f->path.data);
	rmdir(f->dir.data);
	own_rights_end(&kept);
	buf_release(&f->dir);
	buf_release(&f->path);
}
