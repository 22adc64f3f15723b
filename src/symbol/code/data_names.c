/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/code/code_file.h"

#include "symbol/elf/elf_section.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAMES_MAX = 1 << 20,
	TEXT_MAX = 64 << 20,
	NAME_LEN_MAX = 512, /* what is longer is cut */
	TABLE_MAX = 256 << 20,
};

static void
add(struct data_names *d, uint64_t addr, uint64_t size, const char *name, bool is_slot)
{
	if (name == NULL || *name == '\0' || d->len == NAMES_MAX || d->text.len > TEXT_MAX)
		return;
	VEC_ADD(d->items, d->len, d->cap) = (struct data_name){
		.addr = addr, .size = size, .name = (uint32_t)d->text.len, .is_slot = is_slot };
	buf_add(&d->text, name, strnlen(name, NAME_LEN_MAX));
	buf_add_char(&d->text, '\0');
}

/* A table that is in the file whole, and not as large as to fill the memory; NULL: it is not. */
static Elf_Data *
read_table(const struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *sh)
{
	if ((sh->sh_flags & SHF_COMPRESSED) || sh->sh_entsize == 0 || sh->sh_size > TABLE_MAX ||
	    sh->sh_offset > f->bytes || sh->sh_size > f->bytes - sh->sh_offset)
		return NULL;
	return elf_getdata(scn, NULL);
}

static int
count_of(const GElf_Shdr *sh)
{
	return (int)MIN(sh->sh_size / sh->sh_entsize, (uint64_t)INT_MAX);
}

void
data_names_add(struct data_names *d, const struct elf_file *names, uint64_t bias)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(names->elf, scn)) != NULL) {
		Elf_Data *data;
		GElf_Sym s;

		if (gelf_getshdr(scn, &sh) == NULL ||
		    (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM) ||
		    (data = read_table(names, scn, &sh)) == NULL)
			continue;
		for (int i = 0; i < count_of(&sh) && gelf_getsym(data, i, &s) != NULL; i++)
			if (GELF_ST_TYPE(s.st_info) == STT_OBJECT && s.st_shndx != SHN_UNDEF &&
			    s.st_shndx != SHN_ABS)
				add(d, s.st_value + bias, s.st_size,
				    elf_strptr(names->elf, sh.sh_link, s.st_name), false);
	}
}

/* The symbols that relocations of section @sh are of; NULL: none. */
static Elf_Data *
symbols_of(const struct elf_file *f, const GElf_Shdr *sh, GElf_Shdr *symbols)
{
	Elf_Scn *scn = elf_getscn(f->elf, sh->sh_link);

	if (scn == NULL || gelf_getshdr(scn, symbols) == NULL ||
	    (symbols->sh_type != SHT_DYNSYM && symbols->sh_type != SHT_SYMTAB))
		return NULL;
	return read_table(f, scn, symbols);
}

static void
add_slots_of(struct data_names *d, const struct elf_file *f, Elf_Data *relocs, Elf_Data *symbols,
	     size_t strings, int count)
{
	GElf_Rela r;
	GElf_Sym s;

	for (int i = 0; i < count && gelf_getrela(relocs, i, &r) != NULL; i++)
		if (GELF_R_SYM(r.r_info) != 0 && GELF_R_SYM(r.r_info) <= INT_MAX &&
		    gelf_getsym(symbols, (int)GELF_R_SYM(r.r_info), &s) != NULL)
			add(d, r.r_offset, sizeof(uint64_t),
			    elf_strptr(f->elf, strings, s.st_name), true);
}

void
data_names_add_slots(struct data_names *d, const struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh, symbols;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		Elf_Data *relocs, *names;

		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_RELA ||
		    !(sh.sh_flags & SHF_ALLOC))
			continue;
		relocs = read_table(f, scn, &sh);
		names = relocs != NULL ? symbols_of(f, &sh, &symbols) : NULL;
		if (names != NULL)
			add_slots_of(d, f, relocs, names, symbols.sh_link, count_of(&sh));
	}
}

/* Variables before slots, as a pointer that has a name of its own is called by that. */
static int
compare(const void *a, const void *b)
{
	const struct data_name *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->is_slot != y->is_slot)
		return x->is_slot ? 1 : -1;
	return x->name < y->name ? -1 : x->name > y->name;
}

void
data_names_sort(struct data_names *d)
{
	if (d->len > 0)
		qsort(d->items, d->len, sizeof(*d->items), compare);
}

const struct data_name *
data_names_find(const struct data_names *d, uint64_t addr)
{
	const struct data_name *n;
	size_t after;

	FIND_FIRST(after, d->len, d->items[after].addr > addr);
	if (after == 0)
		return NULL;
	n = &d->items[after - 1];
	while (n > d->items && n[-1].addr == n->addr)
		n--;
	return addr - n->addr < MAX(n->size, 1) ? n : NULL;
}

void
data_names_release(struct data_names *d)
{
	free(d->items);
	buf_release(&d->text);
	*d = (struct data_names){ 0 };
}
