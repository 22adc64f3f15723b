/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A CPU that is off line, as the screen tells of it. */
#include <config.h>

#include "tests/screen_fixture.h"

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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_header_says_how_many_cpus_are_sampled,
						screen_setup, teardown),
	};

	return cmocka_run_group_tests(tests, cpu_1_guard, NULL);
}
