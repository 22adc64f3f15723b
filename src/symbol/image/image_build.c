/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/image/image_build.h"
#include "symbol/image/image_format.h"
#include "symbol/file/sealed.h"
#include "symbol/image/symbol_rec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_SECTIONS = 256,
	OUT_BYTES = 64 << 10,
	MAX_SHIFTS = 64,
	ENTRY_NAME_BYTES = sizeof(IMAGE_ENTRY_PREFIX) + 16,
	MAX_GAP = 1 << 20, /* what a symbol without a size is given at most, see fill_sizes() */
	ROUND = 4096,
};

struct section {
	uint64_t start, end;
};

struct image_build {
	int fd;
	bool failed; /* to write: errno in sys */
	int sys;
	uint64_t names_len, names_max;
	uint8_t build_id[IMAGE_BUILD_ID_MAX];
	uint32_t build_id_len;
	const char *source;
	bool is_partial;
	struct symbol_recs recs;
	struct module {
		char *name;
		uint32_t off; /* in the block of names */
	} *modules;
	size_t module_cap;
	uint32_t module_count;
	uint32_t module_last; /* modules come in runs */
	struct section sections[MAX_SECTIONS];
	unsigned section_count;
	uint64_t shifts[MAX_SHIFTS]; /* from an entry's address to its ELF address */
	uint32_t shift_count;
	size_t entries, added;
	size_t out_len;
	uint8_t out[OUT_BYTES];
};

static void
out_flush(struct image_build *b)
{
	if (!b->failed && sealed_write(b->fd, b->out, b->out_len) != 0) {
		b->failed = true;
		b->sys = errno;
	}
	b->out_len = 0;
}

static void
out_add_long(struct image_build *b, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len > 0) {
		size_t n = MIN(len, OUT_BYTES - b->out_len);

		memcpy(b->out + b->out_len, p, n);
		b->out_len += n;
		p += n;
		len -= n;
		if (b->out_len == OUT_BYTES)
			out_flush(b);
	}
}

/* Called some millions of times: mostly a copy of a few bytes. */
static inline void
out_add(struct image_build *b, const void *data, size_t len)
{
	if (len < OUT_BYTES - b->out_len) {
		memcpy(b->out + b->out_len, data, len);
		b->out_len += len;
	} else {
		out_add_long(b, data, len);
	}
}

/* Where the name begins in the block of names. */
static uint32_t
out_name(struct image_build *b, const char *name, size_t len)
{
	uint32_t at = (uint32_t)b->names_len;

	out_add(b, name, len);
	out_add(b, "", 1);
	b->names_len += len + 1;
	return at;
}

struct image_build *
image_build_new(struct err *err)
{
	struct image_build *b = mem_calloc(1, sizeof(*b));
	struct image_header empty = { 0 };

	b->names_max = 256 << 20;
	b->fd = sealed_new("ptop-symbols", err);
	if (b->fd < 0) {
		image_build_free(b);
		return NULL;
	}
	out_add(b, &empty, sizeof(empty));
	out_name(b, "", 0);
	image_build_module(b, "", 0);
	return b;
}

void
image_build_free(struct image_build *b)
{
	uint32_t i;

	if (b == NULL)
		return;
	if (b->fd >= 0)
		close(b->fd);
	for (i = 0; i < b->module_count; i++)
		free(b->modules[i].name);
	free(b->modules);
	symbol_recs_release(&b->recs);
	free(b);
}

void
image_build_limit_names(struct image_build *b, uint64_t bytes)
{
	b->names_max = MIN(bytes, UINT64_C(1) << 30);
}

void
image_build_set_id(struct image_build *b, const uint8_t *build_id, size_t len)
{
	b->build_id_len = (uint32_t)MIN(len, sizeof(b->build_id));
	memcpy(b->build_id, build_id, b->build_id_len);
}

void
image_build_set_source(struct image_build *b, const char *source, bool is_partial)
{
	b->source = source;
	b->is_partial = is_partial;
}

