/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel modules' files: their code is linked when they are loaded. */
#include "symbol/code/code_file.h"

#include "symbol/elf/elf_section.h"

#include <limits.h>
#include <stdlib.h>

enum { RELOCS_MAX_BYTES = 64 << 20 };

/* What is written in place of a call's or an access's operand, which is its symbol's address. */
static const struct kind {
	unsigned machine, type;
	unsigned behind; /* bytes from there to what it is relative to */
} kinds[] = {
	{ EM_X86_64, R_X86_64_PC32, 4 },       { EM_X86_64, R_X86_64_PLT32, 4 },
	{ EM_X86_64, R_X86_64_32, 0 },         { EM_X86_64, R_X86_64_32S, 0 },
	{ EM_AARCH64, R_AARCH64_CALL26, 0 },   { EM_AARCH64, R_AARCH64_JUMP26, 0 },
};

static const struct kind *
kind_of(unsigned machine, uint64_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].machine == machine && kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

/* The relocations of one section, and the symbols that they are of. */
struct relocs {
	const struct elf_file *f;
	unsigned machine;
	uint64_t base; /* of the section, where it is laid out */
	Elf_Data *data, *symbols;
	size_t strings;
};

static bool
read_relocs(struct relocs *r, Elf_Scn *scn)
{
	GElf_Shdr sh, symbols;
	Elf_Scn *of;

	if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_RELA || sh.sh_entsize == 0 ||
	    sh.sh_size > RELOCS_MAX_BYTES || (sh.sh_flags & SHF_COMPRESSED) ||
	    !elf_file_section_base(r->f, sh.sh_info, &r->base))
		return false;
	of = elf_getscn(r->f->elf, sh.sh_link);
	if (of == NULL || gelf_getshdr(of, &symbols) == NULL || symbols.sh_type != SHT_SYMTAB)
		return false;
	r->strings = symbols.sh_link;
	r->data = elf_getdata(scn, NULL);
	r->symbols = elf_getdata(of, NULL);
	return r->data != NULL && r->symbols != NULL;
}

/* A section's own symbol has no name: what lies there in it may have one. */
static void
add_reloc(struct relocs *r, const GElf_Rela *rela, struct code_links *out)
{
	const struct kind *kind = kind_of(r->machine, GELF_R_TYPE(rela->r_info));
	struct code_link link = { .addr = r->base + rela->r_offset };
	GElf_Sym s;

	if (kind == NULL || GELF_R_SYM(rela->r_info) > INT_MAX ||
	    gelf_getsym(r->symbols, (int)GELF_R_SYM(rela->r_info), &s) == NULL)
		return;
	link.behind = (uint64_t)rela->r_addend + kind->behind;
	if (GELF_ST_TYPE(s.st_info) == STT_SECTION) {
		link.is_place = elf_file_section_base(r->f, s.st_shndx, &link.place);
		link.place += link.behind;
	} else {
		link.name = elf_strptr(r->f->elf, r->strings, s.st_name);
	}
	if (link.is_place || (link.name != NULL && *link.name != '\0'))
		VEC_ADD(out->items, out->len, out->cap) = link;
}

static int
compare(const void *a, const void *b)
{
	const struct code_link *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void
code_links_find(struct code_links *out, const struct elf_file *f, unsigned machine)
{
	struct relocs r = { .f = f, .machine = machine };
	Elf_Scn *scn = NULL;
	GElf_Rela rela;

	while (f->is_module && (scn = elf_nextscn(f->elf, scn)) != NULL) {
		if (!read_relocs(&r, scn))
			continue;
		for (int i = 0; gelf_getrela(r.data, i, &rela) != NULL; i++)
			add_reloc(&r, &rela, out);
	}
	if (out->len > 0)
		qsort(out->items, out->len, sizeof(*out->items), compare);
}

const struct code_link *
code_links_at(const struct code_links *l, uint64_t addr, uint64_t len)
{
	size_t i;

	FIND_FIRST(i, l->len, l->items[i].addr >= addr);
	return i < l->len && l->items[i].addr - addr < len ? &l->items[i] : NULL;
}

bool
code_module_place(const struct elf_file *f, uint64_t *offset)
{
	GElf_Shdr sh;

	for (unsigned i = 0; i < f->segment_count; i++) {
		const struct elf_segment *s = &f->segments[i];
		Elf_Scn *scn = elf_getscn(f->elf, s->section);

		if (*offset < s->offset || *offset - s->offset >= s->len)
			continue;
		if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
			return false;
		*offset = *offset - s->offset + sh.sh_offset;
		return true;
	}
	return false;
}
