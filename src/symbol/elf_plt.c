/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linker makes an entry for each relocation of .rela.plt, in the same order: in .plt behind a
 * header, or, where calls must land on a marked place, in .plt.sec without one.
 */
#include "symbol/elf_plt.h"

#include "base/buf.h"

#include <gelf.h>
#include <string.h>

enum { ENTRIES_MAX = 1 << 20, NAME_LEN_MAX = 4096 };

/* The sizes of the header and of an entry, of which the section's header says less than nothing. */
static const struct plt_shape {
	unsigned machine;
	unsigned header, entry;
} shapes[] = {
	{ EM_X86_64, 16, 16 },
	{ EM_386, 16, 16 },
	{ EM_AARCH64, 32, 16 },
	{ EM_ARM, 20, 12 },
};

struct plt {
	const struct elf_file *f;
	struct image_build *build;
	const struct plt_shape *shape;
	GElf_Shdr rel, plt, sec; /* sh_size 0: there is none */
	Elf_Scn *rel_scn;
	size_t added;
};

static bool
is_within(const struct elf_file *f, const GElf_Shdr *sh)
{
	return sh->sh_type != SHT_NOBITS && sh->sh_offset <= f->bytes &&
	       sh->sh_size <= f->bytes - sh->sh_offset;
}

static void
find_sections(struct plt *p)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(p->f->elf, &strings) != 0)
		return;
	while ((scn = elf_nextscn(p->f->elf, scn)) != NULL) {
		const char *name;
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) == NULL || !is_within(p->f, &sh))
			continue;
		name = elf_strptr(p->f->elf, strings, sh.sh_name);
		if (name == NULL)
			continue;
		if (strcmp(name, ".plt") == 0)
			p->plt = sh;
		else if (strcmp(name, ".plt.sec") == 0)
			p->sec = sh;
		else if (strcmp(name, ".rela.plt") == 0 || strcmp(name, ".rel.plt") == 0)
			p->rel = sh, p->rel_scn = scn;
	}
}

/* The symbol's number of relocation @i; 0: it has none, and @addend says where it leads. */
static size_t
symbol_of(const struct plt *p, Elf_Data *data, size_t i, uint64_t *addend)
{
	GElf_Rela rela;
	GElf_Rel rel;

	*addend = 0;
	if (p->rel.sh_type == SHT_RELA) {
		if (gelf_getrela(data, (int)i, &rela) == NULL)
			return 0;
		*addend = (uint64_t)rela.r_addend;
		return GELF_R_SYM(rela.r_info);
	}
	return gelf_getrel(data, (int)i, &rel) != NULL ? GELF_R_SYM(rel.r_info) : 0;
}

static void
add_entry(struct plt *p, uint64_t vaddr, const struct buf *name)
{
	struct image_symbol s = { .size = p->shape->entry, .name = buf_str(name),
				  .name_len = name->len, .binding = IMAGE_GLOBAL };

	if (elf_file_offset(p->f, vaddr, &s.addr) && image_build_add(p->build, &s))
		p->added++;
}

static void
add_entries(struct plt *p, Elf_Data *relocs, Elf_Data *symbols, size_t strings)
{
	size_t each = gelf_fsize(p->f->elf, p->rel.sh_type == SHT_RELA ? ELF_T_RELA : ELF_T_REL, 1,
				 EV_CURRENT);
	size_t n = each > 0 ? MIN(relocs->d_size / each, ENTRIES_MAX) : 0;
	uint64_t step = p->shape->entry;
	struct buf name = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t addend;
		size_t sym = symbol_of(p, relocs, i, &addend);
		const char *text = NULL;
		GElf_Sym s;

		if (sym != 0 && gelf_getsym(symbols, (int)sym, &s) != NULL)
			text = elf_strptr(p->f->elf, strings, s.st_name);
		buf_reset(&name);
		if (text != NULL && *text != '\0')
			buf_add(&name, text, strnlen(text, NAME_LEN_MAX));
		else
			buf_addf(&name, "*ABS*+0x%llx", (unsigned long long)addend);
		buf_add_str(&name, "@plt");
		if (p->plt.sh_size >= p->shape->header + (i + 1) * step)
			add_entry(p, p->plt.sh_addr + p->shape->header + i * step, &name);
		if (p->sec.sh_size >= (i + 1) * step)
			add_entry(p, p->sec.sh_addr + i * step, &name);
	}
	buf_release(&name);
}

size_t
elf_plt_add(const struct elf_file *f, struct image_build *build)
{
	struct plt p = { .f = f, .build = build };
	Elf_Data *relocs, *symbols;
	Elf_Scn *dynsym;
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (gelf_getehdr(f->elf, &eh) == NULL)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (shapes[i].machine == eh.e_machine)
			p.shape = &shapes[i];
	if (p.shape == NULL)
		return 0;
	find_sections(&p);
	if (p.rel_scn == NULL || (p.rel.sh_type != SHT_RELA && p.rel.sh_type != SHT_REL))
		return 0;
	dynsym = elf_getscn(f->elf, p.rel.sh_link);
	if (dynsym == NULL || gelf_getshdr(dynsym, &sh) == NULL || !is_within(f, &sh))
		return 0;
	relocs = elf_getdata(p.rel_scn, NULL);
	symbols = elf_getdata(dynsym, NULL);
	if (relocs != NULL && symbols != NULL)
		add_entries(&p, relocs, symbols, sh.sh_link);
	return p.added;
}
