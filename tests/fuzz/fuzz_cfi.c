/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as call frame information: the first says of which machine and which section it is.
 * What is compiled has to pass the check of who opens it.
 */
#include "fuzz.h"

#include "symbol/unwind/cfi_compile.h"
#include "symbol/unwind/unwind_rules.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The section is loaded with the code, as in a file of one segment. */
enum { DATA_AT = 0x1000, CODE_BYTES = 1 << 16, ARM64 = 1, DEBUG_FRAME = 2 };

struct file {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	Elf64_Shdr sections[3];
	char names[64];
};

static struct file
file_of(uint8_t kind, size_t len)
{
	struct file f = {
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_DYN,
			  .e_machine = kind & ARM64 ? EM_AARCH64 : EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = offsetof(struct file, load),
			  .e_shoff = offsetof(struct file, sections),
			  .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1,
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = 3,
			  .e_shstrndx = 2 },
		.load = { .p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_filesz = CODE_BYTES,
			  .p_memsz = CODE_BYTES },
		.names = "\0.eh_frame\0.debug_frame\0.shstrtab",
	};

	f.sections[1] = (Elf64_Shdr){ .sh_name = kind & DEBUG_FRAME ? 11 : 1,
				      .sh_type = SHT_PROGBITS,
				      .sh_addr = DATA_AT,
				      .sh_offset = DATA_AT,
				      .sh_size = len };
	f.sections[2] = (Elf64_Shdr){ .sh_name = 24,
				      .sh_type = SHT_STRTAB,
				      .sh_offset = offsetof(struct file, names),
				      .sh_size = sizeof(f.names) };
	return f;
}

int
FUZZ_TARGET(cfi)(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), block;
	struct unwind_rules *rules;
	struct err err = { 0 };
	struct elf_file f;
	struct file head;

	if (size < 1 || size > CODE_BYTES / 2)
		goto out;
	head = file_of(*data, size - 1);
	if (ftruncate(fd, CODE_BYTES) != 0 ||
	    pwrite(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    pwrite(fd, data + 1, size - 1, DATA_AT) != (ssize_t)size - 1 ||
	    elf_file_open(&f, fd, &err) != 0)
		goto out;
	block = cfi_compile(&f, NULL, &err);
	elf_file_close(&f);
	if (block < 0)
		goto out;
	rules = unwind_rules_open(block, &err);
	if (rules == NULL)
		abort();
	for (uint64_t at = 0; at < CODE_BYTES; at += 509)
		unwind_rules_find(rules, at);
	unwind_rules_free(rules);
out:
	close(fd);
	return 0;
}
