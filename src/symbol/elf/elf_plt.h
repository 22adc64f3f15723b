/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_ELF_ELF_PLT_H
#define PTOP_SYMBOL_ELF_ELF_PLT_H
/*
 * The entries of procedure linkage tables, which no symbol names: "malloc@plt", as perf and
 * objdump call them.  Symbol service thread only.
 */
#include "base/util.h"
#include "symbol/elf/elf_file.h"
#include "symbol/image/image_build.h"

/* Adds them to @build; how many. */
size_t elf_plt_add(const struct elf_file *f, struct image_build *build);

/* What the code of entries of procedure linkage tables does, by machine.  Any thread. */
enum plt_by {
	PLT_BY_SLOT,  /* it jumps to what lies at an address of the GOT */
	PLT_BY_INDEX, /* it names its relocation in .rela.plt, the rest is done elsewhere */
};

struct plt_code {
	enum plt_by by;
	uint64_t slot; /* or index */
	unsigned len;  /* of the entry */
};

/* NULL: that machine's are not known. */
const struct plt_machine *plt_machine(unsigned e_machine);

/* The distance of the places where entries may begin. */
unsigned plt_machine_step(const struct plt_machine *m);

/*
 * The code at @at of @len bytes, a section at @vaddr; @got is where .got.plt, else .got, lies.
 * false: no entry begins there.
 */
bool plt_decode(const struct plt_machine *m, const uint8_t *code, size_t len, size_t at,
		uint64_t vaddr, uint64_t got, struct plt_code *out);

#endif
