/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the instructions of a listing come from: question, work, answer. */
#include "symbol/parser/parser_listing.h"

#include "base/strs.h"
#include "base/text.h"
#include "symbol/elf/demangle.h"
#include "symbol/elf/lines.h"
#include "symbol/parser/wire.h"

#include <stdlib.h>
#include <string.h>

enum {
	NAME_BYTES_MAX = 1024,
	FILES_MAX = 64 << 10,
	PLACES_BYTES_MAX = 12 << 20, /* what would follow has no place */
	TEXTS_BYTES_MAX = 8 << 20,   /* of all files together: those behind have none */
	QUESTION_BYTES = 8,          /* of each instruction */
	MEMBERS_WALK_MAX = 16 << 20, /* bytes of debug data: what would follow has no members */
	MEMBERS_MAX = 256 << 10,     /* instructions that have some */
	MEMBERS_BYTES_MAX = 1 << 20, /* of their paths */
};

void
parser_lines_put(const struct listing *l, uint64_t in_file, struct buf *out)
{
	wire_put_u64(out, in_file);
	wire_put_u32(out, l->count);
	for (uint32_t i = 0; i < l->count; i++) {
		const struct listing_instruction *in = &l->items[i];

		wire_put_u32(out, in->len | (uint32_t)in->reg << 8 | (uint32_t)in->size << 16);
		wire_put_u32(out, (uint32_t)in->disp);
	}
}

/* What is gathered: names, paths and places once each. */
struct gather {
	struct strs names, paths;
	struct line_sum *sums; /* of paths: of the first text that was there */
	size_t sum_count, sum_cap;
	struct strs places;  /* the numbers in each, as text: what tells them apart */
	struct buf packed;   /* the same as they are sent, one place after the other */
	struct strs members; /* their paths */
	struct buf accesses; /* instructions, by number, each with the number of its path */
	size_t member_bytes;
	uint64_t left;       /* to be walked for them */
};

struct wire_frame {
	uint32_t function, path, line; /* numbers of strings, 0: the function itself, not known */
};

/* The path, whole if that is known. */
static uint32_t
add_path(struct gather *g, const struct line_frame *f)
{
	struct buf whole = { 0 };
	uint32_t path;

	if (f->path == NULL || g->paths.len >= FILES_MAX)
		return 0;
	lines_put_path(&whole, f->dir, f->path);
	path = strs_add_str(&g->paths, buf_str(&whole));
	if (path > g->sum_count)
		VEC_ADD(g->sums, g->sum_count, g->sum_cap) = f->sum;
	buf_release(&whole);
	return path;
}

static uint32_t
add_place(struct gather *g, const struct line_frame *frames, unsigned count)
{
	struct wire_frame packed[INLINES_MAX + 1];
	struct buf key = { 0 };
	uint32_t before = (uint32_t)g->places.len, number = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct line_frame *f = &frames[i];

		packed[i] = (struct wire_frame){
			.function = f->function != NULL ? strs_add_str(&g->names, f->function) : 0,
			.path = add_path(g, f),
			.line = f->line,
		};
		buf_addf(&key, "%x %x %x,", packed[i].function, packed[i].path, packed[i].line);
	}
	if (g->packed.len < PLACES_BYTES_MAX)
		number = strs_add(&g->places, key.data, key.len);
	if (g->places.len != before) {
		wire_put_u32(&g->packed, count);
		buf_add(&g->packed, packed, count * sizeof(packed[0]));
	}
	buf_release(&key);
	return number;
}

/* The member that an instruction accesses, if it is known. */
static void
add_member(struct gather *g, uint32_t instruction, const struct buf *path)
{
	if (g->accesses.len >= MEMBERS_MAX * 2 * sizeof(uint32_t) ||
	    g->member_bytes >= MEMBERS_BYTES_MAX)
		return;
	wire_put_u32(&g->accesses, instruction);
	wire_put_u32(&g->accesses, strs_add(&g->members, path->data, path->len));
	g->member_bytes += path->len;
}

static void
put_names(const struct strs *names, bool demangles, struct buf *out)
{
	wire_put_u32(out, (uint32_t)names->len);
	for (size_t i = 1; i <= names->len; i++) {
		const char *raw = strs_get(names, (uint32_t)i);
		char *nicer = demangles ? demangle(raw) : mem_strdup(raw);

		wire_put_string(out, nicer);
		free(nicer);
	}
}

static void
put_members(const struct gather *g, struct buf *out)
{
	put_names(&g->members, false, out);
	wire_put_u32(out, (uint32_t)(g->accesses.len / (2 * sizeof(uint32_t))));
	if (g->accesses.len > 0)
		buf_add(out, g->accesses.data, g->accesses.len);
}

