/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_IMAGE_IMAGE_BUILD_H
#define PTOP_SYMBOL_IMAGE_IMAGE_BUILD_H
/*
 * Makes a symbol image from symbols that come in any order: sorts, chooses among aliases as perf
 * does, gives each address of several functions the innermost, those without a size the room up to
 * the next, and what none of them covers to the section or entry of unwind tables around it.
 * Names are written to the memfd as they come, so 24 bytes a symbol is all that it holds in memory.
 * One thread each.
 */
#include "base/err.h"

enum image_binding {
	IMAGE_SECTION, /* a section as a whole: it names what nothing else does */
	IMAGE_LOCAL,
	IMAGE_WEAK,
	IMAGE_GLOBAL,
};

struct image_symbol {
	uint64_t addr, size; /* size 0: not known */
	const char *name;    /* not empty; ends at a NUL or at name_len */
	size_t name_len;
	enum image_binding binding;
	uint16_t module; /* from image_build_module(), 0 for none */
};

struct image_build;

/* NULL: no memfd, see @err. */
struct image_build *image_build_new(struct err *err);
void image_build_free(struct image_build *b); /* NULL is allowed */

/* At most this many bytes of names are taken.  Without it: 256 MiB. */
void image_build_limit_names(struct image_build *b, uint64_t bytes);

/* What it is an image of: @len bytes of a build-id, at most 20 are kept. */
void image_build_set_id(struct image_build *b, const uint8_t *build_id, size_t len);

/* Where its names come from, see image_source() and image_is_partial(); @source is a constant. */
void image_build_set_source(struct image_build *b, const char *source, bool is_partial);

/* The same, beyond what was taken so far. */
void image_build_allow_names(struct image_build *b, uint64_t bytes);

/* Code lies in @start to @end: symbols without a size do not reach beyond. */
void image_build_section(struct image_build *b, uint64_t start, uint64_t end);

/* Whether @addr is in one of these sections. */
bool image_build_has_section(const struct image_build *b, uint64_t addr);

/* The number of a module, added when new; 0 is the one without a name. */
uint16_t image_build_module(struct image_build *b, const char *name, size_t len);

/* false: full, this symbol and all that follow are left out. */
bool image_build_add(struct image_build *b, const struct image_symbol *sym);

/*
 * Adds an entry of unwind tables, a function of which only the bounds are known: its raw name tells
 * @vaddr, see image_is_entry().  false as above.
 */
bool image_build_add_entry(struct image_build *b, uint64_t addr, uint64_t size, uint64_t vaddr);

/* Symbols added so far, aliases included. */
size_t image_build_count(const struct image_build *b);

/* The image, sealed: a descriptor for image_open().  -1: see @err.  Only free @b afterwards. */
int image_build_finish(struct image_build *b, struct err *err);

#endif