void
image_build_allow_names(struct image_build *b, uint64_t bytes)
{
	image_build_limit_names(b, MAX(b->names_max, b->names_len + MIN(bytes, UINT32_MAX)));
}

void
image_build_section(struct image_build *b, uint64_t start, uint64_t end)
{
	if (b->section_count < MAX_SECTIONS && start < end)
		b->sections[b->section_count++] = (struct section){ start, end };
}

static bool
module_is(const struct image_build *b, uint32_t module, const char *name, size_t len)
{
	const char *have = b->modules[module].name;

	return strlen(have) == len && memcmp(have, name, len) == 0;
}

uint16_t
image_build_module(struct image_build *b, const char *name, size_t len)
{
	uint32_t i;

	if (b->module_count > 0 && module_is(b, b->module_last, name, len))
		return (uint16_t)b->module_last;
	for (i = 0; i < b->module_count; i++)
		if (module_is(b, i, name, len))
			break;
	if (i == b->module_count) {
		if (i == IMAGE_MAX_MODULES || b->names_len + len + 1 > b->names_max)
			return 0;
		vec_reserve(&b->modules, &b->module_cap, i + 1, sizeof(b->modules[0]));
		b->modules[i].name = mem_strndup(name, len);
		b->modules[i].off = out_name(b, name, len);
		b->module_count++;
	}
	b->module_last = i;
	return (uint16_t)i;
}

bool
image_build_add(struct image_build *b, const struct image_symbol *sym)
{
	struct symbol_rec r = {
		.addr = sym->addr,
		.size = (uint32_t)MIN(sym->size, UINT32_MAX),
		.module = sym->module,
		.name_len = (uint16_t)MIN(sym->name_len, UINT16_MAX),
		.binding = (uint8_t)sym->binding,
		.underscores = symbol_underscores(sym->name, sym->name_len),
	};

	if (b->recs.len == IMAGE_MAX_COUNT || b->names_len + sym->name_len + 1 > b->names_max)
		return false;
	r.name = out_name(b, sym->name, sym->name_len);
	symbol_recs_add(&b->recs, &r);
	b->added++;
	return true;
}

/* Its number, MAX_SHIFTS: there are too many. */
static uint32_t
find_shift(struct image_build *b, uint64_t shift)
{
	uint32_t i = 0;

	while (i < b->shift_count && b->shifts[i] != shift)
		i++;
	if (i == b->shift_count && i < MAX_SHIFTS)
		b->shifts[b->shift_count++] = shift;
	return i;
}

bool
image_build_add_entry(struct image_build *b, uint64_t addr, uint64_t size, uint64_t vaddr)
{
	struct symbol_rec r = {
		.addr = addr,
		.size = (uint32_t)MIN(size, UINT32_MAX),
		.name = find_shift(b, vaddr - addr),
		.binding = SYMBOL_REC_ENTRY,
	};

	if (b->recs.len == IMAGE_MAX_COUNT || r.name == MAX_SHIFTS ||
	    b->names_len + (b->entries + 1) * ENTRY_NAME_BYTES > b->names_max)
		return false;
	symbol_recs_add(&b->recs, &r);
	b->entries++;
	b->added++;
	return true;
}

size_t
image_build_count(const struct image_build *b)
{
	return b->added;
}

static const struct section *
section_around(const struct image_build *b, uint64_t addr)
{
	unsigned i;

	for (i = 0; i < b->section_count; i++)
		if (addr >= b->sections[i].start && addr < b->sections[i].end)
			return &b->sections[i];
	return NULL;
}

/* The end of the code around @addr; without sections, no bound. */
static uint64_t
section_end(const struct image_build *b, uint64_t addr)
{
	const struct section *s = section_around(b, addr);

	return s != NULL ? s->end : UINT64_MAX;
}

bool
image_build_has_section(const struct image_build *b, uint64_t addr)
{
	return section_around(b, addr) != NULL;
}

