/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/parser/parser.h"
#include "symbol/code/jit_dump_code.h"
#include "symbol/unwind/cfi_compile.h"
#include "symbol/elf/demangle.h"
#include "symbol/elf/elf_image.h"
#include "symbol/elf/lines.h"
#include "symbol/file/parcel.h"
#include "symbol/parser/parser_listing.h"
#include "symbol/parser/wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct parser {
	struct wire wire;
	struct debug_finder finder; /* first asks the other end */
	parser_image_fn *image;
	struct lines *lines;
	const struct disasm_lib *lib;
	struct code_file *code; /* whose code was listed last; NULL: none */
	uint32_t code_dso;
	uint32_t dsos[WIRE_LINES_MAX]; /* whose lines may be open */
	unsigned dsos_len;
};

static int
open_file(struct elf_file *f, int fd, struct parser_file *about, struct err *err)
{
	if (elf_file_open(f, fd, err) < 0)
		return -1;
	about->is_elf = true;
	about->build_id_len = f->build_id_len;
	memcpy(about->build_id, f->build_id, sizeof(about->build_id));
	return 0;
}

int
parser_image(int fd, const struct debug_finder *finder, struct parser_file *about,
	     struct err *err)
{
	struct elf_file f;
	int res;

	if (open_file(&f, fd, about, err) < 0)
		return -1;
	res = about->is_vmlinux ? vmlinux_image(&f, about->text, err) : elf_image(&f, finder, err);
	elf_file_close(&f);
	return res;
}

static int
parser_rules(int fd, const struct debug_finder *finder, struct parser_file *about, struct err *err)
{
	struct elf_file f;
	int res;

	if (open_file(&f, fd, about, err) < 0)
		return -1;
	res = cfi_compile(&f, finder, err);
	elf_file_close(&f);
	return res;
}

static struct parser *
parser_of(const struct debug_finder *finder)
{
	return (struct parser *)(uintptr_t)((const char *)finder - offsetof(struct parser, finder));
}

static int
find_elsewhere(const struct debug_finder *self, const struct debug_ask *ask)
{
	const struct parser *p = parser_of(self);
	struct buf body = { 0 };
	struct wire_msg m;
	int fd = -1;

	wire_put_ask(&body, ask);
	if (wire_send(&p->wire, WIRE_WANT, &body, -1) < 0 || wire_recv(&p->wire, &m) < 0)
		_exit(0); /* ptop has ended */
	if (m.type == WIRE_HAVE) {
		fd = parcel_open(m.fd);
		m.fd = -1;
	}
	buf_release(&body);
	wire_msg_release(&m);
	return fd;
}

/* What is made of a file by @make. */
static int
answer_made(struct parser *p, struct wire_msg *m, struct buf *out, parser_image_fn *make)
{
	struct reader r = wire_reader(m);
	struct parser_file about = { .is_vmlinux = reader_u32(&r) != 0 };
	struct err err = { 0 };
	int fd;

	about.text = reader_u64(&r);
	fd = make(m->fd, &p->finder, &about, &err);
	wire_put_err(out, &err);
	wire_put_u32(out, about.is_elf);
	wire_put_u32(out, about.build_id_len);
	buf_add(out, about.build_id, sizeof(about.build_id));
	return fd;
}

static int
answer_image(struct parser *p, struct wire_msg *m, struct buf *out)
{
	return answer_made(p, m, out, p->image);
}

static int
answer_rules(struct parser *p, struct wire_msg *m, struct buf *out)
{
	return answer_made(p, m, out, parser_rules);
}

static int
answer_names(struct parser *p, struct wire_msg *m, struct buf *out)
{
	struct reader r = wire_reader(m);

	(void)p;
	while (reader_left(&r) > 0) {
		char *name = demangle(reader_string(&r));

		wire_put_string(out, name);
		free(name);
	}
	return -1;
}

/* Those that are still open, with @dso, if it is, as the newest. */
static void
put_open_lines(struct parser *p, uint32_t dso, struct buf *out)
{
	unsigned len = 0;

	for (unsigned i = 0; i < p->dsos_len; i++)
		if (p->dsos[i] != dso && lines_is_open(p->lines, p->dsos[i]))
			p->dsos[len++] = p->dsos[i];
	if (lines_is_open(p->lines, dso) && len < WIRE_LINES_MAX)
		p->dsos[len++] = dso;
	p->dsos_len = len;
	wire_put_u32(out, len);
	buf_add(out, p->dsos, len * sizeof(p->dsos[0]));
}

/* What each question for lines begins with: the dso whose file came with it, unless it was open. */
static uint32_t
open_lines(struct parser *p, struct wire_msg *m, struct reader *r, struct buf *out)
{
	uint32_t dso = reader_u32(r);

	if (!lines_is_open(p->lines, dso) && m->fd >= 0) {
		lines_open(p->lines, dso, m->fd, &p->finder, NULL);
		m->fd = -1;
	}
	put_open_lines(p, dso, out);
	return dso;
}

static int
answer_lines(struct parser *p, struct wire_msg *m, struct buf *out)
{
	struct reader r = wire_reader(m);
	uint32_t dso = open_lines(p, m, &r, out);
	struct buf path = { 0 }, before = { 0 };

	/* Most lines are of the same file as the one before: then "" stands for its path. */
	while (reader_left(&r) > 0) {
		char *line;

		buf_reset(&path);
		line = lines_find(p->lines, dso, reader_u64(&r), &path);
		wire_put_string(out, line);
		wire_put_string(out, strcmp(buf_str(&path), buf_str(&before)) != 0 ? buf_str(&path) : "");
		free(line);
		if (path.len == 0)
			continue;
		buf_reset(&before);
		buf_add(&before, path.data, path.len);
	}
	buf_release(&path);
	buf_release(&before);
	return -1;
}

