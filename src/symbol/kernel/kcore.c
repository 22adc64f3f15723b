/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel/kcore.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 4096 };

static bool
read_all(int fd, void *out, size_t len, uint64_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)out + done, len - done, (off_t)(offset + done));

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Where in the file the memory is.  false: nowhere. */
static bool
find_offset(int fd, const Elf64_Ehdr *eh, uint64_t addr, size_t len, uint64_t *offset)
{
	for (unsigned i = 0; i < MIN(eh->e_phnum, SEGMENTS_MAX); i++) {
		Elf64_Phdr ph;

		if (!read_all(fd, &ph, sizeof(ph), eh->e_phoff + i * sizeof(ph)))
			return false;
		if (ph.p_type != PT_LOAD || addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_filesz ||
		    len > ph.p_filesz - (addr - ph.p_vaddr))
			continue;
		*offset = ph.p_offset + (addr - ph.p_vaddr);
		return true;
	}
	return false;
}

static int
read_memory(int fd, const char *path, uint64_t addr, uint8_t *out, size_t len, struct err *err)
{
	Elf64_Ehdr eh;
	uint64_t offset;

	if (!read_all(fd, &eh, sizeof(eh), 0) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_phentsize != sizeof(Elf64_Phdr))
		return err_set(err, ERR_FORMAT, 0, "%s is no core file", path);
	if (!find_offset(fd, &eh, addr, len, &offset))
		return err_set(err, ERR_GONE, 0, "%s has nothing at that address", path);
	if (!read_all(fd, out, len, offset))
		return err_set(err, ERR_IO, errno, "cannot read %s", path);
	return 0;
}

int
kcore_read(const char *path, uint64_t addr, uint8_t *out, size_t len, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), res;

	if (fd < 0 && errno == EPERM) {
		err_set(err, ERR_DENIED, EPERM, "cannot open %s", path);
		return err_hint(err, "it takes CAP_SYS_RAWIO");
	}
	if (fd < 0)
		return err_set(err, ERR_GONE, errno, "cannot open %s", path);
	res = read_memory(fd, path, addr, out, len, err);
	close(fd);
	return res;
}