/*
 * Of equal addresses one stays: the best, as perf has it.  What is around it goes before it if it
 * ends later.
 */
static void
choose_aliases(struct symbol_recs *recs)
{
	size_t i, end, kept = 0;

	for (i = 0; i < recs->len; i = end) {
		struct symbol_rec best = recs->items[i], around = best;

		for (end = i + 1; end < recs->len && recs->items[end].addr == best.addr; end++) {
			const struct symbol_rec *r = &recs->items[end];

			if (symbol_rec_is_around(r) &&
			    (!symbol_rec_is_around(&around) || symbol_rec_is_better(r, &around)))
				around = *r;
			if (symbol_rec_is_better(r, &best))
				best = *r;
		}
		if (symbol_rec_is_around(&around) && !symbol_rec_is_around(&best) &&
		    best.size != 0 && around.size > best.size)
			recs->items[kept++] = around;
		recs->items[kept++] = best;
	}
	recs->len = kept;
}

/* Labels and entries in a function that knows its size would cut it in pieces: they go. */
static void
drop_inner_labels(struct symbol_recs *recs)
{
	uint64_t covered = 0;
	size_t i, kept = 0;

	for (i = 0; i < recs->len; i++) {
		struct symbol_rec r = recs->items[i];

		if ((r.size == 0 || r.binding == SYMBOL_REC_ENTRY) && r.addr < covered)
			continue;
		if (r.addr + r.size < r.addr)
			r.size = (uint32_t)(UINT64_MAX - r.addr);
		if (!symbol_rec_is_around(&r))
			covered = MAX(covered, r.addr + r.size);
		recs->items[kept++] = r;
	}
	recs->len = kept;
}

/* Most went, as symbols tell more; until here the name was the number of a shift. */
static void
name_entries(struct image_build *b)
{
	char name[ENTRY_NAME_BYTES];

	for (size_t i = 0; i < b->recs.len; i++) {
		struct symbol_rec *r = &b->recs.items[i];

		if (r->binding == SYMBOL_REC_ENTRY)
			r->name = out_name(b, name, (size_t)snprintf(
				name, sizeof(name), IMAGE_ENTRY_PREFIX "%" PRIx64,
				r->addr + b->shifts[r->name]));
	}
}

/*
 * Without a size: up to the next symbol, as perf, but not beyond its section.  Across a wide gap
 * and from one module to another there is no telling: up to the end of the page.
 */
static uint64_t
guess_end(const struct image_build *b, const struct symbol_rec *r, const struct symbol_rec *next)
{
	uint64_t page = (r->addr | (ROUND - 1)) + 1, end = page;

	if (page == 0)
		page = end = UINT64_MAX;
	if (next != NULL && next->module == r->module && next->addr - r->addr <= MAX_GAP)
		end = next->addr;
	else if (next != NULL)
		end = MIN(page, next->addr);
	return MIN(end, section_end(b, r->addr));
}

/* Functions that others lie in, the innermost last. */
struct outer {
	struct symbol_rec recs[16];
	unsigned count;
};

static uint64_t
rec_end(const struct symbol_rec *r)
{
	return r->addr + r->size;
}

/* From @at up to @end there is what is left of the functions around. */
static void
add_rests(struct symbol_recs *rests, struct outer *o, uint64_t at, uint64_t end)
{
	while (o->count > 0 && at < end) {
		struct symbol_rec *top = &o->recs[o->count - 1], rest = *top;

		if (rec_end(top) > at) {
			rest.addr = at;
			rest.size = (uint32_t)(MIN(rec_end(top), end) - at);
			symbol_recs_add(rests, &rest);
			at = rec_end(&rest);
		}
		if (at < end)
			o->count--;
	}
}

