/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/debug_file.h"
#include "symbol/elf_symbols.h"

#include "base/buf.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
open_by_id(const struct elf_file *f, const char *dir)
{
	struct buf path = { 0 };
	struct stat st;
	int fd;

	buf_addf(&path, "%s/.build-id/%02x/", dir, f->build_id[0]);
	for (unsigned i = 1; i < f->build_id_len; i++)
		buf_addf(&path, "%02x", f->build_id[i]);
	buf_add_str(&path, ".debug");
	fd = open(buf_str(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	buf_release(&path);
	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

int
debug_file_open(struct elf_file *debug, const struct elf_file *f, const char *dir)
{
	int fd;

	if (f->build_id_len < 2)
		return -1;
	fd = open_by_id(f, dir);
	if (fd < 0)
		return -1;
	if (elf_file_open(debug, fd, NULL) == 0) {
		if (debug->build_id_len == f->build_id_len &&
		    memcmp(debug->build_id, f->build_id, f->build_id_len) == 0 &&
		    elf_symbols_has_table(debug))
			return fd;
		elf_file_close(debug);
	}
	close(fd);
	return -1;
}
