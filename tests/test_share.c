/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How sure shares are: known values of the arithmetic, and how often it is right. */
#include "view/share.h"

#include "tests/share_world.h"
#include "view/cusum.h"
#include "view/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
assert_near(double a, double b, double part)
{
	if (fabs(a - b) > part * fabs(b))
		fail_msg("%.9g is not %.9g", a, b);
}

/* Tables of the distribution have these. */
static void
tails_and_quantiles_are_those_of_the_tables(void **state)
{
	static const struct {
		double p, df, t;
	} rows[] = {
		{ 0.05, 1, 12.706205 }, { 0.05, 2, 4.302653 }, { 0.05, 10, 2.228139 },
		{ 0.05, 30, 2.042272 }, { 0.05, 120, 1.979930 }, { 0.01, 5, 4.032143 },
		{ 0.001, 29, 3.659405 }, { 0.05, 1e9, 1.959964 }, { 0.5, 3, 0.764892 },
		{ 0.05, 2.5, 3.558 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double close = rows[i].df == 2.5 ? 0.01 : 1e-6;

		assert_near(student_quantile(rows[i].p, rows[i].df), rows[i].t, close);
		assert_near(student_tail(rows[i].t, rows[i].df), rows[i].p, close * 20);
		assert_near(student_tail(-rows[i].t, rows[i].df), rows[i].p, close * 20);
	}
	assert_true(student_tail(0, 4) > 0.999999);
	assert_true(student_tail(INFINITY, 4) == 0);
	assert_near(student_tail(40, 60), 1.5e-44, 1);
}

static struct share_sums
sums_of(const double *of, size_t count, double all)
{
	struct share_sums s = { .unit_s = 1, .spread_unit_s = 1, .samples = all * (double)count };

	for (size_t i = 0; i < count; i++)
		share_add(&s.window, of[i], all);
	return s;
}

static void
a_share_is_never_surer_than_independent_samples_are(void **state)
{
	static const double even[] = { 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25, 25 };
	struct share_sums s = sums_of(even, ARRAY_SIZE(even), 100);

	(void)state;
	assert_near(share_of(&s), 0.25, 1e-12);
	assert_near(share_error(&s), 1.959964 * sqrt(0.25 * 0.75 / 1200), 1e-6);
}

static void
units_that_hang_together_make_a_share_less_sure(void **state)
{
	double apart[40], together[40];
	struct share_sums a, b;

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		apart[i] = i % 2 ? 10 : 40;
		together[i] = i / 10 % 2 ? 10 : 40;
	}
	a = sums_of(apart, 40, 100);
	b = sums_of(together, 40, 100);
	assert_true(share_error(&b) > 2 * share_error(&a));
	assert_true(share_needs_s(&b) > 20);
	assert_true(share_needs_s(&a) == 0);
}

/* Not even chance moves it: nothing hangs together. */
static void
a_share_that_is_always_the_same_needs_no_more_time(void **state)
{
	struct share_sums s = { .unit_s = 1, .spread_unit_s = 1, .samples = 30000 };

	(void)state;
	for (int i = 0; i < 30; i++)
		share_add(&s.window, 480, 10680);
	assert_true(share_needs_s(&s) == 0);
}

/* A window of a second: its variance is that of the past. */
static void
a_window_of_a_unit_takes_its_variance_from_the_spread(void **state)
{
	struct share_sums s = { .unit_s = 1, .spread_unit_s = 1, .samples = 100 };
	struct share_sums longer;

	(void)state;
	share_add(&s.window, 30, 100);
	assert_true(isnan(share_error(&s)));
	assert_true(share_needs_s(&s) > 8);
	for (int i = 0; i < 120; i++)
		share_add(&s.spread, i % 3 * 20 + 10, 100);
	longer = s;
	longer.window = s.spread;
	longer.samples = 12000;
	assert_near(share_of(&s), 0.3, 1e-12);
	assert_near(share_error(&s), share_error(&longer) * sqrt(120), 0.01);
	assert_true(share_needs_s(&s) == 0);
}

static void
what_is_not_enough_says_how_much_is_missing(void **state)
{
	static const double few[] = { 5, 6, 4 };
	struct share_sums now = sums_of(few, 3, 100), then = now;
	struct share_change c;
	struct share_change *list[] = { &c };

	(void)state;
	then.window.of /= 100;
	share_compare(&c, &now, &then);
	share_judge(list, 1);
	assert_true(c.needs_s == 7);
	assert_false(c.is_significant);
	/* Nor is said how sure it is: that would be another answer. */
	assert_true(isnan(c.low) && isnan(c.high) && isnan(c.p) && isnan(c.q));
}

