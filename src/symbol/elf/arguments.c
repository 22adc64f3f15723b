/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters are taken one by one, each by the class of its type: an integer or an address is in the
 * next register, a float in none of these.  What no rule here is sure of (structures, whose members
 * tell, or whether C++ copies them by hand) ends it: registers behind have no names.  Where the debug data
 * say in which register a parameter is at the function's begin, that goes first.
 */
#include "config.h"

#include "symbol/elf/arguments.h"

#include "symbol/ask/ask.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/dwarf_file.h"
#include "symbol/elf/elf_section.h"
#include "symbol/elf/inlines.h"
#include "symbol/elf/members.h"

#include <dwarf.h>
#include <string.h>

enum {
	MAX_WALK = 1 << 20, /* bytes of a function's entries */
	NO_REG = 0xff,
};

/* Of a machine: registers by DWARF's numbers, and whether a large result takes the first. */
struct convention {
	unsigned machine;
	uint8_t regs[ARGUMENTS_MAX];
	bool result_is_first;
};

static const struct convention conventions[] = {
	{ EM_X86_64, { 5, 4, 1, 2, 8, 9 }, true },
	{ EM_AARCH64, { 0, 1, 2, 3, 4, 5 }, false },
};

/* Whose calls are made as C's are. */
static const uint16_t languages[] = {
	DW_LANG_C89, DW_LANG_C, DW_LANG_C99, DW_LANG_C11, DW_LANG_C_plus_plus, DW_LANG_C_plus_plus_03,
	DW_LANG_C_plus_plus_11, DW_LANG_C_plus_plus_14, DW_LANG_ObjC, DW_LANG_ObjC_plus_plus,
	DW_LANG_Rust,
	0x2a /* C++17 */, 0x2b /* C++20 */, 0x2c /* C17 */, 0x3e /* C23 */,
};

enum where { IN_REGISTER, IN_ANOTHER, UNSURE };

static bool
is_known_language(Dwarf_Die *unit)
{
	const int language = dwarf_srclang(unit);

	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (language == languages[i])
			return true;
	return false;
}

static const struct convention *
convention_of(const struct elf_file *f)
{
	const Elf64_Ehdr *head = elf64_getehdr(f->elf);

	for (size_t i = 0; head != NULL && i < ARRAY_SIZE(conventions); i++)
		if (head->e_machine == conventions[i].machine)
			return &conventions[i];
	return NULL;
}

static int
bytes_of(Dwarf_Die *type, int otherwise)
{
	const int bytes = dwarf_bytesize(type);

	return bytes >= 0 ? bytes : otherwise;
}

static enum where
where_of_number(Dwarf_Die *type, struct argument *a)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	if (dwarf_formudata(dwarf_attr_integrate(type, DW_AT_encoding, &attr), &encoding) != 0)
		return UNSURE;
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		a->is_signed = true;
		return IN_REGISTER;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_UTF:
		return IN_REGISTER;
	case DW_ATE_float:
		return IN_ANOTHER;
	default:
		return UNSURE;
	}
}

/* "char *", whatever it is called: other bytes need not end with a NUL. */
static bool
leads_to_text(Dwarf_Die *pointer)
{
	Dwarf_Die type;
	const char *name;

	if (!members_type_of(pointer, &type) || dwarf_tag(&type) != DW_TAG_base_type ||
	    bytes_of(&type, 0) != 1)
		return false;
	name = dwarf_diename(&type);
	return name != NULL && strcmp(name, "char") == 0;
}

static enum where
where_of(Dwarf_Die *type, struct argument *a)
{
	enum where where = UNSURE;
	int bytes = bytes_of(type, 8);

	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		a->is_address = true;
		a->is_text = dwarf_tag(type) == DW_TAG_pointer_type && leads_to_text(type);
		where = IN_REGISTER;
		break;
	case DW_TAG_enumeration_type:
		bytes = bytes_of(type, 4);
		where = IN_REGISTER;
		break;
	case DW_TAG_base_type:
		where = where_of_number(type, a);
		break;
	default:
		break;
	}
	if (where == IN_REGISTER && bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		where = UNSURE;
	a->bytes = (uint8_t)bytes;
	return where;
}

/* The number of the register in which it is when the function begins; NO_REG: it is not said. */
static unsigned
register_at(const struct convention *c, Dwarf_Die *parameter, Dwarf_Addr begin)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_attr(parameter, DW_AT_location, &attr) == NULL ||
	    dwarf_getlocation_addr(&attr, begin, &ops, &count, 1) != 1 || count != 1 ||
	    ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg31)
		return NO_REG;
	for (unsigned i = 0; i < ARGUMENTS_MAX; i++)
		if (c->regs[i] == ops[0].atom - DW_OP_reg0)
			return i;
	return NO_REG;
}

