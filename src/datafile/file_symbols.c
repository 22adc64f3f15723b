/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/feature.h"

#include "datafile/swap.h"

enum file_type { FILE_KERNEL = 0, FILE_MODULE = 1, FILE_ELF = 2 };

/* Field numbers of the message and of the message of a symbol in it. */
enum { FIELD_PATH = 1, FIELD_TYPE, FIELD_MIN_VADDR, FIELD_SYMBOL, FIELD_ELF = 6 };
enum { SYMBOL_VADDR = 1, SYMBOL_LEN, SYMBOL_NAME };
enum { ELF_OFFSET = 1 };

/* Protobuf's wire types. */
enum { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 5 };

/* The file that is being read: its symbols begin at contents.symbols[first]. */
struct file {
	struct bytes path;
	uint32_t type;
	uint64_t min_vaddr, offset; /* of the first executable segment: its address, and offset */
	size_t first;
};

static void
add_symbol(struct contents *c, uint64_t vaddr, uint64_t len, struct bytes name)
{
	if (name.len == 0)
		return;
	VEC_ADD(c->symbols, c->symbol_len, c->symbol_cap) = (struct datafile_symbol){
		vaddr, len, arena_strndup(&c->arena, (const char *)name.data, name.len)
	};
}

/* In ELF files symbols are offsets, as samples have them; in the kernel addresses. */
static void
finish_file(struct contents *c, const struct file *f)
{
	bool is_elf = f->type == FILE_ELF;

	if ((!is_elf && f->type != FILE_KERNEL) || f->path.len == 0 || c->symbol_len == f->first) {
		c->symbol_len = f->first;
		return;
	}
	for (size_t i = f->first; is_elf && i < c->symbol_len; i++)
		c->symbols[i].at += f->offset - f->min_vaddr;
	VEC_ADD(c->files, c->file_len, c->file_cap) = (struct symbols_of){
		arena_strndup(&c->arena, (const char *)f->path.data, f->path.len), f->first,
		c->symbol_len - f->first
	};
}

static struct bytes
take_string(struct reader *r)
{
	const uint8_t *begin = r->pos, *end = memchr(begin, '\0', reader_left(r));

	if (end == NULL) {
		reader_fail(r);
		return (struct bytes){ begin, 0 };
	}
	r->pos = end + 1;
	return (struct bytes){ begin, (size_t)(end - begin) };
}

static void
take_file(struct contents *c, struct reader r)
{
	bool swapped = c->info.is_swapped;
	struct file f = { .path = take_string(&r), .first = c->symbol_len };
	uint32_t n;

	f.type = take_u32(&r, swapped);
	f.min_vaddr = take_u64(&r, swapped);
	n = take_u32(&r, swapped);
	for (uint32_t i = 0; i < n && !r.failed; i++) {
		uint64_t vaddr = take_u64(&r, swapped);
		uint32_t len = take_u32(&r, swapped);
		struct bytes name = take_string(&r);

		if (!r.failed)
			add_symbol(c, vaddr, len, name);
	}
	/* Older versions do not say: then the executable segment is taken to begin the file. */
	if (reader_left(&r) >= 8)
		f.offset = take_u64(&r, swapped);
	finish_file(c, &f);
}

void
file_symbols_read(struct contents *c, struct reader *r)
{
	while (reader_left(r) > 0) {
		uint32_t len = take_u32(r, c->info.is_swapped);
		const uint8_t *data = reader_bytes(r, len);

		if (data != NULL)
			take_file(c, reader_over((struct bytes){ data, len }));
	}
}

static uint64_t
take_varint(struct reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t *byte = reader_bytes(r, 1);

		if (byte == NULL)
			return 0;
		v |= (uint64_t)(*byte & 0x7f) << shift;
		if ((*byte & 0x80) == 0)
			return v;
	}
	reader_fail(r);
	return 0;
}

struct field {
	uint64_t number, value;
	struct bytes bytes;
};

/* The next field of a message; false: there is none. */
static bool
next_field(struct reader *r, struct field *f)
{
	uint64_t key, len;

	if (reader_left(r) == 0)
		return false;
	key = take_varint(r);
	*f = (struct field){ .number = key >> 3 };
	switch (key & 7) {
	case WIRE_VARINT:
		f->value = take_varint(r);
		break;
	case WIRE_FIXED64:
		f->value = reader_u64(r);
		break;
	case WIRE_FIXED32:
		f->value = reader_u32(r);
		break;
	case WIRE_BYTES:
		len = take_varint(r);
		f->bytes.data = reader_bytes(r, len);
		f->bytes.len = f->bytes.data != NULL ? len : 0;
		break;
	default:
		reader_fail(r);
	}
	return !r->failed;
}

static void
take_symbol_message(struct contents *c, struct bytes message)
{
	struct reader r = reader_over(message);
	uint64_t vaddr = 0, len = 0;
	struct bytes name = { 0 };
	struct field f;

	while (next_field(&r, &f)) {
		if (f.number == SYMBOL_VADDR)
			vaddr = f.value;
		else if (f.number == SYMBOL_LEN)
			len = f.value;
		else if (f.number == SYMBOL_NAME)
			name = f.bytes;
	}
	add_symbol(c, vaddr, len, name);
}

static uint64_t
elf_offset(struct bytes message)
{
	struct reader r = reader_over(message);
	struct field f;

	while (next_field(&r, &f))
		if (f.number == ELF_OFFSET)
			return f.value;
	return 0;
}

static void
take_file_message(struct contents *c, struct reader r)
{
	struct file file = { .first = c->symbol_len };
	struct field f;

	while (next_field(&r, &f)) {
		if (f.number == FIELD_PATH)
			file.path = f.bytes;
		else if (f.number == FIELD_TYPE)
			file.type = (uint32_t)f.value;
		else if (f.number == FIELD_MIN_VADDR)
			file.min_vaddr = f.value;
		else if (f.number == FIELD_SYMBOL)
			take_symbol_message(c, f.bytes);
		else if (f.number == FIELD_ELF)
			file.offset = elf_offset(f.bytes);
	}
	finish_file(c, &file);
}

void
file_symbols_read_messages(struct contents *c, struct reader *r)
{
	while (reader_left(r) > 0) {
		uint32_t len = take_u32(r, c->info.is_swapped);
		const uint8_t *data = reader_bytes(r, len);

		if (data != NULL)
			take_file_message(c, reader_over((struct bytes){ data, len }));
	}
}
