/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way of a listing: a file (ELF, jitdump) whose code is listed with its lines, bytes as code of
 * two machines, text as a source, and any bytes as what the process that does this answers.  What
 * is made must be read whole by whoever asked.
 */
#include "fuzz.h"

#include "symbol/code/jit_dump_code.h"
#include "symbol/elf/lines.h"
#include "symbol/parser/parser_listing.h"
#include "view/listing.h"

#include "base/util.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DSO = 1, FUNCTIONS_MAX = 8, STEP = 64 };

static struct reader
reader_of(const struct buf *b)
{
	return reader_over((struct bytes){ (const uint8_t *)buf_str(b), b->len });
}

/* The answer to a question, as the asker reads it; must make sense. */
static struct listing *
list(const struct listing_source_of *from, const struct symbol_listing_ask *ask,
     const struct disasm_lib *lib, uint64_t *in_file)
{
	struct listing_job question = { .ask = *ask };
	struct job job = { .ask = { .dso = DSO }, .listing = &question };
	struct buf asked = { 0 }, answered = { 0 };
	struct listing *l = listing_new();
	struct reader r;

	l->function = "f";
	parser_listing_put(&job, &asked);
	r = reader_of(&asked);
	reader_u32(&r); /* the dso, which its caller reads */
	parser_listing(from, &r, lib, &answered);
	r = reader_of(&answered);
	if (!parser_listing_get(&r, l, in_file))
		abort();
	buf_release(&asked);
	buf_release(&answered);
	return l;
}

static void
find_lines(struct lines *lines, const struct listing *l, uint64_t in_file)
{
	struct listing_lines *made = listing_lines_new();
	struct buf asked = { 0 }, answered = { 0 };
	const struct err none = { 0 };
	struct reader r;

	parser_lines_put(l, in_file, &asked);
	r = reader_of(&asked);
	parser_lines(lines, DSO, &none, &r, &answered);
	r = reader_of(&answered);
	if (!parser_lines_get(&r, l, made))
		abort();
	listing_lines_put(made);
	buf_release(&asked);
	buf_release(&answered);
}

static void
list_file(int fd, const struct disasm_lib *lib)
{
	struct listing_source_of from = { .jit_dump = jit_dump_is_one(fd) ? fd : -1 };
	struct lines *lines = lines_new();

	if (from.jit_dump < 0)
		from.file = code_file_open(dup(fd), NULL, &from.why);
	lines_open(lines, DSO, dup(fd), NULL, NULL);
	for (unsigned i = 0; i < FUNCTIONS_MAX; i++) {
		struct symbol_listing_ask ask = { .offset = 0x1000 + i * STEP, .size = i % 2 * 99 };
		uint64_t in_file = 0;
		struct listing *l;

		ask.file.text = i == FUNCTIONS_MAX - 1 ? 0x100000 : 0;
		l = list(&from, &ask, lib, &in_file);
		find_lines(lines, l, in_file);
		listing_put(l);
	}
	lines_free(lines);
	code_file_close(from.file);
}

static void
list_bytes(const uint8_t *data, size_t size, const struct disasm_lib *lib)
{
	const struct listing_source_of from = { .jit_dump = -1 };
	struct symbol_listing_ask ask = { .offset = 0x7fff0000, .code = data, .code_len = size,
					  .machine = EM_X86_64, .is_64 = true };
	uint64_t in_file;

	listing_put(list(&from, &ask, lib, &in_file));
	ask.is_intel = true;
	listing_put(list(&from, &ask, lib, &in_file));
	ask.machine = EM_AARCH64;
	listing_put(list(&from, &ask, lib, &in_file));
}

/* Of whoever has taken over the process. */
static void
read_answers(const uint8_t *data, size_t size)
{
	const struct bytes b = { data, size };
	struct listing *l = listing_new();
	struct listing_lines *lines = listing_lines_new();
	struct listing_source *source = listing_source_new();
	struct reader r = reader_over(b);
	uint64_t in_file;

	parser_listing_get(&r, l, &in_file);
	r = reader_over(b);
	parser_lines_get(&r, l, lines);
	r = reader_over(b);
	parser_source_get(&r, source);
	listing_put(l);
	listing_lines_put(lines);
	listing_source_put(source);
}

static void
read_source(int fd)
{
	const struct symbol_source_ask ask = { .first = 1, .last = UINT32_MAX };
	struct listing_source *source = listing_source_new();
	struct buf asked = { 0 }, answered = { 0 };
	struct reader r;

	parser_source_put(&ask, &asked);
	r = reader_of(&asked);
	parser_source(fd, &r, &answered);
	r = reader_of(&answered);
	if (!parser_source_get(&r, source))
		abort();
	listing_source_put(source);
	buf_release(&asked);
	buf_release(&answered);
}

int
FUZZ_TARGET(listing)(const uint8_t *data, size_t size)
{
	static struct disasm_lib *lib;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (lib == NULL)
		lib = disasm_load();
	if (size == 0 || write(fd, data, size) != (ssize_t)size) {
		close(fd);
		return 0;
	}
	if (data[0] == ELFMAG0 || jit_dump_is_one(fd))
		list_file(fd, lib);
	else if (data[0] == 'C')
		list_bytes(data + 1, size - 1, lib);
	else if (data[0] == 'A')
		read_answers(data + 1, size - 1);
	else
		read_source(fd);
	close(fd);
	return 0;
}
