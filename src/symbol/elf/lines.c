/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/elf/lines.h"

#include <stdlib.h>

#include "base/buf.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/dwarf_file.h"
#include "symbol/elf/elf_section.h"
#include "symbol/elf/line_sums.h"
#include "symbol/elf/pointers.h"
#include "symbol/elf/scopes.h"

#include <dwarf.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

enum {
	SLOTS = 4,
	MAX_RANGES = 4 << 20,
	KEEP_MAX = 32 << 20, /* debug data of all open files together; one may be more */
};

/* Where a compile unit has code, for files whose .debug_aranges does not say. */
struct unit_range {
	Dwarf_Addr low, high;
	Dwarf_Off die;
};

struct lines_file {
	uint32_t dso;
	uint64_t used; /* when, to find the one longest unused; 0: the slot is free */
	uint64_t weight;
	struct elf_file file;
	struct debug_file debug; /* has the debug data, if it is open */
	uint64_t bias;           /* from its addresses to the file's */
	struct dwarf_file dwarf;
	bool ranges_known;
	struct unit_range *ranges;
	size_t range_count, range_cap;
	struct inlines inlines;
	struct scopes scopes;
	struct pointers pointers;
	Dwarf_Die stack_unit;    /* of the address that lines_stack() was asked for last */
	Dwarf_Addr stack_addr;   /* 0: none */
	struct line_sums sums;
};

struct lines {
	uint64_t clock;
	struct lines_file files[SLOTS];
};

struct lines *
lines_new(void)
{
	return mem_calloc(1, sizeof(struct lines));
}

static void
file_close(struct lines_file *f)
{
	dwarf_file_close(&f->dwarf);
	debug_file_close(&f->debug);
	elf_file_close(&f->file);
	close(f->file.fd);
	free(f->ranges);
	inlines_release(&f->inlines);
	scopes_release(&f->scopes);
	pointers_release(&f->pointers);
	line_sums_release(&f->sums);
	*f = (struct lines_file){ 0 };
}

void
lines_free(struct lines *l)
{
	if (l == NULL)
		return;
	for (size_t i = 0; i < SLOTS; i++)
		if (l->files[i].used != 0)
			file_close(&l->files[i]);
	free(l);
}

static struct lines_file *
file_of(const struct lines *l, uint32_t dso)
{
	unsigned i;

	for (i = 0; i < SLOTS; i++)
		if (l->files[i].used != 0 && l->files[i].dso == dso)
			return (struct lines_file *)(uintptr_t)&l->files[i];
	return NULL;
}

bool
lines_is_open(const struct lines *l, uint32_t dso)
{
	return file_of(l, dso) != NULL;
}

static uint64_t
total_weight(const struct lines *l)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < SLOTS; i++)
		sum += l->files[i].weight;
	return sum;
}

/* A free slot; the files longest unused are closed for it, and for the room. */
static struct lines_file *
slot_for(struct lines *l, uint64_t weight)
{
	for (;;) {
		struct lines_file *oldest = NULL, *empty = NULL;
		unsigned i;

		for (i = 0; i < SLOTS; i++) {
			struct lines_file *f = &l->files[i];

			if (f->used == 0)
				empty = f;
			else if (oldest == NULL || f->used < oldest->used)
				oldest = f;
		}
		if (oldest == NULL || (empty != NULL && total_weight(l) + weight <= KEEP_MAX))
			return empty;
		file_close(oldest);
		malloc_trim(0);
	}
}

/* What has the debug data; NULL: there are none. */
static const struct elf_file *
debug_data(struct lines_file *f, const struct debug_finder *finder)
{
	if (elf_section_has_dwarf(&f->file))
		return &f->file;
	if (!debug_file_find(&f->debug, &f->file, finder, DEBUG_HAS_DWARF))
		return NULL;
	f->bias = elf_file_bias(&f->file, &f->debug.elf);
	return &f->debug.elf;
}

int
lines_open(struct lines *l, uint32_t dso, int fd, const struct debug_finder *finder,
	   struct err *err)
{
	struct lines_file f = { .dso = dso }, *slot;
	const struct elf_file *data;

