/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "datafile/order.h"
#include "tests/asserts.h"

enum { ENTRIES_MAX = 20000, FIXED = 1 };

/* What an order has to do, done in the simplest way. */
struct model {
	struct order_entry waiting[ENTRIES_MAX];
	size_t len;
	uint64_t round_limit, time_max;
};

struct pair {
	struct order order;
	struct model model;
	uint32_t pushed;
	uint64_t random;
};

static uint64_t
random_below(struct pair *p, uint64_t n)
{
	p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (p->random >> 33) % n;
}

static void
push(struct pair *p, uint64_t time_ns)
{
	struct order_entry e = { time_ns, { 0, p->pushed++ } };

	assert_that(p->model.len, <, ENTRIES_MAX);
	order_push(&p->order, e.time_ns, e.place);
	p->model.waiting[p->model.len++] = e;
	p->model.time_max = MAX(p->model.time_max, time_ns);
}

static void
push_strict(struct pair *p, uint64_t time_ns)
{
	struct order_entry e = { time_ns, { FIXED, p->pushed++ } };

	order_push_strict(&p->order, e.time_ns, e.place);
	p->model.waiting[p->model.len++] = e;
	p->model.time_max = MAX(p->model.time_max, time_ns);
}

/* By time, then as they came. */
static int
compare(const void *a, const void *b)
{
	const struct order_entry *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->place.at < y->place.at ? -1 : x->place.at > y->place.at;
}

/* Takes @max at a time what both have up to @limit. */
static size_t
take_until(struct pair *p, uint64_t limit, size_t max)
{
	const struct order_entry *out;
	size_t n, ready = 0, rest;

	qsort(p->model.waiting, p->model.len, sizeof(p->model.waiting[0]), compare);
	while ((n = order_next(&p->order, &out, max)) > 0) {
		for (size_t i = 0; i < n; i++, ready++) {
			assert_that(ready, <, p->model.len);
			assert_int_equal(out[i].time_ns, p->model.waiting[ready].time_ns);
			assert_int_equal(out[i].place.at, p->model.waiting[ready].place.at);
		}
	}
	rest = p->model.len - ready;
	if (rest > 0)
		assert_that(p->model.waiting[ready].time_ns, >, limit);
	assert_true(ready == 0 || p->model.waiting[ready - 1].time_ns <= limit);
	memmove(p->model.waiting, p->model.waiting + ready, rest * sizeof(p->model.waiting[0]));
	p->model.len = rest;
	return ready;
}

/* What some rings had when they were emptied, one after the other; times are often the same. */
static void
push_rings(struct pair *p, uint64_t since_ns, size_t rings)
{
	for (size_t ring = 0; ring < rings; ring++) {
		uint64_t time_ns = since_ns + random_below(p, 20);

		for (size_t i = random_below(p, 40); i > 0; i--) {
			push(p, time_ns);
			time_ns += random_below(p, 3);
		}
	}
}

static int
begin(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));

	*state = p;
	return p == NULL ? -1 : 0;
}

static int
end(void **state)
{
	struct pair *p = *state;

	order_release(&p->order);
	free(p);
	return 0;
}

static void
rings_are_merged_by_time_and_as_they_came(void **state)
{
	struct pair *p = *state;

	for (size_t rings = 1; rings <= 33; rings++) {
		push_rings(p, 1 + rings * 10, rings);
		order_flush(&p->order, UINT64_MAX);
		take_until(p, UINT64_MAX, 1 + rings);
		assert_int_equal(p->model.len, 0);
	}
}

static void
a_round_hands_out_what_the_round_before_had_seen(void **state)
{
	struct pair *p = *state;

	for (uint64_t round = 1; round < 300; round++) {
		push_rings(p, round * 15, 1 + random_below(p, round % 4 == 0 ? 60 : 9));
		order_round(&p->order);
		take_until(p, p->model.round_limit, 7);
		p->model.round_limit = p->model.time_max;
		/* What was handed out takes no more room than what waits. */
		assert_that(p->order.len, <=, 2 * p->model.len);
		/* A few far ahead of all others wait for as long. */
		if (round % 50 == 0)
			push(p, round * 15 + 1000);
	}
	order_flush(&p->order, UINT64_MAX);
	take_until(p, UINT64_MAX, 64);
	assert_int_equal(p->model.len, 0);
}

