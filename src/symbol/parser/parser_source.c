/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a source file: question, work, answer.  Reading may hang, so it is done where that is borne. */
#include "symbol/parser/parser_listing.h"

#include "base/text.h"
#include "symbol/file/md5.h"
#include "symbol/parser/wire.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BLOCK = 64 << 10,
	FILE_BYTES_MAX = 64 << 20, /* lines behind that are not looked for */
	TEXT_BEGIN = 8 << 10,      /* a file with a zero in there is no text */
};

/* Whether it is the text that was compiled. */
enum verdict { NOT_TOLD, SAME_TEXT, OTHER_TEXT };

void
parser_source_put(const struct symbol_source_ask *ask, struct buf *out)
{
	wire_put_u32(out, ask->first);
	wire_put_u32(out, ask->last);
	wire_put_u32(out, ask->has_md5);
	buf_add(out, ask->md5, sizeof(ask->md5));
}

struct take {
	uint32_t first, last, number; /* of lines; the one that is read */
	uint32_t kept;
	struct buf line, all;         /* the line as the file has it, cut; and all that are kept */
	bool is_cut, is_full;
	struct md5 sum;               /* of the whole file */
};

/* As it is shown. */
static void
put_line(struct take *t)
{
	size_t len = t->line.len;
	struct buf safe = { 0 };

	if (len > 0 && t->line.data[len - 1] == '\r')
		len--;
	text_add_line(&safe, buf_str(&t->line), len);
	if (t->is_cut)
		buf_add_str(&safe, "...");
	t->is_full = t->all.len + safe.len > LISTING_SOURCE_MAX;
	if (!t->is_full) {
		wire_put_string(&t->all, buf_str(&safe));
		t->kept++;
	}
	buf_release(&safe);
}

static void
end_line(struct take *t)
{
	if (t->number >= t->first && t->number <= t->last && !t->is_full)
		put_line(t);
	buf_reset(&t->line);
	t->is_cut = false;
	t->number++;
}

static void
take_block(struct take *t, const char *block, size_t len)
{
	for (const char *end = block + len; block < end;) {
		const char *nl = memchr(block, '\n', (size_t)(end - block));
		size_t n = (size_t)((nl != NULL ? nl : end) - block);
		size_t room = LISTING_LINE_MAX - MIN(t->line.len, (size_t)LISTING_LINE_MAX);

		if (t->number >= t->first && t->number <= t->last) {
			buf_add(&t->line, block, MIN(n, room));
			t->is_cut |= n > room;
		}
		if (nl == NULL)
			return;
		end_line(t);
		block = nl + 1;
	}
}

/* Returns whether all of the file was read. */
static bool
read_lines(int fd, struct take *t, struct err *err)
{
	char *block = mem_realloc(NULL, BLOCK, 1);
	bool ends_open = false, is_whole = false;
	uint64_t at = 0;

	while (at < FILE_BYTES_MAX && err->code == ERR_NONE && !is_whole) {
		ssize_t n = pread(fd, block, BLOCK, (off_t)at);

		if (n < 0)
			err_set(err, ERR_IO, 0, "cannot read it");
		else if (at == 0 && memchr(block, '\0', MIN((size_t)n, (size_t)TEXT_BEGIN)) != NULL)
			err_set(err, ERR_FORMAT, 0, "it is no text");
		else if (n > 0)
			take_block(t, block, (size_t)n);
		if (n > 0)
			md5_add(&t->sum, block, (size_t)n);
		is_whole = n <= 0;
		ends_open = n > 0 ? block[n - 1] != '\n' : ends_open;
		at += n > 0 ? (uint64_t)n : 0;
	}
	if (ends_open && is_whole)
		end_line(t);
	free(block);
	return is_whole;
}

/* GNU as up to 2.40 at least writes a sum that it is told with its last byte first. */
static bool
is_sum(const uint8_t own[MD5_BYTES], const uint8_t *wanted)
{
	unsigned forward = 0, backward = 0;

	for (unsigned i = 0; i < MD5_BYTES; i++) {
		forward += own[i] == wanted[i];
		backward += own[i] == wanted[MD5_BYTES - 1 - i];
	}
	return forward == MD5_BYTES || backward == MD5_BYTES;
}

/* @wanted NULL: nothing tells what it was. */
static enum verdict
judge(struct take *t, bool is_whole, const uint8_t *wanted)
{
	uint8_t own[MD5_BYTES];

	if (!is_whole || wanted == NULL)
		return NOT_TOLD;
	md5_end(&t->sum, own);
	return is_sum(own, wanted) ? SAME_TEXT : OTHER_TEXT;
}

/* Of @total lines that the file has, 0: not known. */
static void
put_answer(struct take *t, const struct err *err, uint32_t total, enum verdict verdict,
	   struct buf *out)
{
	wire_put_err(out, err);
	wire_put_u32(out, t->first);
	wire_put_u32(out, total);
	wire_put_u32(out, verdict);
	wire_put_u32(out, t->kept);
	buf_add(out, t->all.data, t->all.len);
	buf_release(&t->line);
	buf_release(&t->all);
}

void
parser_source(int fd, struct reader *r, struct buf *out)
{
	struct take t = { .number = 1 };
	struct err err = { 0 };
	bool is_whole, has_md5;
	const uint8_t *md5;

	t.first = reader_u32(r);
	t.first = MAX(t.first, 1);
	t.last = reader_u32(r);
	has_md5 = reader_u32(r) != 0;
	md5 = reader_bytes(r, MD5_BYTES);
	md5_begin(&t.sum);
	is_whole = read_lines(fd, &t, &err);
	if (err.code == ERR_NONE && t.kept == 0)
		err_set(&err, ERR_GONE, 0, "it has no such lines");
	put_answer(&t, &err, is_whole ? t.number - 1 : 0,
		   judge(&t, is_whole, has_md5 ? md5 : NULL), out);
}

void
parser_text_put(struct bytes text, struct buf *out)
{
	struct take t = { .number = 1, .first = 1, .last = UINT32_MAX };
	const struct err none = { 0 };

	take_block(&t, (const char *)text.data, text.len);
	if (text.data[text.len - 1] != '\n')
		end_line(&t);
	put_answer(&t, &none, t.number - 1, SAME_TEXT, out);
}

/* What the text itself tells goes before what its time does. */
static void
take_verdict(struct listing_source *s, uint32_t verdict)
{
	if (verdict == SAME_TEXT)
		s->warning = "";
	else if (verdict == OTHER_TEXT)
		s->warning = "the file is not the text that was compiled: its lines may be others";
}

/* The process that sends it has read what anybody wrote: it is made safe once more. */
bool
parser_source_get(struct reader *r, struct listing_source *s)
{
	struct buf safe = { 0 };
	struct err err = { 0 };
	const char **lines;
	uint32_t count;

	wire_get_err(r, &err);
	s->first = reader_u32(r);
	s->total = reader_u32(r);
	take_verdict(s, reader_u32(r));
	count = reader_u32(r);
	if (r->failed || count > reader_left(r) || (count == 0 && err.code == ERR_NONE))
		return false;
	lines = arena_alloc(&s->arena, (count + 1) * sizeof(*lines));
	for (uint32_t i = 0; i < count && !r->failed; i++) {
		const char *line = reader_string(r);

		buf_reset(&safe);
		text_add_safe(&safe, line, strlen(line));
		lines[i] = arena_strdup(&s->arena, buf_str(&safe));
	}
	buf_release(&safe);
	s->lines = lines;
	s->count = err.code == ERR_NONE && !r->failed ? count : 0;
	s->why = arena_strdup(&s->arena, err.text);
	return !r->failed;
}
