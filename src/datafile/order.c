/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/order.h"

#include <stdlib.h>
#include <string.h>

/* See may_go_by_run(): a part of the seconds for which tasks that ended are still known. */
#define BY_RUN_NS (NSEC_PER_SEC / 4)

/*
 * At each barrier every slice is looked at: if that is more often than so many times an entry,
 * merging is cheaper.  Pieces of a run that are this long are handed out where they are.
 */
enum { BY_RUN_LOOKS = 8, PIECE_LONG = 16 };

static void
close_run(struct order *o)
{
	if (o->run_len == 0 || o->last_ns == UINT64_MAX)
		return;
	o->runs[o->run_len - 1].end = (uint32_t)o->len;
	o->time_max = MAX(o->time_max, o->last_ns);
	o->last_ns = UINT64_MAX;
}

/* Whether the entry continues the last run, which a flush may have closed meanwhile. */
static bool
run_goes_on(const struct order *o, uint64_t time_ns)
{
	return o->run_len > 0 && time_ns >= o->entries[o->len - 1].time_ns &&
	       (o->last_ns != UINT64_MAX || o->runs[o->run_len - 1].end == o->len);
}

void
order_push_slow(struct order *o, uint64_t time_ns, struct record_pos place)
{
	vec_reserve(&o->entries, &o->cap, o->len + 1, sizeof(*o->entries));
	if (!run_goes_on(o, time_ns)) {
		close_run(o);
		vec_reserve(&o->runs, &o->run_cap, o->run_len + 1, sizeof(*o->runs));
		o->runs[o->run_len++] = (struct order_run){ .first = (uint32_t)o->len };
	}
	o->entries[o->len++] = (struct order_entry){ time_ns, place };
	o->last_ns = time_ns;
}

void
order_push_strict(struct order *o, uint64_t time_ns, struct record_pos place)
{
	vec_reserve(&o->strict, &o->strict_cap, o->strict_len + 1, sizeof(*o->strict));
	o->strict[o->strict_len++] = time_ns;
	order_push(o, time_ns, place);
}

/* The first entry of the run that is later than @limit. */
static uint32_t
run_bound(const struct order *o, size_t run, uint64_t limit)
{
	uint32_t low = o->runs[run].first, high = o->runs[run].end;

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

static inline struct order_contender
contender_of(const struct order *o, size_t slice)
{
	const struct order_slice *r = &o->slices[slice];

	return (struct order_contender){ r->at < r->end ? r->at->time_ns : UINT64_MAX, slice };
}

/* Leaves of the loser tree: a power of two. */
static size_t
tree_width(const struct order *o)
{
	size_t width = 1;

	while (width < o->slice_len)
		width *= 2;
	return width;
}

/*
 * Replays the matches from a leaf of the loser tree up to its root, node 1: at each node the later
 * contender stays as the loser, the earlier one goes on.  The children of node n are 2n and 2n + 1.
 * Equal times: the run that came first wins.  These are branches, not conditional moves: the same
 * run often wins several times, so that they are predicted well.
 */
static inline struct order_contender
replay(struct order_contender *losers, size_t leaf, struct order_contender p)
{
	for (size_t at = leaf / 2; at > 0; at /= 2) {
		struct order_contender other = losers[at];

		if (other.time_ns < p.time_ns ||
		    (other.time_ns == p.time_ns && other.slice < p.slice)) {
			losers[at] = p;
			p = other;
		}
	}
	return p;
}

/* The first contender at a node meets one that is earlier than all, the zero, and stays there. */
static void
build_tree(struct order *o)
{
	size_t width = tree_width(o);

	vec_reserve(&o->losers, &o->loser_cap, width, sizeof(*o->losers));
	memset(o->losers, 0, width * sizeof(*o->losers));
	for (size_t i = 0; i < width; i++) {
		struct order_contender c = { UINT64_MAX, i };

		if (i < o->slice_len)
			c = contender_of(o, i);
		o->winner = replay(o->losers, width + i, c);
	}
}

static void
add_barrier(struct order *o, uint64_t time_ns)
{
	if (o->barrier_len > 0 && o->barriers[o->barrier_len - 1] >= time_ns)
		return;
	vec_reserve(&o->barriers, &o->barrier_cap, o->barrier_len + 1, sizeof(*o->barriers));
	o->barriers[o->barrier_len++] = time_ns;
}

/*
 * Makes barriers of the strict records up to @limit: one before each, one behind it, and one at the
 * end.  None: there are no such records.
 */
static void
set_barriers(struct order *o, uint64_t limit)
{
	size_t left = 0;

	o->barrier_len = o->barrier_at = 0;
	if (o->strict_len > 0)
		qsort(o->strict, o->strict_len, sizeof(*o->strict), compare_u64);
	for (size_t i = 0; i < o->strict_len; i++) {
		if (o->strict[i] > limit) {
			o->strict[left++] = o->strict[i];
			continue;
		}
		add_barrier(o, o->strict[i] - MIN(o->strict[i], 1));
		add_barrier(o, o->strict[i]);
	}
	o->strict_len = left;
	if (o->barrier_len > 0)
		add_barrier(o, UINT64_MAX - 1);
}

/*
 * Whether all that is ready may be handed out by run: if it spans a short time, so that work that
 * is done now and then is not late, and if there are few barriers.
 */
static bool
may_go_by_run(const struct order *o)
{
	uint64_t first = UINT64_MAX, last = 0;
	size_t len = 0;

	for (size_t i = 0; i < o->slice_len; i++) {
		first = MIN(first, o->slices[i].at->time_ns);
		last = MAX(last, o->slices[i].end[-1].time_ns);
		len += (size_t)(o->slices[i].end - o->slices[i].at);
	}
	return last - first < BY_RUN_NS && o->barrier_len * o->slice_len <= len * BY_RUN_LOOKS;
}

/* At barriers the next times of all slices are looked at: kept in one array. */
static void
begin_by_run(struct order *o)
{
	if (o->barrier_len == 0)
		return;
	vec_reserve(&o->next_ns, &o->next_cap, o->slice_len, sizeof(*o->next_ns));
	for (size_t i = 0; i < o->slice_len; i++)
		o->next_ns[i] = o->slices[i].at->time_ns;
}

void
order_flush(struct order *o, uint64_t limit)
{
	if (order_is_ready(o))
		return;
	close_run(o);
	set_barriers(o, limit);
	vec_reserve(&o->slices, &o->slice_cap, o->run_len, sizeof(*o->slices));
	for (size_t i = 0; i < o->run_len; i++) {
		struct order_run *run = &o->runs[i];

		run->ready = run_bound(o, i, limit);
		if (run->ready > run->first)
			o->slices[o->slice_len++] = (struct order_slice){ &o->entries[run->first],
								       &o->entries[run->ready] };
	}
	o->slice_at = 0;
	o->is_by_run = o->is_loose && may_go_by_run(o);
	if (o->is_by_run)
		begin_by_run(o);
	else if (order_is_ready(o))
		build_tree(o);
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
	size_t half = (o->len - o->gone + 1) / 2;
	uint64_t low = 0, high;

	close_run(o);
	high = o->time_max;
	/* The median of their times, by bisection. */
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (count_until(o, mid) >= half)
			high = mid;
		else
			low = mid + 1;
	}
	order_flush(o, low);
}

