/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/places.h"

#include "base/num.h"
#include "base/text.h"
#include "symbol/elf/demangle.h"
#include "symbol/image/image.h"

#include <fnmatch.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LEN = 512, TABLE_MAX = 1 << 28 };

int
places_add(struct places *p, const struct symbol_place *place, const char *pattern,
	   struct err *err)
{
	for (size_t i = 0; i < p->len; i++)
		if (p->items[i].offset == place->offset && p->items[i].addr == place->addr)
			return 0;
	if (p->len == PLACES_MAX) {
		err_set(err, ERR_LIMIT, 0, "'%.100s' fits more than %d places", pattern, PLACES_MAX);
		return err_hint(err, "name fewer of them: each is opened by itself");
	}
	vec_reserve(&p->items, &p->cap, p->len + 1, sizeof(*p->items));
	p->items[p->len] = *place;
	p->items[p->len++].name = mem_strdup(place->name);
	return 0;
}

void
places_release(struct places *p)
{
	for (size_t i = 0; i < p->len; i++)
		free(p->items[i].name);
	free(p->items);
	*p = (struct places){ 0 };
}

bool
places_is_glob(const char *pattern)
{
	return strchr(pattern, '*') != NULL;
}

bool
places_match(const char *pattern, const char *name)
{
	return places_is_glob(pattern) ? fnmatch(pattern, name, FNM_NOESCAPE) == 0
				       : strcmp(pattern, name) == 0;
}

bool
places_is_line(const char *pattern, size_t *file_len, unsigned *line)
{
	const char *colon = strrchr(pattern, ':');
	uint64_t n;

	if (colon == NULL || colon == pattern || colon[-1] == ':' || !num_u64(colon + 1, &n) ||
	    n == 0 || n > INT_MAX)
		return false;
	*file_len = (size_t)(colon - pattern);
	*line = (unsigned)n;
	return true;
}

/* One look through the symbol tables of a file. */
struct hunt {
	const struct elf_file *f;
	const char *pattern;
	bool data, is_glob;
	struct places *out;
	struct err *err;
	bool any;           /* there are symbols of the kind at all */
	bool tls, ifunc;    /* the name is of something that has no one place */
	uint64_t addr;      /* where a variable is looked for, */
	GElf_Sym best;      /* and the smallest there; size 0: none so far */
	char nearest[NAME_MAX_LEN];
};

/* Asked for each defined symbol.  -1 ends the walk. */
typedef int visit_symbol(struct hunt *h, const GElf_Sym *sym, const char *name);

static int
walk_table(struct hunt *h, Elf_Scn *scn, const GElf_Shdr *sh, Elf *elf, visit_symbol *visit)
{
	Elf_Data *data = sh->sh_size <= TABLE_MAX ? elf_getdata(scn, NULL) : NULL;
	size_t n = data != NULL && sh->sh_entsize > 0 ? sh->sh_size / sh->sh_entsize : 0;

	for (size_t i = 0; i < MIN(n, INT_MAX); i++) {
		char plain[NAME_MAX_LEN];
		const char *name;
		GElf_Sym sym;
		size_t len;

		if (gelf_getsym(data, (int)i, &sym) == NULL || sym.st_shndx == SHN_UNDEF ||
		    sym.st_shndx == SHN_ABS || sym.st_name == 0)
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name == NULL)
			continue;
		/* "memcpy@@GLIBC_2.14" */
		len = strcspn(name, "@");
		if (len == 0 || len >= sizeof(plain))
			continue;
		memcpy(plain, name, len);
		plain[len] = '\0';
		if (visit(h, &sym, plain) < 0)
			return -1;
	}
	return 0;
}

static int
walk(struct hunt *h, const struct elf_file *names, visit_symbol *visit)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(names->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL ||
		    (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		if (walk_table(h, scn, &sh, names->elf, visit) < 0)
			return -1;
	}
	return 0;
}

/* Labels have no type: they count as what their place says they are, if they are named in full. */
static bool
is_of_kind(const struct hunt *h, const GElf_Sym *sym, uint64_t *offset)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	bool is_code = elf_file_offset(h->f, sym->st_value, offset);

	if (type == STT_NOTYPE)
		return !h->is_glob && is_code != h->data;
	return h->data ? type == STT_OBJECT : type == STT_FUNC && is_code;
}

static int
add_match(struct hunt *h, const GElf_Sym *sym, const char *name)
{
	struct symbol_place place = { .name = (char *)(uintptr_t)name, .addr = sym->st_value,
				      .size = sym->st_size };
	unsigned type = GELF_ST_TYPE(sym->st_info);

	h->tls |= type == STT_TLS;
	h->ifunc |= type == STT_GNU_IFUNC;
	if (type == STT_TLS || type == STT_GNU_IFUNC || !is_of_kind(h, sym, &place.offset))
		return 0;
	if (h->data)
		place.offset = 0;
	return places_add(h->out, &place, h->pattern, h->err);
}

