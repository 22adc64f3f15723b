/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_IMAGE_SYMBOL_REC_H
#define PTOP_SYMBOL_IMAGE_SYMBOL_REC_H
/*
 * The symbols of an image while it is built: 24 bytes each, in memory of their own that goes back
 * to the system at once (malloc would keep it).  One thread each.
 */
#include "base/util.h"

enum { SYMBOL_REC_ENTRY = UINT8_MAX }; /* in place of a binding: of unwind tables */

struct symbol_rec {
	uint64_t addr;
	uint32_t size;
	uint32_t name; /* offset in the block of names; rises in the order of adding */
	uint16_t module;
	uint16_t name_len;
	uint8_t binding; /* enum image_binding, or SYMBOL_REC_ENTRY */
	uint8_t underscores;
};

/* Zero-initialise to begin. */
struct symbol_recs {
	struct symbol_rec *items;
	size_t len, cap;
	bool unsorted;
};

void symbol_recs_add(struct symbol_recs *recs, const struct symbol_rec *r);
void symbol_recs_sort(struct symbol_recs *recs); /* by address */
void symbol_recs_release(struct symbol_recs *recs);

/* Underscores that the name begins with; those of a mangled name do not count. */
uint8_t symbol_underscores(const char *name, size_t len);

/*
 * Sections and entries are not of one function alone: they are there for what nothing else in them
 * names.
 */
bool symbol_rec_is_around(const struct symbol_rec *r);

/* Of two symbols at one address, whether @a is the one to show. */
bool symbol_rec_is_better(const struct symbol_rec *a, const struct symbol_rec *b);

#endif
