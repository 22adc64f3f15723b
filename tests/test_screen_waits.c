/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What threads wait for, on the screen: the event is chosen while ptop runs. */
#include "tests/screen_fixture.h"

#include <stdio.h>

static void
the_picker_has_waiting_as_an_event_and_every_view_shows_it(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "waits");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 140, 30, ARGS("-p", pid, "-V", "functions"), NULL);
	sees(s, "be_busy");
	keys(s, "e");
	sees_match(s, "off-cpu +time +");
	sees_match(s, "wall-clock +time +");
	keys(s, "off-cpu\r");
	/* The header has the part of each state. */
	sees_match(s, "off-cpu .*sleep [0-9]+% .*lock [0-9]+%");
	sees(s, "[lock]");
	sees(s, "[pipe]");
	sees(s, "[sleep]");
	keys(s, "t");
	sees(s, "feeder");
	keys(s, "[");
	/* It alone runs; which of its nodes are open depends on what was heaviest before. */
	sees_match(s, " 9[0-9]\\.[0-9]+ .* worker");
	leave(s);
}

/* Both are open then, and one looker is there. */
static void
the_event_that_is_shown_has_the_looks(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "waits");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 140, 30, ARGS("-p", pid, "-e", "wall-clock", "-V", "functions"), NULL);
	sees(s, "[lock]");
	keys(s, "e");
	sees_match(s, "off-cpu +time +");
	keys(s, "off-cpu\r");
	sees_match(s, "event off-cpu .*lock [0-9]+%");
	sees(s, "[lock]");
	keys(s, "[");
	sees_match(s, "event wall-clock .*lock [0-9]+%");
	leave(s);
}

/* What goes first where a screen is narrow is what helps least. */
static void
tasks_have_columns_of_what_they_wait_for(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "locks");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 80, 24, ARGS("-p", pid, "-e", "wall-clock", "-V", "threads"), NULL);
	sees_match(s, "PID +TID.*%EVT +WAIT +COMM +WAITS IN +ON");
	sees_match(s, "100.0 variable +wait_for +g_cache_lock");
	sees_match(s, "100.0 member +wait_for +g_table.0x40");
	leave(s);
	screen_start(s, 160, 50, ARGS("-p", pid, "-e", "wall-clock"), NULL);
	sees_match(s, "PID.*%EVT +RUN +QUEUE +STOLEN +WAIT +TREND +HOTTEST +WAITS IN +ON +COMMAND");
	sees_match(s, " [78][0-9]\\.[0-9] .* wait_for +(g_|heap|mutex).* locks");
	keys(s, "O");
	sees_match(s, " (100|9[0-9])\\.[0-9] +.* wait_for +(g_|heap|mutex).* locks");
	leave(s);
}

static void
who_has_nothing_to_do_is_shown_when_asked_for(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "threads");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 140, 30, ARGS("-p", pid, "-e", "wall-clock", "-V", "functions"), NULL);
	sees(s, "spin_a");
	sees_match(s, "wall-clock .*idle [0-9]+%");
	sees_no(s, "[signal]");
	keys(s, "O");
	sees(s, "[signal]");
	keys(s, "O");
	sees_no(s, "[signal]");
	leave(s);
	/* Where there is nothing else. */
	screen_load_with(s, "crowd", "2");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[1]);
	screen_start(s, 140, 30, ARGS("-p", pid, "-e", "off-cpu", "-V", "functions"), NULL);
	sees(s, "idle time is hidden: O shows it");
	keys(s, "O");
	sees(s, "[signal]");
	leave(s);
	/* Its row and those of its threads are there all the same, and have nothing. */
	screen_start(s, 80, 24, ARGS("-p", pid, "-e", "off-cpu"), NULL);
	sees_match(s, " 0[.]0 +crowd");
	sees(s, "no waits here, in this window; idle time is hidden: O shows it");
	keys(s, "\r");
	sees(s, "[Threads]");
	sees(s, "no waits here, in this window; idle time is hidden: O shows it");
	keys(s, "O");
	sees_no(s, "idle time is hidden");
	sees_match(s, " [1-9][0-9.]* +crowd");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(the_picker_has_waiting_as_an_event_and_every_view_shows_it),
		screen_test(the_event_that_is_shown_has_the_looks),
		screen_test(tasks_have_columns_of_what_they_wait_for),
		screen_test(who_has_nothing_to_do_is_shown_when_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
