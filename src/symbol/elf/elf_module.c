/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/elf_file.h"
#include "symbol/elf/elf_section.h"

#include <string.h>

#define MODULE_MAX (UINT64_C(1) << 30)

struct layout {
	struct elf_file *f;
	uint64_t end;
	bool is_known; /* where the next section goes */
};

/* It is unloaded when the module has started, and lies elsewhere. */
static bool
is_init(const char *name)
{
	return strncmp(name, ".init", 5) == 0;
}

/* Some machines make room for jumps, as much as it takes when the module is loaded. */
static bool
grows(const char *name)
{
	return strcmp(name, ".plt") == 0 || strcmp(name, ".text.ftrace_trampoline") == 0;
}

/* Executable sections first, in the file's order: __layout_sections() in kernel/module. */
static bool
lay_out(void *self, Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	struct layout *l = self;
	struct elf_file *f = l->f;
	uint64_t align = sh->sh_addralign > 1 ? sh->sh_addralign : 1;
	bool is_code = (sh->sh_flags & (SHF_EXECINSTR | SHF_ALLOC)) == (SHF_EXECINSTR | SHF_ALLOC);

	l->is_known &= !grows(name) && align <= MODULE_MAX && (align & (align - 1)) == 0;
	if (!l->is_known || f->segment_count == ELF_FILE_MAX_SEGMENTS)
		return false;
	if (!is_code || is_init(name))
		return true;
	l->end = (l->end + align - 1) & ~(align - 1);
	if (sh->sh_size > 0)
		f->segments[f->segment_count++] = (struct elf_segment){
			.vaddr = l->end, .offset = l->end, .len = sh->sh_size,
			.section = (uint32_t)elf_ndxscn(scn),
		};
	l->end += sh->sh_size;
	return l->end <= MODULE_MAX;
}

void
elf_module_lay_out(struct elf_file *f)
{
	struct layout l = { .f = f, .is_known = true };
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (gelf_getehdr(f->elf, &eh) == NULL || eh.e_type != ET_REL ||
	    elf_section_find(f, ".gnu.linkonce.this_module", &sh) == NULL)
		return;
	f->is_module = true;
	elf_section_each(f, lay_out, &l);
}
