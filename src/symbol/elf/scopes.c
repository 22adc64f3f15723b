/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/scopes.h"

#include <dwarf.h>
#include <stdlib.h>

enum {
	MAX_NESTED = 256,       /* blocks and calls in each other */
	MAX_SCOPES = 256 << 10, /* of one function */
	MAX_RANGES = 512 << 10,
	MAX_PIECES = 256,       /* of one call */
	MAX_STEPS = 32 << 20,   /* to lay them out; further in is left out beyond */
	MAX_WALK = 64 << 20,    /* bytes of entries */
};

void
scopes_release(struct scopes *s)
{
	free(s->items);
	free(s->ranges);
	free(s->bounds);
	free(s->innermost);
	*s = (struct scopes){ 0 };
}

static unsigned
number_of(Dwarf_Die *die, unsigned what)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	return dwarf_attr(die, what, &attr) != NULL && dwarf_formudata(&attr, &n) == 0 &&
		       n <= UINT32_MAX ? (unsigned)n : 0;
}

static void
add_ranges(struct scopes *s, Dwarf_Die *die, uint32_t scope)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t pos = 0;

	for (int i = 0; i < MAX_PIECES && s->range_len < MAX_RANGES; i++) {
		pos = dwarf_ranges(die, pos, &base, &low, &high);
		if (pos <= 0)
			return;
		if (low < high)
			VEC_ADD(s->ranges, s->range_len, s->range_cap) =
				(struct scope_range){ low, high, scope };
	}
}

static uint32_t
add_scope(struct scopes *s, Dwarf_Die *die, uint32_t outer)
{
	uint32_t number = (uint32_t)s->len;

	VEC_ADD(s->items, s->len, s->cap) = (struct scope){
		.die = dwarf_dieoffset(die), .outer = outer,
		.depth = outer == SCOPE_NONE ? 0 : s->items[outer].depth + 1,
		.call_file = number_of(die, DW_AT_call_file),
		.call_line = number_of(die, DW_AT_call_line),
	};
	add_ranges(s, die, number);
	return number;
}

static void
walk(struct scopes *s, Dwarf_Die *parent, uint32_t outer, unsigned nested, uint64_t *budget)
{
	Dwarf_Die die;

	if (nested == MAX_NESTED || dwarf_child(parent, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (s->len == MAX_SCOPES)
			return;
		if (tag == DW_TAG_inlined_subroutine)
			walk(s, &die, add_scope(s, &die, outer), nested + 1, budget);
		else if (tag == DW_TAG_lexical_block)
			walk(s, &die, outer, nested + 1, budget);
	} while (dwarf_file_next_entry(&die, budget));
}

static int
compare_addresses(const void *a, const void *b)
{
	const Dwarf_Addr *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static size_t
bound_at(const struct scopes *s, Dwarf_Addr addr)
{
	size_t at;

	FIND_FIRST(at, s->bound_len, s->bounds[at] >= addr);
	return at;
}

static void
find_bounds(struct scopes *s)
{
	size_t len = 0;

	s->bounds = mem_realloc(NULL, s->range_len * 2 + 1, sizeof(*s->bounds));
	for (size_t i = 0; i < s->range_len; i++) {
		s->bounds[len++] = s->ranges[i].low;
		s->bounds[len++] = s->ranges[i].high;
	}
	if (len > 0)
		qsort(s->bounds, len, sizeof(*s->bounds), compare_addresses);
	for (size_t i = 0; i < len; i++)
		if (s->bound_len == 0 || s->bounds[s->bound_len - 1] != s->bounds[i])
			s->bounds[s->bound_len++] = s->bounds[i];
	s->innermost = mem_realloc(NULL, s->bound_len + 1, sizeof(*s->innermost));
	for (size_t i = 0; i < s->bound_len; i++)
		s->innermost[i] = SCOPE_NONE;
}

/* Scopes come after those that they are in: each covers what its outer ones have. */
static void
lay_out(struct scopes *s)
{
	size_t steps = 0;

	find_bounds(s);
	for (size_t i = 0; i < s->range_len && steps < MAX_STEPS; i++) {
		const struct scope_range *r = &s->ranges[i];
		size_t end = bound_at(s, r->high);

		for (size_t k = bound_at(s, r->low); k < end; k++, steps++)
			s->innermost[k] = r->scope;
	}
}

static void
learn(struct scopes *s, Dwarf_Die *function)
{
	uint64_t budget = MAX_WALK;

	if (s->is_known && s->function == dwarf_dieoffset(function))
		return;
	scopes_release(s);
	s->function = dwarf_dieoffset(function);
	s->is_known = true;
	walk(s, function, SCOPE_NONE, 0, &budget);
	lay_out(s);
}

uint32_t
scopes_find(struct scopes *s, struct inlines *in, Dwarf_Die *unit, Dwarf_Addr addr)
{
	Dwarf_Die function;
	size_t after;

	if (!inlines_function(in, unit, addr, &function))
		return SCOPE_NONE;
	learn(s, &function);
	FIND_FIRST(after, s->bound_len, s->bounds[after] > addr);
	return after == 0 ? SCOPE_NONE : s->innermost[after - 1];
}

#endif
