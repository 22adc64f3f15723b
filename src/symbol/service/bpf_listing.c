/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the code of BPF programs comes from: lines that their BTF has, and their text with them. */
#include "symbol/service/service_impl.h"

#include "base/text.h"
#include "view/listing.h"

#include <stdlib.h>
#include <string.h>

enum {
	FILES_MAX = 256,
	SPAN_MAX = 64 << 10, /* lines between the first and the last of a file that are there */
};

/* A file's number among those of @lines; LISTING_NONE: there are too many. */
static uint32_t
file_of(struct listing_file *files, struct listing_lines *lines, const char *path)
{
	const char *slash = strrchr(path, '/');
	uint32_t n = 0;

	while (n < lines->file_count && strcmp(files[n].path, path) != 0)
		n++;
	if (n == FILES_MAX)
		return LISTING_NONE;
	if (n < lines->file_count)
		return n;
	files[n].path = arena_strdup(&lines->arena, path);
	files[n].name = arena_strdup(&lines->arena, slash != NULL ? slash + 1 : path);
	lines->file_count++;
	return n;
}

/* As it is shown. */
static const char *
safe_line(struct arena *a, const char *text)
{
	struct buf safe = { 0 };
	const char *made;

	text_add_line(&safe, text, strnlen(text, LISTING_LINE_MAX));
	made = arena_strdup(a, buf_str(&safe));
	buf_release(&safe);
	return made;
}

/* The lines of one file that code is of; those between are not there, and empty. */
static struct listing_source *
text_of(const struct bpf_code *code, const char *path)
{
	struct listing_source *s = listing_source_new();
	uint32_t first = UINT32_MAX, last = 0;
	const char **texts;

	for (size_t i = 0; i < code->line_count; i++) {
		if (strcmp(code->lines[i].file, path) != 0 || code->lines[i].line == 0)
			continue;
		first = MIN(first, code->lines[i].line);
		last = MAX(last, code->lines[i].line);
	}
	s->path = arena_strdup(&s->arena, path);
	s->found = "BTF";
	if (last == 0 || last - first >= SPAN_MAX) {
		s->why = "its BTF has no text of it";
		return s;
	}
	s->first = first;
	s->count = last - first + 1;
	texts = arena_alloc(&s->arena, s->count * sizeof(*texts));
	for (uint32_t i = 0; i < s->count; i++)
		texts[i] = "";
	for (size_t i = 0; i < code->line_count; i++)
		if (strcmp(code->lines[i].file, path) == 0 && code->lines[i].line != 0)
			texts[code->lines[i].line - first] =
				safe_line(&s->arena, code->lines[i].text);
	s->lines = texts;
	return s;
}

/* The number of the line that the address is of: the last that begins before it; SIZE_MAX: none. */
static size_t
line_at(const struct bpf_code *code, uint64_t addr)
{
	size_t after;

	FIND_FIRST(after, code->line_count, code->lines[after].addr > addr);
	return after > 0 ? after - 1 : SIZE_MAX;
}

/* Each line is a place of its own. */
struct listing_lines *
service_bpf_lines(const struct bpf_code *code, const struct listing *l)
{
	struct listing_lines *out = listing_lines_new();
	struct arena *a = &out->arena;
	struct listing_file *files = arena_alloc(a, FILES_MAX * sizeof(*files));
	struct listing_place *places = arena_alloc(a, (code->line_count + 1) * sizeof(*places));
	struct listing_frame *frames = arena_alloc(a, (code->line_count + 1) * sizeof(*frames));
	uint32_t *places_of = arena_alloc(a, (l->count + 1) * sizeof(*places_of));
	const char *function = arena_strdup(a, l->function);

	if (code->line_count == 0) {
		out->why = "the program has no BTF that tells lines";
		out->remedy = "compile it with -g";
		return out;
	}
	for (size_t i = 0; i < code->line_count; i++) {
		frames[i] = (struct listing_frame){ function, file_of(files, out, code->lines[i].file),
						    code->lines[i].line };
		places[i] = (struct listing_place){ &frames[i], 1 };
	}
	for (uint32_t i = 0; i < out->file_count; i++)
		files[i].text = text_of(code, files[i].path);
	for (uint32_t i = 0; i < l->count; i++) {
		size_t line = line_at(code, l->items[i].addr);

		places_of[i] = line != SIZE_MAX ? (uint32_t)line : LISTING_NONE;
	}
	out->files = files;
	out->places = places;
	out->place_count = (uint32_t)code->line_count;
	out->places_of = places_of;
	out->count = l->count;
	return out;
}
