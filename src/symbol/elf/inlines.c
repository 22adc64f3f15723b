/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/inlines.h"

#include "symbol/elf/lines.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_DEPTH = 32,          /* of namespaces, types and functions */
	MAX_NESTED = 256,        /* scopes in a function, blocks too */
	MAX_PIECES = 64,         /* of one function */
	MAX_FUNCTIONS = 1 << 20, /* of one unit */
	MAX_OVERLAP = 16,        /* functions that begin behind one that has the address */
	MAX_WALK = 256 << 20,    /* bytes of entries for one question */
};

/* A piece of code that belongs to a function. */
struct inlines_function {
	Dwarf_Addr low, high;
	Dwarf_Off die;
};

void
inlines_release(struct inlines *in)
{
	free(in->functions);
	*in = (struct inlines){ 0 };
}

static void
add_function(struct inlines *in, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t pos = 0;

	for (int i = 0; i < MAX_PIECES && in->len < MAX_FUNCTIONS; i++) {
		pos = dwarf_ranges(die, pos, &base, &low, &high);
		if (pos <= 0)
			return;
		if (low >= high)
			continue;
		vec_reserve(&in->functions, &in->cap, in->len + 1, sizeof(*in->functions));
		in->functions[in->len++] =
			(struct inlines_function){ low, high, dwarf_dieoffset(die) };
	}
}

/* Lambdas are members of types that lie in functions. */
static bool
may_hold_functions(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_lexical_block;
}

static void
add_functions(struct inlines *in, Dwarf_Die *parent, unsigned depth, uint64_t *budget)
{
	Dwarf_Die die;

	if (depth == MAX_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			add_function(in, &die);
		if (may_hold_functions(tag))
			add_functions(in, &die, depth + 1, budget);
	} while (dwarf_file_next_entry(&die, budget));
}

static int
compare_functions(const void *a, const void *b)
{
	const struct inlines_function *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

static void
learn_unit(struct inlines *in, Dwarf_Die *unit, uint64_t *budget)
{
	Dwarf_Off off = dwarf_dieoffset(unit);

	if (in->is_known && in->unit == off)
		return;
	in->unit = off;
	in->is_known = true;
	in->len = 0;
	add_functions(in, unit, 0, budget);
	if (in->len > 0)
		qsort(in->functions, in->len, sizeof(*in->functions), compare_functions);
}

/* The function that @addr is in; false: none. */
static bool
find_function(const struct inlines *in, Dwarf_Addr addr, Dwarf_Off *die)
{
	size_t after;

	FIND_FIRST(after, in->len, in->functions[after].low > addr);
	for (size_t i = after; i > 0 && after - i < MAX_OVERLAP; i--) {
		if (addr >= in->functions[i - 1].high)
			continue;
		*die = in->functions[i - 1].die;
		return true;
	}
	return false;
}

/* The block or inlined function right below @parent that has the address. */
static bool
find_scope(Dwarf_Die *parent, Dwarf_Addr addr, Dwarf_Die *scope, uint64_t *budget)
{
	if (dwarf_child(parent, scope) != 0)
		return false;
	do {
		int tag = dwarf_tag(scope);

		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
		    dwarf_haspc(scope, addr) == 1)
			return true;
	} while (dwarf_file_next_entry(scope, budget));
	return false;
}

/* What the calls lead to lies inside of what calls, not where it is declared. */
unsigned
inlines_find(struct inlines *in, Dwarf_Die *unit, Dwarf_Addr addr, struct buf *out)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
	uint64_t budget = MAX_WALK;
	size_t begin = out->len;
	unsigned count = 0;
	Dwarf_Die at, scope;
	Dwarf_Off die;

	learn_unit(in, unit, &budget);
	if (!find_function(in, addr, &die) || dwarf_offdie(dwarf, die, &at) == NULL)
		return 0;
	for (int depth = 0; depth < MAX_NESTED && count < INLINES_MAX; depth++) {
		const char *name;
		size_t len;

		if (!find_scope(&at, addr, &scope, &budget))
			break;
		at = scope;
		if (dwarf_tag(&at) != DW_TAG_inlined_subroutine)
			continue;
		name = dwarf_file_name_of(&at);
		if (name == NULL || *name == '\0')
			name = "[unknown]";
		len = strlen(name) + 1;
		if (out->len - begin + len > INLINES_BYTES_MAX)
			break;
		buf_add(out, name, len);
		count++;
	}
	return count;
}

bool
inlines_function(struct inlines *in, Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die *function)
{
	uint64_t budget = MAX_WALK;
	Dwarf_Off die;

	learn_unit(in, unit, &budget);
	return find_function(in, addr, &die) &&
	       dwarf_offdie(dwarf_cu_getdwarf(unit->cu), die, function) != NULL;
}

#endif
