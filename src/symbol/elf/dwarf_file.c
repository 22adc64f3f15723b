/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/dwarf_file.h"
#include "symbol/elf/elf_section.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <endian.h>
#include <string.h>
#include <unistd.h>

enum {
	READ_MAX = 64 << 20,     /* more debug data than this is mapped, not read */
	INFLATE_MAX = 256 << 20, /* of compressed sections */
};

/* What debug data takes: as it lies in the file, and what is unpacked. */
struct weight {
	const struct elf_file *f;
	uint64_t bytes, inflated;
};

/* The size that a .zdebug_ section, which begins "ZLIB", says it has when unpacked. */
static uint64_t
zdebug_size(const struct elf_file *f, const GElf_Shdr *sh)
{
	uint64_t head[2] = { 0 }, size;

	if (pread(f->fd, head, 12, (off_t)sh->sh_offset) != 12)
		return 0;
	memcpy(&size, (const uint8_t *)head + 4, sizeof(size));
	return be64toh(size);
}

static bool
add_section(void *self, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	struct weight *w = self;
	uint64_t size = 0;
	GElf_Chdr chdr;

	if (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0)
		return true;
	if (*(name + 1) == 'z')
		size = zdebug_size(w->f, sh);
	else if (sh->sh_flags & SHF_COMPRESSED && gelf_getchdr(scn, &chdr) != NULL)
		size = chdr.ch_size;
	w->bytes += sh->sh_size;
	w->inflated += MIN(size, UINT32_MAX);
	return true;
}

static struct weight
weigh(const struct elf_file *f)
{
	struct weight w = { .f = f };

	elf_section_each(f, add_section, &w);
	return w;
}

uint64_t
dwarf_file_weight(const struct elf_file *f)
{
	struct weight w = weigh(f);

	return w.bytes + w.inflated;
}

/* libdw reads names in them up to their NUL, wherever that is. */
static bool
check_strings(void *self, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	static const char *const names[] = { "debug_str", "debug_line_str" };
	bool *ended = self;
	Elf_Data *data;

	(void)sh;
	name += *name == '.' ? 1 : 0;
	name += *name == 'z' ? 1 : 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		/* As libdw has it by now: unpacked. */
		data = elf_rawdata(scn, NULL);
		if (data != NULL && data->d_size > 0)
			*ended &= ((const char *)data->d_buf)[data->d_size - 1] == '\0';
	}
	return *ended;
}

static bool
strings_end(const struct elf_file *f, Elf *elf)
{
	struct elf_file view = *f;
	bool ended = true;

	view.elf = elf;
	elf_section_each(&view, check_strings, &ended);
	return ended;
}

/* libdw's view of @f; the Elf that it needs is @mapped if that is not NULL then. */
static Dwarf *
begin(const struct elf_file *f, Elf **mapped, struct err *err)
{
	struct weight w = weigh(f);
	Dwarf *dwarf;
	Elf *elf;

	if (w.bytes == 0) {
		err_set(err, ERR_GONE, 0, "no debug data");
		return NULL;
	}
	if (w.inflated > INFLATE_MAX) {
		err_set(err, ERR_LIMIT, 0, "compressed debug data of %llu MiB",
			(unsigned long long)w.inflated >> 20);
		err_hint(err, "unpack it: objcopy --decompress-debug-sections");
		return NULL;
	}
	if (w.bytes > READ_MAX)
		*mapped = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	elf = *mapped != NULL ? *mapped : f->elf;
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf == NULL) {
		err_set(err, ERR_FORMAT, 0, "broken debug data: %s", dwarf_errmsg(-1));
	} else if (!strings_end(f, elf)) {
		err_set(err, ERR_FORMAT, 0, "broken debug data: strings without an end");
		dwarf_end(dwarf);
		dwarf = NULL;
	}
	return dwarf;
}

/* libdw would open whatever path the file names: it must never get to look for one itself. */
static int
open_shared(struct dwarf_file *d, const struct debug_finder *finder, struct err *err)
{
	const char *path, *of_its_own;
	const void *id;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(d->dwarf, &path, &id);

	if (len == 0)
		return 0;
	if (len < 0)
		return err_set(err, ERR_FORMAT, 0, "broken .gnu_debugaltlink");
	if (!debug_file_open_alt(&d->shared_file, path, id, (size_t)len, finder)) {
		err_set(err, ERR_GONE, 0, "debug data shared by dwz, and no file '%.100s'", path);
		return err_hint(err, "install it: it comes with the package of the debug file");
	}
	d->shared = begin(&d->shared_file.elf, &d->shared_mapped, err);
	if (d->shared == NULL)
		return -1;
	if (dwelf_dwarf_gnu_debugaltlink(d->shared, &of_its_own, &id) != 0)
		return err_set(err, ERR_FORMAT, 0, "the dwz file '%.99s' has one of its own", path);
	dwarf_setalt(d->dwarf, d->shared);
	return 0;
}

int
dwarf_file_open(struct dwarf_file *d, const struct elf_file *f,
		const struct debug_finder *finder, struct err *err)
{
	*d = (struct dwarf_file){ 0 };
	d->dwarf = begin(f, &d->mapped, err);
	if (d->dwarf != NULL && open_shared(d, finder, err) == 0)
		return 0;
	dwarf_file_close(d);
	return -1;
}

void
dwarf_file_close(struct dwarf_file *d)
{
	dwarf_end(d->dwarf);
	dwarf_end(d->shared);
	elf_end(d->shared_mapped);
	elf_end(d->mapped);
	debug_file_close(&d->shared_file);
	*d = (struct dwarf_file){ 0 };
}

bool
dwarf_file_next_unit(const struct dwarf_file *d, Dwarf_Off *off, Dwarf_Die *unit)
{
	Dwarf_Off at = *off, next;
	size_t head;

	while (dwarf_nextcu(d->dwarf, at, &next, &head, NULL, NULL, NULL) == 0 && next > at) {
		*off = next;
		if (dwarf_offdie(d->dwarf, at + head, unit) != NULL)
			return true;
		at = next;
	}
	return false;
}

/* What libdw has walked from @die on: to @next, else to the end of the unit. */
static uint64_t
bytes_walked(Dwarf_Die *die, const Dwarf_Die *next)
{
	Dwarf_Off at = dwarf_dieoffset(die), end;
	size_t head;

	if (next->addr != NULL)
		return (uintptr_t)next->addr > (uintptr_t)die->addr
			       ? (uintptr_t)next->addr - (uintptr_t)die->addr : UINT64_MAX;
	if (dwarf_nextcu(dwarf_cu_getdwarf(die->cu), at - dwarf_cuoffset(die), &end, &head, NULL, NULL,
			 NULL) != 0 || end < at)
		return 0;
	return end - at;
}

bool
dwarf_file_next_entry(Dwarf_Die *die, uint64_t *budget)
{
	Dwarf_Die next = { 0 };
	/* Of the last one it sets the address alone: that of the level's end. */
	bool is_there = dwarf_siblingof(die, &next) == 0;
	uint64_t walked = bytes_walked(die, &next);

	if (walked > *budget) {
		*budget = 0;
		return false;
	}
	*budget -= walked;
	if (is_there)
		*die = next;
	return is_there;
}

const char *
dwarf_file_name_of(Dwarf_Die *function)
{
	static const unsigned kinds[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	const char *name = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(kinds) && name == NULL; i++) {
		Dwarf_Attribute attr;

		name = dwarf_formstring(dwarf_attr_integrate(function, kinds[i], &attr));
	}
	return name;
}

#endif
