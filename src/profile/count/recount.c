/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/recount.h"

#include <stdlib.h>

void
recount_begin(struct recount *r, uint32_t dso, uint64_t start, uint64_t end, uint64_t before_ns)
{
	recount_release(r);
	r->dso = dso;
	r->start = start;
	r->end = end;
	r->before_ns = r->since_ns = before_ns;
}

bool
recount_add(struct recount *r, const struct recount_sample *s)
{
	if (r->len == RECOUNT_MAX)
		return false;
	VEC_ADD(r->items, r->len, r->cap) = *s;
	return true;
}

void
recount_reaches(struct recount *r, uint64_t since_ns)
{
	r->since_ns = MIN(r->since_ns, since_ns);
}

size_t
recount_bytes(const struct recount *r)
{
	return r->cap * sizeof(*r->items);
}

void
recount_release(struct recount *r)
{
	free(r->items);
	*r = (struct recount){ 0 };
}
