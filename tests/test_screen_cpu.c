/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The share of a CPU that /proc tells of a process, whatever is sampled. */
#include "tests/screen_fixture.h"

#include <signal.h>
#include <stdio.h>

static void
sees_busy_hot(struct screen *s, pid_t pid)
{
	char row[64];

	snprintf(row, sizeof(row), "^ +%d +root +1 +[1-9][0-9]+\\.[0-9] .* hot$", (int)pid);
	sees_match(s, row);
}

static void
show_hot_alone(struct screen *s)
{
	keys(s, "\\");
	sees(s, "filter:");
	keys(s, "hot\r");
	sees(s, "filter hot");
}

static void
who_is_busy_is_told_while_something_else_is_sampled(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 120, 30, ARGS("-e", "page-faults"), NULL);
	sees(s, "event page-faults");
	show_hot_alone(s);
	sees_busy_hot(s, s->loads[0]);
	leave(s);
}

static void
an_idle_target_is_read_as_well(void **state)
{
	struct screen *s = *state;
	char pid[16], row[64];

	screen_load(s, "hot");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 120, 30, ARGS("-p", pid, "-e", "page-faults"), NULL);
	sees(s, "event page-faults");
	sees_busy_hot(s, s->loads[0]);
	kill(s->loads[0], SIGSTOP);
	snprintf(row, sizeof(row), "^ +%s +root +1 +0\\.0 ", pid);
	sees_match(s, row);
	leave(s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		screen_test(who_is_busy_is_told_while_something_else_is_sampled),
		screen_test(an_idle_target_is_read_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
