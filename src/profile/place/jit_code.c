/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/place/jit_code.h"

#include <stdlib.h>

/* Two levels, as a runtime makes 100,000 pieces, and each is inserted by itself. */
enum { BLOCK_RANGES = 128 };

struct jit_block {
	uint32_t len;
	struct jit_range items[BLOCK_RANGES];
};

struct at {
	size_t block;
	uint32_t item;
};

/* The last range that begins at or below @addr; false: there is none. */
static bool
last_below(const struct jit_code *c, uint64_t addr, struct at *at)
{
	const struct jit_block *b;
	size_t block, item;

	FIND_FIRST(block, c->len, c->blocks[block]->items[0].start > addr);
	if (block == 0)
		return false;
	b = c->blocks[block - 1];
	FIND_FIRST(item, b->len, b->items[item].start > addr);
	*at = (struct at){ block - 1, (uint32_t)item - 1 };
	return true;
}

const struct jit_range *
jit_code_find(const struct jit_code *c, uint64_t addr)
{
	const struct jit_range *r;
	struct at at;

	if (!last_below(c, addr, &at))
		return NULL;
	r = &c->blocks[at.block]->items[at.item];
	return addr - r->start < r->size ? r : NULL;
}

/* The first range that ends above @start; false: there is none. */
static bool
first_above(const struct jit_code *c, uint64_t start, struct at *at)
{
	const struct jit_range *r;

	if (!last_below(c, start, at)) {
		*at = (struct at){ 0, 0 };
		return c->len > 0;
	}
	r = &c->blocks[at->block]->items[at->item];
	if (start - r->start < r->size)
		return true;
	if (++at->item == c->blocks[at->block]->len)
		*at = (struct at){ at->block + 1, 0 };
	return at->block < c->len;
}

bool
jit_code_overlaps(const struct jit_code *c, uint64_t start, uint64_t size)
{
	struct at at;

	return first_above(c, start, &at) &&
	       c->blocks[at.block]->items[at.item].start < start + size;
}

static void
remove_at(struct jit_code *c, const struct at *at)
{
	struct jit_block *b = c->blocks[at->block];

	memmove(b->items + at->item, b->items + at->item + 1,
		(b->len - at->item - 1) * sizeof(*b->items));
	c->count--;
	if (--b->len > 0)
		return;
	free(b);
	memmove(c->blocks + at->block, c->blocks + at->block + 1,
		(c->len - at->block - 1) * sizeof(struct jit_block *));
	c->len--;
}

size_t
jit_code_remove(struct jit_code *c, uint64_t start, uint64_t size)
{
	size_t before = c->count;
	struct at at;

	while (first_above(c, start, &at) &&
	       c->blocks[at.block]->items[at.item].start < start + size)
		remove_at(c, &at);
	return before - c->count;
}

static void
insert_block(struct jit_code *c, size_t at, struct jit_block *b)
{
	vec_reserve(&c->blocks, &c->cap, c->len + 1, sizeof(struct jit_block *));
	memmove(c->blocks + at + 1, c->blocks + at, (c->len - at) * sizeof(struct jit_block *));
	c->blocks[at] = b;
	c->len++;
}

/* Makes room: the upper half goes to a block of its own; what comes at the end gets a new one. */
static void
split_full(struct jit_code *c, struct at *at)
{
	struct jit_block *b = c->blocks[at->block], *upper = mem_calloc(1, sizeof(*upper));
	uint32_t keep = at->item == b->len ? b->len : b->len / 2;

	upper->len = b->len - keep;
	memcpy(upper->items, b->items + keep, upper->len * sizeof(*b->items));
	b->len = keep;
	insert_block(c, at->block + 1, upper);
	if (at->item > keep || upper->len == 0)
		*at = (struct at){ at->block + 1, at->item - keep };
}

void
jit_code_add(struct jit_code *c, const struct jit_range *range)
{
	struct jit_block *b;
	struct at at = { 0, 0 };

	jit_code_remove(c, range->start, range->size);
	if (last_below(c, range->start, &at))
		at.item++;
	if (c->len == 0)
		insert_block(c, 0, mem_calloc(1, sizeof(struct jit_block)));
	if (c->blocks[at.block]->len == BLOCK_RANGES)
		split_full(c, &at);
	b = c->blocks[at.block];
	memmove(b->items + at.item + 1, b->items + at.item,
		(b->len - at.item) * sizeof(*b->items));
	b->items[at.item] = *range;
	b->len++;
	c->count++;
}

void
jit_code_release(struct jit_code *c)
{
	for (size_t i = 0; i < c->len; i++)
		free(c->blocks[i]);
	free(c->blocks);
	*c = (struct jit_code){ 0 };
}
