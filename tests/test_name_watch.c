/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a runtime is asked to name its code, and when once more. */
#include "engine/viewer/name_watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/clock.h"

/* A second with so many samples more, of which so many have no name. */
static bool
second(struct name_watched *item, int at_s, uint64_t samples, uint64_t nameless)
{
	item->all += samples;
	item->nameless += nameless;
	return name_watched_is_due(item, (uint64_t)at_s * NSEC_PER_SEC);
}

static void
it_is_asked_where_there_are_no_names_at_all(void **state)
{
	struct name_watch w = { 0 };
	struct name_watched *item = name_watch_add(&w, 7);

	(void)state;
	assert_ptr_equal(name_watch_add(&w, 7), item);
	assert_ptr_equal(name_watch_of(&w, 7), item);
	assert_null(name_watch_of(&w, 8));
	assert_false(second(item, 1, 100, 100)); /* its file is still looked for */
	item->has_none = true;
	assert_true(second(item, 2, 0, 0));
	name_watch_release(&w);
}

static void
it_is_asked_again_when_more_has_no_name_and_30_s_are_over(void **state)
{
	struct name_watched item = { .pid = 7, .has_none = true };
	int s;

	(void)state;
	assert_true(second(&item, 1, 100, 100));
	name_watched_ask(&item, NSEC_PER_SEC);
	item.nameless = 0; /* all of it has names now */
	for (s = 2; s < 10; s++)
		assert_false(second(&item, s, 100, 5));
	for (; s < 31; s++)
		assert_false(second(&item, s, 100, 50));
	assert_true(second(&item, s, 100, 50));
	name_watched_ask(&item, (uint64_t)s * NSEC_PER_SEC);
	/* What its names do not cover is not asked for without end. */
	for (s++; s < 200; s++)
		assert_false(second(&item, s, 100, 50));
	assert_true(second(&item, s, 100, 60));
}

static void
few_samples_say_nothing(void **state)
{
	struct name_watched item = { .pid = 7 };

	(void)state;
	name_watched_ask(&item, NSEC_PER_SEC);
	assert_false(second(&item, 40, 100, 0));
	assert_false(second(&item, 41, 10, 10));
	assert_true(second(&item, 42, 10, 10)); /* both seconds together */
}

static void
the_list_has_an_end(void **state)
{
	struct name_watch w = { 0 };

	(void)state;
	for (int pid = 1; pid <= NAME_WATCH_MAX; pid++)
		assert_non_null(name_watch_add(&w, pid));
	assert_null(name_watch_add(&w, NAME_WATCH_MAX + 1));
	assert_non_null(name_watch_add(&w, 1));
	name_watch_release(&w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_asked_where_there_are_no_names_at_all),
		cmocka_unit_test(it_is_asked_again_when_more_has_no_name_and_30_s_are_over),
		cmocka_unit_test(few_samples_say_nothing),
		cmocka_unit_test(the_list_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
