/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_FILE_H
#define PTOP_SYMBOL_ELF_ELF_FILE_H
/*
 * An ELF file of this machine's byte order, opened with care, and the way between its virtual
 * addresses and the file offsets that samples are counted by.  Symbol service thread only: libelf
 * is not thread safe.
 */
#include "base/err.h"

#include <libelf.h>

enum { ELF_FILE_MAX_SEGMENTS = 64 };

struct elf_file {
	int fd; /* borrowed */
	Elf *elf;
	uint64_t bytes;
	bool is_module; /* of the kernel */
	unsigned segment_count; /* executable ones */
	struct elf_segment {
		uint64_t vaddr, offset, len;
		uint32_t section; /* of a kernel module; see elf_module_lay_out() */
	} segments[ELF_FILE_MAX_SEGMENTS];
	uint8_t build_id[20];
	uint8_t build_id_len;
};

/* Reads the headers.  @fd stays the caller's and open until elf_file_close().  -1: see @err. */
int elf_file_open(struct elf_file *f, int fd, struct err *err);
void elf_file_close(struct elf_file *f);

/* false: no executable segment holds it. */
bool elf_file_offset(const struct elf_file *f, uint64_t vaddr, uint64_t *offset);
bool elf_file_vaddr(const struct elf_file *f, uint64_t offset, uint64_t *vaddr);

/*
 * What is to be added to addresses in a section: 0, but in kernel modules, where each is linked at
 * 0.  false: it is not known where the section is.
 */
bool elf_file_section_base(const struct elf_file *f, size_t section, uint64_t *base);

/*
 * What is to be added to an address in @debug, the debug file of @f, to get the one in @f: not 0 if
 * prelink(8) has moved @f since it was built.
 */
uint64_t elf_file_bias(const struct elf_file *f, const struct elf_file *debug);

/*
 * Kernel modules' files, *.ko: objects, which have no addresses until the kernel lays them out.
 * Where code lies from the begin of the module on is found here as the kernel does it.  Symbol
 * service thread only.  Makes segments of a module's executable sections; of any other file
 * nothing.
 */
void elf_module_lay_out(struct elf_file *f);

/*
 * MiniDebugInfo: the symbols that a stripped file has left, as an ELF file in its section
 * .gnu_debugdata, compressed by xz.  Any thread.  That file, in memory, bounded: a descriptor, the
 * caller's.  -1: there is none, or see @err.
 */
int elf_mini_unpack(const struct elf_file *f, struct err *err);

#endif
