/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/jit/jit_batch.h"

#include <stdlib.h>

bool
jit_batch_add(struct jit_batch *b, const struct jit_change *change, const char *name, size_t len)
{
	struct jit_change *c;

	if (jit_batch_is_full(b))
		return false;
	c = &VEC_ADD(b->items, b->len, b->cap);
	*c = *change;
	c->name = (uint32_t)b->names.len;
	c->name_len = (uint32_t)MIN(len, (size_t)JIT_NAME_MAX);
	buf_add(&b->names, name, c->name_len);
	return true;
}

bool
jit_code_is_sane(uint64_t start, uint64_t size)
{
	return size > 0 && size <= JIT_CODE_MAX && start <= UINT64_MAX - size;
}

void
jit_batch_reset(struct jit_batch *b)
{
	b->len = 0;
	buf_reset(&b->names);
}

void
jit_batch_release(struct jit_batch *b)
{
	free(b->items);
	buf_release(&b->names);
	*b = (struct jit_batch){ 0 };
}
