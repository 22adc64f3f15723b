/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/find/mapped.h"

#include "base/file.h"

#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

enum { MAPS_MAX = 64 << 20 };

/* A line of /proc/PID/maps. */
struct line {
	unsigned long long start, end, ino;
	unsigned maj, min;
	bool is_code;
};

static bool
is_asked(const struct symbol_ask *ask, unsigned maj, unsigned min, uint64_t ino)
{
	if (ask->ino == 0 || ask->ino != ino)
		return false;
	return (ask->maj == 0 && ask->min == 0) || (ask->maj == maj && ask->min == min);
}

bool
mapped_has_inode(const struct symbol_ask *ask, const struct stat *st)
{
	return is_asked(ask, major(st->st_dev), minor(st->st_dev), st->st_ino);
}

/* The line at *@at, which is moved behind it.  false: there is no other. */
static bool
next_line(const char **at, struct line *l)
{
	char rights[5];

	if (sscanf(*at, "%llx-%llx %4s %*x %x:%x %llu", &l->start, &l->end, rights, &l->maj,
		   &l->min, &l->ino) != 6)
		return false;
	l->is_code = rights[2] == 'x';
	*at += strcspn(*at, "\n");
	*at += **at == '\n';
	return true;
}

static bool
line_of(const void *address, struct line *l)
{
	struct buf maps = { 0 };
	const char *at;
	bool found = false;

	if (file_read("/proc/self/maps", &maps, MAPS_MAX) == 0) {
		at = buf_str(&maps);
		while (!found && next_line(&at, l))
			found = (uintptr_t)address >= l->start && (uintptr_t)address < l->end;
	}
	buf_release(&maps);
	return found;
}

bool
mapped_as_asked(const struct symbol_ask *ask, int fd)
{
	void *map = mmap(NULL, page_size(), PROT_READ, MAP_PRIVATE, fd, 0);
	struct line l;
	bool same;

	if (map == MAP_FAILED)
		return false;
	same = line_of(map, &l) && is_asked(ask, l.maj, l.min, l.ino);
	munmap(map, page_size());
	return same;
}

bool
mapped_is_renumbered(int fd)
{
	/* overlayfs, btrfs, bcachefs: linux/magic.h has not all of them everywhere. */
	static const unsigned long types[] = { 0x794c7630, 0x9123683e, 0xca451a4e };
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if ((unsigned long)fs.f_type == types[i])
			return true;
	return false;
}

uint32_t
mapped_generation(int fd)
{
	long generation = 0; /* the kernel writes an int */

	/* Not all file systems tell. */
	return ioctl(fd, FS_IOC_GETVERSION, &generation) == 0 ? (uint32_t)generation : 0;
}

bool
mapped_is_same_generation(const struct symbol_ask *ask, int fd)
{
	uint32_t generation = ask->ino_generation != 0 ? mapped_generation(fd) : 0;

	return generation == 0 || generation == (uint32_t)ask->ino_generation;
}

bool
mapped_find(const struct symbol_ask *ask, const char *proc, uint64_t *start, uint64_t *end)
{
	struct buf maps = { 0 };
	char path[512];
	const char *at;
	struct line l;
	bool found = false;

	snprintf(path, sizeof(path), "%s/%d/maps", proc, ask->pid);
	if (file_read(path, &maps, MAPS_MAX) == 0) {
		at = buf_str(&maps);
		while (!found && next_line(&at, &l))
			found = l.is_code && is_asked(ask, l.maj, l.min, l.ino);
	}
	buf_release(&maps);
	if (found) {
		*start = l.start;
		*end = l.end;
	}
	return found;
}
