/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/file/build_id.h"

#include "base/reader.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	SEGMENTS_MAX = 256,
	NOTES_MAX = 64 << 10, /* a core file's are longer, and have nothing to do with it */
};

struct elf_head {
	int fd;
	bool is_64, swap;
	uint64_t table; /* of segments or sections, whichever is looked at */
	unsigned entry, count;
};

struct notes {
	uint64_t offset, len;
};

/* What was read of the file, short at its end; the bytes are in @buf. */
static struct reader
read_at(const struct elf_head *h, void *buf, size_t len, uint64_t at)
{
	ssize_t n = at <= INT64_MAX ? pread(h->fd, buf, len, (off_t)at) : -1;

	return reader_over_swapped((struct bytes){ buf, n > 0 ? (size_t)n : 0 }, h->swap);
}

static uint64_t
read_word(const struct elf_head *h, struct reader *r)
{
	return h->is_64 ? reader_u64(r) : reader_u32(r);
}

static bool
is_other_order(uint8_t data)
{
	return data != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB);
}

/* false: no ELF file. */
static bool
read_head(struct elf_head *h, struct elf_head *sections)
{
	uint8_t buf[sizeof(Elf64_Ehdr)];
	struct reader r = read_at(h, buf, sizeof(buf), 0);
	const uint8_t *ident = reader_bytes(&r, EI_NIDENT);

	if (ident == NULL || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return false;
	h->is_64 = ident[EI_CLASS] == ELFCLASS64;
	h->swap = r.swap = is_other_order(ident[EI_DATA]);
	reader_u64(&r); /* type, machine, version */
	read_word(h, &r);
	*sections = *h;
	h->table = read_word(h, &r);
	sections->table = read_word(h, &r);
	reader_u32(&r); /* flags */
	reader_u16(&r); /* bytes of this head */
	h->entry = reader_u16(&r);
	h->count = reader_u16(&r);
	sections->entry = reader_u16(&r);
	sections->count = reader_u16(&r);
	return !r.failed;
}

/* Where the notes of a segment are, 0 bytes: it has none. */
static struct notes
segment_notes(const struct elf_head *h, struct reader *r)
{
	struct notes n = { 0 };
	uint32_t type = reader_u32(r);

	if (h->is_64)
		reader_u32(r); /* flags */
	n.offset = read_word(h, r);
	read_word(h, r);
	read_word(h, r);
	n.len = read_word(h, r);
	return type == PT_NOTE ? n : (struct notes){ 0 };
}

static struct notes
section_notes(const struct elf_head *h, struct reader *r)
{
	struct notes n = { 0 };
	uint32_t type;

	reader_u32(r); /* name */
	type = reader_u32(r);
	read_word(h, r); /* flags */
	read_word(h, r); /* address */
	n.offset = read_word(h, r);
	n.len = read_word(h, r);
	return type == SHT_NOTE ? n : (struct notes){ 0 };
}

static void
skip_padded(struct reader *r, uint32_t len)
{
	reader_bytes(r, MIN(((uint64_t)len + 3) & ~(uint64_t)3, reader_left(r)));
}

static int
find_in_notes(struct reader *r, uint8_t id[BUILD_ID_BYTES])
{
	while (reader_left(r) > 0) {
		uint32_t name_len = reader_u32(r), len = reader_u32(r), type = reader_u32(r);
		const uint8_t *name = r->pos, *value;

		if (r->failed || name_len > reader_left(r))
			return 0;
		skip_padded(r, name_len);
		value = r->pos;
		if (len > reader_left(r))
			return 0;
		skip_padded(r, len);
		if (type != NT_GNU_BUILD_ID || name_len != sizeof("GNU") ||
		    memcmp(name, "GNU", sizeof("GNU")) != 0)
			continue;
		len = MIN(len, (uint32_t)BUILD_ID_BYTES);
		memcpy(id, value, len);
		return (int)len;
	}
	return 0;
}

static int
read_notes(const struct elf_head *h, const struct notes *n, uint8_t id[BUILD_ID_BYTES])
{
	size_t len = (size_t)MIN(n->len, (uint64_t)NOTES_MAX);
	uint8_t *buf = mem_realloc(NULL, len + 1, 1);
	struct reader r = read_at(h, buf, len, n->offset);
	int found = find_in_notes(&r, id);

	free(buf);
	return found;
}

/* Looks into all notes that the table leads to. */
static int
find_by_table(const struct elf_head *h,
	      struct notes (*notes_of)(const struct elf_head *h, struct reader *r),
	      uint8_t id[BUILD_ID_BYTES])
{
	uint8_t entry[sizeof(Elf64_Shdr)];
	unsigned count = MIN(h->count, (unsigned)SEGMENTS_MAX);
	int found = 0;

	for (unsigned i = 0; i < count && found == 0; i++) {
		struct reader r = read_at(h, entry, MIN(h->entry, (unsigned)sizeof(entry)),
					  h->table + (uint64_t)i * h->entry);
		struct notes n = notes_of(h, &r);

		if (!r.failed && n.len > 0)
			found = read_notes(h, &n, id);
	}
	return found;
}

int
build_id_read(int fd, uint8_t id[BUILD_ID_BYTES])
{
	struct elf_head segments = { .fd = fd }, sections;
	int found;

	if (!read_head(&segments, &sections))
		return -1;
	/* Sections first: in a debug file, segments may lead to what is not there any more. */
	found = find_by_table(&sections, section_notes, id);
	return found != 0 ? found : find_by_table(&segments, segment_notes, id);
}