static void
put_inlined(const char *name, bool demangles, struct buf *out)
{
	char *nicer = demangles ? demangle(name) : NULL;

	wire_put_string(out, nicer != NULL ? nicer : name);
	free(nicer);
}

/* Of each address how many functions are inlined there, and their names. */
static int
answer_inlines(struct parser *p, struct wire_msg *m, struct buf *out)
{
	struct reader r = wire_reader(m);
	uint32_t dso = open_lines(p, m, &r, out);
	bool demangles = reader_u32(&r) != 0;
	struct buf names = { 0 };

	while (reader_left(&r) > 0) {
		unsigned count = lines_inlined(p->lines, dso, reader_u64(&r), &names);
		const char *name = buf_str(&names);

		wire_put_u32(out, count);
		for (unsigned i = 0; i < count; i++, name += strlen(name) + 1)
			put_inlined(name, demangles, out);
		buf_reset(&names);
	}
	buf_release(&names);
	return -1;
}

static int
answer_places(struct parser *p, struct wire_msg *m, struct buf *out)
{
	struct reader r = wire_reader(m);

	parser_places(m->fd, &r, &p->finder, out);
	return -1;
}

/* The file that came with the question; the last one stays open, as one function leads to others. */
static void
open_code(struct parser *p, struct wire_msg *m, struct err *err)
{
	if (p->code != NULL && code_file_is(p->code, m->fd))
		return;
	code_file_close(p->code);
	p->code = code_file_open(m->fd, &p->finder, err);
	m->fd = -1;
}

static int
answer_listing(struct parser *p, struct wire_msg *m, struct buf *out)
{
	struct reader r = wire_reader(m);
	struct listing_source_of from = { .jit_dump = -1 };
	uint32_t dso = reader_u32(&r);

	if (m->fd >= 0 && jit_dump_is_one(m->fd)) {
		from.jit_dump = m->fd;
	} else if (m->fd >= 0) {
		open_code(p, m, &from.why);
		p->code_dso = dso;
		from.file = p->code;
	}
	parser_listing(&from, &r, p->lib, out);
	return -1;
}

/* The file is open for its lines already, was listed just now, or comes with the question. */
static int
answer_listing_lines(struct parser *p, struct wire_msg *m, struct buf *out)
{
	struct reader r = wire_reader(m);
	uint32_t dso = reader_u32(&r);
	struct err err = { 0 };

	if (!lines_is_open(p->lines, dso) && m->fd < 0 && p->code != NULL && p->code_dso == dso)
		m->fd = code_file_dup(p->code);
	if (!lines_is_open(p->lines, dso) && m->fd >= 0) {
		lines_open(p->lines, dso, m->fd, &p->finder, &err);
		m->fd = -1;
	}
	put_open_lines(p, dso, out);
	if (err.code == ERR_NONE && !lines_is_open(p->lines, dso))
		err_set(&err, ERR_GONE, 0, "no debug data");
	parser_lines(p->lines, dso, &err, &r, out);
	return -1;
}

static int
answer_source(struct parser *p, struct wire_msg *m, struct buf *out)
{
	struct reader r = wire_reader(m);

	(void)p;
	parser_source(m->fd, &r, out);
	return -1;
}

/* false: no such question. */
static bool
serve(struct parser *p, struct wire_msg *m)
{
	/* Each fills the answer and gives the descriptor that goes with it, -1: none. */
	static int (*const answers[])(struct parser *p, struct wire_msg *m, struct buf *out) = {
		[WIRE_IMAGE] = answer_image,
		[WIRE_NAMES] = answer_names,
		[WIRE_LINES] = answer_lines,
		[WIRE_INLINES] = answer_inlines,
		[WIRE_PLACES] = answer_places,
		[WIRE_RULES] = answer_rules,
		[WIRE_LISTING] = answer_listing,
		[WIRE_SOURCE] = answer_source,
		[WIRE_LISTING_LINES] = answer_listing_lines,
	};
	struct buf out = { 0 };
	int fd, res;

	if (m->type >= ARRAY_SIZE(answers) || answers[m->type] == NULL)
		return false;
	fd = answers[m->type](p, m, &out);
	res = wire_send(&p->wire, WIRE_DONE, &out, fd);
	if (fd >= 0)
		close(fd);
	buf_release(&out);
	return res == 0;
}

static void
end_without_memory(void)
{
	_exit(PARSER_NO_MEMORY);
}

void
parser_run(int socket, const struct confine_limits *limits, parser_image_fn *image,
	   const struct disasm_lib *lib)
{
	struct parser p = {
		.wire = { .fd = socket }, .finder = { .find = find_elsewhere }, .image = image, .lib = lib,
	};
	bool goes_on = true;

	die_set_hook(end_without_memory);
	p.lines = lines_new();
	while (goes_on) {
		struct wire_msg m;

		goes_on = wire_recv(&p.wire, &m) == 0;
		m.fd = parcel_open(m.fd);
		if (goes_on) {
			confine_start_time(limits);
			goes_on = serve(&p, &m);
		}
		wire_msg_release(&m);
	}
	lines_free(p.lines);
	code_file_close(p.code);
}
