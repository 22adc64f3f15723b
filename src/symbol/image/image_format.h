/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PTOP_SYMBOL_IMAGE_IMAGE_FORMAT_H
#define PTOP_SYMBOL_IMAGE_IMAGE_FORMAT_H
/*
 * The bytes of a symbol image, shared by who writes it (image_build.c) and who maps it (image.c).
 * In this order, nothing between but the padding named:
 *
 *	struct image_header
 *	names_len bytes of NUL-terminated names, the last byte is NUL, then zeros up to 8
 *	count starts, rising: u32 from base, or u64 absolute with IMAGE_WIDE
 *	count u32 sizes; functions do not overlap
 *	count u32 offsets of their names
 *	module_count u32 offsets of the modules' names
 *	count u16 numbers of modules, with IMAGE_MODULES only
 *
 * Numbers are in the byte order of the machine: images do not travel.
 */
#include "base/util.h"

#define IMAGE_MAGIC UINT64_C(0x04696d6270706f74)

/* What the raw name of an entry of unwind tables begins with; its ELF address in hex follows. */
#define IMAGE_ENTRY_PREFIX "+0x"

enum {
	IMAGE_WIDE = 1 << 0,
	IMAGE_MODULES = 1 << 1,
	IMAGE_PARTIAL = 1 << 2, /* see image_is_partial() */
	IMAGE_FLAGS = IMAGE_WIDE | IMAGE_MODULES | IMAGE_PARTIAL,
	IMAGE_RULES = 2, /* raised when the same file gives another image: voids kept ones */
	IMAGE_BUILD_ID_MAX = 20,
	IMAGE_SOURCE_BYTES = 40,
	IMAGE_MAX_COUNT = 4 << 20,
	IMAGE_MAX_MODULES = 4096,
};

struct image_header {
	uint64_t magic;
	uint64_t base;
	uint64_t names_len;
	uint32_t count;
	uint32_t flags;
	uint32_t module_count;
	uint32_t build_id_len;
	uint8_t build_id[24]; /* of the file: IMAGE_BUILD_ID_MAX, and zeros */
	char source[IMAGE_SOURCE_BYTES]; /* ends with a NUL */
};

/* Where the parts of an image begin, and its whole length. */
struct image_layout {
	size_t names, starts, sizes, name_offs, module_offs, modules, bytes;
};

/* The header's counts must be within their limits, or the sums could wrap. */
static inline struct image_layout
image_layout_of(const struct image_header *h)
{
	size_t count = h->count;
	struct image_layout l = { .names = sizeof(*h) };

	l.starts = (l.names + h->names_len + 7) & ~(size_t)7;
	l.sizes = l.starts + count * (h->flags & IMAGE_WIDE ? 8 : 4);
	l.name_offs = l.sizes + count * 4;
	l.module_offs = l.name_offs + count * 4;
	l.modules = l.module_offs + (size_t)h->module_count * 4;
	l.bytes = l.modules + (h->flags & IMAGE_MODULES ? count * 2 : 0);
	return l;
}

#endif
