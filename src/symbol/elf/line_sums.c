/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#ifdef HAVE_LIBDW

#include "symbol/elf/line_sums.h"

#include "symbol/file/leb.h"

#include <dwarf.h>
#include <endian.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	FILES_MAX = 64 << 10, /* of one table, and folders */
	FORMATS_MAX = 16,
	LONG_UNITS = 8,       /* bytes of an offset in tables of 64 bits */
	EMBEDDED_TEXT = 0x2001, /* DW_LNCT_LLVM_source */
};

/* What the entries of a table consist of, in order. */
struct format {
	unsigned count;
	struct {
		uint64_t content, form;
	} items[FORMATS_MAX];
};

/* The bytes of a section, ".debug_line", as libdw has them by now: unpacked. */
static struct bytes
section_bytes(Elf *elf, const char *wanted)
{
	Elf_Scn *scn = NULL;
	size_t strings;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &strings) != 0)
		return (struct bytes){ 0 };
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) != NULL && sh.sh_type != SHT_NOBITS
					   ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		Elf_Data *data;

		/* The old way to pack it has a z in front. */
		if (name == NULL || (strcmp(name, wanted) != 0 &&
				     (strncmp(name, ".z", 2) != 0 || strcmp(name + 2, wanted + 1) != 0)))
			continue;
		data = elf_rawdata(scn, NULL);
		if (data != NULL && data->d_buf != NULL)
			return (struct bytes){ data->d_buf, data->d_size };
	}
	return (struct bytes){ 0 };
}

static bool
is_other_order(Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);

	return ident != NULL &&
	       ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
}

/* Where it is passed over.  A form that is not known leaves nothing. */
static void
skip_form(struct reader *r, uint64_t form, size_t offset_bytes)
{
	switch (form) {
	case DW_FORM_string:
		reader_string(r);
		break;
	case DW_FORM_line_strp:
	case DW_FORM_strp:
	case DW_FORM_strp_sup:
		reader_bytes(r, offset_bytes);
		break;
	case DW_FORM_udata:
	case DW_FORM_strx:
		reader_uleb(r);
		break;
	case DW_FORM_data1:
		reader_bytes(r, 1);
		break;
	case DW_FORM_data2:
		reader_bytes(r, 2);
		break;
	case DW_FORM_data4:
		reader_bytes(r, 4);
		break;
	case DW_FORM_data8:
		reader_bytes(r, 8);
		break;
	case DW_FORM_data16:
		reader_bytes(r, MD5_BYTES);
		break;
	case DW_FORM_block:
		reader_bytes(r, (size_t)reader_uleb(r));
		break;
	default:
		reader_fail(r);
	}
}

static void
read_format(struct reader *r, struct format *f)
{
	f->count = reader_u8(r);
	if (f->count > FORMATS_MAX)
		reader_fail(r);
	for (unsigned i = 0; i < f->count && !r->failed; i++) {
		f->items[i].content = reader_uleb(r);
		f->items[i].form = reader_uleb(r);
	}
}

static uint64_t
read_count(struct reader *r, const struct format *f)
{
	uint64_t count = reader_uleb(r);

	/* Each entry has a byte at least, if it consists of anything. */
	if (count > FILES_MAX || (f->count == 0 && count > 0) || count > reader_left(r))
		reader_fail(r);
	return r->failed ? 0 : count;
}

static bool
is_sum(const struct format *f, unsigned i)
{
	return f->items[i].content == DW_LNCT_MD5 && f->items[i].form == DW_FORM_data16;
}

static bool
is_text(const struct format *f, unsigned i)
{
	return f->items[i].content == EMBEDDED_TEXT &&
	       (f->items[i].form == DW_FORM_string || f->items[i].form == DW_FORM_line_strp);
}

static bool
has_sums(const struct format *f)
{
	for (unsigned i = 0; i < f->count; i++)
		if (is_sum(f, i) || is_text(f, i))
			return true;
	return false;
}

