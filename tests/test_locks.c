/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks of each kind in the view locks, with their owners and what these do.  It takes half a minute:
 * each kind is looked at for seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "tests/asserts.h"
#include "tests/locks.h"
#include "tests/root.h"

static void
look_at(struct run_result *r, const char *event, const char *mode, const char *more, int threads)
{
	pid_t pid = load_with(mode, more, threads);

	look_at_load(r, event, pid);
	run_end(pid);
}

static void
the_owner_of_a_mutex_is_named_with_what_it_does_meanwhile(void **state)
{
	/* Three threads for 30 of each 100 ms, or a little less: each naps before it comes again. */
	const double share = 3 * 0.28, differs = 0.16;
	struct lock l[FEW] = { 0 };

	(void)state;
	need_root();
	/* On a machine that stalls the load has another rhythm: one look of some is enough. */
	for (int i = 0; i < TRIES && fabs(l[0].seconds / LOOK_S - share) > differs; i++) {
		struct run_result r;

		look_at(&r, "off-cpu", "held", NULL, 5);
		assert_int_equal(read_locks(r.out, l, FEW), 1);
		assert_string_equal(l[0].lock, "g_cache_lock");
		assert_string_equal(l[0].owner_comm, "keeper");
		assert_that(l[0].held, >=, 90);
		assert_int_equal(l[0].waiters, 3);
		assert_string_equal(l[0].does, "sleep in keep_it");
		run_release(&r);
	}
	assert_within(l[0].seconds / LOOK_S, share, differs);
}

/* Both have waited for it in the window, and both were seen so. */
static void
who_has_a_lock_is_not_among_those_who_wait_for_it_now(void **state)
{
	int most = 0;

	(void)state;
	need_root();
	for (int i = 0; i < TRIES; i++) {
		struct lock l[FEW];
		struct run_result r;

		look_at(&r, "off-cpu", "turns", NULL, 3);
		assert_int_equal(read_locks(r.out, l, FEW), 1);
		assert_int_equal(l[0].waiters, 2);
		assert_that(l[0].waiting, <=, 1);
		most = MAX(most, l[0].waiting);
		run_release(&r);
	}
	assert_int_equal(most, 1);
}

static void
an_owner_that_runs_is_said_to_and_where(void **state)
{
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "wall-clock", "busy", NULL, 5);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	assert_string_equal(l[0].owner_comm, "keeper");
	assert_string_equal(l[0].does, "runs burn_it");
	run_release(&r);
}

static void
each_lock_of_a_deadlock_says_so(void **state)
{
	static const struct {
		const char *count;
		size_t locks;
	} circles[] = { { "2", 2 }, { "3", 3 } };
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	for (size_t i = 0; i < 2; i++) {
		look_at(&r, "off-cpu", "circle", circles[i].count, (int)circles[i].locks + 1);
		assert_int_equal(read_locks(r.out, l, FEW), circles[i].locks);
		for (size_t k = 0; k < circles[i].locks; k++) {
			assert_int_equal(strncmp(l[k].does, "deadlock with ", 14), 0);
			assert_int_equal(l[k].waiters, 1);
			assert_int_equal(l[k].waiting, 1);
		}
		assert_int_equal(run_count_text(r.out, "alpha"), circles[i].locks);
		run_release(&r);
	}
}

static void
owners_that_wait_lead_on_to_whom_they_wait_for(void **state)
{
	const struct lock *of_second = NULL, *of_first = NULL;
	struct lock l[FEW];
	struct run_result r;
	char want[64];

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "chain", NULL, 4);
	assert_int_equal(read_locks(r.out, l, FEW), 2);
	for (size_t i = 0; i < 2; i++) {
		if (strcmp(l[i].owner_comm, "first") == 0)
			of_first = &l[i];
		else if (strcmp(l[i].owner_comm, "second") == 0)
			of_second = &l[i];
	}
	assert_non_null(of_first);
	assert_non_null(of_second);
	assert_string_equal(of_first->does, "sleep in stay");
	snprintf(want, sizeof(want), "waits for %d first: sleep in stay", of_first->owner);
	assert_string_equal(of_second->does, want);
	run_release(&r);
}

