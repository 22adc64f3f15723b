/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/count/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/asserts.h"

enum { PAIRS = 1024 };

/* Tags that differ by this share a pair of places, however large the cache is. */
#define SAME_PAIR (UINT64_C(1) << 32)

static void
tag_and_check_must_both_be_the_same(void **state)
{
	struct cache c;

	(void)state;
	cache_init(&c, PAIRS);
	cache_put(&c, 7, 1, 100);
	cache_put(&c, 7, 2, 200);
	assert_int_equal(cache_get(&c, 7, 1), 100);
	assert_int_equal(cache_get(&c, 7, 2), 200);
	assert_int_equal(cache_get(&c, 7, 3), 0);
	assert_int_equal(cache_get(&c, 7 + SAME_PAIR, 1), 0);
	cache_clear(&c);
	assert_int_equal(cache_get(&c, 7, 1), 0);
	cache_release(&c);
}

static void
what_was_found_again_stays_while_others_pass(void **state)
{
	struct cache c;

	(void)state;
	cache_init(&c, PAIRS);
	cache_put(&c, 7, 1, 100);
	cache_put(&c, 7, 2, 200);
	assert_int_equal(cache_get(&c, 7, 2), 200);
	for (uint32_t other = 3; other < 50; other++) {
		cache_put(&c, 7, other, other);
		assert_int_equal(cache_get(&c, 7, 1), 0);
	}
	assert_int_equal(cache_get(&c, 7, 2), 200);
	/* Nothing stays for ever. */
	assert_int_equal(cache_get(&c, 7, 49), 49);
	cache_put(&c, 7, 50, 50);
	assert_int_equal(cache_get(&c, 7, 2), 0);
	cache_release(&c);
}

static void
it_grows_with_what_is_put_into_it_and_keeps_it(void **state)
{
	struct cache c;
	size_t few;

	(void)state;
	cache_init(&c, PAIRS);
	few = cache_bytes(&c);
	cache_put(&c, 0, 1, 100);
	cache_put(&c, 0, 2, 200);
	assert_int_equal(cache_get(&c, 0, 2), 200);
	for (uint32_t i = 1; i < PAIRS; i++)
		cache_put(&c, i, i, i);
	assert_that(cache_bytes(&c), >, few);
	for (uint32_t i = 1; i < PAIRS; i++)
		assert_int_equal(cache_get(&c, i, i), i);
	/* And which of a pair was found again. */
	cache_put(&c, 0, 3, 300);
	assert_int_equal(cache_get(&c, 0, 2), 200);
	for (uint32_t i = 1; i <= PAIRS * 10; i++)
		cache_put(&c, i, i, i);
	assert_int_equal(cache_bytes(&c), cache_max_bytes(&c));
	cache_release(&c);
}

static void
it_follows_a_table_that_was_renumbered(void **state)
{
	const uint32_t weights[] = { 0, 90, 80, 3, 70 };
	const uint32_t map[] = { 0, 1, 2, 2, 3 };
	struct cache c;

	(void)state;
	cache_init(&c, PAIRS);
	cache_put(&c, 10, 1, 2);
	cache_put(&c, 11, 2, 3);
	cache_put(&c, 12, 2, 4);
	cache_put(&c, 13, 4, 4);
	cache_forget_light(&c, weights, 4);
	cache_renumber(&c, map);
	assert_int_equal(cache_get(&c, 10, 1), 2);
	assert_int_equal(cache_get(&c, 11, 2), 0);
	assert_int_equal(cache_get(&c, 12, 2), 3);
	assert_int_equal(cache_get(&c, 13, 3), 3);
	assert_int_equal(cache_get(&c, 13, 4), 0);
	cache_release(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tag_and_check_must_both_be_the_same),
		cmocka_unit_test(what_was_found_again_stays_while_others_pass),
		cmocka_unit_test(it_grows_with_what_is_put_into_it_and_keeps_it),
		cmocka_unit_test(it_follows_a_table_that_was_renumbered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
