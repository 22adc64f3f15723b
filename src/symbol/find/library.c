/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /etc/ld.so.cache of glibc: a header, entries of a fixed size, and the strings that these point
 * to, by offsets from the header.  (dl-cache.h: struct cache_file_new, file_entry_new.)
 */
#include "symbol/find/library.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/reader.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define MAGIC "glibc-ld.so.cache1.1"

enum {
	CACHE_BYTES_MAX = 16 << 20,
	HEADER_REST = 4 + 1 + 3 + 4 + 3 * 4, /* behind the number of entries */
};

/* Of which machine the programs in a file are, 0: not known. */
static uint32_t
machine_of(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	Elf32_Ehdr head = { 0 }; /* as far as the machine all are alike */
	ssize_t len;

	if (fd < 0)
		return 0;
	len = read(fd, &head, sizeof(head));
	close(fd);
	if (len != (ssize_t)sizeof(head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	return (uint32_t)head.e_machine << 8 | head.e_ident[EI_CLASS];
}

static const char *
string_at(struct bytes cache, uint32_t offset)
{
	struct reader r = reader_over(cache);

	reader_bytes(&r, offset);
	return reader_string(&r);
}

static bool
find_in(struct bytes cache, const char *name, char *path, size_t size)
{
	uint32_t wanted = machine_of("/proc/self/exe"), entries;
	struct reader r = reader_over(cache);

	reader_bytes(&r, strlen(MAGIC));
	entries = reader_u32(&r);
	reader_bytes(&r, HEADER_REST);
	for (; entries > 0 && !r.failed; entries--) {
		uint32_t key, value;

		reader_u32(&r); /* flags: which C library and machine */
		key = reader_u32(&r);
		value = reader_u32(&r);
		reader_u32(&r); /* osversion, not used any more */
		/* Those for newer processors alone have bits here. */
		if (reader_u64(&r) != 0 || strcmp(string_at(cache, key), name) != 0)
			continue;
		snprintf(path, size, "%s", string_at(cache, value));
		if (path[0] == '/' && machine_of(path) == wanted)
			return true;
	}
	return false;
}

int
library_find(const char *name, char *path, size_t size, struct err *err)
{
	struct buf b = { 0 };
	const char *begin = NULL;
	bool found = false;

	if (file_read("/etc/ld.so.cache", &b, CACHE_BYTES_MAX) == 0 && b.len > 0)
		begin = memmem(b.data, b.len, MAGIC, strlen(MAGIC));
	if (begin != NULL)
		found = find_in((struct bytes){ (const uint8_t *)begin,
						b.len - (size_t)(begin - b.data) },
				name, path, size);
	buf_release(&b);
	if (found)
		return 0;
	err_set(err, ERR_GONE, 0, "no library '%.100s' is in /etc/ld.so.cache", name);
	return err_hint(err, "name its whole path, or a process that maps it (-p)");
}
