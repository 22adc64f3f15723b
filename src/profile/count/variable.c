/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/variable.h"

#include <stdlib.h>

static uint64_t
hash_of(uint32_t process, uint64_t address)
{
	return hash_mix(process, address);
}

/* Its number from 1, 0: it is not there. */
static uint32_t
number_of(const struct variables *v, uint32_t process, uint64_t address)
{
	uint64_t hash = hash_of(process, address);
	uint32_t n, pos;

	for (n = index_first(&v->index, hash, &pos); n != 0; n = index_next(&v->index, hash, &pos))
		if (v->items[n - 1].process == process && v->items[n - 1].address == address)
			break;
	return n;
}

void
variables_release(struct variables *v)
{
	free(v->items);
	index_release(&v->index);
	*v = (struct variables){ 0 };
}

void
variables_want(struct variables *v, uint32_t process, uint64_t address)
{
	if (v->len == VARIABLES_MAX || number_of(v, process, address) != 0)
		return;
	VEC_ADD(v->items, v->len, v->cap) = (struct variable){ address, process, 0 };
	index_add(&v->index, hash_of(process, address), (uint32_t)v->len);
}

void
variables_learn(struct variables *v, size_t i, uint32_t name)
{
	if (i < v->len)
		v->items[i].name = name;
}

uint32_t
variables_find(const struct variables *v, uint32_t process, uint64_t address)
{
	uint32_t n = number_of(v, process, address);

	return n != 0 ? v->items[n - 1].name : 0;
}