	if (elf_file_open(&f.file, fd, err) != 0) {
		close(fd);
		return -1;
	}
	data = debug_data(&f, finder);
	if (data == NULL || f.file.is_module) {
		err_set(err, ERR_GONE, 0, "no debug data");
		goto fail;
	}
	f.weight = dwarf_file_weight(data);
	slot = slot_for(l, f.weight);
	if (dwarf_file_open(&f.dwarf, data, finder, err) != 0)
		goto fail;
	f.used = ++l->clock;
	*slot = f;
	return 0;
fail:
	file_close(&f);
	return -1;
}

static void
add_ranges(struct lines_file *f, Dwarf_Die *cu)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t pos = 0;

	while ((pos = dwarf_ranges(cu, pos, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (f->range_count == MAX_RANGES)
			return;
		vec_reserve(&f->ranges, &f->range_cap, f->range_count + 1, sizeof(f->ranges[0]));
		f->ranges[f->range_count++] =
			(struct unit_range){ low, high, dwarf_dieoffset(cu) };
	}
}

static void
find_ranges(struct lines_file *f)
{
	Dwarf_Off off = 0;
	Dwarf_Die unit;

	f->ranges_known = true;
	while (dwarf_file_next_unit(&f->dwarf, &off, &unit))
		add_ranges(f, &unit);
}

/* By .debug_aranges; clang writes none, so else by the ranges of all units. */
static bool
unit_of(struct lines_file *f, Dwarf_Addr addr, Dwarf_Die *cu)
{
	size_t i;

	if (dwarf_addrdie(f->dwarf.dwarf, addr, cu) != NULL)
		return true;
	if (!f->ranges_known)
		find_ranges(f);
	for (i = 0; i < f->range_count; i++)
		if (addr >= f->ranges[i].low && addr < f->ranges[i].high)
			return dwarf_offdie(f->dwarf.dwarf, f->ranges[i].die, cu) != NULL;
	return false;
}

/* The compile unit of a file offset, and the address there; false: none is known. */
static bool
find_unit(struct lines *l, struct lines_file *f, uint64_t offset, uint64_t *addr, Dwarf_Die *cu)
{
	if (f == NULL || !elf_file_vaddr(&f->file, offset, addr))
		return false;
	*addr -= f->bias;
	f->used = ++l->clock;
	return unit_of(f, *addr, cu);
}

/* Where the unit was compiled. */
static const char *
folder_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
}

char *
lines_find(struct lines *l, uint32_t dso, uint64_t offset, struct buf *whole)
{
	struct buf b = { 0 };
	const char *path, *slash;
	Dwarf_Line *line;
	uint64_t addr;
	Dwarf_Die cu;
	int number = 0;

	if (!find_unit(l, file_of(l, dso), offset, &addr, &cu))
		return NULL;
	line = dwarf_getsrc_die(&cu, addr);
	if (line == NULL || dwarf_lineno(line, &number) != 0 || number == 0)
		return NULL;
	path = dwarf_linesrc(line, NULL, NULL);
	if (path == NULL)
		return NULL;
	if (whole != NULL)
		lines_put_path(whole, folder_of(&cu), path);
	slash = strrchr(path, '/');
	buf_addf(&b, "%.*s:%d", 255, slash != NULL ? slash + 1 : path, number);
	return b.data;
}

unsigned
lines_inlined(struct lines *l, uint32_t dso, uint64_t offset, struct buf *out)
{
	struct lines_file *f = file_of(l, dso);
	uint64_t addr;
	Dwarf_Die cu;

	if (!find_unit(l, f, offset, &addr, &cu))
		return 0;
	return inlines_find(&f->inlines, &cu, addr, out);
}

static void
add_sum(struct line_sums *sums, Dwarf_Die *unit, size_t file, struct line_frame *frame)
{
	const struct line_sum *sum = line_sums_find(sums, unit, file);

	if (sum != NULL)
		frame->sum = *sum;
}

/* The line of the address itself. */
static void
own_line(struct line_sums *sums, Dwarf_Die *unit, Dwarf_Addr addr, struct line_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
	Dwarf_Files *files;
	int number = 0;
	size_t file;

	if (line == NULL || dwarf_lineno(line, &number) != 0)
		return;
	frame->path = dwarf_linesrc(line, NULL, NULL);
	frame->line = (unsigned)MAX(number, 0);
	if (dwarf_line_file(line, &files, &file) == 0)
		add_sum(sums, unit, file, frame);
}