/* Nine seconds after a change, which more time holds: the tenth tells more than minutes would. */
static void
a_short_window_needs_no_more_than_to_be_long_enough(void **state)
{
	double of[30], ones[9];
	struct share_sums now, then;
	struct share_change c;

	(void)state;
	for (size_t i = 0; i < 30; i++)
		of[i] = i < 21 ? 50 : 1;
	for (size_t i = 0; i < 9; i++)
		ones[i] = of[21 + i];
	then = sums_of(of, 20, 100);
	now = sums_of(ones, 9, 100);
	for (size_t i = 0; i < 30; i++)
		share_add(&now.spread, of[i], 100);
	share_compare(&c, &now, &then);
	assert_false(isnan(c.p));
	assert_true(c.needs_s == 1);
}

/* Its seconds hang together: 20 of them are worth fewer than ten, and that is enough for this. */
static void
what_is_certain_needs_no_more_time(void **state)
{
	double of[20], none[20] = { 0 };
	struct share_sums now, then;
	struct share_change c, small, *list[] = { &c, &small };

	(void)state;
	for (size_t i = 0; i < 20; i++)
		of[i] = i / 3 % 2 ? 20 : 34;
	now = sums_of(of, 20, 100);
	then = sums_of(none, 20, 100);
	assert_true(share_needs_s(&now) > 0);
	share_compare(&c, &now, &then);
	small = (struct share_change){ .now = 0.2, .then = 0.199, .delta = 0.001, .needs_s = 5 };
	share_judge(list, 2);
	assert_true(c.low > 0.15 && c.q < 0.01);
	assert_true(c.is_significant && c.needs_s == 0);
	/* It is as sure that this is too small to matter. */
	assert_true(!small.is_significant && small.needs_s == 0);
}

/* Twelve seconds that rise steadily tell next to nothing; but no share is below 0. */
static void
an_interval_spans_what_shares_may_be(void **state)
{
	double of[12], none[12] = { 0 };
	struct share_sums some, nothing;
	struct share_change c, *list[] = { &c };

	(void)state;
	for (size_t i = 0; i < 12; i++)
		of[i] = 15 + (double)i;
	some = sums_of(of, 12, 100);
	nothing = sums_of(none, 12, 100);
	share_compare(&c, &some, &nothing);
	share_judge(list, 1);
	assert_true(c.low > -0.03 && c.low < 0 && c.high > 0.5 && c.high <= 1);
	assert_true(!c.is_significant && c.needs_s > 60);
	share_compare(&c, &nothing, &some);
	assert_true(c.high < 0.03 && c.high > 0 && c.low < -0.5 && c.low >= -1);
}

static void
a_row_that_was_not_there_is_significant(void **state)
{
	double of[30], none[30] = { 0 };
	struct share_sums now, then;
	struct share_change c;
	struct share_change *list[] = { &c };

	(void)state;
	for (size_t i = 0; i < 30; i++)
		of[i] = 20 + (double)(i * 7 % 5);
	now = sums_of(of, 30, 1000);
	then = sums_of(none, 30, 1000);
	share_compare(&c, &now, &then);
	share_judge(list, 1);
	assert_true(c.is_significant);
	assert_true(c.then == 0 && c.low > 0.01 && c.high < 0.04);
}

/* Of p-values 0.001, 0.008, 0.039, 0.041 the q-values are 0.004, 0.016, 0.041, 0.041. */
static void
q_values_are_those_of_benjamini_and_hochberg(void **state)
{
	static const double p[] = { 0.041, 0.001, 0.039, 0.008 }, q[] = { 0.041, 0.004, 0.041, 0.016 };
	struct share_change c[5], *list[5];

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		c[i] = (struct share_change){ .now = 0.5, .then = 0.4, .delta = 0.1, .q = NAN,
					      .p = i < 4 ? p[i] : NAN };
		list[i] = &c[i];
	}
	share_judge(list, 5);
	for (size_t i = 0; i < 4; i++) {
		assert_near(c[i].q, q[i], 1e-9);
		assert_int_equal(c[i].is_significant, i == 1);
	}
	assert_true(isnan(c[4].q) && !c[4].is_significant);
}

static void
a_change_that_is_too_small_to_matter_is_none(void **state)
{
	struct share_change c[] = {
		{ .now = 0.500, .then = 0.495, .delta = 0.005, .p = 1e-9 },
		{ .now = 0.511, .then = 0.500, .delta = 0.011, .p = 1e-9 },
		{ .now = 0.010, .then = 0.008, .delta = 0.002, .p = 1e-9 },
		{ .now = 0, .then = 0, .delta = 0, .p = 1e-9 },
	};
	struct share_change *list[] = { &c[0], &c[1], &c[2], &c[3] };

	(void)state;
	share_judge(list, 4);
	assert_false(c[0].is_significant);
	assert_true(c[1].is_significant);
	assert_true(c[2].is_significant);
	assert_false(c[3].is_significant);
	share_judge(list, 0);
}

