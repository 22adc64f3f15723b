/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/elf/copies.h"

#include "symbol/ask/ask.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/dwarf_file.h"
#include "symbol/elf/elf_section.h"
#include "symbol/elf/inlines.h"

#include <dwarf.h>
#include <string.h>

enum {
	MAX_DEPTH = 128,      /* of functions in each other */
	MAX_WALK = 128 << 20, /* bytes of entries: what is behind them is not looked at */
	MEMO = 1024,
};

/* Where the source has a function: others may have its name. */
struct declared {
	const char *name, *file;
	int line;
};

struct hunt {
	struct declared function; /* name NULL: none is known */
	uint64_t budget;
	uint32_t count;
	struct { /* what was inlined elsewhere, by its offset: whether it is the one */
		Dwarf_Off origin;
		bool is_same;
	} memo[MEMO];
};

static struct declared
declared_of(Dwarf_Die *function)
{
	struct declared d = { .name = dwarf_file_name_of(function) };

	d.file = dwarf_decl_file(function);
	if (d.file == NULL || dwarf_decl_line(function, &d.line) != 0)
		d.file = "";
	return d;
}

/* The name first: to know the file takes the unit's table of lines. */
static bool
is_function(const struct hunt *h, Dwarf_Die *origin)
{
	const char *name = dwarf_file_name_of(origin);
	struct declared d;

	if (name == NULL || strcmp(name, h->function.name) != 0)
		return false;
	d = declared_of(origin);
	return d.line == h->function.line && strcmp(d.file, h->function.file) == 0;
}

static bool
is_same(struct hunt *h, Dwarf_Die *inlined)
{
	Dwarf_Attribute attr;
	Dwarf_Die origin;
	Dwarf_Off off;
	size_t at;

	if (dwarf_formref_die(dwarf_attr(inlined, DW_AT_abstract_origin, &attr), &origin) == NULL)
		return false;
	off = dwarf_dieoffset(&origin);
	at = off % MEMO;
	if (h->memo[at].origin != off) {
		h->memo[at].origin = off;
		h->memo[at].is_same = is_function(h, &origin);
	}
	return h->memo[at].is_same;
}

/* One without an address is of a function that has no code itself. */
static bool
has_code(Dwarf_Die *die)
{
	Dwarf_Addr addr;

	return dwarf_entrypc(die, &addr) == 0;
}

static bool
may_hold_calls(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

static void
walk(struct hunt *h, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine && is_same(h, &die) && has_code(&die))
			h->count++;
		if (may_hold_calls(tag))
			walk(h, &die, depth + 1);
	} while (dwarf_file_next_entry(&die, &h->budget));
}

/* The function that has the address, as debug data know it. */
static struct declared
function_at(const struct dwarf_file *dwarf, Dwarf_Addr addr)
{
	struct declared d = { .name = NULL };
	struct inlines in = { 0 };
	Dwarf_Die unit, function;
	Dwarf_Off off = 0;

	while (d.name == NULL && dwarf_file_next_unit(dwarf, &off, &unit))
		if (dwarf_haspc(&unit, addr) == 1 &&
		    inlines_function(&in, &unit, addr, &function))
			d = declared_of(&function);
	inlines_release(&in);
	return d;
}

static void
count_in(const struct elf_file *f, const struct elf_file *data, const struct debug_finder *finder,
	 struct symbol_place *place)
{
	struct hunt h = { .budget = MAX_WALK };
	struct dwarf_file dwarf;
	struct err err = { 0 };
	Dwarf_Off off = 0;
	Dwarf_Die unit;

	if (dwarf_file_open(&dwarf, data, finder, &err) < 0)
		return;
	h.function = function_at(&dwarf, place->addr - elf_file_bias(f, data));
	while (h.function.name != NULL && h.budget > 0 && dwarf_file_next_unit(&dwarf, &off, &unit))
		walk(&h, &unit, 0);
	place->copies = h.count;
	place->has_more_copies = h.budget == 0;
	dwarf_file_close(&dwarf);
}

void
copies_count(const struct elf_file *f, const struct debug_finder *finder,
	     struct symbol_place *place)
{
	struct debug_file debug = { 0 };

	if (elf_section_has_dwarf(f))
		count_in(f, f, finder, place);
	else if (debug_file_find(&debug, f, finder, DEBUG_HAS_DWARF))
		count_in(f, &debug.elf, finder, place);
	debug_file_close(&debug);
}

#else

void
copies_count(const struct elf_file *f, const struct debug_finder *finder,
	     struct symbol_place *place)
{
	(void)f, (void)finder, (void)place;
}

#endif
