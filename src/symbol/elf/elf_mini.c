/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/elf/elf_file.h"
#include "symbol/elf/elf_section.h"

#include <stdlib.h>

#ifdef HAVE_LZMA

#include "symbol/file/sealed.h"

#include <errno.h>
#include <lzma.h>
#include <unistd.h>

enum {
	PACKED_MAX = 16 << 20,
	UNPACKED_MAX = 64 << 20,
	MEMORY_MAX = 32 << 20, /* xz -6 needs 9 MiB */
	CHUNK = 64 << 10,
};

static int
broken(lzma_ret res, struct err *err)
{
	if (res == LZMA_MEMLIMIT_ERROR)
		return err_set(err, ERR_LIMIT, 0, ".gnu_debugdata needs too much memory");
	return err_set(err, ERR_FORMAT, 0, ".gnu_debugdata is broken (xz error %d)", (int)res);
}

static int
unpack_to(int fd, lzma_stream *s, struct err *err)
{
	uint8_t *out = mem_realloc(NULL, CHUNK, 1);
	lzma_ret res = LZMA_OK;
	int ret = 0;

	while (res == LZMA_OK && ret == 0) {
		s->next_out = out;
		s->avail_out = CHUNK;
		res = lzma_code(s, LZMA_FINISH);
		if (s->total_out > UNPACKED_MAX)
			ret = err_set(err, ERR_LIMIT, 0, ".gnu_debugdata is too large");
		else if (sealed_write(fd, out, CHUNK - s->avail_out) != 0)
			ret = err_set(err, ERR_LIMIT, errno, "cannot unpack .gnu_debugdata");
	}
	if (ret == 0 && res != LZMA_STREAM_END)
		ret = broken(res, err);
	free(out);
	return ret;
}

static int
unpack(const uint8_t *bytes, size_t len, struct err *err)
{
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret res = lzma_stream_decoder(&s, MEMORY_MAX, 0);
	int fd;

	if (res != LZMA_OK)
		return broken(res, err);
	s.next_in = bytes;
	s.avail_in = len;
	fd = sealed_new("ptop-debugdata", err);
	if (fd >= 0 && unpack_to(fd, &s, err) != 0) {
		close(fd);
		fd = -1;
	}
	lzma_end(&s);
	return fd;
}

int
elf_mini_unpack(const struct elf_file *f, struct err *err)
{
	uint8_t *bytes;
	GElf_Shdr sh;
	size_t len;
	int fd;

	if (elf_section_find(f, ".gnu_debugdata", &sh) == NULL)
		return -1;
	bytes = elf_section_read(f, &sh, PACKED_MAX, &len);
	if (bytes == NULL)
		return err_set(err, ERR_LIMIT, 0, ".gnu_debugdata is empty or too large");
	fd = unpack(bytes, len, err);
	free(bytes);
	return fd;
}

#else

int
elf_mini_unpack(const struct elf_file *f, struct err *err)
{
	GElf_Shdr sh;

	if (elf_section_find(f, ".gnu_debugdata", &sh) == NULL)
		return -1;
	return err_set(err, ERR_UNSUPPORTED, 0, "built without liblzma for its .gnu_debugdata");
}

#endif
