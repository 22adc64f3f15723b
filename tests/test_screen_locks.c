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
	sees(s, "[other]");
	/* In is who holds it, */
	keys(s, "\r");
	sees(s, "keep_it");
	sees_no(s, "want_it");
	sees_match(s, "all off-cpu of [0-9]+ keeper, not only while it holds the lock");
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

/* By name, or in the menu. */
static void
who_chooses_the_view_sees_who_holds_a_lock(void **state)
{
	static const char *const ways[] = { ":view locks\r", "v\033[F\033[A\033[A\033[A\033[A\033[A\033[A\r" };
	struct screen *s = *state;
	char pid[16];

	screen_load_with(s, "owners", "held");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		screen_start(s, 80, 24, ARGS("-p", pid, "-e", "cpu-clock"), NULL);
		sees(s, "[Processes]");
		keys(s, ways[i]);
		sees(s, "[Locks]");
		sees_match(s, "[0-9]+ keeper +sleep in keep_it");
		leave(s);
	}
}

/* These wait all the time: no switch tells of them, nor who holds a lock. */
static void
locks_are_looked_at_beside_what_traces_switches(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load_with(s, "owners", "circle");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 160, 50, ARGS("-p", pid, "-e", "off-cpu/exact/"), NULL);
	sees(s, "[Processes]");
	keys(s, "L");
	sees(s, "[Locks]");
	sees_match(s, "!.*alpha +100 +deadlock with [0-9]+ beta");
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

/* Holders are looked for from L on, in a window that began before. */
static void
a_lock_that_is_always_held_is_held_all_the_time_from_the_first_look_on(void **state)
{
	enum { BEFORE_MS = 3000 };
	struct screen *s = *state;
	char pid[16];

	screen_load_with(s, "owners", "circle");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 160, 50, ARGS("-p", pid, "-e", "off-cpu"), NULL);
	sees(s, "[Processes]");
	pty_run(s->p, BEFORE_MS);
	keys(s, "L");
	sees_match(s, "alpha +[0-9]+ +[dw]");
	if (!pty_wait_match(s->p, "alpha +100 +[dw]", 0))
		fail_with_screen(s, "alpha", "is not held all the time");
	leave(s);
}

static void
steps_to_locks(struct screen *s)
{
	enum { VIEWS = 20, LOOK_MS = 1000 };

	for (unsigned i = 0; i < VIEWS; i++) {
		keys(s, "\t");
		if (pty_wait_text(s->p, "[Locks]", LOOK_MS))
			return;
	}
	fail_with_screen(s, "[Locks]", "is not reached");
}

/* It may wait for locks of its own that have none, as PostgreSQL's processes do. */
static void
what_waits_for_no_lock_with_an_owner_is_not_called_none(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load_with(s, "faults", "5");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 80, 24, ARGS("-p", pid), NULL);
	sees(s, "[Processes]");
	keys(s, "L");
	sees(s, "[Locks]");
	sees_match(s, "^ +100[.]0 +[[]other[]]");
	sees(s, "no lock that has an owner is waited for; t shows where the rest waits");
	keys(s, "\r");
	sees(s, "no row to go into: no lock that has an owner is waited for");
	/* Work is no wait at all.  Who steps through the views opens nothing by that. */
	keys(s, "[");
	sees(s, "[Processes]");
	steps_to_locks(s);
	sees_match(s, "^ +100[.]0 +[[]no waits[]]");
	sees(s, "this event does not tell of locks: L opens off-cpu, which does");
	keys(s, "]");
	sees_match(s, "^ +100[.]0 +[[]other[]]");
	keys(s, "t");
	sees(s, "[Call tree]");
	leave(s);
	/* Nor is there one where all are idle; the event that sees locks is shown already. */
	screen_load_with(s, "crowd", "2");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[1]);
	screen_start(s, 80, 24, ARGS("-p", pid, "-e", "off-cpu", "-V", "locks"), NULL);
	sees_match(s, "^ *no thread waits for a lock in this window$");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(one_key_shows_who_holds_a_lock_and_what_it_does),
		screen_test(who_chooses_the_view_sees_who_holds_a_lock),
		screen_test(locks_are_looked_at_beside_what_traces_switches),
		screen_test(a_deadlock_is_seen_at_once),
		screen_test(a_lock_that_is_always_held_is_held_all_the_time_from_the_first_look_on),
		screen_test(what_waits_for_no_lock_with_an_owner_is_not_called_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
