/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/parser.h"
#include "symbol/elf/arguments.h"
#include "symbol/elf/copies.h"
#include "symbol/elf/elf_image.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/places.h"
#include "symbol/parser/wire.h"

#include <gelf.h>
#include <limits.h>

/* What is asked, and about which map. */
struct question {
	uint64_t start, end, pgoff;
	bool data, copies, arguments;
	const char *pattern; /* empty: offset says it, an address of the process if data */
	uint64_t offset;
};

struct answer {
	struct places found;
	uint64_t bias, start, end; /* see symbol_places_msg */
	struct err err;
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
	wire_put_u32(out, job->places->copies);
	wire_put_u32(out, job->places->arguments);
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

/* All of what the process maps of it, in its addresses. */
static void
find_extent(const struct elf_file *f, struct answer *a)
{
	size_t count = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(f->elf, &count) < 0)
		return;
	for (size_t i = 0; i < MIN(count, INT_MAX); i++) {
		if (gelf_getphdr(f->elf, (int)i, &ph) == NULL || ph.p_type != PT_LOAD ||
		    ph.p_vaddr + ph.p_memsz < ph.p_vaddr)
			continue;
		if (a->end == 0)
			a->start = a->bias + ph.p_vaddr;
		a->start = MIN(a->start, a->bias + ph.p_vaddr);
		a->end = MAX(a->end, a->bias + ph.p_vaddr + ph.p_memsz);
	}
}

static int
find_variable(const struct elf_file *f, const struct elf_file *names, const struct question *q,
	      struct answer *a)
{
	find_extent(f, a);
	return places_of_variable(f, names, q->offset - a->bias, &a->found, &a->err);
}

/* A stripped file's names are in another, if there is one. */
static int
find_symbols(const struct elf_file *f, const struct question *q,
	     const struct debug_finder *finder, struct answer *a)
{
	struct debug_file other = { 0 };
	const struct elf_file *names = f;
	int res;

	if (!elf_symbols_has_table(f) && elf_image_names_file(&other, f, finder))
		names = &other.elf;
	if (*q->pattern == '\0')
		res = find_variable(f, names, q, a);
	else
		res = places_in_file(f, names, q->pattern, q->data, &a->found, &a->err);
	debug_file_close(&other);
	return res;
}

static int
find_offset(const struct elf_file *f, const struct question *q, const struct debug_finder *finder,
	    struct answer *a)
{
	int res = places_of_offset(f, q->offset, &a->found, &a->err);

	if (res == 0 && q->copies)
		copies_count(f, finder, &a->found.items[0]);
	if (res == 0 && q->arguments)
		arguments_find(f, finder, &a->found.items[0]);
	return res;
}

static int
find(int fd, const struct question *q, const struct debug_finder *finder, struct answer *a)
{
	struct elf_file f;
	size_t file_len;
	unsigned line;
	int res;

	if (elf_file_open(&f, fd, &a->err) < 0)
		return -1;
	a->bias = bias_of(&f, q);
	if (*q->pattern == '\0' && !q->data)
		res = find_offset(&f, q, finder, a);
	else if (!q->data && places_is_line(q->pattern, &file_len, &line))
		res = places_of_line(&f, finder, q->pattern, &a->found, &a->err);
	else
		res = find_symbols(&f, q, finder, a);
	elf_file_close(&f);
	return res;
}

static void
put_arguments(struct buf *out, const struct arguments *args)
{
	wire_put_u32(out, args->count);
	for (size_t i = 0; i < ARGUMENTS_MAX; i++) {
		const struct argument *a = &args->items[i];

		wire_put_string(out, a->name);
		wire_put_u32(out, a->bytes);
		wire_put_u32(out, a->is_signed);
		wire_put_u32(out, a->is_address);
		wire_put_u32(out, a->is_text);
	}
}

/* One that makes no sense is none. */
static void
get_arguments(struct reader *r, struct arguments *args)
{
	const uint32_t count = reader_u32(r);

	args->count = MIN(count, (uint32_t)ARGUMENTS_MAX);
	for (size_t i = 0; i < ARGUMENTS_MAX; i++) {
		const char *name = reader_string(r);
		const uint32_t bytes = reader_u32(r);
		struct argument a = { .bytes = (uint8_t)bytes };

		a.is_signed = reader_u32(r) != 0;
		a.is_address = reader_u32(r) != 0;
		a.is_text = reader_u32(r) != 0;
		if (r->failed || !argument_name_is_plain(name) ||
		    (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
			continue;
		memcpy(a.name, name, strlen(name) + 1);
		args->items[i] = a;
	}
}

void
parser_places(int fd, struct reader *r, const struct debug_finder *finder, struct buf *out)
{
	struct question q = { .start = reader_u64(r) };
	struct answer a = { 0 };

	q.end = reader_u64(r);
	q.pgoff = reader_u64(r);
	q.data = reader_u32(r) != 0;
	q.pattern = reader_string(r);
	q.offset = reader_u64(r);
	q.copies = reader_u32(r) != 0;
	q.arguments = reader_u32(r) != 0;
	if (find(fd, &q, finder, &a) < 0)
		places_release(&a.found);
	wire_put_err(out, &a.err);
	wire_put_u64(out, a.bias);
	wire_put_u64(out, a.start);
	wire_put_u64(out, a.end);
	wire_put_u32(out, (uint32_t)a.found.len);
	for (size_t i = 0; i < a.found.len; i++) {
		wire_put_string(out, a.found.items[i].name);
		wire_put_u64(out, a.found.items[i].offset);
		wire_put_u64(out, a.found.items[i].addr);
		wire_put_u64(out, a.found.items[i].size);
		wire_put_u32(out, a.found.items[i].copies);
		wire_put_u32(out, a.found.items[i].has_more_copies);
		put_arguments(out, &a.found.items[i].arguments);
	}
	places_release(&a.found);
}

bool
parser_places_get(struct reader *r, struct symbol_places_msg *m)
{
	struct places found = { 0 };
	uint32_t count;

	wire_get_err(r, &m->err);
	m->bias = reader_u64(r);
	m->start = reader_u64(r);
	m->end = reader_u64(r);
	count = reader_u32(r);
	for (uint32_t i = 0; i < count && !r->failed && i < PLACES_MAX; i++) {
		struct symbol_place place = { .name = (char *)(uintptr_t)reader_string(r) };

		place.offset = reader_u64(r);
		place.addr = reader_u64(r);
		place.size = reader_u64(r);
		place.copies = reader_u32(r);
		place.has_more_copies = reader_u32(r) != 0;
		get_arguments(r, &place.arguments);
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