/* Moves what is left to the front, run by run. */
static void
compact(struct order *o)
{
	uint32_t to = 0;

	for (size_t i = 0; i < o->run_len; i++) {
		struct order_run *run = &o->runs[i];
		uint32_t n = run->end - run->first;

		memmove(&o->entries[to], &o->entries[run->first], n * sizeof(*o->entries));
		*run = (struct order_run){ .first = to, .end = to + n };
		to += n;
	}
	o->len = to;
	o->gone = 0;
}

/* All that was ready was handed out.  Its room is reclaimed once that moves less than it frees. */
static void
forget_ready(struct order *o)
{
	size_t runs = 0;

	for (size_t i = 0; i < o->run_len; i++) {
		struct order_run run = o->runs[i];

		o->gone += run.ready - run.first;
		run.first = run.ready;
		if (run.first < run.end)
			o->runs[runs++] = run;
	}
	o->run_len = runs;
	o->slice_len = 0;
	if (o->gone >= o->len - o->gone)
		compact(o);
}

/* Entries of one run, where they are. */
static size_t
take_run(struct order *o, const struct order_entry **out, size_t max)
{
	for (; o->slice_at < o->slice_len; o->slice_at++) {
		struct order_slice *slice = &o->slices[o->slice_at];
		size_t n = MIN(max, (size_t)(slice->end - slice->at));

		if (n == 0)
			continue;
		*out = slice->at;
		slice->at += n;
		return n;
	}
	forget_ready(o);
	return 0;
}

/* Passes the entries of the current slice up to the next barrier: how many. */
static size_t
pass_piece(struct order *o, size_t max)
{
	struct order_slice *slice = &o->slices[o->slice_at];
	const struct order_entry *begin = slice->at;
	uint64_t bound = o->barriers[o->barrier_at];

	max = MIN(max, (size_t)(slice->end - slice->at));
	while ((size_t)(slice->at - begin) < max && slice->at->time_ns <= bound)
		slice->at++;
	o->next_ns[o->slice_at] = contender_of(o, o->slice_at).time_ns;
	return (size_t)(slice->at - begin);
}

/* Long pieces are handed out where they are, short ones are copied together. */
static size_t
take_pieces(struct order *o, const struct order_entry **out, size_t max)
{
	size_t n = 0;

	*out = o->merged;
	while (n < max && o->barrier_at < o->barrier_len) {
		uint64_t bound = o->barriers[o->barrier_at];

		while (o->slice_at < o->slice_len && o->next_ns[o->slice_at] > bound)
			o->slice_at++;
		if (o->slice_at < o->slice_len) {
			const struct order_entry *piece = o->slices[o->slice_at].at;
			size_t len = pass_piece(o, max - n);

			if (n == 0 && len >= PIECE_LONG) {
				*out = piece;
				return len;
			}
			memcpy(&o->merged[n], piece, len * sizeof(*piece));
			n += len;
			continue;
		}
		o->barrier_at++;
		o->slice_at = 0;
	}
	if (n < max)
		forget_ready(o);
	return n;
}

static size_t
take_merged(struct order *o, size_t max)
{
	struct order_contender winner = o->winner;
	size_t width = tree_width(o), n = 0;

	while (n < max && winner.time_ns != UINT64_MAX) {
		o->merged[n++] = *o->slices[winner.slice].at++;
		winner = replay(o->losers, width + winner.slice, contender_of(o, winner.slice));
	}
	o->winner = winner;
	if (winner.time_ns == UINT64_MAX)
		forget_ready(o);
	return n;
}

size_t
order_next(struct order *o, const struct order_entry **out, size_t max)
{
	max = MIN(max, ORDER_NEXT_MAX);
	if (!order_is_ready(o))
		return 0;
	if (o->is_by_run && o->barrier_len == 0)
		return take_run(o, out, max);
	if (o->is_by_run)
		return take_pieces(o, out, max);
	*out = o->merged;
	return take_merged(o, max);
}

void
order_release(struct order *o)
{
	free(o->entries);
	free(o->runs);
	free(o->slices);
	free(o->losers);
	free(o->barriers);
	free(o->next_ns);
	free(o->strict);
	*o = (struct order){ 0 };
}
