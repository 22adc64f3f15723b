/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/members.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

enum {
	NAMES_MAX = 3,         /* of what lies at one place; more are "..." */
	NAME_BYTES_MAX = 80,   /* of one member */
	ELEMENTS_MAX = 1 << 20, /* an index beyond is none */
};

/* A search in one structure. */
struct search {
	struct buf *out;
	const char *begin;    /* of what is put: "->" */
	struct buf path;      /* of what is looked into */
	unsigned size;        /* of what is accessed, 0: an address is taken */
	bool wants_size;      /* only what has just that size will do */
	unsigned found;
	uint64_t *budget;
};

static bool
is_name_of_type(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

/* What the attribute refers to. */
static bool
follow(Dwarf_Die *from, unsigned what, Dwarf_Die *to)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(from, what, &attr) != NULL && dwarf_formref_die(&attr, to) != NULL;
}

static bool
is_structure(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* What is only declared may have its definition in a unit of types. */
bool
members_type_of(Dwarf_Die *entry, Dwarf_Die *type)
{
	Dwarf_Die of = *entry;

	for (int i = 0; i < MEMBERS_TYPES_MAX; i++) {
		if (!follow(&of, DW_AT_type, type))
			return false;
		if (is_structure(dwarf_tag(type)) && follow(type, DW_AT_signature, &of))
			*type = of;
		if (!is_name_of_type(dwarf_tag(type)))
			return true;
		of = *type;
	}
	return false;
}

bool
members_has_any(Dwarf_Die *type)
{
	return is_structure(dwarf_tag(type)) && dwarf_haschildren(type) == 1;
}

static bool
number_of(Dwarf_Die *die, unsigned what, uint64_t *n)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (dwarf_attr(die, what, &attr) == NULL || dwarf_formudata(&attr, &word) != 0)
		return false;
	*n = word;
	return *n <= INT32_MAX;
}

/* By an expression, as old compilers have it.  Where a virtual base is, only the object tells. */
static bool
offset_of_expression(Dwarf_Attribute *attr, uint64_t *offset)
{
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_getlocation(attr, &ops, &count) != 0 || count != 1 ||
	    ops[0].atom != DW_OP_plus_uconst)
		return false;
	*offset = ops[0].number;
	return *offset <= INT32_MAX;
}

/* Where a member or base is in its structure; false: nowhere, as it is shared by all, or not known. */
static bool
offset_of(Dwarf_Die *member, uint64_t *offset)
{
	Dwarf_Attribute attr;
	uint64_t bits;

	*offset = 0;
	if (number_of(member, DW_AT_data_bit_offset, &bits)) {
		*offset = bits / 8;
		return true;
	}
	if (dwarf_attr(member, DW_AT_data_member_location, &attr) == NULL)
		return dwarf_attr(member, DW_AT_external, &attr) == NULL; /* in a union all are at 0 */
	return number_of(member, DW_AT_data_member_location, offset) ||
	       offset_of_expression(&attr, offset);
}

static bool bytes_of(Dwarf_Die *type, uint64_t *bytes, unsigned depth, uint64_t *budget);

/* How many elements a dimension has; 0: that is not told. */
static uint64_t
count_of(Dwarf_Die *range)
{
	uint64_t n;

	if (number_of(range, DW_AT_count, &n))
		return n;
	return number_of(range, DW_AT_upper_bound, &n) ? n + 1 : 0;
}

static bool
bytes_of_array(Dwarf_Die *array, uint64_t *bytes, unsigned depth, uint64_t *budget)
{
	Dwarf_Die element, range;

	if (!members_type_of(array, &element) || !bytes_of(&element, bytes, depth, budget) ||
	    dwarf_child(array, &range) != 0)
		return false;
	for (int i = 0; i < MEMBERS_TYPES_MAX; i++) {
		if (dwarf_tag(&range) == DW_TAG_subrange_type)
			*bytes *= count_of(&range);
		if (*bytes > INT32_MAX)
			return false;
		if (!dwarf_file_next_entry(&range, budget))
			break;
	}
	return *budget > 0;
}

/* The size of a peeled type, as dwarf_aggregate_size(), which goes in circles where names of types do. */
static bool
bytes_of(Dwarf_Die *type, uint64_t *bytes, unsigned depth, uint64_t *budget)
{
	uint8_t address_size;
	Dwarf_Die unit;

	if (number_of(type, DW_AT_byte_size, bytes))
		return true;
	switch (dwarf_tag(type)) {
	case DW_TAG_array_type:
		return depth < MEMBERS_TYPES_MAX && bytes_of_array(type, bytes, depth + 1, budget);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		if (dwarf_diecu(type, &unit, &address_size, NULL) == NULL)
			return false;
		*bytes = address_size;
		return true;
	default:
		return false;
	}
}

