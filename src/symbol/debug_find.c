/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/debug_find.h"

#include "base/buf.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int
open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int
find_by_id(const struct debug_finder *self, const struct debug_ask *ask)
{
	struct buf path = { 0 };
	int fd;

	if (ask->build_id_len < 2)
		return -1;
	buf_addf(&path, "%s/.build-id/%02x/", self->dir, ask->build_id[0]);
	for (unsigned i = 1; i < ask->build_id_len; i++)
		buf_addf(&path, "%02x", ask->build_id[i]);
	buf_add_str(&path, ".debug");
	fd = open_regular(buf_str(&path));
	buf_release(&path);
	return fd;
}

int
debug_find(const struct debug_finder *self, const struct debug_ask *ask)
{
	static int (*const ways[])(const struct debug_finder *self, const struct debug_ask *ask) = {
		[DEBUG_BY_ID] = find_by_id,
	};

	return ways[ask->want](self, ask);
}
