/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/elf/elf_entries.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/cfi_section.h"

#include <dwarf.h>
#include <gelf.h>

/* Commons that were read lately: nearly all files have but a few. */
enum { COMMONS = 16 };

struct common {
	bool is_read, is_good;
	struct cfi_common cfi;
};

struct entries {
	const struct elf_file *f;
	struct cfi_section section;
	struct common commons[COMMONS];
};

static const struct cfi_common *
find_common(struct entries *e, uint64_t offset)
{
	struct common *c = &e->commons[hash_mix(offset, 0) % COMMONS];

	if (!c->is_read || c->cfi.offset != offset) {
		c->is_read = true;
		c->is_good = cfi_section_common(&e->section, offset, &c->cfi);
	}
	/* Whole addresses are read as those of 64 bits. */
	if ((c->cfi.encoding & 0x0f) == DW_EH_PE_absptr && gelf_getclass(e->f->elf) != ELFCLASS64)
		return NULL;
	return c->is_good ? &c->cfi : NULL;
}

/* false: the image is full. */
static bool
add_entry(struct entries *e, const struct cfi_entry *entry, struct image_build *build)
{
	const struct cfi_common *common = find_common(e, entry->common);
	struct cfi_function fn;
	uint64_t start, last;

	/* What the linker dropped is at 0, 1 or -1 for some linkers. */
	if (common == NULL || !cfi_section_function(&e->section, entry, common, &fn) ||
	    fn.start <= 1 || !elf_file_offset(e->f, fn.start, &start) ||
	    !elf_file_offset(e->f, fn.end - 1, &last) || last - start != fn.end - 1 - fn.start)
		return true;
	return image_build_add_entry(build, start, fn.end - fn.start, fn.start);
}

bool
elf_entries_add(const struct elf_file *f, struct image_build *build)
{
	struct entries e = { .f = f };
	struct cfi_entry entry;
	bool has_room = true;
	uint64_t off = 0;

	/* The addresses of a module's entries would have to be relocated. */
	if (!f->is_module && cfi_section_eh(&e.section, f)) {
		/* The name of one is hardly longer than the entry itself. */
		image_build_allow_names(build, 2 * e.section.data.len);
		while (has_room && cfi_section_next(&e.section, &off, &entry))
			has_room = add_entry(&e, &entry, build);
	}
	cfi_section_release(&e.section);
	return has_room;
}

#else

bool
elf_entries_add(const struct elf_file *f, struct image_build *build)
{
	(void)f;
	(void)build;
	return true;
}

#endif
