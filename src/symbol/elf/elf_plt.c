/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries are found in the code, then the relocations of the GOT's slots that they jump through
 * say what they are of.  For machines whose entries are not known, the order tells: linkers make
 * an entry for each relocation of .rela.plt, behind a header.
 */
#include "symbol/elf/elf_plt.h"
#include "symbol/elf/elf_section.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	ENTRIES_MAX = 1 << 20,
	TRIES_MAX = 2 * ENTRIES_MAX,
	RELOCS_MAX = 16 << 20,
	CODE_MAX = 16 << 20,
	NAME_LEN_MAX = 4096,
	CHUNK = 1024, /* relocations read at once */
	ARM_HEADER = 20,
	ARM_ENTRY = 12,
};

struct entry {
	struct plt_code code;
	uint64_t vaddr;
};

struct plt {
	const struct elf_file *f;
	struct image_build *build;
	bool is64;
	unsigned machine;
	uint64_t got;
	GElf_Shdr arm; /* .plt of a machine whose code is not known; sh_size 0: there is none */
	struct entry *entries; /* by what finds them, once all are known */
	size_t count, cap;
	size_t added, tries;
	struct buf name;
};

/* A table of relocations. */
struct relocs {
	const GElf_Shdr *sh;
	bool is_plt;       /* .rela.plt: entries may be found by the index in it */
	Elf_Data *symbols; /* NULL: there are none */
	size_t strings;
};

struct reloc {
	uint64_t offset, addend;
	size_t symbol;
	unsigned type;
};

static int
order(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->code.by != y->code.by)
		return x->code.by < y->code.by ? -1 : 1;
	return x->code.slot < y->code.slot ? -1 : x->code.slot > y->code.slot;
}

static void
decode_entries(struct plt *p, const struct plt_machine *m, const GElf_Shdr *sh)
{
	size_t len, at = 0;
	uint8_t *code = elf_section_read(p->f, sh, CODE_MAX, &len);

	while (code != NULL && at < len && p->count < ENTRIES_MAX) {
		struct entry e = { .vaddr = sh->sh_addr + at };

		if (!plt_decode(m, code, len, at, sh->sh_addr, p->got, &e.code)) {
			at += plt_machine_step(m);
			continue;
		}
		VEC_ADD(p->entries, p->count, p->cap) = e;
		at += e.code.len;
	}
	free(code);
}

static bool
visit_section(void *self, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt" };
	struct plt *p = self;
	const struct plt_machine *m = plt_machine(p->machine);

	(void)scn;
	for (size_t i = 0; i < ARRAY_SIZE(names) && m != NULL; i++)
		if (strcmp(name, names[i]) == 0)
			decode_entries(p, m, sh);
	if (p->machine == EM_ARM && strcmp(name, ".plt") == 0)
		p->arm = *sh;
	return true;
}

static void
add_entry(struct plt *p, uint64_t vaddr, unsigned len)
{
	struct image_symbol s = { .size = len, .name = buf_str(&p->name),
				  .name_len = p->name.len, .binding = IMAGE_GLOBAL };

	p->tries++;
	if (elf_file_offset(p->f, vaddr, &s.addr) && image_build_add(p->build, &s))
		p->added++;
}

/* "malloc@plt"; where a function chosen at the start has no name, its resolver, as objdump. */
static void
make_name(struct plt *p, const struct relocs *t, const struct reloc *r)
{
	const char *text = NULL;
	GElf_Sym s;

	if (r->symbol != 0 && t->symbols != NULL &&
	    gelf_getsym(t->symbols, (int)r->symbol, &s) != NULL)
		text = elf_strptr(p->f->elf, t->strings, s.st_name);
	buf_reset(&p->name);
	if (text != NULL && *text != '\0')
		buf_add(&p->name, text, strnlen(text, NAME_LEN_MAX));
	else
		buf_addf(&p->name, "*ABS*+0x%llx", (unsigned long long)r->addend);
	buf_add_str(&p->name, "@plt");
}

static void
add_found(struct plt *p, const struct relocs *t, const struct reloc *r, struct plt_code key)
{
	struct entry wanted = { .code = key };
	size_t low;

	FIND_FIRST(low, p->count, order(&p->entries[low], &wanted) >= 0);
	if (low == p->count || order(&p->entries[low], &wanted) != 0)
		return;
	make_name(p, t, r);
	/* In a hostile file all entries and all relocations may be of one slot. */
	while (low < p->count && order(&p->entries[low], &wanted) == 0 && p->tries < TRIES_MAX) {
		add_entry(p, p->entries[low].vaddr, p->entries[low].code.len);
		low++;
	}
}

