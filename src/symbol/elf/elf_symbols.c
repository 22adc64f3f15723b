/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/elf_section.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	CHUNK = 32 << 10,
	NEAR = 4 << 10,      /* names mostly come in the order of their symbols */
	NAME_MAX_LEN = 16 << 10, /* longer ones are cut */
	WHOLE = 4 << 20,     /* names up to so many bytes in all are read at once */
	CODE_SECTIONS = 256,
};

struct table {
	uint64_t offset, len; /* in the file */
	uint64_t strings, strings_len;
};

/*
 * A view into the string table: all of it, or one that moves with the names if it is long.  Those
 * of dynamic symbols come in no order: moving would read the table again for almost every name.
 */
struct window {
	int fd;
	uint64_t offset, len; /* the string table in the file */
	uint64_t at;
	size_t have, cap;
	char *bytes;
};

struct walk {
	const struct elf_file *f;     /* what is mapped */
	const struct elf_file *names; /* has the symbol tables: the same, or its debug file */
	struct image_build *build;
	uint64_t bias;
	bool is64, is_arm, thumb;
	bool full;
	unsigned code_count, code_last;
	uint32_t code[CODE_SECTIONS]; /* numbers of the executable sections, rising */
	struct window strings;
};

static void
window_open(struct window *w, int fd, const struct table *t)
{
	ssize_t n;

	*w = (struct window){ .fd = fd, .offset = t->strings, .len = t->strings_len };
	w->cap = w->len <= WHOLE ? (size_t)w->len : NAME_MAX_LEN;
	w->bytes = mem_realloc(NULL, w->cap, 1);
	n = w->len <= WHOLE ? pread(fd, w->bytes, w->cap, (off_t)w->offset) : 0;
	w->have = n > 0 ? (size_t)n : 0;
}

static void
window_close(struct window *w)
{
	free(w->bytes);
	*w = (struct window){ 0 };
}

/* The name at @off, not terminated; NULL beyond the table or the file. */
static const char *
window_name(struct window *w, uint64_t off, size_t *len)
{
	size_t want = MIN(NEAR, w->cap);
	const char *nul;
	ssize_t n;

	if (off >= w->len)
		return NULL;
	if (off >= w->at && off - w->at < w->have) {
		const char *s = w->bytes + (off - w->at);

		nul = memchr(s, '\0', w->have - (off - w->at));
		if (nul != NULL) {
			*len = (size_t)(nul - s);
			return s;
		}
	}
	for (;; want = w->cap) {
		n = pread(w->fd, w->bytes, MIN(want, w->len - off), (off_t)(w->offset + off));
		w->at = off;
		w->have = n > 0 ? (size_t)n : 0;
		nul = memchr(w->bytes, '\0', w->have);
		*len = nul != NULL ? (size_t)(nul - w->bytes) : w->have;
		if (nul != NULL || want == w->cap)
			return w->have > 0 ? w->bytes : NULL;
	}
}

/* Symbols come in runs of one section.  Beyond what is listed, all are taken to be code. */
static bool
is_code_section(struct walk *k, uint32_t section)
{
	unsigned i;

	if (k->code_last < k->code_count && k->code[k->code_last] == section)
		return true;
	for (i = 0; i < k->code_count; i++) {
		if (k->code[i] == section) {
			k->code_last = i;
			return true;
		}
	}
	return k->code_count == CODE_SECTIONS;
}

/* Functions, and labels in executable sections, as perf takes them. */
static bool
is_function(struct walk *k, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (type != STT_NOTYPE && type != STT_FUNC && type != STT_GNU_IFUNC)
		return false;
	if (sym->st_name == 0 || sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS ||
	    sym->st_shndx == SHN_COMMON)
		return false;
	return is_code_section(k, sym->st_shndx);
}

/* An assembler's own labels, mostly thrown away by it. */
static bool
is_local_label(const GElf_Sym *sym, const char *name, size_t len)
{
	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && len >= 2 && name[0] == '.' &&
	       name[1] == 'L';
}

/* $a, $d, $t, $x mark where code and data begin; they name nothing. */
static bool
is_mapping_symbol(const char *name, size_t len)
{
	return len >= 2 && name[0] == '$' && strchr("adtx", name[1]) != NULL &&
	       (len == 2 || name[2] == '.');
}

static enum image_binding
binding_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_WEAK:
		return IMAGE_WEAK;
	case STB_LOCAL:
		return IMAGE_LOCAL;
	default:
		return IMAGE_GLOBAL;
	}
}

static void
add_symbol(struct walk *k, GElf_Sym *sym)
{
	struct image_symbol s = { .binding = binding_of(sym) };
	uint64_t base;

	if (!is_function(k, sym) || !elf_file_section_base(k->f, sym->st_shndx, &base))
		return;
	if (k->thumb && GELF_ST_TYPE(sym->st_info) == STT_FUNC)
		sym->st_value &= ~(GElf_Addr)1; /* says "thumb", is not part of the address */
	if (!elf_file_offset(k->f, sym->st_value + base + k->bias, &s.addr))
		return;
	s.name = window_name(&k->strings, sym->st_name, &s.name_len);
	if (s.name == NULL || s.name_len == 0)
		return;
	if ((k->is_arm && is_mapping_symbol(s.name, s.name_len)) ||
	    is_local_label(sym, s.name, s.name_len))
		return;
	s.size = sym->st_size;
	if (!image_build_add(k->build, &s))
		k->full = true;
}