static void
name_it(struct arguments *out, unsigned reg, const struct argument *a, Dwarf_Die *parameter)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_formstring(dwarf_attr_integrate(parameter, DW_AT_name, &attr));

	if (name == NULL || !argument_name_is_plain(name))
		return;
	out->items[reg] = *a;
	memcpy(out->items[reg].name, name, strlen(name) + 1);
}

/*
 * false: the registers of those behind it are not known by any rule.  What is nowhere, or elsewhere than
 * by the rule, is of a function that the compiler has given other parameters.
 */
static bool
take(const struct convention *c, Dwarf_Die *parameter, Dwarf_Addr begin, bool is_by_rule,
     unsigned *next, struct arguments *out)
{
	struct argument a = { .bytes = 0 };
	enum where where = UNSURE;
	Dwarf_Die type;
	unsigned reg;

	if (members_type_of(parameter, &type))
		where = where_of(&type, &a);
	if (where != IN_REGISTER)
		return where != UNSURE;
	reg = register_at(c, parameter, begin);
	if (reg == NO_REG && is_by_rule && dwarf_hasattr(parameter, DW_AT_location))
		reg = *next;
	if (reg < ARGUMENTS_MAX)
		name_it(out, reg, &a, parameter);
	return reg == (*next)++;
}

/* A large result is written where the first register says; a small structure may be, in C++. */
static bool
take_result(const struct convention *c, Dwarf_Die *function, unsigned *next)
{
	struct argument unused = { .bytes = 0 };
	Dwarf_Die type;

	if (!members_type_of(function, &type) || where_of(&type, &unused) != UNSURE)
		return true;
	if (!members_has_any(&type) || bytes_of(&type, 0) <= 16)
		return false;
	*next += c->result_is_first;
	return true;
}

/* The compiler may have left out parameters of what only it calls, and says so. */
static bool
is_called_otherwise(Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	Dwarf_Word how;

	return dwarf_formudata(dwarf_attr_integrate(function, DW_AT_calling_convention, &attr),
			       &how) == 0 && how != DW_CC_normal;
}

static void
find_in(const struct convention *c, Dwarf_Die *function, Dwarf_Addr begin, struct arguments *out)
{
	uint64_t budget = MAX_WALK;
	unsigned next = 0;
	bool is_by_rule = take_result(c, function, &next) && !is_called_otherwise(function);
	Dwarf_Die die;

	if (dwarf_child(function, &die) != 0)
		return;
	do {
		if (dwarf_tag(&die) == DW_TAG_unspecified_parameters)
			is_by_rule = false; /* there are more */
		else if (dwarf_tag(&die) == DW_TAG_formal_parameter)
			is_by_rule &= take(c, &die, begin, is_by_rule, &next, out);
	} while (dwarf_file_next_entry(&die, &budget));
	if (is_by_rule && budget > 0)
		out->count = next < ARGUMENTS_MAX ? next : ARGUMENTS_MAX;
}

static void
look(const struct elf_file *f, const struct elf_file *data, const struct debug_finder *finder,
     struct symbol_place *place)
{
	const struct convention *c = convention_of(f);
	const Dwarf_Addr begin = place->addr - elf_file_bias(f, data);
	struct inlines in = { 0 };
	struct dwarf_file dwarf;
	struct err err = { 0 };
	Dwarf_Die unit, function;
	Dwarf_Addr entry;
	Dwarf_Off off = 0;

	if (c == NULL || dwarf_file_open(&dwarf, data, finder, &err) < 0)
		return;
	while (dwarf_file_next_unit(&dwarf, &off, &unit)) {
		if (dwarf_haspc(&unit, begin) != 1 || !inlines_function(&in, &unit, begin, &function))
			continue;
		if (is_known_language(&unit) && dwarf_entrypc(&function, &entry) == 0 &&
		    entry == begin)
			find_in(c, &function, begin, &place->arguments);
		break;
	}
	inlines_release(&in);
	dwarf_file_close(&dwarf);
}

void
arguments_find(const struct elf_file *f, const struct debug_finder *finder,
	       struct symbol_place *place)
{
	struct debug_file debug = { 0 };

	if (elf_section_has_dwarf(f))
		look(f, f, finder, place);
	else if (debug_file_find(&debug, f, finder, DEBUG_HAS_DWARF))
		look(f, &debug.elf, finder, place);
	debug_file_close(&debug);
}

#else

void
arguments_find(const struct elf_file *f, const struct debug_finder *finder,
	       struct symbol_place *place)
{
	(void)f, (void)finder, (void)place;
}

#endif
