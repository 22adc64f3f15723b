/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/elf_section.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
elf_section_each(const struct elf_file *f, elf_section_visit *visit, void *self)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(f->elf, &strings) != 0)
		return;
	while ((scn = elf_nextscn(f->elf, scn)) != NULL) {
		const char *name;
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type == SHT_NOBITS ||
		    sh.sh_offset > f->bytes || sh.sh_size > f->bytes - sh.sh_offset)
			continue;
		name = elf_strptr(f->elf, strings, sh.sh_name);
		if (name != NULL && !visit(self, scn, &sh, name))
			return;
	}
}

struct search {
	const char *name;
	Elf_Scn *found;
	GElf_Shdr *sh;
};

static bool
is_it(void *self, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	struct search *s = self;

	if (strcmp(name, s->name) != 0)
		return true;
	s->found = scn;
	*s->sh = *sh;
	return false;
}

Elf_Scn *
elf_section_find(const struct elf_file *f, const char *name, GElf_Shdr *sh)
{
	struct search s = { .name = name, .sh = sh };

	elf_section_each(f, is_it, &s);
	return s.found;
}

uint8_t *
elf_section_read(const struct elf_file *f, const GElf_Shdr *sh, size_t max, size_t *len)
{
	uint8_t *bytes;

	if (sh->sh_size == 0 || sh->sh_size > max)
		return NULL;
	*len = (size_t)sh->sh_size;
	bytes = mem_realloc(NULL, *len, 1);
	if (pread(f->fd, bytes, *len, (off_t)sh->sh_offset) == (ssize_t)*len)
		return bytes;
	free(bytes);
	return NULL;
}

bool
elf_section_has_dwarf(const struct elf_file *f)
{
	GElf_Shdr sh;

	return elf_section_find(f, ".debug_info", &sh) != NULL ||
	       elf_section_find(f, ".zdebug_info", &sh) != NULL;
}