/* Bytes that a member takes; UINT64_MAX: it has no end, as the array at the end of a structure. */
static uint64_t
size_of(Dwarf_Die *member, Dwarf_Die *type, uint64_t *budget)
{
	uint64_t bits, first = 0, bytes = 0;

	if (number_of(member, DW_AT_bit_size, &bits)) {
		number_of(member, DW_AT_data_bit_offset, &first);
		return (first % 8 + bits + 7) / 8;
	}
	if (bytes_of(type, &bytes, 0, budget) && bytes > 0)
		return bytes;
	return dwarf_tag(type) == DW_TAG_array_type ? UINT64_MAX : 0;
}

/* What was looked for is at the end of the path, @behind its begin. */
static void
take(struct search *s, uint64_t behind)
{
	if (s->path.len > MEMBERS_PATH_MAX || s->out->len > 2 * MEMBERS_PATH_MAX ||
	    ++s->found > NAMES_MAX + 1)
		return;
	buf_add_str(s->out, s->found > 1 ? "|" : s->begin);
	if (s->found > NAMES_MAX) {
		buf_add_str(s->out, "...");
		return;
	}
	buf_add(s->out, s->path.data, s->path.len);
	if (behind > 0)
		buf_addf(s->out, "+0x%" PRIx64, behind);
}

static void look_into(struct search *s, Dwarf_Die *type, uint64_t offset, unsigned depth);

/* The part at the end of the path, which has the offset in it: itself, or what is in it. */
static void
look_at(struct search *s, Dwarf_Die *type, uint64_t size, uint64_t offset, unsigned depth)
{
	int tag = dwarf_tag(type);

	if (offset == 0 && (s->size == 0 || (s->wants_size ? size == s->size : size <= s->size)))
		take(s, 0);
	else if (is_structure(tag) || tag == DW_TAG_array_type)
		look_into(s, type, offset, depth);
	else if (!s->wants_size)
		take(s, offset);
}

static void
look_into_array(struct search *s, Dwarf_Die *array, uint64_t offset, unsigned depth)
{
	size_t before = s->path.len;
	Dwarf_Die element, range;
	uint64_t size;

	if (!members_type_of(array, &element) || !bytes_of(&element, &size, 0, s->budget) ||
	    size == 0 || offset / size >= ELEMENTS_MAX)
		return;
	/* Of more dimensions than one: how far behind its begin. */
	if (dwarf_child(array, &range) == 0 && dwarf_file_next_entry(&range, s->budget)) {
		take(s, offset);
		return;
	}
	buf_addf(&s->path, "[%" PRIu64 "]", offset / size);
	look_at(s, &element, size, offset % size, depth);
	s->path.len = before;
}

static void
look_at_member(struct search *s, Dwarf_Die *member, uint64_t offset, unsigned depth)
{
	size_t before = s->path.len;
	uint64_t at, size;
	const char *name;
	Dwarf_Die type;

	if (!offset_of(member, &at) || at > offset || !members_type_of(member, &type))
		return;
	size = size_of(member, &type, s->budget);
	if (offset - at >= size || *s->budget == 0)
		return;
	name = dwarf_diename(member);
	/* What is in a base, or in what has no name, is a member like others. */
	if (dwarf_tag(member) == DW_TAG_inheritance || name == NULL || *name == '\0') {
		look_into(s, &type, offset - at, depth);
		return;
	}
	buf_add_str(&s->path, before > 0 ? "." : "");
	buf_add(&s->path, name, strnlen(name, NAME_BYTES_MAX));
	look_at(s, &type, size, offset - at, depth);
	s->path.len = before;
}

static void
look_into(struct search *s, Dwarf_Die *type, uint64_t offset, unsigned depth)
{
	Dwarf_Die die;

	if (depth == MEMBERS_TYPES_MAX || s->path.len > MEMBERS_PATH_MAX)
		return;
	if (dwarf_tag(type) == DW_TAG_array_type) {
		look_into_array(s, type, offset, depth + 1);
		return;
	}
	if (!members_has_any(type) || dwarf_child(type, &die) != 0)
		return;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
			look_at_member(s, &die, offset, depth + 1);
	} while (s->found <= NAMES_MAX && dwarf_file_next_entry(&die, s->budget));
}

bool
members_put(struct buf *out, Dwarf_Die *type, bool is_reference,
	    const struct members_place *place, uint64_t *budget)
{
	struct search s = { .out = out, .size = place->size, .budget = budget,
			    .begin = is_reference ? "." : "->" };

	if (place->offset < 0 || *budget == 0)
		return false;
	for (int pass = 0; pass < 2 && s.found == 0; pass++) {
		s.wants_size = pass == 0;
		look_into(&s, type, (uint64_t)place->offset, 0);
	}
	buf_release(&s.path);
	return s.found > 0;
}

#endif
