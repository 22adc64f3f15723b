/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "feed/hostfeed_told.h"

#include <stdlib.h>

void
told_release(struct told *t)
{
	free(t->numbers);
	free(t->fresh);
	buf_release(&t->raw);
	*t = (struct told){ 0 };
}

void
defs_release(struct defs *d)
{
	free(d->items);
	index_release(&d->index);
	told_release(&d->told);
	*d = (struct defs){ 0 };
}

uint32_t
defs_find(struct defs *d, const uint32_t words[WORDS_MAX])
{
	const uint64_t hash = hash_mix(hash_mix(words[0], words[1]),
				       hash_mix((uint64_t)words[2] << 32 | words[3],
						(uint64_t)words[4] << 32 | words[5]));
	uint32_t id, pos;

	for (id = index_first(&d->index, hash, &pos); id != 0; id = index_next(&d->index, hash, &pos))
		if (memcmp(d->items[id - 1], words, sizeof(d->items[0])) == 0)
			return id - 1;
	vec_reserve(&d->items, &d->cap, d->len + 1, sizeof(*d->items));
	memcpy(d->items[d->len], words, sizeof(d->items[0]));
	d->len++;
	index_add(&d->index, hash, (uint32_t)d->len);
	return (uint32_t)d->len - 1;
}

void
put_number(struct buf *b, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		buf_add_char(b, (char)(n | 0x80));
	buf_add_char(b, (char)n);
}

uint32_t
told_number(struct told *t, uint32_t id, bool *is_new)
{
	vec_reserve_zeroed(&t->numbers, &t->cap, id + 1, sizeof(*t->numbers));
	*is_new = t->numbers[id] == 0;
	if (*is_new) {
		t->numbers[id] = ++t->count;
		VEC_ADD(t->fresh, t->fresh_len, t->fresh_cap) = id;
	}
	return t->numbers[id];
}

uint32_t
told_find(const struct told *t, uint32_t id)
{
	return id < t->cap ? t->numbers[id] : 0;
}

void
told_undo(struct told *t)
{
	for (size_t i = 0; i < t->fresh_len; i++)
		t->numbers[t->fresh[i]] = 0;
	t->count -= (uint32_t)t->fresh_len;
	t->fresh_len = 0;
	buf_reset(&t->raw);
}

void
told_keep(struct told *t)
{
	t->fresh_len = 0;
	buf_reset(&t->raw);
}

void
told_put(struct buf *b, const struct told *t)
{
	put_number(b, t->fresh_len);
	buf_add(b, buf_str(&t->raw), t->raw.len);
}