static void
what_goes_on_after_a_round_stays_one_run(void **state)
{
	struct pair *p = *state;

	for (uint64_t time_ns = 1; time_ns < 5000; time_ns++) {
		push(p, time_ns);
		if (time_ns % 10 == 0) {
			order_flush(&p->order, time_ns / 2);
			take_until(p, time_ns / 2, 3);
			assert_int_equal(p->order.run_len, 1);
		}
	}
}

static void
half_of_it_is_the_older_half(void **state)
{
	struct pair *p = *state;

	push_rings(p, 1, 50);
	while (p->model.len > 0) {
		size_t len = p->model.len, n;

		qsort(p->model.waiting, len, sizeof(p->model.waiting[0]), compare);
		order_flush_half(&p->order);
		n = take_until(p, p->model.waiting[(len + 1) / 2 - 1].time_ns, 64);
		assert_that(n, >=, (len + 1) / 2);
	}
}

/*
 * Takes what is ready: all up to @limit, nothing twice, and none on the wrong side of a strict one.
 */
static size_t
take_loose(struct pair *p, uint64_t limit)
{
	const struct order_entry *out;
	uint64_t latest = 0, strict = 0;
	size_t n, taken = 0, expected = 0, left = 0;

	/* Long pieces are handed out where they lie, short ones put together. */
	while ((n = order_next(&p->order, &out, 1 + random_below(p, 100))) > 0) {
		for (size_t i = 0; i < n; i++, taken++) {
			assert_that(out[i].time_ns, >=, strict);
			assert_that(out[i].time_ns, <=, limit);
			latest = MAX(latest, out[i].time_ns);
			if (out[i].place.chunk != FIXED)
				continue;
			assert_int_equal(out[i].time_ns, latest);
			strict = latest;
		}
	}
	for (size_t i = 0; i < p->model.len; i++) {
		if (p->model.waiting[i].time_ns <= limit)
			expected++;
		else
			p->model.waiting[left++] = p->model.waiting[i];
	}
	p->model.len = left;
	assert_int_equal(taken, expected);
	return taken;
}

static void
a_loose_order_keeps_each_on_its_side_of_those_that_are_strict(void **state)
{
	struct pair *p = *state;
	size_t unmerged = 0, with_strict = 0;

	p->order.is_loose = true;
	for (uint64_t round = 1; round < 2000; round++) {
		push_rings(p, round * 15, 1 + random_below(p, 9));
		/* Of some rounds most have to be in order: they are merged. */
		for (size_t i = random_below(p, round % 8 == 0 ? 400 : 3); i > 0; i--)
			push_strict(p, round * 15 + random_below(p, 600));
		order_round(&p->order);
		unmerged += p->order.is_by_run && order_is_ready(&p->order);
		with_strict += p->order.is_by_run && p->order.barrier_len > 0;
		take_loose(p, p->model.round_limit);
		p->model.round_limit = p->model.time_max;
	}
	order_flush(&p->order, UINT64_MAX);
	take_loose(p, UINT64_MAX);
	assert_int_equal(p->model.len, 0);
	assert_int_equal(p->order.strict_len, 0);
	assert_that(unmerged, >, 100);
	assert_that(unmerged, <, 1900);
	assert_that(with_strict, >, 100);
	assert_that(with_strict, <, unmerged);
}

static void
a_long_time_is_in_order_also_when_it_is_loose(void **state)
{
	struct pair *p = *state;

	p->order.is_loose = true;
	for (uint64_t ring = 0; ring < 3; ring++)
		for (uint64_t i = 0; i < 100; i++)
			push(p, 1 + ring + i * NSEC_PER_SEC / 100);
	order_flush(&p->order, UINT64_MAX);
	assert_int_equal(take_until(p, UINT64_MAX, 64), 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rings_are_merged_by_time_and_as_they_came, begin, end),
		cmocka_unit_test_setup_teardown(a_round_hands_out_what_the_round_before_had_seen,
						begin, end),
		cmocka_unit_test_setup_teardown(what_goes_on_after_a_round_stays_one_run, begin, end),
		cmocka_unit_test_setup_teardown(half_of_it_is_the_older_half, begin, end),
		cmocka_unit_test_setup_teardown(
			a_loose_order_keeps_each_on_its_side_of_those_that_are_strict, begin, end),
		cmocka_unit_test_setup_teardown(a_long_time_is_in_order_also_when_it_is_loose,
						begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
