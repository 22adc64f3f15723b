/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Marks by the thousand, and what the machine was at any time of a day. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/leaf/marks.h"
#include "engine/viewer/machine_log.h"
#include "tests/asserts.h"

static void
marks_are_in_the_order_of_their_times(void **state)
{
	struct marks *m = calloc(1, sizeof(*m));

	(void)state;
	marks_add(m, MARK_OWN, 30, "c");
	marks_add(m, MARK_END, 10, "a %d", 7);
	marks_add(m, MARK_OWN, 20, "b");
	marks_add(m, MARK_OWN, 20, "b2");
	assert_int_equal(m->len, 4);
	assert_string_equal(m->items[0].text, "a 7");
	assert_string_equal(m->items[1].text, "b");
	assert_string_equal(m->items[2].text, "b2");
	assert_string_equal(m->items[3].text, "c");
	free(m);
}

static void
of_too_many_the_oldest_that_nobody_set_go_first(void **state)
{
	struct marks *m = calloc(1, sizeof(*m));
	size_t own = 0;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		marks_add(m, i % 10 == 0 ? MARK_OWN : MARK_LOST, i, "%llu", (unsigned long long)i);
	assert_int_equal(m->len, MARKS_MAX);
	assert_int_equal(m->dropped, 5000 - MARKS_MAX);
	for (size_t i = 0; i < m->len; i++)
		own += m->items[i].kind == MARK_OWN;
	assert_int_equal(own, 500);
	for (uint64_t i = 0; i < 5000; i++)
		marks_add(m, MARK_OWN, 10000 + i, "x");
	assert_int_equal(m->len, MARKS_MAX);
	assert_int_equal(m->items[m->len - 1].at_ns, 14999);
	free(m);
}

static void
a_long_name_is_cut_between_characters(void **state)
{
	struct marks *m = calloc(1, sizeof(*m));
	char name[3 * MARK_TEXT_MAX + 1] = "";

	(void)state;
	for (int i = 0; i < MARK_TEXT_MAX; i++)
		memcpy(name + 3 * i, "€", 4);
	for (int shift = 0; shift < 3; shift++) {
		marks_add(m, MARK_OWN, 1, "%.*s%s", shift, "ab", name);
		assert_in_range(strlen(m->items[m->len - 1].text), MARK_TEXT_MAX - 6, MARK_TEXT_MAX - 1);
		assert_int_equal((strlen(m->items[m->len - 1].text) - (size_t)shift) % 3, 0);
	}
	free(m);
}

/* A process can be called anything: no name makes a line of its own. */
static void
a_name_in_a_mark_is_printable(void **state)
{
	struct marks *m = calloc(1, sizeof(*m));

	(void)state;
	marks_add(m, MARK_END, 1, "%s %d ended", "a\n99 lost\n", 7);
	assert_string_equal(m->items[0].text, "a\\x0a99 lost\\x0a 7 ended");
	marks_add(m, MARK_EXEC, 2, "%d executed %s", 4194304, "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
	assert_int_equal(strlen(m->items[1].text), strlen("4194304 executed ") + 15 * 4);
	free(m);
}

/* Half of the CPUs are busy in even minutes, none in odd ones. */
static void
a_day_of_the_machine_is_known(void **state)
{
	struct machine_log *l = machine_log_new();
	uint64_t now_ns = 1000 * 60 * NSEC_PER_SEC, begin_ns = now_ns;
	struct machine_state s;
	float busy[1440];

	(void)state;
	for (int i = 0; i < 24 * 3600; i++, now_ns += NSEC_PER_SEC) {
		bool is_busy = i / 60 % 2 == 0;
		struct proc_tick_msg t = { .clock_ns = now_ns, .tasks = 100, .running = is_busy ? 5 : 1,
			.load = { is_busy ? 4 : 2, 1, 1 }, .have_shares = true,
			.all = { .user = is_busy ? 50 : 0, .idle = is_busy ? 50 : 100 } };

		machine_log_add(l, &t);
	}
	for (uint64_t minute = 2; minute < 1439; minute++) {
		assert_true(machine_log_mean(l, begin_ns + minute * 60 * NSEC_PER_SEC,
					     begin_ns + (minute + 1) * 60 * NSEC_PER_SEC, &s));
		assert_true(fabs((double)s.user - (minute % 2 == 0 ? 0.5 : 0)) < 0.03);
		assert_true(fabs((double)s.load[0] - (minute % 2 == 0 ? 4 : 2)) < 0.1);
		assert_int_equal((int)(s.tasks + 0.5f), 100);
	}
	assert_false(machine_log_mean(l, 1, begin_ns - NSEC_PER_SEC, &s));
	machine_log_busy(l, 2, now_ns, busy, 1440);
	for (int i = 2; i < 1439; i++)
		assert_true(fabs((double)busy[i] - (i % 2 == 0 ? 0.5 : 0)) < 0.03);
	machine_log_busy(l, 0, now_ns, busy, 120);
	assert_true(busy[0] > 0.4f && busy[118] < 0.1f);
	assert_that(machine_log_bytes(l), <, 256 << 10);
	assert_int_equal(machine_log_bytes(l), machine_log_bound(l));
	machine_log_free(l);
}

/* Before the first reading, and where none came, nothing is known. */
static void
what_nobody_read_is_not_known(void **state)
{
	struct machine_log *l = machine_log_new();
	struct proc_tick_msg t = { .clock_ns = 100 * NSEC_PER_SEC, .all = { .idle = 100 } };
	struct machine_state s;
	float busy[120];

	(void)state;
	machine_log_busy(l, 0, 100 * NSEC_PER_SEC, busy, 100);
	assert_true(isnan(busy[99]));
	machine_log_add(l, &t);
	assert_false(machine_log_mean(l, 0, 100 * NSEC_PER_SEC, &s));
	t.clock_ns += NSEC_PER_SEC;
	machine_log_add(l, &t);
	machine_log_busy(l, 0, 102 * NSEC_PER_SEC, busy, 102);
	assert_true(isnan(busy[99]) && !isnan(busy[100]) && isnan(busy[101]));
	machine_log_free(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marks_are_in_the_order_of_their_times),
		cmocka_unit_test(of_too_many_the_oldest_that_nobody_set_go_first),
		cmocka_unit_test(a_long_name_is_cut_between_characters),
		cmocka_unit_test(a_name_in_a_mark_is_printable),
		cmocka_unit_test(a_day_of_the_machine_is_known),
		cmocka_unit_test(what_nobody_read_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
