/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/carrier/copy_file.h"

#include "base/own_rights.h"
#include "base/util.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SIZE_MAX_MIB = 256, /* no ptop has as many */
	PARTS_MAX = 64,     /* of a program; it has some ten */
	READ_BYTES = 64 << 10,
};

static const struct {
	uint16_t elf;
	const char *name;
} machines[] = {
	{ EM_X86_64, "x86_64" },
	{ EM_AARCH64, "aarch64" },
};

static const char *
machine_name(uint16_t elf)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].elf == elf)
			return machines[i].name;
	return NULL;
}

/* What wants a loader wants its libraries, too. */
static bool
wants_loader(int fd, const Elf64_Ehdr *eh)
{
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		Elf64_Phdr ph;

		if (pread(fd, &ph, sizeof(ph), (off_t)(eh->e_phoff + i * sizeof(ph))) != sizeof(ph) ||
		    ph.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* The machine of a program that needs no other file.  NULL: it is none. */
static const char *
machine_of(int fd)
{
	static const uint8_t ident[] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB };
	Elf64_Ehdr eh;

	if (pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) ||
	    memcmp(eh.e_ident, ident, sizeof(ident)) != 0 || eh.e_entry == 0 ||
	    eh.e_phentsize != sizeof(Elf64_Phdr) || eh.e_phnum == 0 || eh.e_phnum > PARTS_MAX ||
	    wants_loader(fd, &eh))
		return NULL;
	return machine_name(eh.e_machine);
}

static void
make_table(uint32_t table[256])
{
	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i << 24;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] << 1 ^ (table[i] & UINT32_C(1) << 31 ? 0x04c11db7 : 0);
	}
}

/* As POSIX has it for cksum(1): the length goes in behind the bytes.  false: it cannot be read. */
static bool
add_up(int fd, uint64_t size, uint32_t *sum)
{
	uint32_t table[256], crc = 0;
	uint8_t part[READ_BYTES];
	uint64_t at = 0;

	make_table(table);
	while (at < size) {
		ssize_t n = pread(fd, part, sizeof(part), (off_t)at);

		if (n <= 0)
			return false;
		for (ssize_t i = 0; i < n; i++)
			crc = crc << 8 ^ table[crc >> 24 ^ part[i]];
		at += (uint64_t)n;
	}
	for (; size > 0; size >>= 8)
		crc = crc << 8 ^ table[crc >> 24 ^ (size & 0xff)];
	*sum = ~crc;
	return true;
}

static int
look_at(struct copy_file *f, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(f->fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)SIZE_MAX_MIB << 20)
		return err_set(err, ERR_USAGE, 0, "'%.200s' is no program", path);
	f->size = (uint64_t)st.st_size;
	f->machine = machine_of(f->fd);
	if (f->machine == NULL)
		return err_set(err, ERR_USAGE, 0, "'%.200s' is no static program for x86_64 or aarch64",
			       path);
	if (!add_up(f->fd, f->size, &f->sum))
		return err_set(err, ERR_IO, errno, "cannot read '%.200s'", path);
	return 0;
}

struct copy_file *
copy_file_open(const char *path, struct err *err)
{
	struct copy_file *f = mem_calloc(1, sizeof(*f));
	struct own_rights kept;

	own_rights_begin(&kept);
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	own_rights_end(&kept);
	if (f->fd >= 0 && look_at(f, path, err) == 0)
		return f;
	if (f->fd < 0)
		err_set(err, ERR_GONE, errno, "cannot read '%.200s'", path);
	copy_file_free(f);
	return NULL;
}

void
copy_file_free(struct copy_file *f)
{
	if (f == NULL)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

int
copy_file_again(const struct copy_file *f)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", f->fd);
	return open(path, O_RDONLY | O_CLOEXEC);
}
