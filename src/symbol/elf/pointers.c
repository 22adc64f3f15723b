/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces are sorted by register and begin.  Each knows the furthest end of all before it of its
 * register: those that have an address are looked for backward until none can have it.
 */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/pointers.h"

#include "symbol/elf/members.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_NESTED = 256,      /* blocks and calls in each other */
	MAX_SCOPES = 64 << 10, /* of one function */
	MAX_PIECES = 256,      /* of one variable */
	MAX_POINTERS = 256 << 10,
	LOOK_COST = 16,        /* of the budget for each piece that is looked at */
	NAME_BYTES_MAX = 80,
};

/* A stretch of code where a variable's value is that of a register, and so many bytes more. */
struct pointer {
	unsigned reg;
	bool is_reference;
	uint32_t scope, depth;
	Dwarf_Addr low, high, furthest;
	int64_t more;
	const char *name;
	Dwarf_Die type; /* that it points to */
};

void
pointers_release(struct pointers *p)
{
	free(p->items);
	free(p->scopes);
	*p = (struct pointers){ 0 };
}

/* The register that an expression says the value is in; false: it is elsewhere, or computed. */
static bool
read_register(const Dwarf_Op *ops, size_t count, struct pointer *out)
{
	uint8_t atom = count > 0 ? ops[0].atom : 0;

	out->more = 0;
	if (count == 1 && atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		out->reg = atom - DW_OP_reg0;
		return true;
	}
	if (count != 2 || atom < DW_OP_breg0 || atom > DW_OP_breg31 ||
	    ops[1].atom != DW_OP_stack_value)
		return false;
	out->reg = atom - DW_OP_breg0;
	out->more = (int64_t)ops[0].number;
	return out->more >= INT32_MIN && out->more <= INT32_MAX;
}

/* Whether it points, or refers, to something with members; what to. */
static bool
read_type(Dwarf_Die *variable, struct pointer *out)
{
	Dwarf_Die type;
	int tag;

	if (!members_type_of(variable, &type))
		return false;
	tag = dwarf_tag(&type);
	out->is_reference = tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
	return (tag == DW_TAG_pointer_type || out->is_reference) &&
	       members_type_of(&type, &out->type) && members_has_any(&out->type);
}

static void
add_variable(struct pointers *p, Dwarf_Die *die, uint32_t scope, uint32_t depth, uint64_t *budget)
{
	struct pointer one = { .scope = scope, .depth = depth };
	Dwarf_Attribute location, name;
	ptrdiff_t pos = 0;
	Dwarf_Addr base;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_attr(die, DW_AT_location, &location) == NULL || !read_type(die, &one))
		return;
	one.name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &name));
	if (one.name == NULL || *one.name == '\0')
		return;
	for (int i = 0; i < MAX_PIECES && p->len < MAX_POINTERS && *budget >= LOOK_COST; i++) {
		*budget -= LOOK_COST;
		pos = dwarf_getlocations(&location, pos, &base, &one.low, &one.high, &ops, &count);
		if (pos <= 0)
			return;
		if (one.low < one.high && read_register(ops, count, &one))
			VEC_ADD(p->items, p->len, p->cap) = one;
	}
}

static void
walk(struct pointers *p, Dwarf_Die *parent, uint32_t depth, uint64_t *budget)
{
	uint32_t scope = (uint32_t)p->scope_len;
	Dwarf_Die die;

	if (depth == MAX_NESTED || scope == MAX_SCOPES || dwarf_child(parent, &die) != 0)
		return;
	VEC_ADD(p->scopes, p->scope_len, p->scope_cap) = *parent;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_formal_parameter:
		case DW_TAG_variable:
			add_variable(p, &die, scope, depth, budget);
			break;
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
			walk(p, &die, depth + 1, budget);
			break;
		default:
			break;
		}
	} while (dwarf_file_next_entry(&die, budget));
}

static int
compare(const void *a, const void *b)
{
	const struct pointer *x = a, *y = b;

	if (x->reg != y->reg)
		return x->reg < y->reg ? -1 : 1;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->scope < y->scope ? -1 : x->scope > y->scope;
}

static void
learn(struct pointers *p, Dwarf_Die *function, uint64_t *budget)
{
	if (p->is_known && p->function == dwarf_dieoffset(function))
		return;
	pointers_release(p);
	p->function = dwarf_dieoffset(function);
	p->is_known = true;
	walk(p, function, 0, budget);
	if (p->len > 0)
		qsort(p->items, p->len, sizeof(*p->items), compare);
	for (size_t i = 0; i < p->len; i++) {
		struct pointer *at = &p->items[i];

		at->furthest = at->high;
		if (i > 0 && at[-1].reg == at->reg)
			at->furthest = MAX(at->high, at[-1].furthest);
	}
}

/* The path of the member that the use accesses, if it is one of the variable's. */
static bool
put(struct pointer *p, const struct pointer_use *use, uint64_t *budget, struct buf *out)
{
	const struct members_place place = { use->disp - p->more, use->size };

	buf_reset(out);
	buf_add(out, p->name, strnlen(p->name, NAME_BYTES_MAX));
	return members_put(out, &p->type, p->is_reference, &place, budget);
}

bool
pointers_name(struct pointers *p, Dwarf_Die *function, const struct pointer_use *use,
	      uint64_t *budget, struct buf *out)
{
	const struct pointer *best = NULL;
	struct buf path = { 0 };
	size_t after;

	learn(p, function, budget);
	FIND_FIRST(after, p->len, p->items[after].reg > use->reg ||
		   (p->items[after].reg == use->reg && p->items[after].low > use->addr));
	for (size_t i = after; i > 0 && *budget >= LOOK_COST; i--) {
		struct pointer *at = &p->items[i - 1];

		*budget -= LOOK_COST;
		if (at->reg != use->reg || at->furthest <= use->addr)
			break;
		if (at->high <= use->addr || (best != NULL && at->depth <= best->depth) ||
		    dwarf_haspc(&p->scopes[at->scope], use->addr) != 1)
			continue;
		if (put(at, use, budget, &path)) {
			best = at;
			buf_reset(out);
			buf_add(out, path.data, path.len);
		}
	}
	buf_release(&path);
	return best != NULL;
}

#endif
