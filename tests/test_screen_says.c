/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole program on the real kernel, in a terminal: what it says of processes that end, join and
 * are its own, of COMMAND, of recordings and of memory.  No figure here depends on what else runs.
 */
#include "tests/screen_fixture.h"

#include <stdio.h>
#include <unistd.h>

static void
a_process_that_has_ended_keeps_its_row(void **state)
{
	static const char ended[] = "^\xe2\x80\xa0 +[0-9]+ .* (hot|warm)_loop +hot \\(ended\\)";
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "hot");
	snprintf(pid, sizeof(pid), "%d", s->loads[0]);
	screen_start(s, 100, 24, ARGS("-p", pid), NULL);
	sees_match(s, "^ +[0-9]+ .* hot_loop ");
	screen_end_load(s, 0);
	sees_match(s, ended);
	pty_run(s->p, 2200);
	sees_match(s, ended);
	keys(s, "!");
	sees_match(s, "process [0-9]+ hot has ended");
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
}

/* Also those that it forked are marked, and not taken for a second ptop. */
static void
processes_of_ptop_are_marked(void **state)
{
	struct screen *s = *state;

	/* Of a busy machine there are more processes than rows; those of other ptops have no mark. */
	screen_start(s, 120, 40, ARGS("--filter", "comm=ptop*"), NULL);
	sees(s, "[Processes]");
	sees_match(s, "^\\* .* ptop-symbols$");
	sees_match(s, "^\\* .* ptop-open$");
	leave(s);
}

static void
the_bounds_of_memory_and_what_is_used_are_told(void **state)
{
	struct screen *s = *state;
	char pid[16];

	/* Of a busy machine there is more to say before that than has room. */
	screen_load(s, "hot");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 200, 60, ARGS("--memory", "1M", "-p", pid), NULL);
	sees_match(s, " (hot|warm)_loop +hot");
	keys(s, "!");
	sees_match(s, "memory: [0-9.]+M resident in all");
	sees_match(s, "call trees +[0-9.]+[KM] +[0-9.]+K .*--memory");
	sees_match(s, "symbols of files +[0-9.]+[KM]? +4.0M .*--memory");
	/* They are not within that bound. */
	sees_match(s, "symbols of the kernel +[0-9.]+[KM] +- +no bound");
	sees_match(s, "rings +[0-9.]+[KM] .*-m");
	sees_match(s, "functions by task +[0-9.]+[KM] +- ");
	keys(s, "\033");
	leave(s);
}

static void
the_output_of_the_command_has_a_view(void **state)
{
	struct screen *s = *state;

	screen_start(s, 80, 24, ARGS("--", "sh", "-c", "echo hello; sleep 1; echo $0 bye"), NULL);
	sees(s, "[Processes]");
	keys(s, "\033[Z");
	sees(s, "Output of the command");
	sees_match(s, "^ hello$");
	sees_match(s, "^ sh bye$");
	sees(s, "the command has ended with status 0");
	keys(s, "\t");
	sees(s, "[Processes]");
	leave(s);
}

/* Also when its end comes right after a picture, as that of one read in a moment does. */
static void
a_recording_is_shown_to_its_end(void **state)
{
	char path[] = "/tmp/ptop-recording-XXXXXX";

	screen_recording(path, 300000, 1);
	screen_start(*state, 100, 24, ARGS("-i", path), NULL);
	sees_match(*state, "FILE /tmp/ptop-recording");
	sees(*state, "300k samples");
	keys(*state, "e");
	sees(*state, "a recording has only its own events");
	leave(*state);
	unlink(path);
}

/* What nothing comes of says so at once, and nothing is asked before. */
static void
keys_of_sampling_say_what_a_recording_is(void **state)
{
	static const struct {
		const char *key, *says;
	} rows[] = {
		{ "Z", "a recording that has been read does not change: nothing to freeze" },
		{ "z", "a recording's window cannot start anew" },
		{ "+", "the rate of a recording cannot be changed" },
		{ "-", "the rate of a recording cannot be changed" },
		{ "E", "the kernel filters only while it records" },
		{ "w", "this is a recording already" },
		{ "p", "the processes of a recording cannot be changed" },
		{ "D", "the processes of a recording cannot be changed" },
	};
	char path[] = "/tmp/ptop-recording-XXXXXX";
	struct screen *s = *state;

	screen_recording(path, 2000, 1);
	screen_start(s, 100, 24, ARGS("-i", path), NULL);
	sees(s, "2.0k samples");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		keys(s, rows[i].key);
		sees(s, rows[i].says);
		/* Another text, or one that is there already would do. */
		keys(s, "H");
		sees_match(s, "threads (on|off):");
	}
	sees(s, "2.0k samples");
	leave(s);
	unlink(path);
}

/* Whoever means htop's P learns how to go on, and which key it is here. */
static void
what_is_paused_says_how_to_go_on_in_80_columns(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 80, 24, ARGS("-V", "processes", "-e", "context-switches"), NULL);
	/* It is open, and has rows. */
	sees_match(s, "event context-switches +(each one|1 in [0-9]+) x");
	sees_match(s, "^. +[0-9]+ .* schedule ");
	keys(s, "P");
	sees(s, " context-switches is paused: P goes on with it; htop's P, order by CPU%: F6");
	sees(s, "PAUSED (P)");
	sees_match(s, " 0 samples/s| 0/s");
	keys(s, "P");
	sees_no(s, "PAUSED (P)");
	leave(s);
}

static void
a_process_joins_what_is_sampled_and_leaves_it(void **state)
{
	struct screen *s = *state;
	char first[16], second[32], crumb[64];

	screen_load(s, "hot");
	snprintf(first, sizeof(first), "%d", (int)s->loads[0]);
	screen_start(s, 120, 30, ARGS("-p", first), NULL);
	snprintf(crumb, sizeof(crumb), "All of %s hot", first);
	sees(s, crumb);
	sees_match(s, " (hot|warm)_loop +hot");
	screen_load(s, "threads");
	assert_int_equal(pty_find_line(s->p, "threads"), -1);
	snprintf(second, sizeof(second), "p%d\r", (int)s->loads[1]);
	keys(s, second);
	sees_match(s, "[0-9]+ threads is attached, with the descendants");
	sees_match(s, "All of [0-9]+ hot, [0-9]+ threads");
	sees_match(s, " spin_[ab] +[^ ]*threads");
	keys(s, second);
	sees_match(s, "[0-9]+ threads is attached already");
	keys(s, "/threads\rD");
	sees_match(s, "[0-9]+ threads is detached: its rows stay");
	sees_match(s, " spin_[ab] +[^ ]*threads");
	sees(s, crumb);
	keys(s, "D");
	sees_match(s, "[0-9]+ threads is not attached|[0-9]+ is not attached");
	keys(s, "p99999999\r");
	sees(s, "cannot attach: no process 99999999");
	keys(s, "!");
	sees_match(s, "[0-9]+ threads is detached");
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(a_process_that_has_ended_keeps_its_row),
		screen_test(processes_of_ptop_are_marked),
		screen_test(the_bounds_of_memory_and_what_is_used_are_told),
		screen_test(the_output_of_the_command_has_a_view),
		screen_test(a_recording_is_shown_to_its_end),
		screen_test(keys_of_sampling_say_what_a_recording_is),
		screen_test(what_is_paused_says_how_to_go_on_in_80_columns),
		screen_test(a_process_joins_what_is_sampled_and_leaves_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