/* Texts that came with the lines, as many as there is room for. */
static void
put_texts(const struct gather *g, struct buf *out)
{
	size_t left = TEXTS_BYTES_MAX;

	for (size_t i = 0; i < g->sum_count; i++) {
		struct bytes text = g->sums[i].text;
		bool has_room = text.len > 0 && text.len <= left;

		wire_put_u32(out, has_room);
		if (!has_room)
			continue;
		parser_text_put(text, out);
		left -= text.len;
	}
}

static void
put_gathered(const struct gather *g, const uint32_t *places_of, uint32_t count, struct buf *out)
{
	put_names(&g->names, true, out);
	put_names(&g->paths, false, out);
	for (size_t i = 0; i < g->sum_count; i++) {
		wire_put_u32(out, g->sums[i].has_md5);
		buf_add(out, g->sums[i].md5, sizeof(g->sums[i].md5));
	}
	put_texts(g, out);
	wire_put_u32(out, (uint32_t)g->places.len);
	if (g->packed.len > 0)
		buf_add(out, g->packed.data, g->packed.len);
	wire_put_u32(out, count);
	if (count > 0)
		buf_add(out, places_of, count * sizeof(*places_of));
	put_members(g, out);
}

/* The member that the next instruction accesses, of those that are asked about; its length. */
static uint8_t
find_member(struct gather *g, struct lines *lines, uint32_t dso, uint64_t offset, uint32_t i,
	    bool has_place, struct reader *r)
{
	uint32_t word = reader_u32(r);
	const struct lines_operand o = { .reg = word >> 8 & UINT8_MAX, .size = word >> 16 & UINT8_MAX,
					 .disp = (int32_t)reader_u32(r) };
	struct buf path = { 0 };

	/* What has no line has no member either. */
	if (has_place && o.reg != LISTING_NO_REG &&
	    lines_member(lines, dso, offset, &o, &g->left, &path))
		add_member(g, i, &path);
	buf_release(&path);
	return (uint8_t)word;
}

void
parser_lines(struct lines *lines, uint32_t dso, const struct err *why, struct reader *r,
	     struct buf *out)
{
	uint64_t offset = reader_u64(r);
	uint32_t count = reader_u32(r);
	struct gather g = { .left = MEMBERS_WALK_MAX };
	uint32_t *places_of;

	wire_put_err(out, why);
	count = why->code == ERR_NONE && count <= reader_left(r) / QUESTION_BYTES ? count : 0;
	places_of = mem_realloc(NULL, count + 1, sizeof(*places_of));
	for (uint32_t i = 0; i < count; i++) {
		struct line_frame frames[INLINES_MAX + 1];
		unsigned n = lines_stack(lines, dso, offset, frames);

		places_of[i] = n > 0 ? add_place(&g, frames, n) : 0;
		offset += find_member(&g, lines, dso, offset, i, n > 0, r);
	}
	put_gathered(&g, places_of, count, out);
	strs_release(&g.names);
	strs_release(&g.paths);
	free(g.sums);
	strs_release(&g.places);
	buf_release(&g.packed);
	strs_release(&g.members);
	buf_release(&g.accesses);
	free(places_of);
}

/* Strings of an answer; [0] is what stands for none. */
static const char **
get_strings(struct reader *r, struct arena *arena, uint32_t *count)
{
	uint32_t n = reader_u32(r);
	const char **items;

	*count = 0;
	if (n > reader_left(r))
		return NULL;
	items = arena_alloc(arena, (n + 1) * sizeof(*items));
	for (uint32_t i = 1; i <= n && !r->failed; i++)
		items[i] = arena_strdup(arena, reader_string(r));
	*count = n;
	return r->failed ? NULL : items;
}

static struct listing_source *
get_text(struct reader *r, const char *path)
{
	struct listing_source *s;

	if (reader_u32(r) == 0)
		return NULL;
	s = listing_source_new();
	s->path = arena_strdup(&s->arena, path);
	s->found = "the debug data";
	if (parser_source_get(r, s))
		return s;
	reader_fail(r);
	listing_source_put(s);
	return NULL;
}

