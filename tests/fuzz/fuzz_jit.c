/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a perf map or a jitdump that grows: the first byte says which, and how much of the
 * file there is at each look.  What they tell is put into a table of code.
 */
#include "fuzz.h"

#include "profile/place/jit_code.h"
#include "symbol/jit/jit_batch.h"

#include <stdlib.h>
#include <string.h>

struct growing {
	struct perf_map map;
	struct jitdump dump;
	struct jit_batch batch;
	struct jit_code code;
	uint64_t offset;
	bool is_dump;
};

static void
apply(struct growing *g)
{
	for (size_t i = 0; i < g->batch.len; i++) {
		const struct jit_change *c = &g->batch.items[i];
		struct jit_range r = { c->start, (uint32_t)c->size, 1 };

		if (!jit_code_is_sane(c->start, c->size) || c->name_len > JIT_NAME_MAX ||
		    c->name + c->name_len > g->batch.names.len)
			abort();
		jit_code_add(&g->code, &r);
		if (jit_code_find(&g->code, c->start) == NULL ||
		    !jit_code_overlaps(&g->code, c->start + c->size - 1, 1))
			abort();
	}
	jit_batch_reset(&g->batch);
}

/* One look at the first @end bytes.  false: it tells no more. */
static bool
look(struct growing *g, const uint8_t *data, uint64_t end)
{
	uint64_t left = end - g->offset, done;
	uint8_t *copy = malloc(left > 0 ? left : 1);
	struct bytes bytes = { copy, left };
	struct err err = { 0 };
	int res = 0;

	/* Of just that length, so that one byte too far is seen. */
	if (left > 0)
		memcpy(copy, data + g->offset, left);
	if (g->is_dump)
		res = jitdump_read(&g->dump, bytes, left, &g->batch, &done, &err);
	else
		done = perf_map_read(&g->map, bytes, &g->batch);
	free(copy);
	if (done > left || (res < 0 && *err.text == '\0'))
		abort();
	g->offset += done;
	apply(g);
	return res == 0;
}

int
FUZZ_TARGET(jit)(const uint8_t *data, size_t size)
{
	struct growing g = { 0 };
	size_t step;

	if (size == 0)
		return 0;
	g.is_dump = *data & 1;
	step = MAX((size_t)(*data >> 1) * 8, size / 16 + 1);
	data++;
	size--;
	for (size_t end = 0; end <= size; end += step)
		if (end >= g.offset && !look(&g, data, end))
			break;
	if (g.offset <= size)
		look(&g, data, size);
	jit_batch_release(&g.batch);
	jit_code_release(&g.code);
	return 0;
}
