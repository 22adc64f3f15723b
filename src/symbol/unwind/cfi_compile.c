/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "symbol/unwind/cfi_compile.h"

#ifdef HAVE_LIBDW

#include "symbol/unwind/cfi_program.h"
#include "symbol/elf/cfi_section.h"
#include "symbol/unwind/rules_build.h"

#include <gelf.h>

enum {
	COMMONS = 64,    /* that were read lately: nearly all files have but a few */
	ENTRY_BYTES = 64, /* of the code where a process begins: it calls from there alone */
};

struct common {
	bool is_read, is_good;
	struct cfi_common cfi;
	struct unwind_state initial;
};

struct compile {
	const struct elf_file *f;
	const struct cfi_section *section;
	struct rules_build *build;
	uint64_t bias; /* what the addresses of the section lack to those of f */
	struct common commons[COMMONS];
};

static const struct unwind_machine *
machine_of(const struct elf_file *f)
{
	GElf_Ehdr head;

	if (gelf_getehdr(f->elf, &head) == NULL || head.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	if (head.e_machine == EM_X86_64)
		return &unwind_x86_64;
	return head.e_machine == EM_AARCH64 ? &unwind_arm64 : NULL;
}

static const struct common *
find_common(struct compile *c, uint64_t offset)
{
	struct common *common = &c->commons[hash_mix(offset, 0) % COMMONS];

	if (!common->is_read || common->cfi.offset != offset) {
		common->is_read = true;
		common->is_good =
			cfi_section_common(c->section, offset, &common->cfi) &&
			common->cfi.ra < UNWIND_REGS &&
			cfi_program_begin(c->section, &common->cfi, c->build, &common->initial);
	}
	return common->is_good ? common : NULL;
}

static void
add_function(struct compile *c, const struct cfi_entry *entry)
{
	const struct common *common = find_common(c, entry->common);
	struct cfi_function fn;
	uint64_t start, last;

	/* What the linker dropped is at 0, 1 or -1 for some linkers: nothing lies there. */
	if (common == NULL || !cfi_section_function(c->section, entry, &common->cfi, &fn) ||
	    !elf_file_offset(c->f, fn.start + c->bias, &start) ||
	    !elf_file_offset(c->f, fn.end - 1 + c->bias, &last) || last < start ||
	    last - start != fn.end - 1 - fn.start ||
	    !rules_build_function(c->build, start, last + 1))
		return;
	if (!cfi_program_run(c->section, &common->cfi, &fn, &common->initial, start - fn.start,
			     c->build))
		rules_build_drop_function(c->build);
}

static void
add_section(struct compile *c, const struct cfi_section *section, uint64_t bias)
{
	struct cfi_entry entry;
	uint64_t off = 0;

	c->section = section;
	c->bias = bias;
	memset(c->commons, 0, sizeof(c->commons));
	while (!rules_build_is_full(c->build) && cfi_section_next(section, &off, &entry))
		add_function(c, &entry);
}

/* Both of them, since .eh_frame may have no more than what the start files brought. */
static void
add_own(struct compile *c)
{
	struct cfi_section s;

	if (cfi_section_eh(&s, c->f))
		add_section(c, &s, 0);
	cfi_section_release(&s);
	if (cfi_section_debug(&s, c->f))
		add_section(c, &s, 0);
	cfi_section_release(&s);
}

static void
add_debug_file(struct compile *c, const struct debug_finder *finder)
{
	struct debug_file debug = { 0 };
	struct cfi_section s;

	if (finder == NULL || !debug_file_find(&debug, c->f, finder, DEBUG_HAS_DWARF))
		return;
	if (cfi_section_debug(&s, &debug.elf))
		add_section(c, &s, elf_file_bias(c->f, &debug.elf));
	cfi_section_release(&s);
	debug_file_close(&debug);
}

static bool
needs_libraries(const struct elf_file *f, const GElf_Phdr *dynamic)
{
	Elf_Data *data = elf_getdata_rawchunk(f->elf, (int64_t)dynamic->p_offset, dynamic->p_filesz, ELF_T_DYN);
	GElf_Dyn dyn;

	for (int i = 0; data != NULL && gelf_getdyn(data, i, &dyn) != NULL && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_NEEDED)
			return true;
	return false;
}

/* Of a library the address of its entry says nothing: older linkers gave it that of its first code. */
static bool
is_library(const struct elf_file *f, const GElf_Ehdr *head)
{
	bool needs = false;
	GElf_Phdr ph;
	size_t n;

	if (head->e_type == ET_EXEC || elf_getphdrnum(f->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n && gelf_getphdr(f->elf, (int)i, &ph) != NULL; i++) {
		if (ph.p_type == PT_INTERP)
			return false;
		needs |= ph.p_type == PT_DYNAMIC && needs_libraries(f, &ph);
	}
	return needs;
}

/*
 * The dynamic linkers' code where a process begins, and that of musl's programs, is assembly without
 * call frame information.  It has no caller.
 */
static void
add_entry(struct compile *c, const struct unwind_machine *machine)
{
	struct unwind_state state = { .cfa_reg = machine->sp, .ra = machine->ra,
				      .set = UINT64_C(1) << machine->ra };
	GElf_Ehdr head;
	uint64_t at;

	if (gelf_getehdr(c->f->elf, &head) == NULL || head.e_entry == 0 || is_library(c->f, &head) ||
	    !elf_file_offset(c->f, head.e_entry, &at) || rules_build_has(c->build, at))
		return;
	state.regs[machine->ra].how = UNWIND_UNDEFINED;
	if (rules_build_function(c->build, at, at + ENTRY_BYTES))
		rules_build_row(c->build, at, &state);
}

static uint64_t
lowest_offset(const struct elf_file *f)
{
	uint64_t low = UINT64_MAX;

	for (unsigned i = 0; i < f->segment_count; i++)
		low = MIN(low, f->segments[i].offset);
	return low;
}

int
cfi_compile(const struct elf_file *f, const struct debug_finder *finder, struct err *err)
{
	const struct unwind_machine *machine = machine_of(f);
	struct compile c = { .f = f };
	int fd = -1;

	if (machine == NULL)
		return err_set(err, ERR_UNSUPPORTED, 0,
			       "only code of x86-64 and arm64 can be unwound");
	c.build = rules_build_new(machine, lowest_offset(f));
	rules_build_set_id(c.build, f->build_id, f->build_id_len);
	add_own(&c);
	if (rules_build_is_empty(c.build))
		add_debug_file(&c, finder);
	if (!rules_build_is_empty(c.build))
		add_entry(&c, machine);
	sigreturn_add(f, machine, c.build);
	if (rules_build_is_empty(c.build))
		err_set(err, ERR_GONE, 0, "no call frame information");
	else
		fd = rules_build_finish(c.build, err);
	if (fd >= 0 && rules_build_is_full(c.build))
		err_set(err, ERR_LIMIT, 0, "too many unwind rules: only the first are used");
	rules_build_free(c.build);
	return fd;
}

#else

int
cfi_compile(const struct elf_file *f, const struct debug_finder *finder, struct err *err)
{
	(void)f;
	(void)finder;
	return err_set(err, ERR_UNSUPPORTED, 0,
		       "ptop is built without libdw: stacks cannot be unwound");
}

#endif