static const char *
name_of(Dwarf *dwarf, const struct scope *scope)
{
	Dwarf_Die die;
	const char *name = NULL;

	if (dwarf_offdie(dwarf, scope->die, &die) != NULL)
		name = dwarf_file_name_of(&die);
	return name != NULL && *name != '\0' ? name : "[unknown]";
}

unsigned
lines_stack(struct lines *l, uint32_t dso, uint64_t offset,
	    struct line_frame frames[INLINES_MAX + 1])
{
	struct lines_file *f = file_of(l, dso);
	Dwarf_Files *files = NULL;
	unsigned count = 1;
	size_t file_count;
	uint64_t addr;
	uint32_t at;
	Dwarf_Die unit;

	frames[0] = (struct line_frame){ 0 };
	if (!find_unit(l, f, offset, &addr, &unit))
		return 0;
	f->stack_unit = unit;
	f->stack_addr = addr;
	own_line(&f->sums, &unit, addr, &frames[0]);
	if (dwarf_getsrcfiles(&unit, &files, &file_count) != 0)
		file_count = 0;
	at = scopes_find(&f->scopes, &f->inlines, &unit, addr);
	for (; at != SCOPE_NONE && count <= INLINES_MAX; at = f->scopes.items[at].outer, count++) {
		const struct scope *s = &f->scopes.items[at];

		frames[count - 1].function = name_of(f->dwarf.dwarf, s);
		frames[count] = (struct line_frame){ .line = s->call_line };
		if (s->call_file >= file_count)
			continue;
		frames[count].path = dwarf_filesrc(files, s->call_file, NULL, NULL);
		add_sum(&f->sums, &unit, s->call_file, &frames[count]);
	}
	for (unsigned i = 0; i < count; i++)
		frames[i].dir = folder_of(&unit);
	return count == 1 && frames[0].path == NULL ? 0 : count;
}

bool
lines_member(struct lines *l, uint32_t dso, uint64_t offset, const struct lines_operand *o,
	     uint64_t *budget, struct buf *out)
{
	struct pointer_use use = { .reg = o->reg, .disp = o->disp, .size = o->size };
	struct lines_file *f = file_of(l, dso);
	Dwarf_Die function;

	if (f == NULL || !elf_file_vaddr(&f->file, offset, &use.addr))
		return false;
	use.addr -= f->bias;
	/* The unit is not searched for anew: that costs memory where the tables are broken. */
	return f->stack_addr == use.addr && use.addr != 0 &&
	       inlines_function(&f->inlines, &f->stack_unit, use.addr, &function) &&
	       pointers_name(&f->pointers, &function, &use, budget, out);
}

#else

/* Without libdw there are no lines, and every file is one without debug data. */
struct lines {
	int unused;
};

#include <unistd.h>

struct lines *
lines_new(void)
{
	return mem_calloc(1, sizeof(struct lines));
}

void
lines_free(struct lines *l)
{
	free(l);
}

bool
lines_is_open(const struct lines *l, uint32_t dso)
{
	(void)l;
	(void)dso;
	return false;
}

int
lines_open(struct lines *l, uint32_t dso, int fd, const struct debug_finder *finder,
	   struct err *err)
{
	(void)l;
	(void)dso;
	(void)finder;
	close(fd);
	return err_set(err, ERR_UNSUPPORTED, 0, "built without libdw");
}

char *
lines_find(struct lines *l, uint32_t dso, uint64_t offset, struct buf *path)
{
	(void)path;
	(void)l;
	(void)dso;
	(void)offset;
	return NULL;
}

unsigned
lines_inlined(struct lines *l, uint32_t dso, uint64_t offset, struct buf *out)
{
	(void)l;
	(void)dso;
	(void)offset;
	(void)out;
	return 0;
}

unsigned
lines_stack(struct lines *l, uint32_t dso, uint64_t offset,
	    struct line_frame frames[INLINES_MAX + 1])
{
	(void)l;
	(void)dso;
	(void)offset;
	(void)frames;
	return 0;
}

bool
lines_member(struct lines *l, uint32_t dso, uint64_t offset, const struct lines_operand *o,
	     uint64_t *budget, struct buf *out)
{
	(void)l;
	(void)dso;
	(void)offset;
	(void)o;
	(void)budget;
	(void)out;
	return false;
}

#endif

void
lines_put_path(struct buf *b, const char *dir, const char *path)
{
	if (path[0] != '/' && dir != NULL)
		buf_addf(b, "%s/", dir);
	buf_add_str(b, path);
}
