/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/parser.h"
#include "symbol/elf/elf_image.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/places.h"
#include "symbol/parser/wire.h"

/* What is asked, and about which map. */
struct question {
	uint64_t start, end, pgoff;
	bool data;
	const char *pattern; /* empty: offset says it */
	uint64_t offset;
};

void
parser_places_put(const struct job *job, struct buf *out)
{
	wire_put_u64(out, job->ask.start);
	wire_put_u64(out, job->ask.end);
	wire_put_u64(out, job->places->pgoff);
	wire_put_u32(out, job->places->data);
	wire_put_string(out, job->places->pattern);
	wire_put_u64(out, job->places->offset);
}

/* From the file's addresses to those in the process; a map begins where a page of the file does. */
static uint64_t
bias_of(const struct elf_file *f, const struct question *q)
{
	uint64_t page = page_size();

	for (unsigned i = 0; i < f->segment_count && q->end > q->start; i++) {
		const struct elf_segment *s = &f->segments[i];

		if (q->pgoff >= s->offset - s->offset % page && q->pgoff < s->offset + s->len)
			return q->start - (s->vaddr - s->offset + q->pgoff);
	}
	return 0;
}

/* A stripped file's names are in another, if there is one. */
static int
find_symbols(const struct elf_file *f, const struct question *q,
	     const struct debug_finder *finder, struct places *out, struct err *err)
{
	struct debug_file other = { 0 };
	const struct elf_file *names = f;
	int res;

	if (!elf_symbols_has_table(f) && elf_image_names_file(&other, f, finder))
		names = &other.elf;
	res = places_in_file(f, names, q->pattern, q->data, out, err);
	debug_file_close(&other);
	return res;
}

static int
find(int fd, const struct question *q, const struct debug_finder *finder, uint64_t *bias,
     struct places *out, struct err *err)
{
	struct elf_file f;
	size_t file_len;
	unsigned line;
	int res;

	if (elf_file_open(&f, fd, err) < 0)
		return -1;
	*bias = bias_of(&f, q);
	if (*q->pattern == '\0')
		res = places_of_offset(&f, q->offset, out, err);
	else if (!q->data && places_is_line(q->pattern, &file_len, &line))
		res = places_of_line(&f, finder, q->pattern, out, err);
	else
		res = find_symbols(&f, q, finder, out, err);
	elf_file_close(&f);
	return res;
}

void
parser_places(int fd, struct reader *r, const struct debug_finder *finder, struct buf *out)
{
	struct question q = { .start = reader_u64(r) };
	struct places found = { 0 };
	struct err err = { 0 };
	uint64_t bias = 0;

	q.end = reader_u64(r);
	q.pgoff = reader_u64(r);
	q.data = reader_u32(r) != 0;
	q.pattern = reader_string(r);
	q.offset = reader_u64(r);
	if (find(fd, &q, finder, &bias, &found, &err) < 0)
		places_release(&found);
	wire_put_err(out, &err);
	wire_put_u64(out, bias);
	wire_put_u32(out, (uint32_t)found.len);
	for (size_t i = 0; i < found.len; i++) {
		wire_put_string(out, found.items[i].name);
		wire_put_u64(out, found.items[i].offset);
		wire_put_u64(out, found.items[i].addr);
		wire_put_u64(out, found.items[i].size);
	}
	places_release(&found);
}

bool
parser_places_get(struct reader *r, struct symbol_places_msg *m)
{
	struct places found = { 0 };
	uint32_t count;

	wire_get_err(r, &m->err);
	m->bias = reader_u64(r);
	count = reader_u32(r);
	for (uint32_t i = 0; i < count && !r->failed && i < PLACES_MAX; i++) {
		struct symbol_place place = { .name = (char *)(uintptr_t)reader_string(r) };

		place.offset = reader_u64(r);
		place.addr = reader_u64(r);
		place.size = reader_u64(r);
		if (!r->failed)
			places_add(&found, &place, "", NULL);
	}
	if (r->failed || count > PLACES_MAX || (count == 0 && m->err.code == ERR_NONE)) {
		places_release(&found);
		return false;
	}
	m->places = found.items;
	m->count = found.len;
	return true;
}