static int
visit_raw(struct hunt *h, const GElf_Sym *sym, const char *name)
{
	uint64_t offset;

	h->any |= is_of_kind(h, sym, &offset);
	return places_match(h->pattern, name) ? add_match(h, sym, name) : 0;
}

static int
visit_demangled(struct hunt *h, const GElf_Sym *sym, const char *name)
{
	char *plain;
	int res = 0;

	if (!image_is_mangled(name))
		return 0;
	plain = demangle(name);
	if (places_match(h->pattern, plain))
		res = add_match(h, sym, plain);
	free(plain);
	return res;
}

static int
visit_nearest(struct hunt *h, const GElf_Sym *sym, const char *name)
{
	const char *names[] = { h->nearest, name };
	size_t a = strlen(name), b = strlen(h->pattern);
	const char *found;
	uint64_t offset;

	/* Too long or too short to be a slip: most are. */
	if (MAX(a, b) - MIN(a, b) > b / 3 + 1 || !is_of_kind(h, sym, &offset))
		return 0;
	found = text_nearest(h->pattern, names, ARRAY_SIZE(names));
	if (found == name)
		memcpy(h->nearest, name, a + 1);
	return 0;
}

static int
explain(struct hunt *h, const struct elf_file *names)
{
	const char *kind = h->data ? "variable" : "function";

	if (h->tls) {
		err_set(h->err, ERR_UNSUPPORTED, 0, "'%.100s' is a variable of each thread (TLS)",
			h->pattern);
		return err_hint(h->err, "a breakpoint needs one address: mem:ADDRESS");
	}
	if (h->ifunc) {
		err_set(h->err, ERR_UNSUPPORTED, 0,
			"'%.100s' stands for one of several functions, chosen when the program starts",
			h->pattern);
		return err_hint(h->err, "name the one that is used, or all: '*%.60s*'", h->pattern);
	}
	if (!h->any) {
		err_set(h->err, ERR_GONE, 0, "stripped: no symbol table that has a %s", kind);
		return err_hint(h->err, "use a build that is not stripped");
	}
	err_set(h->err, ERR_GONE, 0, "no %s '%.100s'", kind, h->pattern);
	if (h->is_glob)
		return -1;
	walk(h, names, visit_nearest);
	return *h->nearest != '\0' ? err_hint(h->err, "did you mean '%.100s'?", h->nearest) : -1;
}

int
places_in_file(const struct elf_file *f, const struct elf_file *names, const char *pattern,
	       bool data, struct places *out, struct err *err)
{
	struct hunt h = { .f = f, .pattern = pattern, .data = data, .out = out, .err = err,
			  .is_glob = places_is_glob(pattern) };

	if (walk(&h, names, visit_raw) < 0)
		return -1;
	if (out->len == 0 && walk(&h, names, visit_demangled) < 0)
		return -1;
	return out->len > 0 ? 0 : explain(&h, names);
}

int
places_of_offset(const struct elf_file *f, uint64_t offset, struct places *out, struct err *err)
{
	struct symbol_place place = { .name = (char *)(uintptr_t)"", .offset = offset };

	if (elf_file_vaddr(f, offset, &place.addr))
		return places_add(out, &place, "", err);
	err_set(err, ERR_USAGE, 0, "offset 0x%" PRIx64 " of the file is not in its code", offset);
	return err_hint(err, "a line of its source is named by file, too: FILE.c:%" PRIu64, offset);
}

/* Of several the smallest: the others are what it is a part of, or its name in another table. */
static int
visit_variable(struct hunt *h, const GElf_Sym *sym, const char *name)
{
	if (GELF_ST_TYPE(sym->st_info) != STT_OBJECT || h->addr - sym->st_value >= sym->st_size ||
	    (h->best.st_size > 0 && h->best.st_size <= sym->st_size))
		return 0;
	h->best = *sym;
	memcpy(h->nearest, name, strlen(name) + 1);
	return 0;
}

int
places_of_variable(const struct elf_file *f, const struct elf_file *names, uint64_t addr,
		   struct places *out, struct err *err)
{
	struct hunt h = { .f = f, .data = true, .addr = addr };
	struct symbol_place place;

	walk(&h, names, visit_variable);
	if (names != f)
		walk(&h, f, visit_variable);
	if (h.best.st_size == 0)
		return err_set(err, ERR_GONE, 0, "no variable at 0x%" PRIx64, addr);
	place = (struct symbol_place){ .name = demangle(h.nearest), .addr = h.best.st_value,
				       .size = h.best.st_size };
	places_add(out, &place, "", err);
	free(place.name);
	return 0;
}
