/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/static_program.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#ifdef __x86_64__
enum {
	CODE_AT = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
	LENGTH = 300000, /* more than pipes hold */
	BASE = 0x400000,
	PATH_FROM = 7, /* bytes of the first instruction */
};

/* execve(path, argv, envp) of what the kernel has put on the stack; then exit(127) */
static const unsigned char code[] = {
	0x48, 0x8d, 0x3d, 0, 0, 0, 0,       /* lea path(%rip), %rdi */
	0x48, 0x8d, 0x74, 0x24, 0x08,       /* lea 8(%rsp), %rsi */
	0x48, 0x8b, 0x04, 0x24,             /* mov (%rsp), %rax */
	0x48, 0x8d, 0x54, 0xc4, 0x10,       /* lea 16(%rsp,%rax,8), %rdx */
	0xb8, 59, 0, 0, 0, 0x0f, 0x05,      /* mov $59, %eax; syscall */
	0xbf, 127, 0, 0, 0,                 /* mov $127, %edi */
	0xb8, 60, 0, 0, 0, 0x0f, 0x05,      /* mov $60, %eax; syscall */
};
#endif

bool
static_program_write(const char *path, const char *becomes)
{
#ifdef __x86_64__
	static unsigned char file[LENGTH];
	const Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_entry = BASE + CODE_AT, .e_phoff = sizeof(eh), .e_ehsize = sizeof(eh),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
	};
	const Elf64_Phdr ph = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = BASE, .p_paddr = BASE,
		.p_filesz = LENGTH, .p_memsz = LENGTH, .p_align = 0x1000,
	};
	const unsigned far = sizeof(code) - PATH_FROM;
	FILE *f = fopen(path, "w");
	bool is_whole;

	if (f == NULL)
		return false;
	memcpy(file, &eh, sizeof(eh));
	memcpy(file + sizeof(eh), &ph, sizeof(ph));
	memcpy(file + CODE_AT, code, sizeof(code));
	memcpy(file + CODE_AT + 3, &far, sizeof(far));
	strcpy((char *)file + CODE_AT + sizeof(code), becomes);
	is_whole = fwrite(file, 1, LENGTH, f) == LENGTH;
	return (fclose(f) == 0) & is_whole && chmod(path, 0755) == 0;
#else
	(void)path;
	(void)becomes;
	return false;
#endif
}
