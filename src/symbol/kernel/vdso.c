/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/kernel/vdso.h"

#include "symbol/file/sealed.h"
#include "symbol/image/image_build.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* All of it, as far as it can be read. */
static int
copy_memory(int mem, uint64_t start, uint64_t len, int to)
{
	char *buf = mem_calloc(1, len);
	ssize_t n = pread(mem, buf, len, (off_t)start);
	int res = n > 0 ? sealed_write(to, buf, (size_t)n) : -1;

	free(buf);
	return res;
}

int
vdso_open_of(const struct symbol_ask *ask, const char *proc, struct err *err)
{
	int mem = -1, fd = -1;
	char path[512];

	if (ask->pid <= 0 || ask->start >= ask->end || ask->end - ask->start > MAX_BYTES)
		return err_set(err, ERR_GONE, 0, "no process that maps it is alive");
	snprintf(path, sizeof(path), "%s/%d/mem", proc, ask->pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem < 0) {
		err_set(err, ERR_IO, errno, "cannot open '%s'", path);
		return err_hint(err, "run ptop as root");
	}
	fd = sealed_new("ptop-vdso", err);
	if (fd >= 0 && copy_memory(mem, ask->start, ask->end - ask->start, fd) != 0) {
		err_set(err, ERR_IO, errno, "cannot read '%s'", path);
		close(fd);
		fd = -1;
	}
	close(mem);
	return fd;
}

enum { EACH_BYTES = 1024 };

struct image *
vsyscall_image(void)
{
	static const char *const names[] = { "vgettimeofday", "vtime", "vgetcpu" };
	struct image_build *b = image_build_new(NULL);
	int fd;

	if (b == NULL)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		image_build_add(b, &(struct image_symbol){
			.addr = i * EACH_BYTES, .size = EACH_BYTES, .name = names[i],
			.name_len = strlen(names[i]), .binding = IMAGE_GLOBAL });
	fd = image_build_finish(b, NULL);
	image_build_free(b);
	return fd >= 0 ? image_open(fd, NULL) : NULL;
}
