/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/cfi_section.h"
#include "symbol/elf/elf_section.h"
#include "symbol/file/leb.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	SECTION_MAX = 128 << 20,
	HDR_BYTES = 4 + 8, /* of .eh_frame_hdr: up to where it says where .eh_frame is */
};

static bool
begin(struct cfi_section *s, const struct elf_file *f, bool is_eh)
{
	*s = (struct cfi_section){ .is_eh = is_eh };
	s->ident = (const uint8_t *)elf_getident(f->elf, NULL);
	return s->ident != NULL;
}

/* The bytes from a virtual address on, to the end of what is loaded with it. */
static bool
find_loaded(const struct elf_file *f, uint64_t vaddr, GElf_Shdr *sh)
{
	size_t n;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL || ph.p_type != PT_LOAD ||
		    vaddr < ph.p_vaddr || vaddr - ph.p_vaddr >= ph.p_filesz)
			continue;
		*sh = (GElf_Shdr){ .sh_addr = vaddr,
				   .sh_offset = ph.p_offset + (vaddr - ph.p_vaddr),
				   .sh_size = ph.p_filesz - (vaddr - ph.p_vaddr) };
		if (sh->sh_offset > f->bytes)
			return false;
		sh->sh_size = MIN(sh->sh_size, f->bytes - sh->sh_offset);
		return true;
	}
	return false;
}

/* Where the section of that address begins, by the header that is found by its segment. */
static bool
find_by_hdr(struct cfi_section *s, const struct elf_file *f, GElf_Shdr *sh)
{
	uint8_t head[HDR_BYTES] = { 0 };
	struct reader r = { .pos = head + 4, .end = head + sizeof(head) };
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(f->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL || ph.p_type != PT_GNU_EH_FRAME)
			continue;
		if (pread(f->fd, head, sizeof(head), (off_t)ph.p_offset) < 8 || head[0] != 1)
			return false;
		s->vaddr = ph.p_vaddr;
		s->data = (struct bytes){ head, sizeof(head) };
		return find_loaded(f, cfi_section_address(s, &r, head[1]), sh) && !r.failed;
	}
	return false;
}

bool
cfi_section_eh(struct cfi_section *s, const struct elf_file *f)
{
	GElf_Shdr sh;

	if (!begin(s, f, true) ||
	    (elf_section_find(f, ".eh_frame", &sh) == NULL && !find_by_hdr(s, f, &sh)))
		return false;
	s->vaddr = sh.sh_addr;
	s->owned = elf_section_read(f, &sh, SECTION_MAX, &s->data.len);
	s->data.data = s->owned;
	return s->owned != NULL;
}

/* libelf unpacks it in place, and keeps it. */
static bool
unpack(struct cfi_section *s, Elf_Scn *scn)
{
	Elf_Data *data;
	GElf_Chdr chdr;

	if (gelf_getchdr(scn, &chdr) == NULL || chdr.ch_size > SECTION_MAX ||
	    elf_compress(scn, 0, 0) < 0)
		return false;
	data = elf_rawdata(scn, NULL);
	if (data == NULL || data->d_buf == NULL)
		return false;
	s->data = (struct bytes){ data->d_buf, data->d_size };
	return true;
}

bool
cfi_section_debug(struct cfi_section *s, const struct elf_file *f)
{
	GElf_Shdr sh;
	Elf_Scn *scn;

	if (!begin(s, f, false) || (scn = elf_section_find(f, ".debug_frame", &sh)) == NULL)
		return false;
	s->vaddr = sh.sh_addr;
	if (sh.sh_flags & SHF_COMPRESSED)
		return unpack(s, scn);
	s->owned = elf_section_read(f, &sh, SECTION_MAX, &s->data.len);
	s->data.data = s->owned;
	return s->owned != NULL;
}

void
cfi_section_release(struct cfi_section *s)
{
	free(s->owned);
	*s = (struct cfi_section){ 0 };
}

static Elf_Data
data_of(const struct cfi_section *s)
{
	return (Elf_Data){ .d_buf = (void *)(uintptr_t)s->data.data,
			   .d_type = ELF_T_BYTE,
			   .d_version = EV_CURRENT,
			   .d_size = s->data.len };
}

static struct bytes
bytes_between(const uint8_t *from, const uint8_t *to)
{
	return (struct bytes){ from, to > from ? (size_t)(to - from) : 0 };
}

