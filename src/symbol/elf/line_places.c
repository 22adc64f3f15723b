/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/elf/places.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW

#include "symbol/elf/dwarf_file.h"
#include "symbol/elf/elf_section.h"

#include <dwarf.h>

enum { FOUND_MAX = 4096 };

/* A place where the line begins, and the function, inlined or not, that it is in there. */
struct found {
	Dwarf_Addr addr;
	Dwarf_Off function;
};

struct line_hunt {
	const char *file;
	size_t file_len;
	int line, next; /* next: the first line behind it that has code, 0: none */
	bool any_file;
	struct found *items;
	size_t len, cap;
};

/* "hot.c" is any hot.c; "src/hot.c" one in a folder src. */
static bool
is_file(const struct line_hunt *h, const char *path)
{
	size_t len = path != NULL ? strlen(path) : 0;

	return len >= h->file_len && memcmp(path + len - h->file_len, h->file, h->file_len) == 0 &&
	       (len == h->file_len || h->file[0] == '/' || path[len - h->file_len - 1] == '/');
}

static Dwarf_Off
function_at(Dwarf_Die *cu, Dwarf_Addr addr)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes(cu, addr, &scopes);
	Dwarf_Off off = 0;

	for (int i = 0; i < n && off == 0; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			off = dwarf_dieoffset(&scopes[i]);
	}
	free(scopes);
	return off;
}

/* The parts of a loop's line are several places: the first of each function counts how often. */
static void
keep_lowest(struct line_hunt *h, struct found f)
{
	for (size_t i = 0; i < h->len; i++) {
		if (h->items[i].function != f.function)
			continue;
		h->items[i].addr = MIN(h->items[i].addr, f.addr);
		return;
	}
	if (h->len == FOUND_MAX)
		return;
	VEC_ADD(h->items, h->len, h->cap) = f;
}

static void
add_row(struct line_hunt *h, Dwarf_Die *cu, Dwarf_Line *row)
{
	bool begins = false, ends = false;
	Dwarf_Addr addr;
	int line = 0;

	if (dwarf_lineno(row, &line) != 0 || dwarf_lineaddr(row, &addr) != 0 || line < h->line ||
	    dwarf_linebeginstatement(row, &begins) != 0 || !begins ||
	    dwarf_lineendsequence(row, &ends) != 0 || ends)
		return;
	if (!is_file(h, dwarf_linesrc(row, NULL, NULL)))
		return;
	if (line == h->line)
		keep_lowest(h, (struct found){ addr, function_at(cu, addr) });
	else if (h->next == 0 || line < h->next)
		h->next = line;
}

static void
walk_unit(struct line_hunt *h, Dwarf_Die *cu)
{
	Dwarf_Files *files;
	Dwarf_Lines *lines;
	size_t n;
	bool has = false;

	if (dwarf_getsrcfiles(cu, &files, &n) != 0)
		return;
	for (size_t i = 0; i < n && !has; i++)
		has = is_file(h, dwarf_filesrc(files, i, NULL, NULL));
	h->any_file |= has;
	if (!has || dwarf_getsrclines(cu, &lines, &n) != 0)
		return;
	for (size_t i = 0; i < n; i++)
		add_row(h, cu, dwarf_onesrcline(lines, i));
}

static void
walk_units(struct line_hunt *h, const struct dwarf_file *dwarf, uint64_t bias)
{
	Dwarf_Off off = 0;
	Dwarf_Die unit;

	while (dwarf_file_next_unit(dwarf, &off, &unit))
		walk_unit(h, &unit);
	for (size_t i = 0; i < h->len; i++)
		h->items[i].addr += bias;
}

static int
explain(const struct line_hunt *h, struct err *err)
{
	int len = (int)MIN(h->file_len, 100);

	if (!h->any_file) {
		err_set(err, ERR_GONE, 0, "no source file '%.*s'", len, h->file);
		return err_hint(err, "it must have been compiled into it with -g");
	}
	err_set(err, ERR_GONE, 0, "line %d of '%.*s' has no code", h->line, len, h->file);
	return h->next > 0 ? err_hint(err, "the next line that has: %.*s:%d", len, h->file, h->next)
			   : -1;
}

static int
add_all(const struct line_hunt *h, const struct elf_file *f, const char *pattern,
	struct places *out, struct err *err)
{
	for (size_t i = 0; i < h->len; i++) {
		struct symbol_place place = { .name = (char *)(uintptr_t)pattern,
					      .addr = h->items[i].addr };

		if (elf_file_offset(f, place.addr, &place.offset) &&
		    places_add(out, &place, pattern, err) < 0)
			return -1;
	}
	return out->len > 0 ? 0 : explain(h, err);
}

/* In the debug data of @data, which is @f itself or its debug file. */
static int
hunt_in(struct line_hunt *h, const struct elf_file *f, const struct elf_file *data,
	const struct debug_finder *finder, struct err *err)
{
	struct dwarf_file dwarf;

	if (dwarf_file_open(&dwarf, data, finder, err) < 0)
		return -1;
	walk_units(h, &dwarf, elf_file_bias(f, data));
	dwarf_file_close(&dwarf);
	return 0;
}

int
places_of_line(const struct elf_file *f, const struct debug_finder *finder,
	       const char *pattern, struct places *out, struct err *err)
{
	struct line_hunt h = { .file = pattern };
	struct debug_file debug = { 0 };
	unsigned line = 0;
	int res = -1;

	places_is_line(pattern, &h.file_len, &line);
	h.line = (int)line;
	if (elf_section_has_dwarf(f)) {
		res = hunt_in(&h, f, f, finder, err);
	} else if (debug_file_find(&debug, f, finder, DEBUG_HAS_DWARF)) {
		res = hunt_in(&h, f, &debug.elf, finder, err);
	} else {
		err_set(err, ERR_GONE, 0, "no debug data, which tells where line %u is", line);
		err_hint(err, "compile it with -g, or name a function");
	}
	if (res == 0)
		res = add_all(&h, f, pattern, out, err);
	debug_file_close(&debug);
	free(h.items);
	return res;
}

#else

int
places_of_line(const struct elf_file *f, const struct debug_finder *finder,
	       const char *pattern, struct places *out, struct err *err)
{
	(void)f;
	(void)finder;
	(void)out;
	return err_set(err, ERR_UNSUPPORTED, 0, "cannot find '%.100s': built without libdw", pattern);
}

#endif