static void
get_files(struct reader *r, struct listing_lines *l, const char **paths, uint32_t count)
{
	struct listing_file *files = arena_alloc(&l->arena, (count + 1) * sizeof(*files));

	for (uint32_t i = 0; i < count; i++) {
		const char *slash = strrchr(paths[i + 1], '/');
		bool is_known = reader_u32(r) != 0;
		const uint8_t *md5 = reader_bytes(r, MD5_BYTES);

		files[i].path = paths[i + 1];
		files[i].name = slash != NULL ? slash + 1 : paths[i + 1];
		files[i].has_md5 = is_known && md5 != NULL;
		if (files[i].has_md5)
			memcpy(files[i].md5, md5, sizeof(files[i].md5));
	}
	l->files = files;
	l->file_count = count;
	for (uint32_t i = 0; i < count; i++)
		files[i].text = get_text(r, files[i].path);
}

/* What numbers in an answer may be. */
struct names {
	const char **items;
	uint32_t count;
	const char *function; /* that all of it is in */
};

static bool
get_place(struct reader *r, struct listing_lines *l, const struct names *names,
	  struct listing_place *place)
{
	uint32_t count = reader_u32(r);
	struct listing_frame *frames;

	if (count == 0 || count > LISTING_FRAMES_MAX)
		return false;
	frames = arena_alloc(&l->arena, count * sizeof(*frames));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t function = reader_u32(r), path = reader_u32(r);

		if (r->failed || function > names->count || path > l->file_count)
			return false;
		frames[i].function = function != 0 && i + 1 < count ? names->items[function]
								    : names->function;
		frames[i].file = path != 0 ? path - 1 : LISTING_NONE;
		frames[i].line = reader_u32(r);
	}
	place->frames = frames;
	place->count = count;
	return !r->failed;
}

static bool
get_places(struct reader *r, struct listing_lines *l, const struct names *names)
{
	uint32_t count = reader_u32(r);
	struct listing_place *places;

	if (count > reader_left(r) / sizeof(struct wire_frame))
		return false;
	places = arena_alloc(&l->arena, (count + 1) * sizeof(*places));
	for (uint32_t i = 0; i < count; i++)
		if (!get_place(r, l, names, &places[i]))
			return false;
	l->places = places;
	l->place_count = count;
	return true;
}

/* Paths of members as they are shown; [0] is that of none. */
static const char **
get_paths(struct reader *r, struct arena *arena, uint32_t *count)
{
	const char **items = get_strings(r, arena, count);
	struct buf safe = { 0 };

	for (uint32_t i = 1; items != NULL && i <= *count; i++) {
		buf_reset(&safe);
		text_add_safe(&safe, items[i], strlen(items[i]));
		items[i] = arena_strdup(arena, buf_str(&safe));
	}
	buf_release(&safe);
	return items;
}

static bool
get_members(struct reader *r, struct listing_lines *l, uint32_t instructions)
{
	const char **paths, **of;
	uint32_t path_count, count;

	paths = get_paths(r, &l->arena, &path_count);
	count = reader_u32(r);
	if (paths == NULL || count > instructions || r->failed)
		return false;
	if (count == 0)
		return true;
	of = arena_alloc(&l->arena, instructions * sizeof(*of));
	for (uint32_t i = 0; i < instructions; i++)
		of[i] = "";
	for (uint32_t i = 0; i < count; i++) {
		uint32_t instruction = reader_u32(r), path = reader_u32(r);

		if (r->failed || instruction >= instructions || path == 0 || path > path_count)
			return false;
		of[instruction] = paths[path];
	}
	l->members = of;
	return true;
}

bool
parser_lines_get(struct reader *r, const struct listing *of, struct listing_lines *l)
{
	struct err why = { 0 };
	struct names names = { .function = arena_strdup(&l->arena, of->function) };
	const char **paths;
	uint32_t path_count, count, *places_of;
	bool any = false;

	wire_get_err(r, &why);
	names.items = get_strings(r, &l->arena, &names.count);
	paths = get_strings(r, &l->arena, &path_count);
	if (names.items == NULL || paths == NULL)
		return false;
	get_files(r, l, paths, path_count);
	if (!get_places(r, l, &names))
		return false;
	count = reader_u32(r);
	if (count != (why.code == ERR_NONE ? of->count : 0))
		return false;
	places_of = arena_alloc(&l->arena, (count + 1) * sizeof(*places_of));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number = reader_u32(r);

		if (r->failed || number > l->place_count)
			return false;
		places_of[i] = number != 0 ? number - 1 : LISTING_NONE;
		any |= number != 0;
	}
	l->places_of = places_of;
	l->count = any ? count : 0;
	if (!any)
		l->why = arena_strdup(&l->arena, why.code != ERR_NONE ? why.text
								   : "the debug data does not tell of it");
	l->remedy = arena_strdup(&l->arena, why.hint);
	return get_members(r, l, count);
}
