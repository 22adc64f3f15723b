/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/vdso.h"
#include "symbol/sealed.h"

#include <errno.h>
#include <link.h>
#include <sys/auxv.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20 };

/* The kernel maps whole pages; the section headers are what comes last. */
static size_t
vdso_bytes(const ElfW(Ehdr) *eh)
{
	size_t end = eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;
	const ElfW(Phdr) *ph = (const void *)((const char *)eh + eh->e_phoff);
	unsigned i;

	for (i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_LOAD)
			end = MAX(end, ph[i].p_offset + ph[i].p_filesz);
	return MIN(end, MAX_BYTES);
}

int
vdso_open(struct err *err)
{
	const ElfW(Ehdr) *eh = (const void *)getauxval(AT_SYSINFO_EHDR);
	int fd;

	if (eh == NULL)
		return err_set(err, ERR_UNSUPPORTED, 0, "no vdso in this process");
	fd = sealed_new("ptop-vdso", err);
	if (fd < 0)
		return -1;
	/* A write from memory that is not there fails instead of faulting. */
	if (sealed_write(fd, eh, vdso_bytes(eh)) != 0) {
		err_set(err, ERR_IO, errno, "cannot copy the vdso");
		close(fd);
		return -1;
	}
	return fd;
}