bool
cfi_section_next(const struct cfi_section *s, uint64_t *off, struct cfi_entry *entry)
{
	Elf_Data data = data_of(s);
	Dwarf_CFI_Entry e;

	while (*off < s->data.len) {
		Dwarf_Off next = *off;
		int res = dwarf_next_cfi(s->ident, &data, s->is_eh, *off, &next, &e);

		if (res > 0 || next <= *off)
			return false;
		*off = next;
		if (res < 0 || dwarf_cfi_cie_p(&e))
			continue;
		entry->common = e.fde.CIE_pointer;
		entry->bytes = bytes_between(e.fde.start, e.fde.end);
		return true;
	}
	return false;
}

/* What the augmentation string says, and the data that belong to it. */
static bool
read_augmentation(const struct cfi_section *s, const Dwarf_CIE *cie, struct cfi_common *c)
{
	struct reader r = { .pos = cie->augmentation_data,
			    .end = cie->augmentation_data + cie->augmentation_data_size };
	const char *a = cie->augmentation;

	c->encoding = DW_EH_PE_absptr;
	c->more = cie->fde_augmentation_data_size;
	if (*a == '\0')
		return true;
	if (*a++ != 'z' || cie->augmentation_data == NULL)
		return false;
	c->is_sized = true;
	/* At the first that is not known the rest is not known either, but their length is. */
	for (; *a != '\0'; a++) {
		if (*a == 'L')
			reader_u8(&r);
		else if (*a == 'P')
			cfi_section_address(s, &r, reader_u8(&r));
		else if (*a == 'R')
			c->encoding = reader_u8(&r);
		else if (*a == 'S')
			c->is_signal = true;
		else if (*a != 'B')
			break;
	}
	return !r.failed;
}

bool
cfi_section_common(const struct cfi_section *s, uint64_t offset, struct cfi_common *common)
{
	Elf_Data data = data_of(s);
	Dwarf_CFI_Entry e;
	Dwarf_Off next;

	*common = (struct cfi_common){ .offset = offset };
	if (offset >= s->data.len ||
	    dwarf_next_cfi(s->ident, &data, s->is_eh, offset, &next, &e) != 0 ||
	    !dwarf_cfi_cie_p(&e) || e.cie.return_address_register > UINT8_MAX ||
	    e.cie.initial_instructions == NULL)
		return false;
	common->code_align = e.cie.code_alignment_factor;
	common->data_align = e.cie.data_alignment_factor;
	common->ra = (uint8_t)e.cie.return_address_register;
	common->program =
		bytes_between(e.cie.initial_instructions, e.cie.initial_instructions_end);
	return read_augmentation(s, &e.cie, common);
}

static uint64_t
read_value(struct reader *r, uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return reader_u64(r);
	case DW_EH_PE_udata4:
		return reader_u32(r);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int32_t)reader_u32(r);
	case DW_EH_PE_udata2:
		return reader_u16(r);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int16_t)reader_u16(r);
	case DW_EH_PE_uleb128:
		return reader_uleb(r);
	case DW_EH_PE_sleb128:
		return (uint64_t)reader_sleb(r);
	default:
		reader_fail(r);
		return 0;
	}
}

uint64_t
cfi_section_address(const struct cfi_section *s, struct reader *r, uint8_t encoding)
{
	uint64_t at = s->vaddr + (uint64_t)(r->pos - s->data.data);
	uint64_t value = read_value(r, encoding);

	switch (encoding & 0x70) {
	case 0:
		return value;
	case DW_EH_PE_pcrel:
		return at + value;
	default:
		/* Of a personality routine it may be anything, and is of no interest. */
		return 0;
	}
}

bool
cfi_section_function(const struct cfi_section *s, const struct cfi_entry *entry,
		     const struct cfi_common *common, struct cfi_function *fn)
{
	const uint8_t kind = common->encoding & 0x70;
	struct reader r = reader_over(entry->bytes);
	uint64_t len;

	if ((kind != 0 && kind != DW_EH_PE_pcrel) || common->encoding & DW_EH_PE_indirect)
		return false;
	fn->common = entry->common;
	fn->start = cfi_section_address(s, &r, common->encoding);
	len = read_value(&r, common->encoding & 0x0f);
	fn->end = fn->start + len;
	reader_bytes(&r, common->is_sized ? reader_uleb(&r) : common->more);
	fn->program = (struct bytes){ r.pos, reader_left(&r) };
	return !r.failed && fn->end > fn->start;
}

#endif