/* A text that does not end is none; nor is an empty one, which stands for that. */
static struct bytes
read_text(struct reader *r, uint64_t form, size_t offset_bytes, struct bytes strings)
{
	struct bytes text = { 0 };
	const uint8_t *end;

	if (form == DW_FORM_line_strp) {
		uint64_t at = offset_bytes == LONG_UNITS ? reader_u64(r) : reader_u32(r);

		if (!r->failed && at < strings.len)
			text = (struct bytes){ strings.data + at, strings.len - at };
	} else {
		text = (struct bytes){ r->pos, reader_left(r) };
		reader_string(r);
	}
	end = text.len > 0 && !r->failed ? memchr(text.data, '\0', text.len) : NULL;
	text.len = end != NULL ? (size_t)(end - text.data) : 0;
	return text;
}

/* Passes over one entry, but for its sum and text. */
static void
read_entry(struct reader *r, const struct format *f, size_t offset_bytes, struct bytes strings,
	   struct line_sum *sum)
{
	for (unsigned i = 0; i < f->count; i++) {
		const uint8_t *p;

		if (sum != NULL && is_text(f, i)) {
			sum->text = read_text(r, f->items[i].form, offset_bytes, strings);
		} else if (sum != NULL && is_sum(f, i)) {
			p = reader_bytes(r, MD5_BYTES);
			sum->has_md5 = p != NULL;
			if (p != NULL)
				memcpy(sum->md5, p, MD5_BYTES);
		} else {
			skip_form(r, f->items[i].form, offset_bytes);
		}
	}
}

/* Up to its folders.  Returns the bytes of an offset, 0: it is no table of DWARF 5. */
static size_t
read_head(struct reader *r)
{
	uint64_t len = reader_u32(r);
	size_t offset_bytes = 4;
	uint8_t opcodes;

	if (len == UINT32_MAX) {
		len = reader_u64(r);
		offset_bytes = LONG_UNITS;
	}
	r->end = r->pos + MIN(len, (uint64_t)reader_left(r));
	if (reader_u16(r) != 5)
		return 0;
	reader_bytes(r, 2 + offset_bytes); /* sizes of addresses and segments, of the head */
	reader_bytes(r, 5); /* how its program counts */
	opcodes = reader_u8(r);
	reader_bytes(r, opcodes > 0 ? opcodes - 1 : 0);
	return r->failed ? 0 : offset_bytes;
}

static void
read_table(struct line_sums *s, struct reader *r, struct bytes strings)
{
	size_t offset_bytes = read_head(r);
	struct format f;
	uint64_t count;

	if (offset_bytes == 0)
		return;
	read_format(r, &f);
	count = read_count(r, &f);
	for (uint64_t i = 0; i < count && !r->failed; i++)
		read_entry(r, &f, offset_bytes, strings, NULL);
	read_format(r, &f);
	count = read_count(r, &f);
	if (count == 0 || !has_sums(&f))
		return;
	s->items = mem_calloc((size_t)count, sizeof(*s->items));
	for (; s->count < count && !r->failed; s->count++)
		read_entry(r, &f, offset_bytes, strings, &s->items[s->count]);
	if (r->failed)
		s->count = 0;
}

const struct line_sum *
line_sums_find(struct line_sums *s, Dwarf_Die *unit, size_t file)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(unit->cu));
	Dwarf_Attribute attr;
	Dwarf_Word table;

	if (dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attr), &table) != 0)
		return NULL;
	if (!s->is_read || s->table != table) {
		struct bytes b = section_bytes(elf, ".debug_line");
		struct reader r = reader_over_swapped(b, is_other_order(elf));

		line_sums_release(s);
		s->is_read = true;
		s->table = table;
		if (table < b.len && reader_bytes(&r, (size_t)table) != NULL)
			read_table(s, &r, section_bytes(elf, ".debug_line_str"));
	}
	return file < s->count ? &s->items[file] : NULL;
}

void
line_sums_release(struct line_sums *s)
{
	free(s->items);
	*s = (struct line_sums){ 0 };
}

#endif
