/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A CPU that is off line, as the screen tells of it, and files that are written meanwhile. */
#include <config.h>

#include "tests/past.h"

#include "tests/cpu_1.h"

static int
teardown(void **state)
{
	cpu_1_put_back();
	return screen_teardown(state);
}

static void
the_header_says_how_many_cpus_are_sampled(void **state)
{
	struct screen *s = *state;

	cpu_1_need();
	screen_start(s, 120, 30, ARGS("-e", "cpu-clock", "-d", "0.5"), NULL);
	sees_match(s, "Hz x [0-9]+ cpu");
	assert_true(cpu_1_set("0"));
	sees_match(s, "Hz x [0-9]+/[0-9]+ CPUs");
	sees(s, "CPU 1 is off line:");
	keys(s, "!");
	sees(s, "CPU 1 went off line");
	assert_true(cpu_1_set("1"));
	keys(s, "\033");
	sees_match(s, "Hz x [0-9]+ cpu");
	sees_no(s, "CPU 1 is off line:");
	leave(s);
}

static int
past_cpu_teardown(void **state)
{
	cpu_1_put_back();
	return past_teardown(state);
}

/* Others may do the same with it. */
static void
set_cpu_1(struct past *p, const char *online, const char *regex)
{
	for (int i = 0; i < 3; i++) {
		assert_true(cpu_1_set(online));
		if (pty_wait_match(p->s.p, regex, SOON_MS))
			return;
	}
	sees_match(&p->s, regex);
}

static void
a_file_after_a_cpu_went_and_came_is_read_by_perf(void **state)
{
	struct past *p = *state;

	cpu_1_need();
	past_start(p, "");
	sees_match(&p->s, "Hz x [0-9]+ cpu");
	for (int i = 0; i < 2; i++) {
		set_cpu_1(p, "0", "Hz x [0-9]+/[0-9]+ CPUs");
		past_write_and_read(p);
		set_cpu_1(p, "1", "Hz x [0-9]+ cpu");
		pty_run(p->s.p, 1000);
		past_write_and_read(p);
	}
	leave(&p->s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_header_says_how_many_cpus_are_sampled,
						screen_setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_after_a_cpu_went_and_came_is_read_by_perf,
						past_setup, past_cpu_teardown),
	};

	return cmocka_run_group_tests(tests, cpu_1_guard, NULL);
}
