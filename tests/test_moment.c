/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times as people write them, beside a clock that is set back, jumps, or is not known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tests/asserts.h"
#include "view/moment.h"

#define AT(h, m, s) (((uint64_t)(h) * 3600 + (uint64_t)(m) * 60 + (uint64_t)(s)) * NSEC_PER_SEC)
#define DAY_NS AT(24, 0, 0)
#define TODAY_NS (UINT64_C(20000) * DAY_NS) /* 2024-10-04 */

/* Sampling since 10:00:00, now it is 10:45:00; the other clock began at 1000 s. */
static struct moments
morning(void)
{
	struct moments m = { .begin_ns = 1000 * NSEC_PER_SEC };
	int64_t by;

	wall_note(&m.wall, m.begin_ns, TODAY_NS + AT(10, 0, 0), &by);
	m.now_ns = m.begin_ns + AT(0, 45, 0);
	return m;
}

static void
assert_stretch(const struct moments *m, const char *text, uint64_t from_ns, uint64_t to_ns)
{
	struct err err = { 0 };
	uint64_t from, to;

	if (moment_parse_stretch(text, m, &from, &to, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	if (from - m->begin_ns != from_ns || to - m->begin_ns != to_ns)
		fail_msg("%s: %g to %g s", text, (double)(from - m->begin_ns) / 1e9,
			 (double)(to - m->begin_ns) / 1e9);
}

static void
assert_refused(const struct moments *m, const char *text, const char *why)
{
	struct err err = { 0 };
	uint64_t from, to;

	assert_int_equal(moment_parse_stretch(text, m, &from, &to, &err), -1);
	assert_string_equal(err.text, why);
}

static void
a_stretch_is_told_by_the_clock(void **state)
{
	struct moments m = morning();

	(void)state;
	assert_stretch(&m, "10:41", AT(0, 41, 0), AT(0, 42, 0));
	assert_stretch(&m, "10:41:30", AT(0, 41, 30), AT(0, 41, 40));
	assert_stretch(&m, "10:41:30-10:42", AT(0, 41, 30), AT(0, 42, 0));
	assert_stretch(&m, "10:41..10:43:05", AT(0, 41, 0), AT(0, 43, 5));
	assert_stretch(&m, "2024-10-04 10:41", AT(0, 41, 0), AT(0, 42, 0));
	assert_stretch(&m, "2024-10-04T10:41-10:42", AT(0, 41, 0), AT(0, 42, 0));
	/* What is still to come of it is left out. */
	assert_stretch(&m, "10:44-11:30", AT(0, 44, 0), AT(0, 45, 0));
}

/* Who asks for it is told what is not there. */
static void
a_stretch_may_begin_before_anything_was_sampled(void **state)
{
	static const char *const texts[] = { "9:30-10:05", "-1h..-40m" };
	struct moments m = morning();
	struct err err = { 0 };
	uint64_t from, to;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(moment_parse_stretch(texts[i], &m, &from, &to, &err), 0);
		assert_true(from < m.begin_ns);
		assert_int_equal(to - m.begin_ns, AT(0, 5, 0));
	}
}

static void
a_stretch_is_told_back_from_now_and_in_seconds(void **state)
{
	struct moments m = morning();

	(void)state;
	assert_stretch(&m, "-5m", AT(0, 40, 0), AT(0, 41, 0));
	assert_stretch(&m, "-5m..-4m", AT(0, 40, 0), AT(0, 41, 0));
	assert_stretch(&m, "-5m..-0s", AT(0, 40, 0), AT(0, 45, 0));
	assert_stretch(&m, "-90s", AT(0, 43, 30), AT(0, 43, 40));
	assert_stretch(&m, "-0.5h", AT(0, 15, 0), AT(0, 16, 0));
	assert_stretch(&m, "12-18", AT(0, 0, 12), AT(0, 0, 18));
	assert_stretch(&m, "12.5-18.25", 12500 * NSEC_PER_MSEC, 18250 * NSEC_PER_MSEC);
	assert_stretch(&m, "12", AT(0, 0, 12), AT(0, 0, 22));
}

static void
a_time_of_yesterday_is_the_last_that_was(void **state)
{
	struct moments m = { .begin_ns = 5 * NSEC_PER_SEC };
	int64_t by;

	(void)state;
	wall_note(&m.wall, m.begin_ns, TODAY_NS - AT(2, 0, 0), &by); /* at ten in the evening */
	m.now_ns = m.begin_ns + AT(4, 0, 0);
	assert_stretch(&m, "23:30", AT(1, 30, 0), AT(1, 31, 0));
	assert_stretch(&m, "23:30-0:30", AT(1, 30, 0), AT(2, 30, 0));
	assert_stretch(&m, "1:15", AT(3, 15, 0), AT(3, 16, 0));
}

/* Ten minutes after midnight: sampling since @began_ns after the clock's beginning, which was 23:45. */
static struct moments
after_midnight(uint64_t began_ns)
{
	struct moments m = { .begin_ns = began_ns, .now_ns = AT(0, 25, 0) };
	int64_t by;

	wall_note(&m.wall, 0, TODAY_NS - AT(0, 15, 0), &by);
	return m;
}

static void
a_time_that_has_not_been_today_is_of_the_day_before(void **state)
{
	struct moments m = after_midnight(AT(0, 5, 0)), late = after_midnight(AT(0, 18, 0));
	struct err err = { 0 };
	uint64_t from, to;

	(void)state;
	assert_stretch(&m, "23:55", AT(0, 5, 0), AT(0, 6, 0));
	assert_stretch(&m, "23:55-00:05", AT(0, 5, 0), AT(0, 15, 0));
	assert_stretch(&m, "23:55-23:58:30", AT(0, 5, 0), AT(0, 8, 30));
	/* None of it is known, whether the clock had begun then or not. */
	assert_refused(&m, "23:46", "nothing is known of 23:46 of the day before: kept from 2024-10-03 23:50:00 on");
	assert_refused(&m, "09:00", "nothing is known of 09:00 of the day before: kept from 2024-10-03 23:50:00 on");
	assert_refused(&m, "09:00-09:30",
		       "nothing is known of 09:00-09:30 of the day before: kept from 2024-10-03 23:50:00 on");
	assert_refused(&late, "23:55", "nothing is known of 23:55 of the day before: kept from 00:03:00 on");
	/* A part of it is. */
	assert_int_equal(moment_parse_stretch("23:55-00:05", &late, &from, &to, &err), 0);
	assert_true(from < late.begin_ns);
	assert_int_equal(to - late.begin_ns, AT(0, 2, 0));
	assert_int_equal(moment_parse_stretch("09:00-00:05", &late, &from, &to, &err), 0);
	assert_int_equal(to - late.begin_ns, AT(0, 2, 0));
	/* A day that is given is meant. */
	assert_refused(&m, "2024-10-04 09:00", "2024-10-04 09:00 is still to come: it is 00:10:00");
}

/* The clock began a few seconds before sampling did. */
static void
what_was_before_the_clock_began_is_not_its_beginning(void **state)
{
	struct moments m = after_midnight(AT(0, 0, 5));

	(void)state;
	assert_refused(&m, "23:30", "nothing is known of 23:30 of the day before: kept from 2024-10-03 23:45:05 on");
	assert_refused(&m, "23:30-23:40",
		       "nothing is known of 23:30-23:40 of the day before: kept from 2024-10-03 23:45:05 on");
	assert_refused(&m, "2024-10-03 23:30",
		       "nothing is known of 2024-10-03 23:30: kept from 2024-10-03 23:45:05 on");
	assert_refused(&m, "2024-10-03 23:30-23:40",
		       "nothing is known of 2024-10-03 23:30-23:40: kept from 2024-10-03 23:45:05 on");
}

static void
what_is_no_time_is_refused_in_one_line(void **state)
{
	struct moments m = morning();
	char ones[200];

	(void)state;
	assert_refused(&m, "99:99", "there is no time '99:99'");
	assert_refused(&m, "10:60", "there is no time '10:60'");
	assert_refused(&m, "10:41:", "there is no time '10:41:'");
	assert_refused(&m, "24:00", "there is no time '24:00'");
	assert_refused(&m, "10:41x", "there is no time '10:41x'");
	assert_refused(&m, "-x", "there is no time '-x'");
	assert_refused(&m, "-m", "there is no time '-m'");
	assert_refused(&m, "2024-13-04 10:41", "there is no time '2024-13-04 10:41'");
	assert_refused(&m, "noon", "no time is 'noon': wanted is 10:41, 10:41:30-10:42, -5m, "
				   "-5m..-4m, or seconds as 12-18");
	assert_refused(&m, "18-12", "18-12 ends before it begins");
	assert_refused(&m, "10:41:30-10:41", "10:41:30-10:41 ends before it begins");
	assert_refused(&m, "10:41-10:41", "10:41-10:41 ends before it begins");
	assert_refused(&m, "-4m..-5m", "-4m..-5m ends before it begins");
	assert_refused(&m, "10:50", "nothing is known of 10:50 of the day before: kept from 10:00:00 on");
	assert_refused(&m, "5000-5010", "5000 is still to come: it is 10:45:00");
	memset(ones, '1', sizeof(ones) - 1);
	ones[sizeof(ones) - 1] = '\0';
	assert_int_equal(moment_parse_stretch(ones, &m, &(uint64_t){ 0 }, &(uint64_t){ 0 },
					      &(struct err){ 0 }), -1);
}

static void
what_is_not_kept_is_said(void **state)
{
	struct moments m = morning();

	(void)state;
	m.kept_ns = m.begin_ns + AT(0, 31, 5);
	assert_refused(&m, "10:20", "nothing is known of 10:20: kept from 10:31:05 on");
	assert_refused(&m, "5-15", "nothing is known of 5-15: kept from 10:31:05 on");
	assert_refused(&m, "9:00", "nothing is known of 9:00: kept from 10:31:05 on");
	assert_stretch(&m, "10:31", AT(0, 31, 0), AT(0, 32, 0));
}

/* Moments keep the time that was shown then. */
static void
a_clock_that_is_set_back_shows_some_times_twice(void **state)
{
	struct moments m = morning();
	struct buf b = { 0 };
	int64_t by;

	(void)state;
	assert_true(wall_note(&m.wall, m.begin_ns + AT(0, 40, 0), TODAY_NS + AT(9, 40, 0), &by));
	assert_true(by == -(int64_t)AT(1, 0, 0));
	m.now_ns = m.begin_ns + AT(1, 15, 0); /* it shows 10:15 */
	assert_stretch(&m, "9:50", AT(0, 50, 0), AT(0, 51, 0));
	assert_stretch(&m, "10:10", AT(1, 10, 0), AT(1, 11, 0)); /* the later one */
	moment_put(&b, &m, m.begin_ns + AT(0, 39, 0));
	assert_string_equal(b.data, "10:39:00");
	buf_reset(&b);
	moment_put(&b, &m, m.begin_ns + AT(0, 41, 0));
	assert_string_equal(b.data, "09:41:00");
	buf_release(&b);
}

static void
a_clock_that_jumps_a_year_leaves_the_past_where_it_was(void **state)
{
	struct moments m = morning();
	struct buf b = { 0 };
	int64_t by;

	(void)state;
	assert_true(wall_note(&m.wall, m.begin_ns + AT(0, 40, 0), TODAY_NS + 365 * DAY_NS, &by));
	moment_put(&b, &m, m.begin_ns + AT(0, 30, 0));
	assert_string_equal(b.data, "2024-10-04 10:30:00");
	buf_reset(&b);
	m.now_ns = m.begin_ns + AT(0, 41, 0);
	moment_put(&b, &m, m.begin_ns + AT(0, 40, 30));
	assert_string_equal(b.data, "00:00:30");
	assert_stretch(&m, "2024-10-04 10:30", AT(0, 30, 0), AT(0, 31, 0));
	assert_stretch(&m, "-5m..-4m", AT(0, 36, 0), AT(0, 37, 0));
	buf_release(&b);
}

static void
a_time_that_the_clock_left_out_is_not_known(void **state)
{
	struct moments m = morning();
	int64_t by;

	(void)state;
	assert_true(wall_note(&m.wall, m.begin_ns + AT(0, 10, 0), TODAY_NS + AT(10, 30, 0), &by));
	assert_refused(&m, "10:20", "nothing is known of 10:20: kept from 10:00:00 on");
	assert_refused(&m, "10:20-10:25", "nothing is known of 10:20-10:25: kept from 10:00:00 on");
	assert_stretch(&m, "10:35", AT(0, 15, 0), AT(0, 16, 0));
}

static void
small_corrections_are_no_steps_and_steps_are_bounded(void **state)
{
	struct moments m = morning();
	int64_t by;

	(void)state;
	assert_false(wall_note(&m.wall, m.now_ns, TODAY_NS + AT(10, 45, 0) + 100 * NSEC_PER_MSEC, &by));
	assert_int_equal(m.wall.len, 1);
	for (uint64_t i = 1; i < 1000; i++)
		wall_note(&m.wall, m.now_ns + i * NSEC_PER_SEC, TODAY_NS + AT(10, 45, 0) + i * i * NSEC_PER_SEC,
			  &by);
	assert_int_equal(m.wall.len, WALL_STEPS_MAX);
	m.now_ns += 1000 * NSEC_PER_SEC;
	assert_int_equal(wall_real_ns(&m.wall, m.now_ns),
			 TODAY_NS + AT(10, 45, 0) + (999 * 999 + 1) * NSEC_PER_SEC);
}

static void
a_recording_without_a_time_of_day_has_seconds(void **state)
{
	struct moments m = { .begin_ns = 77 * NSEC_PER_SEC, .now_ns = 177 * NSEC_PER_SEC };
	struct buf b = { 0 };

	(void)state;
	assert_refused(&m, "10:41", "this recording does not tell the time of day: "
				    "seconds since its beginning are wanted, as 12-18");
	assert_refused(&m, "100-110", "100 is still to come: the recording ends at 100.0 s");
	assert_stretch(&m, "12-18", AT(0, 0, 12), AT(0, 0, 18));
	assert_stretch(&m, "-10s..-5s", AT(0, 0, 90), AT(0, 0, 95));
	moment_put(&b, &m, m.begin_ns + 1500 * NSEC_PER_MSEC);
	assert_string_equal(b.data, "1.5 s");
	buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stretch_is_told_by_the_clock),
		cmocka_unit_test(a_stretch_may_begin_before_anything_was_sampled),
		cmocka_unit_test(a_stretch_is_told_back_from_now_and_in_seconds),
		cmocka_unit_test(a_time_of_yesterday_is_the_last_that_was),
		cmocka_unit_test(a_time_that_has_not_been_today_is_of_the_day_before),
		cmocka_unit_test(what_was_before_the_clock_began_is_not_its_beginning),
		cmocka_unit_test(what_is_no_time_is_refused_in_one_line),
		cmocka_unit_test(what_is_not_kept_is_said),
		cmocka_unit_test(a_clock_that_is_set_back_shows_some_times_twice),
		cmocka_unit_test(a_clock_that_jumps_a_year_leaves_the_past_where_it_was),
		cmocka_unit_test(a_time_that_the_clock_left_out_is_not_known),
		cmocka_unit_test(small_corrections_are_no_steps_and_steps_are_bounded),
		cmocka_unit_test(a_recording_without_a_time_of_day_has_seconds),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