/* At most 10 of 200 pairs, however much seconds hang together. */
static void
what_does_not_change_is_seldom_called_a_change(void **state)
{
	static const struct {
		double correlation, deviation;
	} worlds[] = { { 0, 0 }, { 0, 0.3 }, { 0.3, 0.3 }, { 0.5, 0.1 }, { 0.5, 0.3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++) {
		unsigned n = world_false_alarms(200, 30, worlds[i].correlation, worlds[i].deviation);

		if (n > 10)
			fail_msg("correlation %.1f, deviation %.1f: %u of 200 pairs",
				 worlds[i].correlation, worlds[i].deviation, n);
	}
}

static void
a_rise_from_5_to_8_percent_is_seen_in_30_seconds(void **state)
{
	(void)state;
	assert_in_range(world_found(100, 30, 0.05, 0.08, 0, 0), 95, 100);
	assert_in_range(world_found(100, 30, 0.05, 0.08, 0.3, 0.1), 95, 100);
	assert_in_range(world_found(100, 30, 0.05, 0.08, 0.5, 0.1), 95, 100);
}

static void
intervals_of_95_percent_hold_the_truth_so_often(void **state)
{
	static const struct {
		unsigned seconds;
		double correlation, deviation;
	} worlds[] = { { 30, 0, 0 }, { 30, 0, 0.1 }, { 30, 0.3, 0.1 }, { 30, 0.5, 0.1 },
		       { 120, 0, 0.3 }, { 120, 0.5, 0.3 }, { 120, 0.5, 0.7 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++) {
		unsigned n = world_covered(1000, worlds[i].seconds, 0.25, worlds[i].correlation,
					   worlds[i].deviation);

		if (n < 930 || n > 970)
			fail_msg("%u s, correlation %.1f, deviation %.1f: %u of 1000",
				 worlds[i].seconds, worlds[i].correlation, worlds[i].deviation, n);
	}
}

static void
a_change_is_told_in_20_seconds_and_chance_is_not(void **state)
{
	(void)state;
	assert_in_range(world_hour_changes(0, 0), 0, 1);
	assert_in_range(world_hour_changes(0.3, 0.1), 0, 1);
	assert_in_range(world_hour_changes(0.5, 0.3), 0, 1);
	assert_in_range(world_told(100, 0, 0.1), 95, 100);
	assert_in_range(world_told(100, 0.5, 0.1), 95, 100);
}

static void
what_switches_each_30_seconds_is_told_each_time(void **state)
{
	(void)state;
	assert_in_range(world_switches_told(0, 0.1), 95, 100);
	assert_in_range(world_switches_told(0.3, 0.1), 95, 100);
	assert_in_range(world_switches_told(0.5, 0.2), 80, 100);
}

/* It goes back within ten seconds. */
static void
a_burst_is_no_change(void **state)
{
	struct cusum row = { .have = 0 };
	struct cusum_change change;

	(void)state;
	for (int second = 0; second < 200; second++) {
		bool is_burst = second >= 100 && second < 106;
		double share = (is_burst ? 0.3 : 0.05) + second % 3 * 0.002;

		assert_false(cusum_add(&row, share, 1000, &change));
	}
}

static void
bursts_of_nine_seconds_are_no_changes(void **state)
{
	(void)state;
	for (int each = 30; each <= 60; each += 5) {
		struct cusum row = { .have = 0 };
		struct cusum_change change;

		for (int second = 0; second < 600; second++) {
			bool is_burst = second % each >= each - 9;
			double share = (is_burst ? 0.3 : 0.05) + second % 3 * 0.002;

			assert_false(cusum_add(&row, share, 1000, &change));
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tails_and_quantiles_are_those_of_the_tables),
		cmocka_unit_test(a_share_is_never_surer_than_independent_samples_are),
		cmocka_unit_test(units_that_hang_together_make_a_share_less_sure),
		cmocka_unit_test(a_share_that_is_always_the_same_needs_no_more_time),
		cmocka_unit_test(a_window_of_a_unit_takes_its_variance_from_the_spread),
		cmocka_unit_test(what_is_not_enough_says_how_much_is_missing),
		cmocka_unit_test(a_short_window_needs_no_more_than_to_be_long_enough),
		cmocka_unit_test(what_is_certain_needs_no_more_time),
		cmocka_unit_test(an_interval_spans_what_shares_may_be),
		cmocka_unit_test(a_row_that_was_not_there_is_significant),
		cmocka_unit_test(q_values_are_those_of_benjamini_and_hochberg),
		cmocka_unit_test(a_change_that_is_too_small_to_matter_is_none),
		cmocka_unit_test(what_does_not_change_is_seldom_called_a_change),
		cmocka_unit_test(a_rise_from_5_to_8_percent_is_seen_in_30_seconds),
		cmocka_unit_test(a_change_is_told_in_20_seconds_and_chance_is_not),
		cmocka_unit_test(what_switches_each_30_seconds_is_told_each_time),
		cmocka_unit_test(a_burst_is_no_change),
		cmocka_unit_test(bursts_of_nine_seconds_are_no_changes),
		cmocka_unit_test(intervals_of_95_percent_hold_the_truth_so_often),
	};

	return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}