static void
fix_ends(struct image_build *b, struct symbol_recs *rests)
{
	struct symbol_recs *recs = &b->recs;
	struct outer around = { .count = 0 };
	size_t i, kept = 0;

	for (i = 0; i < recs->len; i++) {
		struct symbol_rec r = recs->items[i];
		const struct symbol_rec *next = i + 1 < recs->len ? &recs->items[i + 1] : NULL;
		uint64_t end = r.size != 0 ? rec_end(&r) : guess_end(b, &r, next);
		uint64_t room = next != NULL ? next->addr : UINT64_MAX;

		if (end > room && around.count < ARRAY_SIZE(around.recs))
			around.recs[around.count++] = r;
		end = MIN(end, room);
		if (recs->len + rests->len < IMAGE_MAX_COUNT)
			add_rests(rests, &around, end, room);
		if (end <= r.addr)
			continue;
		r.size = (uint32_t)(end - r.addr);
		recs->items[kept++] = r;
	}
	recs->len = kept;
}

/* Functions in others are rare: what is left of those around is sorted in only if there are any. */
static void
cut_overlaps(struct image_build *b)
{
	struct symbol_recs rests = { 0 };

	fix_ends(b, &rests);
	for (size_t i = 0; i < rests.len; i++)
		symbol_recs_add(&b->recs, &rests.items[i]);
	symbol_recs_release(&rests);
	symbol_recs_sort(&b->recs);
}

static void
out_starts(struct image_build *b, const struct image_header *h)
{
	size_t i;

	for (i = 0; i < b->recs.len; i++) {
		uint64_t addr = b->recs.items[i].addr;
		uint32_t delta = (uint32_t)(addr - h->base);

		if (h->flags & IMAGE_WIDE)
			out_add(b, &addr, sizeof(addr));
		else
			out_add(b, &delta, sizeof(delta));
	}
}

static void
out_tables(struct image_build *b, const struct image_header *h)
{
	const struct symbol_rec *recs = b->recs.items;
	size_t i;

	out_starts(b, h);
	for (i = 0; i < h->count; i++)
		out_add(b, &recs[i].size, sizeof(recs[i].size));
	for (i = 0; i < h->count; i++)
		out_add(b, &recs[i].name, sizeof(recs[i].name));
	for (i = 0; i < h->module_count; i++)
		out_add(b, &b->modules[i].off, sizeof(b->modules[i].off));
	if (h->flags & IMAGE_MODULES)
		for (i = 0; i < h->count; i++)
			out_add(b, &recs[i].module, sizeof(recs[i].module));
}

static struct image_header
header_for(const struct image_build *b)
{
	struct image_header h = {
		.magic = IMAGE_MAGIC,
		.names_len = b->names_len,
		.count = (uint32_t)b->recs.len,
		.module_count = b->module_count,
		.flags = b->is_partial ? IMAGE_PARTIAL : 0,
		.build_id_len = b->build_id_len,
	};

	memcpy(h.build_id, b->build_id, b->build_id_len);
	if (b->source != NULL)
		snprintf(h.source, sizeof(h.source), "%s", b->source);
	if (h.count > 0) {
		h.base = b->recs.items[0].addr;
		if (b->recs.items[h.count - 1].addr - h.base > UINT32_MAX)
			h.flags |= IMAGE_WIDE;
	}
	if (h.module_count > 1)
		h.flags |= IMAGE_MODULES;
	return h;
}

int
image_build_finish(struct image_build *b, struct err *err)
{
	struct image_header h;
	int fd;

	symbol_recs_sort(&b->recs);
	choose_aliases(&b->recs);
	drop_inner_labels(&b->recs);
	name_entries(b);
	cut_overlaps(b);
	h = header_for(b);
	out_add(b, "\0\0\0\0\0\0\0", image_layout_of(&h).starts - sizeof(h) - h.names_len);
	out_tables(b, &h);
	out_flush(b);
	if (b->failed)
		return err_set(err, ERR_LIMIT, b->sys, "cannot write a symbol image");
	if (pwrite(b->fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) || sealed_seal(b->fd) != 0)
		return err_set(err, ERR_LIMIT, errno, "cannot finish a symbol image");
	fd = b->fd;
	b->fd = -1;
	return fd;
}