static GElf_Sym
decode(const struct walk *k, const uint8_t *p)
{
	Elf32_Sym s32;
	GElf_Sym s;

	if (k->is64) {
		memcpy(&s, p, sizeof(s));
		return s;
	}
	memcpy(&s32, p, sizeof(s32));
	return (GElf_Sym){ s32.st_name, s32.st_info, s32.st_other,
			   s32.st_shndx, s32.st_value, s32.st_size };
}

static void
walk_table(struct walk *k, const struct table *t)
{
	size_t each = k->is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t chunk = CHUNK - CHUNK % each, i, got;
	uint8_t buf[CHUNK];
	uint64_t pos;
	ssize_t n;

	window_open(&k->strings, k->names->fd, t);
	for (pos = 0; pos < t->len && !k->full; pos += got) {
		n = pread(k->names->fd, buf, MIN(chunk, t->len - pos), (off_t)(t->offset + pos));
		got = n > 0 ? (size_t)n - (size_t)n % each : 0;
		if (got == 0)
			break;
		for (i = 0; i < got && !k->full; i += each) {
			GElf_Sym sym = decode(k, buf + i);

			add_symbol(k, &sym);
		}
	}
	window_close(&k->strings);
}

/* A section's bytes, as far as the file has them. */
static uint64_t
bytes_in_file(const struct elf_file *f, const GElf_Shdr *sh)
{
	if (sh->sh_type == SHT_NOBITS || sh->sh_offset >= f->bytes)
		return 0;
	return MIN(sh->sh_size, f->bytes - sh->sh_offset);
}

static bool
find_table(const struct elf_file *f, enum elf_table table, struct table *t)
{
	static const unsigned types[] = {
		[ELF_TABLE_STATIC] = SHT_SYMTAB,
		[ELF_TABLE_DYNAMIC] = SHT_DYNSYM,
	};
	Elf_Scn *scn = NULL;
	GElf_Shdr sh, str;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != types[table] ||
		    sh.sh_flags & SHF_COMPRESSED)
			continue;
		if (gelf_getshdr(elf_getscn(f->elf, sh.sh_link), &str) == NULL)
			continue;
		*t = (struct table){ sh.sh_offset, bytes_in_file(f, &sh), str.sh_offset,
				     bytes_in_file(f, &str) };
		if (t->len > 0 && t->strings_len > 0)
			return true;
	}
	return false;
}

static void
find_code(struct walk *k)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	uint64_t base, off;

	while ((scn = elf_nextscn(k->names->elf, scn)) != NULL && k->code_count < CODE_SECTIONS)
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_flags & SHF_EXECINSTR &&
		    elf_file_section_base(k->f, elf_ndxscn(scn), &base) &&
		    elf_file_offset(k->f, sh.sh_addr + base + k->bias, &off))
			k->code[k->code_count++] = (uint32_t)elf_ndxscn(scn);
}

void
elf_symbols_add_code(const struct elf_file *f, struct image_build *build)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	uint64_t base, off;

	while ((scn = elf_nextscn(f->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_flags & SHF_EXECINSTR &&
		    elf_file_section_base(f, elf_ndxscn(scn), &base) &&
		    elf_file_offset(f, sh.sh_addr + base, &off))
			image_build_section(build, off, off + sh.sh_size);
}

struct sections {
	const struct elf_file *f;
	struct image_build *build;
};

static bool
add_section(void *self, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	static const char *const names[] = { ".init",	 ".plt",     ".plt.sec", ".plt.got",
					     ".plt.bnd", ".iplt",    ".fini" };
	const struct sections *s = self;
	struct image_symbol sym = { .size = sh->sh_size, .name = name, .name_len = strlen(name),
				    .binding = IMAGE_SECTION };

	(void)scn;
	if (sh->sh_size == 0 || !elf_file_offset(s->f, sh->sh_addr, &sym.addr))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(name, names[i]) == 0)
			image_build_add(s->build, &sym);
	return true;
}

void
elf_symbols_add_sections(const struct elf_file *f, struct image_build *build)
{
	struct sections s = { f, build };

	if (!f->is_module)
		elf_section_each(f, add_section, &s);
}

bool
elf_symbols_add(const struct elf_file *f, const struct elf_file *names, enum elf_table table,
		struct image_build *build)
{
	struct walk *k;
	struct table t;
	GElf_Ehdr eh;
	bool full;

	if (!find_table(names, table, &t) || gelf_getehdr(names->elf, &eh) == NULL)
		return true;
	k = mem_calloc(1, sizeof(*k));
	k->f = f;
	k->names = names;
	k->build = build;
	k->bias = elf_file_bias(f, names);
	k->is64 = gelf_getclass(names->elf) == ELFCLASS64;
	k->thumb = eh.e_machine == EM_ARM;
	k->is_arm = k->thumb || eh.e_machine == EM_AARCH64;
	find_code(k);
	/* Names may share their ends, but a small file must not become a huge image. */
	image_build_allow_names(build, 4 * t.strings_len);
	walk_table(k, &t);
	full = k->full;
	free(k);
	return !full;
}

uint64_t
elf_symbols_count(const struct elf_file *f, enum elf_table table)
{
	bool is64 = gelf_getclass(f->elf) == ELFCLASS64;
	struct table t;

	if (!find_table(f, table, &t))
		return 0;
	return t.len / (is64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
}

bool
elf_symbols_has_table(const struct elf_file *f)
{
	return elf_symbols_count(f, ELF_TABLE_STATIC) > 0;
}