/* All of these wait in futex(2), too. */
static void
what_is_no_lock_is_never_one(void **state)
{
	static const struct {
		const char *mode;
		int threads;
	} modes[] = { { "condition", 4 }, { "barrier", 5 } };
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	for (size_t i = 0; i < 2; i++) {
		double locked = 0, others = 0;

		/* Where a thread that holds it has to wait for a CPU all others wait for it. */
		for (unsigned tries = 0; tries < TRIES && (tries == 0 || locked >= 0.02 * LOOK_S);
		     tries++) {
			size_t n;

			locked = 0;
			look_at(&r, "off-cpu", modes[i].mode, NULL, modes[i].threads);
			n = read_locks(r.out, l, FEW);
			/* Who is woken takes its mutex again: for moments. */
			for (size_t k = 0; k < n; k++)
				locked += l[k].seconds;
			others = run_csv_sum(r.out, "period", 1, (const char *const[][2]){
					     { "comm", "[other]" } }) / 1e9;
			run_release(&r);
		}
		assert_that(locked, <, 0.02 * LOOK_S);
		assert_that(others, >, LOOK_S);
	}
}

static void
the_writer_of_a_rwlock_is_its_owner_and_readers_are_not_known(void **state)
{
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "rwlock", NULL, 4);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	assert_string_equal(l[0].lock, "g_table_lock");
	assert_string_equal(l[0].owner_comm, "has-written");
	assert_int_equal(l[0].waiters, 2);
	run_release(&r);
	look_at(&r, "off-cpu", "readers", NULL, 3);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	assert_string_equal(l[0].lock, "g_table_lock");
	assert_int_equal(l[0].owner, 0);
	assert_non_null(strstr(l[0].does, "readers"));
	run_release(&r);
}

static void
mutexes_of_each_kind_have_their_owners(void **state)
{
	static const char *const owners[] = { "has-pi", "has-robust", "has-recursive" };
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "kinds", NULL, 7);
	assert_int_equal(read_locks(r.out, l, FEW), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(run_count_text(r.out, owners[i]), 1);
		assert_int_equal(l[i].held, 100);
	}
	run_release(&r);
	look_at(&r, "off-cpu", "timed", NULL, 2);
	assert_int_equal(read_locks(r.out, l, FEW), 1);
	assert_string_equal(l[0].owner_comm, "owners");
	run_release(&r);
}

static void
a_lock_without_an_owner_word_says_why_nobody_is_named(void **state)
{
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "malloc", NULL, 5);
	assert_that(read_locks(r.out, l, FEW), >=, 1);
	assert_int_equal(strncmp(l[0].lock, "malloc 0x", 9), 0);
	assert_int_equal(l[0].owner, 0);
	assert_string_equal(l[0].does, "malloc's own lock has no owner word");
	assert_int_equal(run_count_text(r.out, "allocator,"), 0);
	run_release(&r);
}

/* By their words they would be mutexes, and a deadlock. */
static void
words_that_only_look_like_locks_name_nobody(void **state)
{
	struct lock l[FEW];
	struct run_result r;

	(void)state;
	need_root();
	look_at(&r, "off-cpu", "own", NULL, 3);
	assert_int_equal(read_locks(r.out, l, FEW), 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(strncmp(l[i].lock, "futex 0x", 8), 0);
		assert_int_equal(l[i].owner, 0);
	}
	assert_int_equal(run_count_text(r.out, "deadlock"), 0);
	assert_int_equal(run_count_text(r.err, "deadlock"), 0);
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_owner_of_a_mutex_is_named_with_what_it_does_meanwhile),
		cmocka_unit_test(who_has_a_lock_is_not_among_those_who_wait_for_it_now),
		cmocka_unit_test(an_owner_that_runs_is_said_to_and_where),
		cmocka_unit_test(each_lock_of_a_deadlock_says_so),
		cmocka_unit_test(owners_that_wait_lead_on_to_whom_they_wait_for),
		cmocka_unit_test(what_is_no_lock_is_never_one),
		cmocka_unit_test(the_writer_of_a_rwlock_is_its_owner_and_readers_are_not_known),
		cmocka_unit_test(mutexes_of_each_kind_have_their_owners),
		cmocka_unit_test(a_lock_without_an_owner_word_says_why_nobody_is_named),
		cmocka_unit_test(words_that_only_look_like_locks_name_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
