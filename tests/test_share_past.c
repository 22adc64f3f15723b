/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How sure shares of the merged past are, and differences of it: as often right as those of now. */
#include "tests/share_past.h"

enum { MINUTE_S = 60, HOUR_S = 3600, FUNCTIONS = 50, PROCESSES = 10 };

/* What is so old is of whole minutes, or of ten seconds. */
enum { MINUTES_AGO_S = 40 * MINUTE_S, TENS_AGO_S = 150, TENS_END_S = 29 * MINUTE_S };

/* One of twenty may be, and a few more by chance: there are not many. */
static void
assert_seldom(struct share_past_tally t, const char *what, unsigned window_s)
{
	if (t.known != t.tries || t.right * 25 > t.tries * 2)
		fail_msg("%s, %u s: of %u pairs %u are known, %u called changed", what, window_s,
			 t.tries, t.known, t.right);
}

static void
assert_covered(struct share_past_tally t, unsigned window_s)
{
	if (t.known != t.tries || t.right * 100 < t.tries * 90 || t.right * 100 > t.tries * 99)
		fail_msg("%u s: of %u intervals %u are known, %u right", window_s, t.tries, t.known,
			 t.right);
}

static void
a_minute_of_hours_ago_is_as_sure_as_one_of_now(void **state)
{
	static const struct {
		double correlation, deviation;
	} worlds[] = { { 0, 0 }, { 0.5, 0.3 } };
	const unsigned from_s = 7 * HOUR_S;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(worlds); i++) {
		struct share_past p;

		share_past_open(&p, FUNCTIONS, PROCESSES, worlds[i].correlation,
				worlds[i].deviation);
		share_past_run(&p, 8 * HOUR_S);
		assert_covered(share_past_covered(&p, from_s, MINUTES_AGO_S, MINUTE_S), MINUTE_S);
		for (unsigned window_s = MINUTE_S; window_s <= 5 * MINUTE_S; window_s += 4 * MINUTE_S) {
			assert_seldom(share_past_alarms(&p, VIEW_FUNCTIONS, from_s, MINUTES_AGO_S,
							window_s), "functions", window_s);
			assert_seldom(share_past_alarms(&p, VIEW_PROCESSES, from_s, MINUTES_AGO_S,
							window_s), "processes", window_s);
		}
		assert_seldom(share_past_alarms(&p, VIEW_FUNCTIONS, TENS_END_S, TENS_AGO_S, 20),
			      "functions", 20);
		share_past_close(&p);
	}
}

/* Units of both are not alike, nor is how they hang together. */
static void
now_is_compared_with_hours_ago(void **state)
{
	unsigned tries = 0, alarms = 0;
	struct share_past p;
	bool any;

	(void)state;
	share_past_open(&p, FUNCTIONS, PROCESSES, 0.5, 0.3);
	share_past_run(&p, 4 * HOUR_S);
	for (; tries < 100; tries++) {
		share_past_run(&p, MINUTE_S);
		share_past_difference(&p, 0, MINUTE_S, MINUTES_AGO_S + tries * MINUTE_S,
				      10 * MINUTE_S, &any);
		alarms += any;
	}
	if (alarms * 20 > tries)
		fail_msg("%u of %u pairs are called changed", alarms, tries);
	share_past_close(&p);
}

/* From 5 to 8 %, two hours ago: the minutes before and after tell. */
static void
a_change_of_hours_ago_is_found(void **state)
{
	struct share_past p;

	(void)state;
	share_past_open(&p, FUNCTIONS, PROCESSES, 0.5, 0.1);
	for (size_t i = 1; i < FUNCTIONS; i++)
		p.world.share[i] = 0.95 / (FUNCTIONS - 1);
	p.world.share[0] = 0.05;
	share_past_run(&p, 2 * HOUR_S);
	p.world.share[0] = 0.08;
	share_past_run(&p, 2 * HOUR_S);
	for (unsigned minutes = 1; minutes <= 15; minutes += 7) {
		const unsigned window_s = minutes * MINUTE_S;
		struct difference d;
		bool any;

		d = share_past_difference(&p, 2 * HOUR_S - window_s, window_s, 2 * HOUR_S, window_s,
					  &any);
		assert_true(d.change.is_significant);
		assert_true(d.change.low > 0 && d.change.high < 0.06);
	}
	share_past_close(&p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_minute_of_hours_ago_is_as_sure_as_one_of_now),
		cmocka_unit_test(now_is_compared_with_hours_ago),
		cmocka_unit_test(a_change_of_hours_ago_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
