/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/elf/elf_image.h"
#include "symbol/elf/elf_entries.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/elf_plt.h"
#include "symbol/elf/elf_section.h"
#include "symbol/elf/elf_symbols.h"
#include "symbol/elf/stripped.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What may be taken before any table says how long its names are. */
enum { SOME_NAMES = 1 << 20 };

struct gather {
	const struct elf_file *f;
	const struct debug_finder *finder;
	struct image_build *build;
	struct debug_file debug; /* with DWARF data, or not open */
	bool full;
	bool refused;   /* a debug file of another build */
	bool whole;     /* all functions should be named by now */
	struct err why; /* of a source that was there and could not be read */
};

static void
add_table(struct gather *g, const struct elf_file *names, enum elf_table table)
{
	g->full |= !elf_symbols_add(g->f, names, table, g->build);
}

static void
add_own(struct gather *g)
{
	add_table(g, g->f, ELF_TABLE_STATIC);
}

/* One that has DWARF data alone is kept for that. */
static void
add_debug_file(struct gather *g, enum debug_want want)
{
	if (g->debug.elf.elf != NULL ||
	    !debug_file_open(&g->debug, want, g->f, g->finder,
			     DEBUG_HAS_SYMBOLS | DEBUG_HAS_DWARF)) {
		g->refused |= g->debug.refused;
		return;
	}
	add_table(g, &g->debug.elf, ELF_TABLE_STATIC);
	if (!elf_section_has_dwarf(&g->debug.elf))
		debug_file_close(&g->debug);
}

static void
add_by_id(struct gather *g)
{
	add_debug_file(g, DEBUG_BY_ID);
}

static void
add_by_link(struct gather *g)
{
	add_debug_file(g, DEBUG_BY_LINK);
}

static bool
open_mini(struct debug_file *d, const struct elf_file *f, struct err *err)
{
	int fd = elf_mini_unpack(f, err);

	if (fd < 0)
		return false;
	if (elf_file_open(&d->elf, fd, err) == 0)
		return true;
	err_wrap(err, ".gnu_debugdata");
	close(fd);
	return false;
}

static void
add_mini(struct gather *g)
{
	struct debug_file mini = { 0 };

	if (!open_mini(&mini, g->f, &g->why))
		return;
	add_table(g, &mini.elf, ELF_TABLE_STATIC);
	debug_file_close(&mini);
}

static void
add_dwarf(struct gather *g)
{
	const struct elf_file *debug = g->debug.elf.elf != NULL ? &g->debug.elf : g->f;

	/* That of modules would have to be relocated. */
	if (elf_section_has_dwarf(debug) && !g->f->is_module)
		dwarf_names_add(g->f, debug, g->finder, g->build, &g->why);
}

/* Mostly a part of .symtab; it is not if that was thinned out, or holds only what is not here. */
static void
add_dynamic(struct gather *g)
{
	if (!g->whole || image_build_count(g->build) < elf_symbols_count(g->f, ELF_TABLE_DYNAMIC))
		add_table(g, g->f, ELF_TABLE_DYNAMIC);
}

static void
add_plt(struct gather *g)
{
	if (!g->f->is_module)
		elf_plt_add(g->f, g->build);
}

/* Where a table names all functions it would be work for nothing. */
static void
add_entries(struct gather *g)
{
	if (!g->whole)
		g->full |= !elf_entries_add(g->f, g->build);
}

enum source_kind {
	WHOLE,  /* it names all functions; of these, one is enough */
	MOST,   /* all but those of .dynsym; one is enough, too */
	FURTHER /* always looked at */
};

/* In order. */
static const struct source {
	const char *name;
	void (*add)(struct gather *g);
	enum source_kind kind;
} sources[] = {
	{ ".symtab", add_own, WHOLE },
	{ ELF_IMAGE_BY_ID, add_by_id, WHOLE },
	{ "debug file by .gnu_debuglink", add_by_link, WHOLE },
	{ ".gnu_debugdata", add_mini, MOST },
	{ "debug data (DWARF)", add_dwarf, MOST },
	{ ELF_IMAGE_EXPORTS, add_dynamic, FURTHER },
	{ "linkage table only", add_plt, FURTHER },
	{ "unwind tables only", add_entries, FURTHER },
};

/* The name of the first source that gave some; @done: all that there is was found. */
static const char *
add_all(struct gather *g, bool *done)
{
	const char *first = "";

	*done = false;
	for (size_t i = 0; i < ARRAY_SIZE(sources) && !g->full; i++) {
		const struct source *s = &sources[i];
		size_t before = image_build_count(g->build);

		if (*done && s->kind != FURTHER)
			continue;
		s->add(g);
		if (image_build_count(g->build) == before)
			continue;
		if (*first == '\0')
			first = s->name;
		*done |= s->kind != FURTHER;
		g->whole |= s->kind == WHOLE;
	}
	return first;
}

/* Of a file that no source names as a whole. */
static void
explain(const struct gather *g, const char *source, struct err *err)
{
	bool exported = strcmp(source, ELF_IMAGE_EXPORTS) == 0;
	const char *what = exported ? "stripped but for exported names" : "stripped";
	uint32_t crc;
	char *name = g->f->build_id_len > 0 ? NULL : debug_file_link(g->f, &crc);

	if (g->f->segment_count == 0) {
		err_set(err, ERR_FORMAT, 0, "no executable segment");
	} else if (g->why.code != ERR_NONE) {
		err_set(err, g->why.code, 0, "%s, and %.100s", what, g->why.text);
		err_hint(err, "%s", g->why.hint);
	} else if (g->refused) {
		err_set(err, ERR_GONE, 0, "%s, and its debug file is of another build", what);
	} else if (name != NULL) {
		err_set(err, ERR_GONE, 0, "%s, no debug file '%.80s'", what, name);
	} else {
		stripped_explain(err, g->f->build_id, g->f->build_id_len, exported);
	}
	free(name);
}

int
elf_image(const struct elf_file *f, const struct debug_finder *finder, struct err *err)
{
	struct gather g = { .f = f, .finder = finder, .build = image_build_new(err) };
	const char *source;
	size_t count;
	bool done;
	int fd = -1;

	if (g.build == NULL)
		return -1;
	image_build_limit_names(g.build, SOME_NAMES);
	elf_symbols_add_code(f, g.build);
	source = add_all(&g, &done);
	image_build_set_id(g.build, f->build_id, f->build_id_len);
	image_build_set_source(g.build, source, !done);
	if (!done)
		explain(&g, source, err);
	count = image_build_count(g.build);
	if (count > 0) {
		elf_symbols_add_sections(f, g.build);
		fd = image_build_finish(g.build, err);
	}
	if (fd >= 0 && g.full)
		err_set(err, ERR_LIMIT, 0, "too many symbols: only the first %zu are used", count);
	debug_file_close(&g.debug);
	image_build_free(g.build);
	return fd;
}

bool
elf_image_names_file(struct debug_file *d, const struct elf_file *f,
		     const struct debug_finder *finder)
{
	return debug_file_find(d, f, finder, DEBUG_HAS_SYMBOLS) || open_mini(d, f, NULL);
}
