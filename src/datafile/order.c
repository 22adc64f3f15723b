/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/order.h"

#include <stdlib.h>

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

static inline struct order_node
node_of(const struct order *o, size_t rest)
{
	const struct order_rest *r = &o->rests[rest];

	return (struct order_node){ r->at < r->end ? r->at->time_ns : UINT64_MAX, rest };
}

/*
 * Which of two comes first, of which @left is of the earlier run: it breaks ties, as the records
 * came.  It is a matter of chance, so it must be no branch.
 */
static inline struct order_node
first_of(struct order_node left, struct order_node right)
{
	bool is_right = right.time_ns < left.time_ns;

	return (struct order_node){ is_right ? right.time_ns : left.time_ns,
				    is_right ? right.rest : left.rest };
}

/* How many there are at the bottom of the tree: a power of two. */
static size_t
tree_width(const struct order *o)
{
	size_t width = 1;

	while (width < o->rest_len)
		width *= 2;
	return width;
}

static void
plant(struct order *o)
{
	size_t width = tree_width(o);

	vec_reserve(&o->tree, &o->tree_cap, 2 * width, sizeof(*o->tree));
	for (size_t i = 0; i < width; i++)
		o->tree[width + i] = i < o->rest_len ? node_of(o, i)
						     : (struct order_node){ UINT64_MAX, 0 };
	for (size_t i = width; i-- > 1;)
		o->tree[i] = first_of(o->tree[2 * i], o->tree[2 * i + 1]);
}

void
order_flush(struct order *o, uint64_t limit)
{
	if (order_is_ready(o))
		return;
	vec_reserve(&o->rests, &o->rest_cap, o->run_len, sizeof(*o->rests));
	for (size_t i = 0; i < o->run_len; i++) {
		struct order_run *run = &o->runs[i];

		run->ready = run_bound(o, i, limit);
		if (run->ready > run->first)
			o->rests[o->rest_len++] = (struct order_rest){ &o->entries[run->first],
								       &o->entries[run->ready] };
	}
	if (order_is_ready(o))
		plant(o);
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

size_t
order_take(struct order *o, struct order_entry *out, size_t max)
{
	size_t width = tree_width(o), n = 0, at;
	struct order_node *tree = o->tree, first;

	if (!order_is_ready(o))
		return 0;
	first = tree[1];
	while (n < max && first.time_ns != UINT64_MAX) {
		at = width + first.rest;
		out[n++] = *o->rests[first.rest].at++;
		for (first = node_of(o, first.rest); at > 1; at /= 2) {
			tree[at] = first;
			first = at % 2 == 0 ? first_of(first, tree[at + 1])
					    : first_of(tree[at - 1], first);
		}
	}
	tree[1] = first;
	if (first.time_ns == UINT64_MAX) {
		o->rest_len = 0;
		compact(o);
	}
	return n;
}

void
order_release(struct order *o)
{
	free(o->entries);
	free(o->runs);
	free(o->rests);
	free(o->tree);
	*o = (struct order){ 0 };
}