/* Relocations without a symbol move an address of the file, but for chosen functions. */
static bool
is_of_function(const struct plt *p, const struct reloc *r)
{
	if (r->symbol != 0)
		return true;
	switch (p->machine) {
	case EM_X86_64:
		return r->type == R_X86_64_IRELATIVE;
	case EM_AARCH64:
		return r->type == R_AARCH64_IRELATIVE;
	default:
		return false;
	}
}

static struct reloc
decode_reloc(const struct plt *p, const struct relocs *t, const uint8_t *at)
{
	bool addend = t->sh->sh_type == SHT_RELA;
	Elf64_Rela r64 = { 0 };
	Elf32_Rela r32 = { 0 };

	if (p->is64) {
		memcpy(&r64, at, addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel));
		return (struct reloc){ r64.r_offset, (uint64_t)r64.r_addend,
				       ELF64_R_SYM(r64.r_info), ELF64_R_TYPE(r64.r_info) };
	}
	memcpy(&r32, at, addend ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel));
	return (struct reloc){ r32.r_offset, (uint32_t)r32.r_addend, ELF32_R_SYM(r32.r_info),
			       ELF32_R_TYPE(r32.r_info) };
}

static size_t
reloc_size(const struct plt *p, const GElf_Shdr *sh)
{
	if (sh->sh_type == SHT_RELA)
		return p->is64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	return p->is64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
}

static void
use_reloc(struct plt *p, const struct relocs *t, const struct reloc *r, size_t index)
{
	uint64_t at = ARM_HEADER + (uint64_t)index * ARM_ENTRY;

	if (is_of_function(p, r))
		add_found(p, t, r, (struct plt_code){ PLT_BY_SLOT, r->offset, 0 });
	if (!t->is_plt)
		return;
	add_found(p, t, r, (struct plt_code){ PLT_BY_INDEX, index, 0 });
	if (at + ARM_ENTRY <= p->arm.sh_size) {
		make_name(p, t, r);
		add_entry(p, p->arm.sh_addr + at, ARM_ENTRY);
	}
}

static void
walk_relocs(struct plt *p, const struct relocs *t)
{
	size_t each = reloc_size(p, t->sh), n = MIN(t->sh->sh_size / each, RELOCS_MAX), i = 0;
	uint8_t *buf = mem_realloc(NULL, CHUNK, each);

	while (i < n && p->tries < TRIES_MAX) {
		size_t want = MIN(CHUNK, n - i), got;
		ssize_t bytes = pread(p->f->fd, buf, want * each,
				      (off_t)(t->sh->sh_offset + i * each));

		got = bytes > 0 ? (size_t)bytes / each : 0;
		if (got == 0)
			break;
		for (size_t k = 0; k < got; k++) {
			struct reloc r = decode_reloc(p, t, buf + k * each);

			use_reloc(p, t, &r, i + k);
		}
		i += got;
	}
	free(buf);
}

static bool
visit_relocs(void *self, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	struct plt *p = self;
	struct relocs t = { .sh = sh };
	Elf_Scn *dynsym;
	GElf_Shdr syms;

	(void)scn;
	if ((sh->sh_type != SHT_RELA && sh->sh_type != SHT_REL) ||
	    (sh->sh_flags & (SHF_ALLOC | SHF_COMPRESSED)) != SHF_ALLOC)
		return true;
	t.is_plt = strcmp(name, ".rela.plt") == 0 || strcmp(name, ".rel.plt") == 0;
	dynsym = elf_getscn(p->f->elf, sh->sh_link);
	if (dynsym != NULL && gelf_getshdr(dynsym, &syms) != NULL &&
	    syms.sh_type == SHT_DYNSYM && syms.sh_offset <= p->f->bytes &&
	    syms.sh_size <= p->f->bytes - syms.sh_offset) {
		t.symbols = elf_getdata(dynsym, NULL);
		t.strings = syms.sh_link;
	}
	walk_relocs(p, &t);
	return true;
}

size_t
elf_plt_add(const struct elf_file *f, struct image_build *build)
{
	struct plt p = { .f = f, .build = build };
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (gelf_getehdr(f->elf, &eh) == NULL)
		return 0;
	p.machine = eh.e_machine;
	p.is64 = gelf_getclass(f->elf) == ELFCLASS64;
	if (elf_section_find(f, ".got.plt", &sh) != NULL ||
	    elf_section_find(f, ".got", &sh) != NULL)
		p.got = sh.sh_addr;
	elf_section_each(f, visit_section, &p);
	if (p.count > 0)
		qsort(p.entries, p.count, sizeof(*p.entries), order);
	if (p.count > 0 || p.arm.sh_size > 0)
		elf_section_each(f, visit_relocs, &p);
	buf_release(&p.name);
	free(p.entries);
	return p.added;
}
