/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datafile/order.h"

#include <stdlib.h>
#include <string.h>

/* See is_short(): a part of the seconds in which tasks that have ended are still known. */
#define ROW_NS (NSEC_PER_SEC / 4)

/* Looks at runs where a row ends, for each entry: merging many runs takes longer. */
enum { ROW_LOOKS = 8, PIECE_LONG = 16 };

static void
close_run(struct order *o)
{
	if (o->run_len == 0 || o->last_ns == UINT64_MAX)
		return;
	o->runs[o->run_len - 1].end = (uint32_t)o->len;
	o->time_max = MAX(o->time_max, o->last_ns);
	o->last_ns = UINT64_MAX;
}

/* Whether the last run does: one that a flush has closed, too, if its entries are still the last. */
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
order_push_fixed(struct order *o, uint64_t time_ns, struct record_pos place)
{
	vec_reserve(&o->fixed, &o->fixed_cap, o->fixed_len + 1, sizeof(*o->fixed));
	o->fixed[o->fixed_len++] = time_ns;
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

static inline struct order_player
player_of(const struct order *o, size_t rest)
{
	const struct order_rest *r = &o->rests[rest];

	return (struct order_player){ r->at < r->end ? r->at->time_ns : UINT64_MAX, rest };
}

/* How many can play: a power of two. */
static size_t
tree_width(const struct order *o)
{
	size_t width = 1;

	while (width < o->rest_len)
		width *= 2;
	return width;
}

/*
 * Plays a match at each node on the way from a leaf of the tree to its top, 1: who comes later stays
 * there, to be met by the next that comes that way.  Below node n are 2n and 2n + 1.  Ties are broken
 * by the place of the runs, as the records came.  Processors take turns more often than by chance:
 * these are branches, which can be foretold, and nothing waits for their outcome.
 */
static inline struct order_player
play(struct order_player *losers, size_t leaf, struct order_player p)
{
	for (size_t at = leaf / 2; at > 0; at /= 2) {
		struct order_player other = losers[at];

		if (other.time_ns < p.time_ns ||
		    (other.time_ns == p.time_ns && other.rest < p.rest)) {
			losers[at] = p;
			p = other;
		}
	}
	return p;
}

/* All begin: whoever comes to a node first meets one that is earlier than all, and stays. */
static void
begin_play(struct order *o)
{
	size_t width = tree_width(o);

	vec_reserve(&o->losers, &o->loser_cap, width, sizeof(*o->losers));
	memset(o->losers, 0, width * sizeof(*o->losers));
	for (size_t i = 0; i < width; i++) {
		struct order_player none = { UINT64_MAX, i };

		o->first = play(o->losers, width + i, i < o->rest_len ? player_of(o, i) : none);
	}
}

static void
add_bound(struct order *o, uint64_t time_ns)
{
	if (o->bound_len > 0 && o->bounds[o->bound_len - 1] >= time_ns)
		return;
	vec_reserve(&o->bounds, &o->bound_cap, o->bound_len + 1, sizeof(*o->bounds));
	o->bounds[o->bound_len++] = time_ns;
}

/*
 * Records that must be in order, up to @limit, are told no more.  Rows end before each of them, and
 * again behind it, where all of that time are in the order that they came in.
 * No bound: there are none.
 */
static void
take_fixed(struct order *o, uint64_t limit)
{
	size_t left = 0;

	o->bound_len = o->bound_at = 0;
	if (o->fixed_len > 0)
		qsort(o->fixed, o->fixed_len, sizeof(*o->fixed), compare_u64);
	for (size_t i = 0; i < o->fixed_len; i++) {
		if (o->fixed[i] > limit) {
			o->fixed[left++] = o->fixed[i];
			continue;
		}
		add_bound(o, o->fixed[i] - MIN(o->fixed[i], 1));
		add_bound(o, o->fixed[i]);
	}
	o->fixed_len = left;
	if (o->bound_len > 0)
		add_bound(o, UINT64_MAX - 1);
}

/*
 * Whether rows are the better order for all that is ready, which must lie in a short time: so what
 * is done now and then is not done too late.
 */
static bool
may_be_row(const struct order *o)
{
	uint64_t first = UINT64_MAX, last = 0;
	size_t len = 0;

	for (size_t i = 0; i < o->rest_len; i++) {
		first = MIN(first, o->rests[i].at->time_ns);
		last = MAX(last, o->rests[i].end[-1].time_ns);
		len += (size_t)(o->rests[i].end - o->rests[i].at);
	}
	return last - first < ROW_NS && o->bound_len * o->rest_len <= len * ROW_LOOKS;
}

/* Rows with bounds look at the times of all runs again and again. */
static void
begin_row(struct order *o)
{
	if (o->bound_len == 0)
		return;
	vec_reserve(&o->nexts, &o->next_cap, o->rest_len, sizeof(*o->nexts));
	for (size_t i = 0; i < o->rest_len; i++)
		o->nexts[i] = o->rests[i].at->time_ns;
}

void
order_flush(struct order *o, uint64_t limit)
{
	if (order_is_ready(o))
		return;
	close_run(o);
	take_fixed(o, limit);
	vec_reserve(&o->rests, &o->rest_cap, o->run_len, sizeof(*o->rests));
	for (size_t i = 0; i < o->run_len; i++) {
		struct order_run *run = &o->runs[i];

		run->ready = run_bound(o, i, limit);
		if (run->ready > run->first)
			o->rests[o->rest_len++] = (struct order_rest){ &o->entries[run->first],
								       &o->entries[run->ready] };
	}
	o->rest_at = 0;
	o->is_row = o->is_loose && may_be_row(o);
	if (o->is_row)
		begin_row(o);
	else if (order_is_ready(o))
		begin_play(o);
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
	/* The earliest time that half of them are not later than. */
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

/* All that was ready was handed out.  Its room is used again when that moves less than was gained. */
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
	o->rest_len = 0;
	if (o->gone >= o->len - o->gone)
		compact(o);
}

/* The entries where they are, which stay there until the next call. */
static size_t
take_row(struct order *o, const struct order_entry **out, size_t max)
{
	for (; o->rest_at < o->rest_len; o->rest_at++) {
		struct order_rest *rest = &o->rests[o->rest_at];
		size_t n = MIN(max, (size_t)(rest->end - rest->at));

		if (n == 0)
			continue;
		*out = rest->at;
		rest->at += n;
		return n;
	}
	forget_ready(o);
	return 0;
}

/* Of the run whose turn it is, how many are before where the row ends; they are passed. */
static size_t
pass_piece(struct order *o, size_t max)
{
	struct order_rest *rest = &o->rests[o->rest_at];
	const struct order_entry *begin = rest->at;
	uint64_t bound = o->bounds[o->bound_at];

	max = MIN(max, (size_t)(rest->end - rest->at));
	while ((size_t)(rest->at - begin) < max && rest->at->time_ns <= bound)
		rest->at++;
	o->nexts[o->rest_at] = player_of(o, o->rest_at).time_ns;
	return (size_t)(rest->at - begin);
}

/* A piece of some length stays where it is, short ones are put together. */
static size_t
take_pieces(struct order *o, const struct order_entry **out, size_t max)
{
	size_t n = 0;

	*out = o->merged;
	while (n < max && o->bound_at < o->bound_len) {
		uint64_t bound = o->bounds[o->bound_at];

		while (o->rest_at < o->rest_len && o->nexts[o->rest_at] > bound)
			o->rest_at++;
		if (o->rest_at < o->rest_len) {
			const struct order_entry *piece = o->rests[o->rest_at].at;
			size_t len = pass_piece(o, max - n);

			if (n == 0 && len >= PIECE_LONG) {
				*out = piece;
				return len;
			}
			memcpy(&o->merged[n], piece, len * sizeof(*piece));
			n += len;
			continue;
		}
		o->bound_at++;
		o->rest_at = 0;
	}
	if (n < max)
		forget_ready(o);
	return n;
}

static size_t
take_merged(struct order *o, size_t max)
{
	struct order_player first = o->first;
	size_t width = tree_width(o), n = 0;

	while (n < max && first.time_ns != UINT64_MAX) {
		o->merged[n++] = *o->rests[first.rest].at++;
		first = play(o->losers, width + first.rest, player_of(o, first.rest));
	}
	o->first = first;
	if (first.time_ns == UINT64_MAX)
		forget_ready(o);
	return n;
}

size_t
order_take(struct order *o, const struct order_entry **out, size_t max)
{
	max = MIN(max, ORDER_TAKE_MAX);
	if (!order_is_ready(o))
		return 0;
	if (o->is_row && o->bound_len == 0)
		return take_row(o, out, max);
	if (o->is_row)
		return take_pieces(o, out, max);
	*out = o->merged;
	return take_merged(o, max);
}

void
order_release(struct order *o)
{
	free(o->entries);
	free(o->runs);
	free(o->rests);
	free(o->losers);
	free(o->bounds);
	free(o->nexts);
	free(o->fixed);
	*o = (struct order){ 0 };
}
