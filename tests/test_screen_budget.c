/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CPU budget on the screen: what it does is shown, and why. */
#include "tests/screen_fixture.h"

enum { SETTLING_MS = 30000 };

#define OWN_ROW "^\\* +[0-9]+ .* (\\./)?[^ ]*ptop"
#define LOWERED " [0-9]+ of 20000 Hz x [0-9]+ cpu"

static void
a_lowered_frequency_is_shown_and_explained(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 200, 40, ARGS("-F", "20000", "--budget", "0.05", "-m", "1024"), NULL);
	sees_match(s, " 20000 Hz x [0-9]+ cpu");
	if (!pty_wait_match(s->p, LOWERED, SETTLING_MS))
		fail_msg("not lowered:\n%s", pty_screen(s->p));
	sees_match(s, "self [0-9.]+%");
	keys(s, "!");
	sees_match(s, "sampled [0-9]+ times a second per CPU, not 20000: [a-z].* shares stay right$");
	sees_match(s, "(--budget [0-9.]+ would be enough|lost in full rings)");
	sees_match(s, "fewer samples than asked, [0-9]+ a second per CPU$");
	keys(s, "\033");
	/* Fewer asked than are taken is what is asked; the keys go on to work. */
	for (int i = 0; i < 8; i++)
		keys(s, "-");
	sees_match(s, "  [0-9]+ Hz x [0-9]+ cpu");
	leave(s);
}

static void
another_event_keeps_to_the_budget_too(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 140, 40, ARGS("-F", "20000", "--budget", "0.05", "-e", "cpu-clock"), NULL);
	if (!pty_wait_match(s->p, LOWERED, SETTLING_MS))
		fail_msg("not lowered:\n%s", pty_screen(s->p));
	keys(s, "e");
	sees(s, "task-clock");
	keys(s, "task-clock\r");
	sees_match(s, "event task-clock +[0-9]+ of 20000 Hz");
	leave(s);
}

/* The keys come before the event is open. */
static void
a_rate_asked_for_while_the_event_opens_is_taken(void **state)
{
	struct screen *s = *state;

	screen_start(s, 140, 40, ARGS("-F", "199", "--budget", "off", "-e", "cpu-clock"), NULL);
	sees_match(s, "event cpu-clock +199 Hz");
	keys(s, "e");
	sees_match(s, "^ \\+ cpu-clock");
	keys(s, "task-cl");
	sees(s, "1 of ");
	keys(s, "\r++-");
	sees_match(s, "event task-clock +499 Hz");
	leave(s);
}

static void
ptop_itself_is_a_row_that_can_be_hidden(void **state)
{
	struct screen *s = *state;

	screen_start(s, 140, 40, ARGS("-w", "all"), NULL);
	keys(s, "\\comm=ptop\r");
	sees_match(s, OWN_ROW);
	keys(s, "*");
	sees(s, "no ptop");
	sees_no(s, "\n*");
	keys(s, "*");
	sees_match(s, OWN_ROW);
	leave(s);
}

/* Before samples are taken away, other work is. */
static void
what_is_done_less_is_said(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 200, 50, ARGS("--budget", "0.05", "-d", "0.2"), NULL);
	if (!pty_wait_match(s->p, " [0-9]+ of 999 Hz x [0-9]+ cpu", SETTLING_MS))
		fail_msg("not lowered:\n%s", pty_screen(s->p));
	keys(s, "!");
	sees(s, "ptop does less beside sampling");
	keys(s, "\033");
	/* Processes that begin now are shown all the same. */
	screen_load(s, "bursts");
	sees(s, "bursts");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_lowered_frequency_is_shown_and_explained),
		screen_test(another_event_keeps_to_the_budget_too),
		screen_test(what_is_done_less_is_said),
		screen_test(a_rate_asked_for_while_the_event_opens_is_taken),
		screen_test(ptop_itself_is_a_row_that_can_be_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
