/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/elf/elf_image.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/dwarf_file.h"

#include <dwarf.h>
#include <string.h>

enum {
	MAX_DEPTH = 32,  /* of namespaces */
	MAX_PIECES = 64, /* of one function */
	MAX_ROUNDS = 16, /* each byte belongs to an entry in some namespaces, not in more */
	NAME_MAX_LEN = 16 << 10,
};

struct walk {
	const struct elf_file *f;
	struct image_build *build;
	uint64_t bias;
	uint64_t budget; /* bytes of entries that may still be walked */
	bool full;
};

/* What the linker dropped is at 0, 1 or -1 for some linkers: nothing lies there. */
static bool
is_code(const struct walk *w, uint64_t low, uint64_t high, uint64_t *offset)
{
	uint64_t end;

	return low < high && elf_file_offset(w->f, low + w->bias, offset) &&
	       elf_file_offset(w->f, high - 1 + w->bias, &end) && end > *offset &&
	       image_build_has_section(w->build, *offset);
}

/* A function and what the compiler took out of it have one name: it is one function. */
static void
add_function(struct walk *w, Dwarf_Die *die)
{
	struct image_symbol s = { .binding = dwarf_hasattr_integrate(die, DW_AT_external)
						     ? IMAGE_GLOBAL
						     : IMAGE_LOCAL };
	Dwarf_Addr base, low, high;
	ptrdiff_t pos = 0;

	for (int i = 0; i < MAX_PIECES; i++) {
		pos = dwarf_ranges(die, pos, &base, &low, &high);
		if (pos <= 0)
			return;
		if (!is_code(w, low, high, &s.addr))
			continue;
		if (s.name == NULL)
			s.name = dwarf_file_name_of(die);
		if (s.name == NULL || *s.name == '\0')
			return;
		s.name_len = strnlen(s.name, NAME_MAX_LEN);
		s.size = high - low;
		w->full |= !image_build_add(w->build, &s);
	}
}

/* Declarations have no code, and what is only ever inlined has none of its own. */
static bool
has_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

static void
walk_children(struct walk *w, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && has_code(&die))
			add_function(w, &die);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_module)
			walk_children(w, &die, depth + 1);
	} while (!w->full && dwarf_file_next_entry(&die, &w->budget));
	w->full |= w->budget == 0;
}

int
dwarf_names_add(const struct elf_file *f, const struct elf_file *debug,
		const struct debug_finder *finder, struct image_build *build, struct err *err)
{
	size_t before = image_build_count(build);
	struct walk w = { .f = f, .build = build, .bias = elf_file_bias(f, debug),
			  .budget = MAX_ROUNDS * dwarf_file_weight(debug) };
	struct dwarf_file d;
	Dwarf_Off off = 0;
	Dwarf_Die unit;

	if (dwarf_file_open(&d, debug, finder, err) < 0)
		return -1;
	image_build_allow_names(build, dwarf_file_weight(debug));
	while (!w.full && dwarf_file_next_unit(&d, &off, &unit))
		if (dwarf_tag(&unit) == DW_TAG_compile_unit)
			walk_children(&w, &unit, 0);
	dwarf_file_close(&d);
	if (image_build_count(build) == before)
		return err_set(err, ERR_GONE, 0, "no function in its debug data");
	return 0;
}

#else

int
dwarf_names_add(const struct elf_file *f, const struct elf_file *debug,
		const struct debug_finder *finder, struct image_build *build, struct err *err)
{
	(void)f;
	(void)debug;
	(void)finder;
	(void)build;
	return err_set(err, ERR_UNSUPPORTED, 0, "built without libdw, which its debug data needs");
}

#endif
