/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/ksymbol.h"

#include <stdlib.h>
#include <string.h>

enum { KSYMBOLS_MAX = 1 << 16 }; /* a file may claim any number */

/* The first that ends after @addr, len if none does. */
static size_t
first_after(const struct ksymbols *k, uint64_t addr)
{
	size_t low = 0, high = k->len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->items[mid].end > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static void
cut(struct ksymbols *k, size_t from, size_t to)
{
	memmove(k->items + from, k->items + to, (k->len - to) * sizeof(*k->items));
	k->len -= to - from;
}

void
ksymbols_add(struct ksymbols *k, struct ksymbol what)
{
	size_t at = first_after(k, what.start), end = at;

	if (what.end <= what.start)
		return;
	while (end < k->len && k->items[end].start < what.end)
		end++;
	if (end > at)
		cut(k, at, end);
	if (k->len >= KSYMBOLS_MAX)
		return;
	vec_reserve(&k->items, &k->cap, k->len + 1, sizeof(*k->items));
	memmove(k->items + at + 1, k->items + at, (k->len - at) * sizeof(*k->items));
	k->items[at] = what;
	k->len++;
}

void
ksymbols_remove(struct ksymbols *k, uint64_t start)
{
	size_t at = first_after(k, start);

	if (at < k->len && k->items[at].start == start)
		cut(k, at, at + 1);
}

const struct ksymbol *
ksymbols_find(const struct ksymbols *k, uint64_t addr)
{
	size_t at = first_after(k, addr);

	return at < k->len && k->items[at].start <= addr ? &k->items[at] : NULL;
}

void
ksymbols_release(struct ksymbols *k)
{
	free(k->items);
	*k = (struct ksymbols){ 0 };
}
