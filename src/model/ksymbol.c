/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/ksymbol.h"

#include "base/strs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KSYMBOLS_MAX = 1 << 16 }; /* a file may claim any number */

/* The first that ends after @addr, len if none does. */
static size_t
first_after(const struct ksymbols *k, uint64_t addr)
{
	size_t at;

	FIND_FIRST(at, k->len, k->items[at].end > addr);
	return at;
}

static void
cut(struct ksymbols *k, size_t from, size_t to)
{
	memmove(k->items + from, k->items + to, (k->len - to) * sizeof(*k->items));
	k->len -= to - from;
}

static void
insert(struct ksymbols *k, size_t at, const struct ksymbol *what)
{
	if (what->end <= what->start)
		return;
	vec_reserve(&k->items, &k->cap, k->len + 1, sizeof(*k->items));
	memmove(k->items + at + 1, k->items + at, (k->len - at) * sizeof(*k->items));
	k->items[at] = *what;
	k->len++;
}

void
ksymbols_add(struct ksymbols *k, struct ksymbol what)
{
	struct ksymbol before = { .since = what.since }, behind = { .since = what.since };
	size_t at, end;

	if (what.end <= what.start)
		return;
	if (k->len + 2 >= KSYMBOLS_MAX)
		ksymbols_forget_gone(k, what.since);
	at = end = first_after(k, what.start);
	while (end < k->len && k->items[end].start < what.end)
		end++;
	/* Of what reached further the rest is gone as well. */
	if (end > at) {
		before.start = k->items[at].start;
		before.end = what.start;
		behind.start = what.end;
		behind.end = k->items[end - 1].end;
		cut(k, at, end);
	}
	if (k->len + 2 >= KSYMBOLS_MAX)
		return;
	insert(k, at, &behind);
	insert(k, at, &what);
	insert(k, at, &before);
}

void
ksymbols_remove(struct ksymbols *k, struct ksymbol what)
{
	for (size_t i = first_after(k, what.start); i < k->len && k->items[i].start < what.end; i++)
		if (k->items[i].name != 0 &&
		    (k->items[i].start != what.start || k->items[i].name != what.name))
			return;
	what.name = 0;
	ksymbols_add(k, what);
}

const struct ksymbol *
ksymbols_at(const struct ksymbols *k, uint64_t addr)
{
	size_t at = first_after(k, addr);

	return at < k->len && k->items[at].start <= addr ? &k->items[at] : NULL;
}

const struct ksymbol *
ksymbols_find(const struct ksymbols *k, uint64_t addr)
{
	const struct ksymbol *at = ksymbols_at(k, addr);

	return at != NULL && at->name != 0 ? at : NULL;
}

void
ksymbols_name_program(struct ksymbols *k, const struct strs *strs, const uint8_t tag[8],
		      uint32_t id)
{
	char begin[32];
	size_t len;

	len = (size_t)snprintf(begin, sizeof(begin), "bpf_prog_%02x%02x%02x%02x%02x%02x%02x%02x",
			       tag[0], tag[1], tag[2], tag[3], tag[4], tag[5], tag[6], tag[7]);
	for (size_t i = 0; i < k->len; i++)
		if (k->items[i].is_bpf && k->items[i].bpf_id == 0 &&
		    strncmp(strs_get(strs, k->items[i].name), begin, len) == 0)
			k->items[i].bpf_id = id;
}

void
ksymbols_forget_gone(struct ksymbols *k, uint32_t last)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->len; i++)
		if (k->items[i].name != 0 || (int32_t)(k->items[i].since - last) > 0)
			k->items[kept++] = k->items[i];
	k->len = kept;
}

void
ksymbols_release(struct ksymbols *k)
{
	free(k->items);
	*k = (struct ksymbols){ 0 };
}
