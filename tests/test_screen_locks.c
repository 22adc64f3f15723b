/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view locks on the screen, of locks whose owners are known. */
#include "tests/screen_fixture.h"

#include <stdio.h>

static void
one_key_shows_who_holds_a_lock_and_what_it_does(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load_with(s, "owners", "held");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 80, 24, ARGS("-p", pid), NULL);
	sees(s, "owners");
	keys(s, "L");
	sees(s, "[Locks]");
	sees(s, "HELD BY");
	sees_match(s, "[0-9]+ keeper +sleep in keep_it");
	sees(s, "[no lock]");
	/* In is who holds it, */
	keys(s, "\r");
	sees(s, "keep_it");
	sees_no(s, "want_it");
	keys(s, "\x1b");
	sees(s, "[Locks]");
	/* and c those who wait. */
	keys(s, "c");
	sees(s, "want_it");
	sees_no(s, "keep_it");
	keys(s, "\x1b");
	sees(s, "[Locks]");
	keys(s, "i");
	sees_match(s, "waited for +[1-3] thread");
	leave(s);
}

static void
a_deadlock_is_seen_at_once(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load_with(s, "owners", "circle");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 160, 50, ARGS("-p", pid, "-V", "locks"), NULL);
	sees(s, "WAITERS");
	sees(s, "%HELD");
	sees_match(s, "!.*alpha +100 +deadlock with [0-9]+ beta");
	sees_match(s, "!.*beta +100 +deadlock with [0-9]+ alpha");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(one_key_shows_who_holds_a_lock_and_what_it_does),
		screen_test(a_deadlock_is_seen_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
