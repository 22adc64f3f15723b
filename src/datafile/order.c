/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/order.h"

#include <stdlib.h>

/* Behind the last cursor: later than all. */
static const struct order_cursor sentinel = { UINT64_MAX, UINT64_MAX };

void
order_push_slow(struct order *o, uint64_t time_ns, struct place place)
{
	if (o->len == o->cap)
		vec_reserve(&o->entries, &o->cap, o->len + 1, sizeof(*o->entries));
	if (o->len == 0 || time_ns < o->entries[o->len - 1].time_ns) {
		if (o->run_len == o->run_cap)
			vec_reserve(&o->runs, &o->run_cap, o->run_len + 1, sizeof(*o->runs));
		o->runs[o->run_len++] = (struct order_run){ .first = (uint32_t)o->len };
	}
	o->entries[o->len++] = (struct order_entry){ time_ns, place };
	o->time_max = MAX(o->time_max, time_ns);
}

static uint32_t
run_end(const struct order *o, size_t run)
{
	return run + 1 < o->run_len ? o->runs[run + 1].first : (uint32_t)o->len;
}

/* The first entry of the run that is later than @limit. */
static uint32_t
run_bound(const struct order *o, size_t run, uint64_t limit)
{
	uint32_t low = o->runs[run].first, high = run_end(o, run);

	if (o->entries[high - 1].time_ns <= limit)
		return high;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (o->entries[mid].time_ns <= limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Earlier runs lie before later ones, so the place breaks ties as the records came.  One number,
 * for which of two comes first is a matter of chance: it must be no branch.
 */
static inline unsigned __int128
cursor_key(const struct order_cursor *c)
{
	return (unsigned __int128)c->time_ns << 64 | c->rest;
}

/* @moved comes by value: what was just stored in parts is slow to load as a whole. */
static inline void
sift_down(struct order *o, size_t i, struct order_cursor moved)
{
	struct order_cursor *heap = o->heap;
	unsigned __int128 key = cursor_key(&moved);
	size_t child;

	for (; (child = 2 * i + 1) < o->heap_len; i = child) {
		child += cursor_key(&heap[child + 1]) < cursor_key(&heap[child]);
		if (cursor_key(&heap[child]) > key)
			break;
		heap[i] = heap[child];
	}
	heap[i] = moved;
}

void
order_flush(struct order *o, uint64_t limit)
{
	if (o->heap_len > 0)
		return;
	vec_reserve(&o->heap, &o->heap_cap, o->run_len + 1, sizeof(*o->heap));
	for (size_t i = 0; i < o->run_len; i++) {
		struct order_run *run = &o->runs[i];

		run->ready = run_bound(o, i, limit);
		if (run->ready > run->first)
			o->heap[o->heap_len++] = (struct order_cursor){
				o->entries[run->first].time_ns,
				(uint64_t)run->first << 32 | run->ready };
	}
	o->heap[o->heap_len] = sentinel;
	for (size_t i = o->heap_len / 2; i-- > 0;)
		sift_down(o, i, o->heap[i]);
}

void
order_round(struct order *o)
{
	order_flush(o, o->round_limit);
	o->round_limit = o->time_max;
}

static size_t
count_until(const struct order *o, uint64_t limit)
{
	size_t n = 0;

	for (size_t i = 0; i < o->run_len; i++)
		n += run_bound(o, i, limit) - o->runs[i].first;
	return n;
}

void
order_flush_half(struct order *o)
{
	uint64_t low = 0, high = o->time_max;

	/* The earliest time that half of them are not later than. */
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (count_until(o, mid) >= (o->len + 1) / 2)
			high = mid;
		else
			low = mid + 1;
	}
	order_flush(o, low);
}

/* Moves what was not ready to the front, run by run. */
static void
compact(struct order *o)
{
	size_t to = 0, runs = 0;

	for (size_t i = 0; i < o->run_len; i++) {
		size_t from = o->runs[i].ready, n = run_end(o, i) - from;

		if (n == 0)
			continue;
		memmove(&o->entries[to], &o->entries[from], n * sizeof(*o->entries));
		if (to == 0 || o->entries[to].time_ns < o->entries[to - 1].time_ns)
			o->runs[runs++].first = (uint32_t)to;
		to += n;
	}
	o->len = to;
	o->run_len = runs;
}

/* The run at the top has ended. */
static void
drop_top(struct order *o)
{
	struct order_cursor last = o->heap[--o->heap_len];

	o->heap[o->heap_len] = sentinel;
	if (o->heap_len > 0)
		sift_down(o, 0, last);
	else
		compact(o);
}

bool
order_pop(struct order *o, struct order_entry *out)
{
	struct order_cursor top;
	uint32_t at;

	if (o->heap_len == 0)
		return false;
	top = o->heap[0];
	at = (uint32_t)(top.rest >> 32);
	*out = o->entries[at];
	if (++at == (uint32_t)top.rest) {
		drop_top(o);
	} else {
		top.time_ns = o->entries[at].time_ns;
		top.rest += UINT64_C(1) << 32;
		sift_down(o, 0, top);
	}
	return true;
}

void
order_release(struct order *o)
{
	free(o->entries);
	free(o->runs);
	free(o->heap);
	*o = (struct order){ 0 };
}
