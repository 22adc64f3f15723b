/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui_test.h"
#include "tests/asserts.h"
#include "tests/rc_folder.h"
#include "ui/settings.h"

#include <config.h>
#include <stdio.h>
#include <unistd.h>

static void
the_first_screen_shows_machine_event_processes_and_keys(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "spin_a");
	assert_non_null(strstr(pty_line(p, 0), "ptop web-03"));
	assert_non_null(strstr(pty_line(p, 0), "LIVE"));
	assert_non_null(strstr(pty_line(p, 1), "event cycles:P"));
	assert_non_null(strstr(pty_line(p, 1), "lost 0"));
	assert_non_null(strstr(pty_line(p, 1), "throttled 0"));
	assert_non_null(strstr(pty_line(p, 2), " s "));
	assert_non_null(strstr(pty_line(p, 3), "All"));
	assert_non_null(strstr(pty_line(p, 3), "[Processes]"));
	assert_non_null(strstr(pty_line(p, 4), "%EVT"));
	assert_non_null(strstr(pty_line(p, 5), "1234"));
	assert_non_null(strstr(pty_line(p, 23), "F1 Help"));
	assert_non_null(strstr(pty_line(p, 23), "q Quit"));
	leave(p);
}

static void
what_is_missing_is_in_the_line_of_the_event(void **state)
{
	struct pty *p = start(160, 24, ENV("FAKE_NOT_TARGETS=369000", "FAKE_MERGED=291"));

	(void)state;
	sees(p, "other processes 369k");
	sees(p, "merged (--memory) 291");
	sees(p, "lost 0");
	assert_int_equal(pty_find_line(p, "broken"), -1);
	leave(p);
}

/* Whether the first of @text on the line of the event is in a colour. */
static bool
is_colored(struct pty *p, const char *text)
{
	const char *at = strstr(pty_line(p, 1), text);

	assert_non_null(at);
	return pty_cell(p, (int)(at - pty_line(p, 1)), 1).colored;
}

static void
only_what_is_wrong_is_in_the_colour_of_alarm(void **state)
{
	struct pty *p = start(160, 24, ENV("FAKE_NOT_TARGETS=369000", "FAKE_MERGED=291",
					   "FAKE_LATE=5"));

	(void)state;
	sees(p, "late records 5");
	assert_true(is_colored(p, "late records 5"));
	assert_false(is_colored(p, "other processes 369k"));
	assert_false(is_colored(p, "merged (--memory) 291"));
	leave(p);
}

static void
enter_goes_in_and_escape_returns_to_the_same_row(void **state)
{
	struct pty *p = start(100, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\r");
	sees(p, "worker-a");
	sees(p, "[Threads]");
	pty_keys(p, "j\r");
	sees(p, "[Functions]");
	sees(p, "threads.c:12");
	sees(p, "thread 1240 worker");
	pty_keys(p, "i");
	sees(p, "About this row");
	sees(p, "named by .symtab");
	pty_keys(p, "\033");
	sees(p, "[Functions]");
	pty_keys(p, "\r");
	sees(p, "[Annotate]");
	pty_keys(p, "\033");
	sees(p, "[Functions]");
	pty_keys(p, "\033");
	sees(p, "[Threads]");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_true(pty_line_is_reverse(p, pty_find_line(p, "worker-a")));
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	pty_keys(p, "\033");
	sees(p, "outermost");
	leave(p);
}

/* The row of its one thread tells nothing that the row of the process did not; the view is still there. */
static void
enter_on_a_process_with_one_thread_opens_its_functions(void **state)
{
	struct pty *p = start(100, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "/nginx\r\r");
	sees(p, "[Functions]");
	sees(p, "All > threads 77");
	sees_no(p, "thread 77");
	pty_keys(p, "\033[Z"); /* Shift-Tab */
	sees(p, "[Threads]");
	sees(p, "All > threads 77");
	pty_keys(p, "\r");
	sees(p, "[Functions]");
	sees(p, "thread 77");
	pty_keys(p, "\033");
	sees(p, "[Threads]");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_true(pty_line_is_reverse(p, pty_find_line(p, "nginx")));
	leave(p);
}

/* What threads did that have ended is not in the one that lives: they are shown. */
static void
enter_on_a_process_whose_other_threads_ended_opens_its_threads(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_ENDED=1"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "/nginx\r\r");
	sees(p, "[Threads]");
	leave(p);
}

/* How many threads a process had that has ended is not known: they are shown. */
static void
enter_on_a_process_of_unknown_threads_opens_its_threads(void **state)
{
	struct pty *p = start(100, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "/sh -c\r\r");
	sees(p, "[Threads]");
	leave(p);
}

static void
keys_typed_ahead_wait_for_their_rows(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_SLOW=60"));

	(void)state;
	pty_keys(p, "\rj\r");
	sees(p, "[Functions]");
	sees(p, "All > threads 1234 > thread 1240");
	leave(p);
}

/* What is done to a process is done to one that was to be seen. */
static void
nothing_is_done_to_rows_that_are_not_there_yet(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_SLOW=800"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\r\033[20~");
	sees(p, "the rows of this place come in a moment: F9 then");
	sees(p, "All > threads 1234");
	sees(p, "1240");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_null(strstr(pty_screen(p), "SIGTERM"));
	pty_keys(p, "\033[20~");
	sees(p, "SIGTERM");
	leave(p);
}

static void
a_right_click_on_no_row_needs_none(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_SLOW=800"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\r\033[<2;20;1M");
	sees(p, "1240");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_null(strstr(pty_screen(p), "RightClick then"));
	leave(p);
}

static int
selected_line(struct pty *p, int from, int to)
{
	for (int y = from; y < to; y++)
		if (pty_line_is_reverse(p, y))
			return y;
	return -1;
}

static void
the_selection_stays_on_its_row_while_rows_change_places(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_SHUFFLE=1", "FAKE_DELAY=0.05"));
	bool moved = false;
	int first, y;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "/nginx\r");
	sees_no(p, "find:");
	pty_settle(p, 8, FRAME_MS);
	first = selected_line(p, 5, 23);
	for (int i = 0; i < 20 || (!moved && i < SOON_MS / 50); i++) {
		pty_run(p, 50);
		pty_settle(p, 8, FRAME_MS);
		y = selected_line(p, 5, 23);
		assert_that(y, >=, 0);
		assert_non_null(strstr(pty_line(p, y), "nginx"));
		moved = moved || y != first;
	}
	assert_true(moved);
	leave(p);
}

/* The header says which: also where there is little room, and what part of all it is. */
static void
shares_go_round_from_what_is_shown_to_all_to_per_second(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "[Processes]  % of shown");
	sees_no(p, "of all");
	pty_keys(p, "\r");
	sees(p, "[Threads]  % of shown");
	sees(p, "(50.0% of all)");
	pty_keys(p, "%");
	sees(p, "[Threads]  % of all");
	sees(p, "percent of all that the event counted");
	sees_no(p, "(50.0%");
	pty_keys(p, "%");
	sees(p, "[Threads]  per second");
	sees(p, "MS/S");
	sees(p, " 42.0 ");
	assert_int_equal(pty_find_line(p, "%EVT"), -1);
	pty_keys(p, "%");
	sees(p, "% of shown");
	sees(p, "%EVT");
	leave(p);
	p = start(140, 24, ENV());
	sees(p, "% of what is shown");
	leave(p);
}

static void
events_that_count_things_have_columns_for_them(void **state)
{
	struct pty *p = start(160, 24, ENV());

	(void)state;
	sees(p, "nginx");
	assert_int_equal(pty_find_line(p, "COUNT"), -1);
	pty_keys(p, "epage-f");
	sees(p, "1 of ");
	pty_keys(p, "\r");
	sees(p, "event page-faults");
	assert_true(pty_wait_match(p, "%EVT +COUNT +/S ", SOON_MS));
	assert_true(pty_wait_match(p, " 42.0 +420 +42.0 ", SOON_MS));
	pty_keys(p, "[");
	sees_no(p, "COUNT");
	leave(p);
}

static void
until_the_user_moves_the_first_row_is_selected(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_SHUFFLE=1", "FAKE_DELAY=0.05"));

	(void)state;
	sees(p, "nginx");
	for (int i = 0; i < 10; i++) {
		pty_run(p, 50);
		pty_settle(p, 8, FRAME_MS);
		assert_int_equal(selected_line(p, 5, 23), 5);
	}
	leave(p);
}

static void
views_go_round_with_tab_and_the_menu(void **state)
{
	struct pty *p = start(100, 24, ENV());

	(void)state;
	sees(p, "[Processes]");
	pty_keys(p, "\t");
	sees(p, "[Threads]");
	pty_keys(p, "\t");
	sees(p, "[Functions]");
	pty_keys(p, "\033[Z");
	sees(p, "[Threads]");
	pty_keys(p, "v");
	sees(p, "one row for each function");
	pty_keys(p, "j\r");
	sees(p, "[Functions]");
	leave(p);
}

static void
find_moves_to_the_row_and_says_when_there_is_none(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "rcu_preempt");
	pty_keys(p, "/rcu");
	sees(p, "find: rcu");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_true(pty_line_is_reverse(p, pty_find_line(p, "rcu_preempt")));
	pty_keys(p, "zzz");
	sees(p, "no row holds this");
	pty_keys(p, "\033");
	sees_no(p, "find:");
	leave(p);
}

/* All of them are seen, once, above what is typed. */
static void
a_filter_without_a_key_says_which_there_are(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "rcu_preempt");
	pty_keys(p, "\\foo=bar\r");
	sees(p, "filter: foo=bar");
	sees(p, "column 1: unknown key 'foo': one of event, comm, ");
	assert_non_null(strstr(pty_line(p, 22), "host"));
	assert_true(pty_find_line(p, "filter: column") < 0);
	pty_keys(p, "\025comm=nginx\r");
	sees(p, "filter comm=nginx");
	sees_no(p, "unknown key");
	leave(p);
}

/* Its rows come when another page is before them. */
static void
a_search_of_rows_that_come_late_ends_with_its_page(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_SLOW=1200"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\t/worker\re");
	sees(p, "event:");
	pty_keys(p, "\033");
	sees(p, "[Threads]");
	sees(p, "worker-b");
	leave(p);
}

static void
a_filter_keeps_its_rows_and_a_wrong_one_is_refused(void **state)
{
	struct pty *p = start(100, 24, ENV());

	(void)state;
	sees(p, "rcu_preempt");
	pty_keys(p, "\\comm=nginx\r");
	sees_no(p, "rcu_preempt");
	sees(p, "filter comm=nginx");
	sees(p, "[filtered]");
	pty_keys(p, "\\\025symbol~(");
	pty_keys(p, "\r");
	sees(p, "filter: symbol~(");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_that(strlen(pty_line(p, 23)), >, strlen(" filter: symbol~(") + 5);
	pty_keys(p, "\033\\\025\r");
	sees(p, "rcu_preempt");
	leave(p);
}

static void
sorting_by_keys_menu_and_mouse(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "▼%EVT");
	pty_keys(p, "<");
	sees(p, "▼%CPU");
	pty_keys(p, "I");
	sees(p, "▲%CPU");
	sees(p, "ptop");
	for (int ms = 0; ms < SOON_MS && strstr(pty_line(p, 5), "4400") == NULL; ms += 20)
		pty_run(p, 20);
	assert_non_null(strstr(pty_line(p, 5), "4400"));
	pty_keys(p, "\033OS"); /* F4: a prompt */
	sees(p, "filter:");
	pty_keys(p, "\033");
	pty_keys(p, "\033[17~"); /* F6 */
	sees(p, "Sort by");
	pty_keys(p, "\033[H\r");
	sees(p, "▼PID");
	pty_keys(p, "\033[<0;41;5M"); /* click on a title */
	sees_no(p, "▼PID");
	leave(p);
}

/* The button is let go below the line of time, where it was not pressed. */
static void
a_click_on_an_entry_of_a_menu_drags_no_time(void **state)
{
	struct pty *p = start(120, 24, ENV());
	char click[64];
	int y;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\033[17~"); /* F6 */
	sees(p, "Sort by");
	y = pty_find_line(p, "Sort by") + 2;
	snprintf(click, sizeof(click), "\033[<0;70;%dM\033[<0;70;%dm", y, y);
	pty_keys(p, click);
	sees_no(p, "Sort by");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_non_null(strstr(pty_line(p, 0), "LIVE"));
	leave(p);
}

static void
the_picker_finds_by_typing_and_switches(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_EVENTS=3000", "FAKE_LOG=ui_screen.log"));

	(void)state;
	unlink("ui_screen.log");
	sees(p, "nginx");
	pty_keys(p, "e");
	sees(p, "3012 of 3012");
	for (int i = 0; i < 200; i++)
		pty_keys(p, "\033[6~");
	sees(p, "sub29:event_2999");
	pty_keys(p, "cycles\r");
	sees(p, "cycles cannot be opened: ");
	pty_keys(p, "\025page-f");
	sees(p, "1 of 3012");
	pty_keys(p, "\r");
	sees(p, "event page-faults");
	pty_keys(p, "[");
	sees(p, "event cycles:P");
	pty_keys(p, "e");
	sees(p, "WHAT IT COUNTS");
	pty_keys(p, "\033");
	sees_no(p, "WHAT IT COUNTS");
	leave(p);
}

/* What one looks at another event for is what is hottest of it; going through those used is comparing. */
static void
another_event_begins_at_its_first_row(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_EVENTS=30"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\033[B\033[B\033[B");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_int_equal(selected_line(p, 5, 23), 8);
	pty_keys(p, "e");
	sees(p, "+ page-faults");
	pty_keys(p, "cycles\r");
	sees(p, "cycles cannot be opened: ");
	pty_keys(p, "\033");
	sees_no(p, "WHAT IT COUNTS");
	assert_int_equal(selected_line(p, 5, 23), 8);
	pty_keys(p, "e");
	sees(p, "+ page-faults");
	pty_keys(p, "page-f");
	sees(p, "1 of ");
	pty_keys(p, "\r");
	sees(p, "event page-faults");
	assert_int_equal(selected_line(p, 5, 23), 5);
	pty_keys(p, "\033[B\033[B");
	pty_settle(p, QUIET_MS, FRAME_MS);
	pty_keys(p, "[");
	sees(p, "event cycles:P");
	assert_int_equal(selected_line(p, 5, 23), 7);
	leave(p);
}

static void
another_event_leaves_a_view_that_has_nothing_of_it(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_EVENTS=30"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "g");
	sees(p, "Group by");
	pty_keys(p, "\033[F\r");
	sees(p, "[System calls]");
	pty_keys(p, "epage-f");
	sees(p, "1 of ");
	pty_keys(p, "\r");
	sees(p, "[Processes]");
	sees(p, "the view System calls has nothing of this event");
	/* As does the next of those used. */
	pty_keys(p, "g");
	sees(p, "Group by");
	pty_keys(p, "\033[F\r");
	sees(p, "[System calls]");
	pty_keys(p, "[");
	sees(p, "event cycles:P");
	sees(p, "[Processes]");
	leave(p);
}

/* What cannot be opened, which is known when it was tried, leaves the row that was selected. */
static void
a_refused_event_leaves_the_row_selected(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_REFUSAL=cannot sample it: busy", "FAKE_DELAY=0.05"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\033[B\033[B\033[B");
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_int_equal(selected_line(p, 5, 23), 8);
	pty_keys(p, "epage-f");
	sees(p, "1 of ");
	pty_keys(p, "\r");
	sees(p, "cannot sample it: busy");
	pty_run(p, 200);
	pty_settle(p, 8, FRAME_MS);
	assert_int_equal(selected_line(p, 5, 23), 8);
	leave(p);
}

/* Enter is the picker's own: all of the message is on the screen. */
static void
a_refusal_in_the_picker_is_whole_on_a_small_screen(void **state)
{
	static const struct {
		int width, height;
		const char *begin, *end;
	} rows[] = {
		{ 20, 5, "this machine has", "no PMU" }, /* the cause alone */
		{ 40, 10, "L1-dcache-load-misses cannot be", "this machine has no PMU" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pty *p = start(rows[i].width, rows[i].height, ENV());

		sees(p, "ngin");
		pty_keys(p, "e");
		sees(p, "EVENT");
		pty_keys(p, "L1-dcache");
		sees(p, "- L1-dcache");
		pty_keys(p, "\r");
		sees(p, rows[i].begin);
		assert_non_null(strstr(pty_screen(p), rows[i].end));
		pty_keys(p, "\033");
		sees(p, "ngin");
		leave(p);
	}
}

/* Of many parts those with the least give way, not all of them. */
static void
states_of_threads_fit_narrow_screens(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_STATES=idle 31%  cond 22%  sleep 17%  net 12%  lock 9%  "
					  "pipe 5%  disk 2%  child 1%  queue 1%  stolen 0%  other 0%"));

	(void)state;
	sees(p, "nginx");
	sees(p, "event cycles:P  idle 31%  cond 22%  sleep 17%");
	assert_null(strstr(pty_screen(p), "other 0%"));
	leave(p);
}

/* The heading alone would fill it. */
static void
records_fit_the_smallest_screen(void **state)
{
	struct pty *p = start(20, 5, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "R");
	sees(p, "sig=SIGTERM");
	assert_null(strstr(pty_screen(p), "FIELDS"));
	assert_non_null(strstr(pty_line(p, 0), "cycles:P"));
	pty_keys(p, "\033");
	sees(p, "nginx");
	leave(p);
}

/* Ticked ones are opened as one list; those used before come first. */
static void
ticked_events_are_sampled_together(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_LOG=ui_ticks.log"));
	char line[256] = "";
	FILE *f;

	(void)state;
	unlink("ui_ticks.log");
	sees(p, "nginx");
	pty_keys(p, "e");
	sees(p, "+ opens  - cannot  ? not tried yet");
	pty_keys(p, "\024");
	sees(p, "a preset has its own");
	pty_keys(p, "sub0:event_0003");
	sees(p, "1 of ");
	pty_keys(p, "\024");
	sees(p, "1 ticked");
	pty_keys(p, "\025page-f\033[2~");
	sees(p, "2 ticked");
	sees(p, "*+ page-faults");
	pty_keys(p, "\025cycles\024");
	sees(p, "cycles cannot be opened");
	pty_keys(p, "\r");
	sees(p, "2 events are sampled together: a column each");
	pty_keys(p, "e");
	sees(p, "WHAT IT COUNTS");
	sees_no(p, "ticked");
	/* Behind the presets come those that were used, the last first. */
	assert_int_equal(pty_find_line(p, "? sub0:event_0003"), pty_find_line(p, "? interrupts") + 1);
	assert_int_equal(pty_find_line(p, "+ page-faults "), pty_find_line(p, "? interrupts") + 2);
	pty_keys(p, "\033");
	sees_no(p, "WHAT IT COUNTS");
	leave(p);
	f = fopen("ui_ticks.log", "re");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL && strncmp(line, "switch", 6) != 0)
		;
	if (f != NULL)
		fclose(f);
	unlink("ui_ticks.log");
	assert_string_equal(line, "switch sub0:event_0003,page-faults\n");
}

/* They are open to the end. */
static void
events_of_the_command_line_stay_beside_ticked_ones(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_EVENTS_GIVEN=1"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "esub0:event_0003");
	sees(p, "1 of ");
	pty_keys(p, "\024\025page-f\024");
	sees(p, "2 ticked");
	pty_keys(p, "\r");
	sees(p, "2 events are sampled together, beside those of -e: a column each");
	leave(p);
}

static void
the_header_has_what_was_chosen(void **state)
{
	struct pty *p = start(160, 30, ENV());

	(void)state;
	sees(p, "mem 6.0G of 16G");
	sees(p, "stall% cpu 12 io 3");
	pty_keys(p, "\033OQ\t");
	sees(p, "Header: what the lines above");
	sees(p, "[x] uptime");
	pty_keys(p, " ");
	sees(p, "[ ] uptime");
	pty_keys(p, "\033[F\033[A ");
	sees(p, "[x] bars");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	sees_no(p, "up 41d");
	assert_true(pty_wait_match(p, "^  0 \\[[|#]* *\\] us +[0-9]+ sy +[0-9]+ wa +0 st +0", SOON_MS));
	pty_keys(p, "\033OQ\t\033[3~");
	sees(p, "[ ] bars");
	pty_keys(p, "\033");
	sees(p, "up 41d");
	leave(p);
}

static void
many_cpus_are_a_line_for_each_node(void **state)
{
	struct pty *p = start(80, 30, ENV("FAKE_CPUS=128"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\033OQ\t\033[F\033[A ");
	sees(p, "[x] bars");
	pty_keys(p, "\033");
	assert_true(pty_wait_match(p, "^ node 0 .+ us +[0-9]+ sy +[0-9]+ wa +0 st +0$", SOON_MS));
	assert_true(pty_wait_match(p, "^ node 1 ", SOON_MS));
	leave(p);
}

/* View and window have their place, whatever the way there was. */
static void
the_way_is_shortened_at_its_begin(void **state)
{
	struct pty *p = start(70, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\r");
	sees(p, "All > threads 1234  [Threads]");
	pty_keys(p, "\r");
	sees(p, "\xe2\x80\xa6 > thread 1234 worker  [Functions]  % of shown");
	assert_non_null(strstr(pty_line(p, pty_find_line(p, "[Functions]")), "window 10 s"));
	pty_resize(p, 60, 24);
	sees(p, "\xe2\x80\xa6 > thread 1234 worker  [Functions]");
	assert_non_null(strstr(pty_line(p, pty_find_line(p, "[Functions]")), "window 10 s"));
	leave(p);
}

/* The way is shortened for it, and it is cut where it is long. */
static void
a_filter_that_is_in_force_is_seen_wherever_one_is(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\r");
	sees(p, "All > threads 1234  [Threads]");
	pty_keys(p, "\r");
	sees(p, "> thread 1234 worker  [Functions]");
	pty_keys(p, "\\comm=nginx\r");
	sees(p, "worker  [Functions]  % of shown  window 10 s  filter comm=nginx");
	pty_keys(p, "\\\025comm=nginx symbol!=a_name_that_takes_a_line_for_itself user=root\r");
	sees(p, "  [Functions]  window 10 s  filter comm=nginx symbol!=a_name");
	leave(p);
}

/* Counters and calls keep to no filter, and are of no window but where they are compared. */
static void
the_title_of_counts_says_what_is_counted(void **state)
{
	static const char *const views[] = { "Counters", "Calls" };
	struct pty *p = start(120, 24, ENV());

	(void)state;
	sees(p, "window 10 s");
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		pty_keys(p, i == 0 ? ":view counters\r" : "B");
		sees(p, i == 0 ? "[Counters]" : "[Calls]");
		sees_no(p, "window 10 s");
		sees_no(p, "not filtered");
		pty_keys(p, "K");
		sees(p, "not filtered");
		sees_no(p, "no kernel");
		pty_keys(p, "K\\comm=nginx\r");
		sees(p, "not filtered");
		sees_no(p, "filter comm=nginx");
		pty_keys(p, ":view processes\r");
		sees(p, "window 10 s");
		sees(p, "filter comm=nginx");
		sees_no(p, "not filtered");
		pty_keys(p, "\\\025\r");
		sees_no(p, "filter comm=nginx");
	}
	pty_keys(p, "=");
	sees(p, "as much time before it");
	pty_keys(p, "\r");
	sees(p, " THEN ");
	pty_keys(p, ":view counters\r");
	sees(p, "[Counters]");
	sees(p, "window 10 s");
	pty_keys(p, "B");
	sees(p, "calls are not compared");
	sees_no(p, "window 10 s");
	leave(p);
}

static void
scrolling_the_picker_asks_nothing_of_the_engine(void **state)
{
	char line[256];
	FILE *f = fopen("ui_screen.log", "re");
	int asked = 0, switched = 0;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		asked += strncmp(line, "catalogue", 9) == 0;
		switched += strncmp(line, "switch", 6) == 0;
	}
	fclose(f);
	unlink("ui_screen.log");
	assert_int_equal(asked, 2); /* once each time that it was opened */
	assert_int_equal(switched, 1);
}

static void
help_and_messages_are_pages_that_escape_leaves(void **state)
{
	struct pty *p = start(100, 120, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "h");
	sees(p, "F1 h ?");
	sees(p, "leave ptop");
	sees(p, "pick another event");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	pty_keys(p, "!");
	sees(p, "kptr_restrict");
	pty_keys(p, "\033i");
	sees(p, "named by .symtab");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	leave(p);
}

/* On a narrow screen, a wide one and one of the least size. */
static void
the_palette_finds_what_can_be_done_by_typing(void **state)
{
	struct pty *p = start(100, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, ":");
	sees(p, "what to do:");
	pty_keys(p, "reverse the order");
	sees(p, "sort-invert");
	assert_non_null(strstr(pty_line(p, 1), " I "));
	assert_int_equal(pty_find_line(p, "view-next"), -1);
	pty_keys(p, "\r");
	sees(p, "\u25b2%EVT");
	pty_keys(p, ":view func\r");
	sees(p, "[Functions]");
	pty_keys(p, ":sort dso\r");
	sees(p, "DSO");
	sees_no(p, "what to do:");
	pty_keys(p, "\013event page-faults");
	sees(p, "event    page-faults");
	pty_keys(p, "\033");
	sees(p, "[Functions]");
	/* What htop calls it. */
	pty_keys(p, ":send sig");
	sees(p, "nothing here has these words");
	pty_keys(p, "\025kill");
	sees(p, "htop     k: kill, or signal     F9 M RightClick ");
	pty_keys(p, "\025disasse");
	sees(p, "do       annotate");
	/* What begins with these words is first, before what has them further on. */
	pty_keys(p, "\025call tree");
	sees(p, "call tree from the outermost functions on");
	assert_non_null(strstr(pty_line(p, 1), " do       tree "));
	pty_keys(p, "\025htop tree");
	sees(p, "htop     t: tree of processes   F5 ");
	pty_keys(p, "\r");
	sees(p, "only processes have a tree");
	pty_keys(p, ":no such thing");
	sees(p, "nothing here has these words");
	pty_keys(p, "\r");
	sees(p, "what to do:");
	pty_keys(p, "\033");
	sees(p, "[Functions]");
	leave(p);
}

/* All that has a value where rows are; the fake engine does not tell how call chains are taken. */
static void
the_palette_has_each_option_with_its_value(void **state)
{
	struct pty *p = start(100, 24, ENV());
	char text[64];
	const char *name;
	size_t found = 0;

	(void)state;
	sees(p, "nginx");
	for (size_t i = 0; setting_help(i, &name) != NULL; i++) {
		if (strcmp(name, "remember") == 0 || strcmp(name, "call-graph") == 0)
			continue;
		snprintf(text, sizeof(text), ":set %s", name);
		pty_keys(p, text);
		snprintf(text, sizeof(text), " set      %s = ", name);
		sees(p, text);
		assert_non_null(strstr(pty_line(p, 1), text));
		pty_keys(p, "\033");
		sees_no(p, "what to do:");
		found++;
	}
	assert_that(found, >, 15);
	leave(p);
}

static void
options_are_changed_in_the_palette(void **state)
{
	struct pty *p = start(100, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, ":set filter");
	sees(p, "filter = (none)        \\ F4");
	pty_keys(p, "\r");
	sees(p, " filter:");
	pty_keys(p, "comm=nginx\r:set filter");
	sees(p, "filter = comm=nginx");
	pty_keys(p, "\033:set hide-kernel");
	sees(p, "hide-kernel = no");
	pty_keys(p, "\r:set hide-kernel");
	sees(p, "hide-kernel = yes");
	pty_keys(p, "\033:set window\r");
	sees(p, "window in s, or all (now 10):");
	pty_keys(p, "0\r");
	sees(p, "from 0.1 to 86400 is wanted");
	pty_keys(p, "\b2.5\r:set window");
	sees(p, "window = 2.5");
	pty_keys(p, "\033:set theme\r");
	sees(p, "for a white background");
	pty_keys(p, "j\r:set theme");
	sees(p, "theme = light");
	pty_keys(p, "\033:set header\r");
	sees(p, "Header: what the lines above tables show");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	/* In the flame graph there are no rows: what is about rows alone is not there. */
	pty_keys(p, "f");
	sees(p, "[Flame graph]");
	pty_keys(p, ":set sort");
	sees(p, "nothing here has these words");
	pty_keys(p, "\033:set idle");
	sees(p, "idle = no");
	pty_keys(p, "\033");
	sees(p, "[Flame graph]");
	leave(p);
}

static void
help_is_grouped_and_searched(void **state)
{
	struct pty *p = start(80, 24, ENV());
	int y;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "h");
	sees(p, "Help (Esc");
	assert_string_equal(pty_line(p, 1), " This page");
	for (y = 2; y < 24; y++)
		assert_string_not_equal(pty_line(p, y), " This page");
	pty_keys(p, "/");
	sees(p, "find:");
	pty_keys(p, "reverse the order\r");
	sees_no(p, "find:");
	y = pty_find_line(p, "reverse the order");
	assert_that(y, >, 0);
	assert_true(pty_line_is_reverse(p, y));
	pty_keys(p, "/no such words");
	sees(p, "no line holds this");
	pty_keys(p, "\033");
	sees_no(p, "find:");
	pty_keys(p, "/menu of views\r");
	sees_no(p, "find:");
	assert_true(pty_line_is_reverse(p, pty_find_line(p, "menu of views")));
	pty_keys(p, "\033");
	sees(p, "nginx");
	leave(p);
}

static void
it_ends_after_as_many_refreshes_as_were_asked_for(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_DELAY=0.3", "FAKE_REFRESHES=3"));

	(void)state;
	sees(p, "nginx");
	ends_in_order(p);
	pty_free(p);
}

static void
the_delay_is_shown_before_it_is_changed(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "d");
	sees(p, "delay in s (now 0.2):");
	pty_keys(p, "2.5\r");
	sees(p, "refreshing every 2.5 s");
	pty_keys(p, "d");
	sees(p, "delay in s (now 2.5):");
	pty_keys(p, "\033");
	leave(p);
}

static void
code_without_a_name_says_why_and_goes_into_its_pages(void **state)
{
	static const struct {
		int width, height;
		const char *remedy; /* as far as there is room for it */
	} sizes[] = { { 80, 24, NULL }, { 160, 50, "dpkg -S /usr/lib" }, { 20, 5, NULL } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct pty *p = start(sizes[i].width, sizes[i].height, ENV("FAKE_VIEW=unnamed"));

		sees(p, "libfoo.so.1");
		sees(p, "[anon]");
		if (sizes[i].width >= 80) {
			sees(p, "[Unnamed]");
			sees(p, "stripped, no");
			sees(p, "[named]");
			sees(p, "i Why");
		}
		if (sizes[i].remedy != NULL)
			sees(p, sizes[i].remedy);
		pty_keys(p, "i");
		sees(p, "row 300");
		pty_keys(p, "\033");
		sees(p, "libfoo.so.1");
		pty_keys(p, "\r");
		sees(p, "spin_a");
		if (sizes[i].width >= 80) {
			sees(p, "without a name");
			sees(p, "libfoo.so.1");
		}
		pty_keys(p, "\033");
		sees(p, "[anon]");
		leave(p);
	}
}

static void
a_key_without_meaning_says_so(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "y");
	sees(p, "key 'y' is not bound here: h shows the keys");
	pty_keys(p, "\033[23~");
	sees(p, "key 'F11' is not bound here");
	leave(p);
}

static void
news_wait_for_the_answer_to_be_read(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_NEWS=a process has ended", "FAKE_DELAY=0.05"));

	(void)state;
	sees(p, "a process has ended");
	pty_keys(p, "y");
	sees(p, "key 'y' is not bound here");
	pty_run(p, 1000);
	assert_non_null(strstr(pty_line(p, 23), "key 'y' is not bound here"));
	pty_keys(p, "j");
	sees(p, "a process has ended");
	leave(p);
}

/* Answers, too, not errors alone; of those that the line has room for Enter is about the row. */
static void
enter_shows_all_of_an_answer_that_is_cut(void **state)
{
	struct pty *p = start(60, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\r");
	sees(p, "[Threads]");
	pty_keys(p, "\033[15~");
	sees(p, "only processes have a tree of who forked whom");
	assert_non_null(strstr(pty_line(p, 23), "Enter: all"));
	assert_null(strstr(pty_line(p, 23), "lead to them"));
	pty_keys(p, "\r");
	sees(p, "Message (Esc leaves)");
	sees(p, "lead to them");
	pty_keys(p, "\033");
	sees(p, "[Threads]");
	pty_keys(p, "y");
	sees(p, "key 'y' is not bound here");
	assert_null(strstr(pty_line(p, 23), "Enter: all"));
	pty_keys(p, "\r");
	sees(p, "[Functions]");
	leave(p);
}

/* And news: of a probe that has ended, and why. */
static void
enter_shows_all_of_news_that_are_cut(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_NEWS=render_page_of_a_long_name: closed: its calls took more "
					  "time than the budget of 1.5 % has", "FAKE_DELAY=3"));

	(void)state;
	sees(p, "render_page_of_a_long_name: closed: ");
	sees(p, "Enter: all");
	assert_null(strstr(pty_line(p, 23), "1.5 % has"));
	pty_run(p, 1000);
	pty_keys(p, "\r");
	sees(p, "Message (Esc leaves)");
	sees(p, "1.5 % has");
	leave(p);
}

/* Lines that have the cause alone name the key that shows all. */
static void
a_cause_that_fits_a_narrow_screen_says_where_the_rest_is(void **state)
{
	struct pty *p = start(20, 5, ENV("FAKE_REFUSAL=cannot pause it: busy: end it; or choose one with fewer CPUs"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "P");
	sees(p, "busy: end it");
	sees(p, "(Enter)");
	pty_keys(p, "\r");
	sees(p, "cannot pause it:");
	pty_keys(p, "\033");
	sees(p, "nginx");
	leave(p);
}

/* There as well the cause stands first, and the key is named. */
static void
so_it_does_on_the_smallest_screen(void **state)
{
	struct pty *p = start(20, 5, ENV("FAKE_REFUSAL=cannot pause it: busy; end the other profiler, or "
					 "choose another event, or fewer CPUs of this machine"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "P");
	sees(p, "busy; end the");
	assert_non_null(strstr(pty_line(p, 4), "\u2026 Enter"));
	pty_keys(p, "\r");
	sees(p, "other profiler");
	pty_keys(p, "\033");
	sees(p, "nginx");
	leave(p);
}

/* What some lines have room for needs no key. */
static void
an_answer_has_more_lines_on_a_narrow_screen(void **state)
{
	struct pty *p = start(20, 5, ENV("FAKE_REFUSAL=cannot pause it: busy; end the other profiler"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "P");
	sees(p, "cannot pause it:");
	sees(p, "profiler");
	sees_no(p, "Enter");
	pty_keys(p, "\r");
	sees(p, "Threads");
	leave(p);
}

static void
keys_of_other_programs_are_told_once(void **state)
{
	struct rc_folder rc;
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, "[keys]\nuntag = ^X\n");
	p = start(80, 24, ENV(rc.config, rc.state));
	sees(p, "F1 Help");
	pty_keys(p, "P");
	sees(p, "paused; htop's P, order by CPU%: F6");
	pty_keys(p, "P");
	sees_no(p, "htop's");
	sees(p, "paused");
	pty_keys(p, "k");
	sees(p, "htop's k, kill, or signal: F9");
	pty_keys(p, "U");
	sees(p, "user samples are hidden; htop's U, take tags off: ^X");
	/* What does nothing here is told each time. */
	for (int i = 0; i < 2; i++) {
		pty_keys(p, "s");
		sees(p, "key 's' is not bound here; htop's s, strace: e system calls, or F9 own commands");
		pty_keys(p, "\033[H");
		sees_no(p, "htop's");
	}
	leave(p);
	p = start(80, 24, ENV(rc.config, rc.state));
	sees(p, "F1 Help");
	pty_keys(p, "P");
	sees(p, "paused");
	assert_int_equal(pty_find_line(p, "htop's"), -1);
	pty_keys(p, "T");
	sees(p, "htop's T, order by TIME+: F2 adds TIME+, F6 orders by it");
	pty_keys(p, "\033h/htop");
	sees(p, "  htop      k: kill, or signal      F9");
	pty_keys(p, "\033\033");
	/* Where rows are functions a key is hardly meant as htop's. */
	pty_keys(p, "\t\t");
	sees(p, "[Functions]");
	pty_keys(p, "t");
	sees(p, "[Call tree]");
	assert_int_equal(pty_find_line(p, "htop's"), -1);
	leave(p);
	rc_folder_remove(&rc);
}

/* An event that was used before is among those that are offered first; a first start is told of. */
static void
what_was_used_is_known_the_next_time(void **state)
{
	struct rc_folder rc;
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, NULL);
	p = start(100, 40, ENV(rc.state));
	sees(p, "new here? h tells all keys");
	pty_keys(p, "epage-f");
	sees(p, "1 of ");
	pty_keys(p, "\r");
	sees(p, "event page-faults");
	leave(p);
	p = start(100, 40, ENV(rc.state));
	sees(p, "F1 Help");
	pty_keys(p, "e");
	sees(p, "+ opens  - cannot  ? not tried yet");
	assert_int_equal(pty_find_line(p, "+ page-faults "), pty_find_line(p, "? interrupts") + 1);
	pty_keys(p, "\033");
	sees_no(p, "WHAT IT COUNTS");
	leave(p);
	rc_folder_remove(&rc);
}

static void
the_window_goes_into_the_past_and_back(void **state)
{
	struct pty *p = start(120, 24, ENV());

	(void)state;
	sees(p, "window 10 s");
	pty_keys(p, ".");
	sees(p, "there is nothing later");
	pty_keys(p, ",");
	sees(p, "window 105.0 to 115.0 s, 5 s ago");
	sees(p, "PAST 115.0 s");
	pty_keys(p, ",,.");
	sees(p, "window 100.0 to 110.0 s, 10 s ago");
	pty_keys(p, "~12-\r");
	sees(p, "no time is ''");
	pty_keys(p, "9\r");
	sees(p, "12-9 ends before it begins");
	pty_keys(p, "\b18\r");
	sees(p, "window 12.0 to 18.0 s, 2 min ago");
	pty_keys(p, ",,,,,");
	sees(p, "window 0.0 to 6.0 s, 2 min ago");
	sees(p, "nothing earlier is kept");
	/* What it holds, where that is not what was asked for. */
	pty_keys(p, "~2.2-2.5\r");
	sees(p, "window 2.00 to 3.00 s, nearest to 2.20 to 2.50 s");
	pty_keys(p, "~2.0-6.1\r");
	sees(p, "window 2.0 to 7.0 s, 2 min ago");
	pty_keys(p, "~2.0-20.1\r");
	sees(p, "window 2.0 to 20.1 s, 2 min ago");
	pty_keys(p, "~\r");
	sees(p, "window 10 s");
	sees(p, "LIVE");
	leave(p);
}

static void
time_goes_by_beside_a_frozen_screen(void **state)
{
	struct pty *p = start(120, 24, ENV());

	(void)state;
	sees(p, "window 10 s");
	pty_keys(p, "Z");
	sees(p, "FROZEN");
	pty_keys(p, ".");
	sees(p, "window 95.0 to 105.0 s, 15 s ago");
	pty_keys(p, ",,");
	sees(p, "window 85.0 to 95.0 s, 25 s ago");
	/* Later than the newest picture, which is not made anew. */
	pty_keys(p, "~130-140\r");
	sees(p, "window 130.0 to 140.0 s");
	pty_keys(p, "~\r");
	sees(p, "FROZEN");
	leave(p);
}

static void
a_frozen_window_is_not_forgotten(void **state)
{
	struct pty *p = start(120, 24, ENV());

	(void)state;
	sees(p, "window 10 s");
	pty_keys(p, "Z");
	sees(p, "FROZEN");
	pty_keys(p, "z");
	sees(p, "frozen: z would forget what is shown; Z goes on");
	pty_keys(p, "Z");
	sees(p, "LIVE");
	pty_keys(p, "z");
	sees(p, "the window starts anew");
	leave(p);
}

/* Where there is room for one stretch alone. */
static void
how_long_ago_is_told_of_the_end_beside_it(void **state)
{
	struct pty *p = start(90, 24, ENV());

	(void)state;
	sees(p, "window 10 s");
	pty_keys(p, "~117.1-117.4\r");
	sees(p, "window 117.00 to 118.00 s, 2 s ago");
	leave(p);
}

static void
a_stretch_is_told_by_the_clock_or_refused(void **state)
{
	struct pty *p = start(120, 24, ENV("TZ=UTC", "FAKE_WALL=1"));

	(void)state;
	sees(p, "window 10 s");
	pty_keys(p, "~99:99\r");
	sees(p, "there is no time '99:99'");
	pty_keys(p, "\02512:30\r");
	sees(p, "nothing is known of 12:30 of the day before: kept from 12:00:00 on");
	pty_keys(p, "\02512:01\r");
	sees(p, "window 12:01:00 to 12:02:00, 0 s ago");
	sees(p, "PAST 12:02:00");
	pty_keys(p, "~-60s..-30s\r");
	sees(p, "window 12:01:00 to 12:01:30, 30 s ago");
	sees(p, "PAST 12:01:30");
	pty_keys(p, "{");
	sees(p, "window 12:01:20 to 12:01:30, 30 s ago");
	pty_keys(p, "}");
	sees(p, "window 12:00:30 to 12:01:30, 30 s ago");
	pty_keys(p, "\005");
	sees(p, "LIVE");
	sees(p, "window 10 s");
	leave(p);
}

/* ( and ) put its ends where the window is. */
static void
a_stretch_is_chosen_by_its_ends(void **state)
{
	struct pty *p = start(120, 24, ENV());

	(void)state;
	sees(p, "window 10 s");
	pty_keys(p, "~20-30\r(");
	sees(p, "the stretch begins here");
	pty_keys(p, "~50-60\r)");
	sees(p, "window 20.0 to 60.0 s, 60 s ago");
	leave(p);
}

static void
marks_and_the_line_of_time(void **state)
{
	struct pty *p = start(100, 30, ENV("TZ=UTC", "FAKE_WALL=1"));

	(void)state;
	sees(p, "window 10 s");
	pty_keys(p, "mdeploy\r");
	sees(p, "mark deploy at 0.0 s");
	pty_keys(p, "T");
	sees(p, "Time line: load of the machine");
	sees(p, "0 marks: m sets one");
	pty_keys(p, "\033[D");
	sees(p, "=");
	pty_keys(p, "\r");
	sees(p, "PAST 12:01:58");
	leave(p);
}

static void
a_process_is_added_by_number_or_by_row_and_taken_out_by_row(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "p");
	sees(p, "add process with descendants (empty: 1234; PID! without):");
	pty_keys(p, "x\r");
	sees(p, "no process id");
	pty_keys(p, "\025" "4321\r");
	sees(p, "attached 4321 with descendants");
	pty_keys(p, "p77!\r");
	sees(p, "attached 77 alone");
	pty_keys(p, "p\r");
	sees(p, "attached 1234 with descendants");
	pty_keys(p, "p!\r");
	sees(p, "attached 1234 alone");
	pty_keys(p, "D");
	sees(p, "detached 1234");
	pty_keys(p, "p\033");
	sees_no(p, "add process");
	leave(p);
}

static void
a_lower_frequency_is_shown_with_what_was_asked(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_LOWERED=412"));

	(void)state;
	sees(p, "412 of 999 Hz x 4 cpu");
	sees(p, "lost 0");
	leave(p);
}

/* Beside the reason, which is as long as that of a busy machine. */
static void
where_the_frequency_is_lowered_own_cost_has_room_for_it(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_LOWERED=412", "FAKE_LOWERED_WHY=busy machine, --budget"));

	(void)state;
	sees(p, "412 of 999 Hz x 4 cpu  (busy machine, --budget)  self ");
	leave(p);
}

static void
switches_show_that_they_are_on(void **state)
{
	struct pty *p = start(120, 24, ENV());

	(void)state;
	sees(p, "LIVE");
	pty_keys(p, "Z");
	sees(p, "FROZEN");
	pty_keys(p, "Z");
	sees(p, "LIVE");
	pty_keys(p, "KU");
	sees(p, "no kernel");
	sees(p, "no user");
	pty_keys(p, "*");
	sees(p, "no ptop");
	pty_keys(p, "*");
	sees(p, "ptop itself is shown");
	pty_keys(p, "+");
	sees(p, "2000 Hz");
	pty_keys(p, "d0.5\r");
	sees(p, "refreshing every 0.5 s");
	pty_keys(p, "d9999\r");
	sees(p, "from 0.1 to 3600");
	pty_keys(p, "\033");
	leave(p);
}

static void
keys_of_the_configuration_are_in_help_footer_and_palette(void **state)
{
	struct rc_folder rc;
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, "[keys]\nflame = A\nsort-menu = ^F\n");
	p = start(120, 40, ENV(rc.config, rc.state));
	sees(p, "nginx");
	sees(p, "^F Sort");
	sees(p, "A Flame");
	pty_keys(p, ":flame");
	sees(p, "A  ");
	pty_keys(p, "\033");
	sees_no(p, "what to do:");
	pty_keys(p, "h");
	sees(p, "Help");
	pty_keys(p, "/menu of columns to sort");
	sees(p, "^F ");
	pty_keys(p, "\r\033");
	sees(p, "nginx");
	pty_keys(p, "A");
	sees(p, "[Flame graph]");
	pty_keys(p, "\033");
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "key 'f' is not bound here");
	leave(p);
	rc_folder_remove(&rc);
}

static void
an_action_without_a_key_takes_no_room_in_the_footer(void **state)
{
	struct rc_folder rc;
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, "[keys]\nhelp =\n");
	p = start(129, 24, ENV(rc.config, rc.state));
	sees(p, "  Tab View  Enter In  ");
	leave(p);
	rc_folder_remove(&rc);
}

static void
what_was_changed_is_written_and_what_was_not_stays(void **state)
{
	struct rc_folder rc;
	char text[4096];
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, "# mine\n[screen]\nthreads = no\n[options]\ndelay = 0.2 ; fast\n"
		       "colour = red\n");
	p = start(120, 24, ENV(rc.config, rc.state));
	sees(p, "threads off");
	pty_keys(p, "W");
	sees(p, "nothing is written");
	pty_keys(p, "d0.5\r");
	sees(p, "refreshing every 0.5 s");
	pty_keys(p, "K");
	sees(p, "no kernel");
	pty_keys(p, "\t>");
	sees(p, "[Threads]");
	pty_keys(p, "W");
	sees(p, "written to ");
	leave(p);
	rc_folder_read(&rc, "ptoprc", text, sizeof(text));
	assert_ptr_equal(strstr(text, "# mine\n[screen]\nthreads = no\n[options]\ndelay = 0.5 ; fast\n"
				"colour = red\n"), text);
	assert_non_null(strstr(text, "\nhide-kernel = yes\n"));
	assert_non_null(strstr(text, "\nview = threads\n"));
	assert_null(strstr(text, "hide-user"));
	rc_folder_read(&rc, "last", text, sizeof(text));
	assert_non_null(strstr(text, "[options]\n"));
	assert_non_null(strstr(text, "\nview = threads\n"));
	assert_non_null(strstr(text, "\nsort = "));
	rc_folder_remove(&rc);
}

/* A pid means nothing to the next start; what the file has stays. */
static void
a_filter_by_pid_is_not_written(void **state)
{
	static const char filter[] = "[options]\nfilter = comm=nginx\n";
	struct rc_folder rc;
	char text[4096];
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, filter);
	p = start(160, 24, ENV(rc.config, rc.state, "FAKE_FILTER=comm=nginx"));
	sees(p, "the configuration filters by 'comm=nginx' (key \\)");
	pty_keys(p, " &");
	assert_true(pty_wait_match(p, "filter comm=nginx pid~\\^\\([0-9]+\\)\\$", SOON_MS));
	pty_keys(p, "W");
	sees(p, "nothing is written: the filter is left out, as pids mean nothing at the next start");
	pty_keys(p, "K");
	sees(p, "no kernel");
	pty_keys(p, "W");
	assert_true(pty_wait_match(p, "written to .*ptoprc; the filter is left out", SOON_MS));
	leave(p);
	rc_folder_read(&rc, "ptoprc", text, sizeof(text));
	assert_ptr_equal(strstr(text, filter), text);
	assert_non_null(strstr(text, "\nhide-kernel = yes\n"));
	assert_null(strstr(text, "pid"));
	p = start(160, 24, ENV(rc.config, rc.state, "FAKE_FILTER=comm=nginx"));
	sees(p, "the configuration filters by");
	pty_keys(p, "\\\025comm=sshd\r");
	sees(p, "filter comm=sshd");
	pty_keys(p, "W");
	sees(p, "written to ");
	sees_no(p, "left out");
	leave(p);
	rc_folder_read(&rc, "ptoprc", text, sizeof(text));
	assert_non_null(strstr(text, "\nfilter = comm=sshd\n"));
	rc_folder_remove(&rc);
}

static void
columns_are_chosen_ordered_and_kept(void **state)
{
	struct rc_folder rc;
	char text[4096];
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, "[columns]\nthreads = tid evt hottest\nusers = evt pid\n");
	p = start(160, 30, ENV(rc.config, rc.state));
	sees(p, "ptoprc:3: the view users has no column 'pid'");
	assert_true(pty_wait_match(p, "PID +USER +THR +%CPU .*%EVT +TREND +HOTTEST +COMMAND", SOON_MS));
	pty_keys(p, "\033OQ"); /* F2 */
	sees(p, "Columns of Processes");
	assert_true(pty_wait_match(p, "^ \\[x\\] PID +pid +7 +process id", SOON_MS));
	assert_true(pty_wait_match(p, "^ \\[x\\] USER +user +9 ", SOON_MS));
	assert_true(pty_wait_match(p, "^ \\[ \\] CGROUP +cgroup +rest ", SOON_MS));
	pty_keys(p, "++-+");
	assert_true(pty_wait_match(p, "^ \\[x\\] PID +pid +9 +process id", SOON_MS));
	pty_keys(p, "---"); /* a number is not cut */
	assert_true(pty_wait_match(p, "^ \\[x\\] PID +pid +7 +process id", SOON_MS));
	pty_keys(p, "+");
	assert_true(pty_wait_match(p, "^ \\[ \\] PPID +ppid", SOON_MS));
	pty_keys(p, "\033[19~"); /* F8: PID to the right of USER */
	pty_keys(p, "j ");        /* THR out */
	pty_keys(p, "\033OP");    /* F1 */
	sees(p, "(cpu): measured CPU time");
	pty_keys(p, "\033");
	sees_no(p, "Columns of");
	assert_true(pty_wait_match(p, "USER +PID +%CPU .*%EVT +TREND +HOTTEST +COMMAND", SOON_MS));
	pty_keys(p, "\t");
	assert_true(pty_wait_match(p, "^ +TID .*%EVT +HOTTEST *$", SOON_MS));
	pty_keys(p, "W");
	sees(p, "written to ");
	leave(p);
	p = start(160, 30, ENV(rc.config, rc.state));
	assert_true(pty_wait_match(p, "USER +PID +%CPU .*%EVT +TREND +HOTTEST +COMMAND", SOON_MS));
	pty_keys(p, "\033OQ\033[3~"); /* Delete: as they were */
	sees(p, "number of threads");
	pty_keys(p, "\033");
	assert_true(pty_wait_match(p, "PID +USER +THR +%CPU .*%EVT +TREND +HOTTEST +COMMAND", SOON_MS));
	leave(p);
	rc_folder_read(&rc, "ptoprc", text, sizeof(text));
	assert_non_null(strstr(text, "\nprocesses = user pid:8 cpu evt run queue stolen wait trend hottest "
				"waits-in on command\n"));
	assert_non_null(strstr(text, "\nthreads = tid evt hottest\n"));
	rc_folder_remove(&rc);
}

/* There is no tick for what the table has not: of some events, and between two times. */
static void
columns_that_the_event_lacks_say_why(void **state)
{
	struct pty *p = start(80, 50, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\033OQ"); /* F2 */
	assert_true(pty_wait_match(p, "^ \\[x\\] %CPU +cpu ", SOON_MS));
	assert_true(pty_wait_match(p, "^ \\[-\\] WAIT +wait +5 +of wall-clock alone", SOON_MS));
	assert_true(pty_wait_match(p, "^ \\[ \\] SAMPLES +samples +8 +number of", SOON_MS));
	pty_keys(p, "\033");
	sees_no(p, "Columns of");
	pty_keys(p, "epage-f");
	sees(p, "1 of ");
	pty_keys(p, "\r");
	sees(p, "event page-faults");
	pty_keys(p, "\033OQ\033[F"); /* to the last */
	assert_true(pty_wait_match(p, "^ \\[ \\] SAMPLES +samples +8 +COUNT has the samples", SOON_MS));
	leave(p);
}

/*
 * Opens the menu of the title that begins there, by a right click.  Those that follow each other
 * faster than by hand can be one to curses.
 */
static void
click_title(struct pty *p, const char *title)
{
	const int y = pty_find_line(p, "%EVT");
	const char *line, *at;
	char click[64];
	int cells = 1;

	assert_that(y, >=, 0);
	line = pty_line(p, y);
	at = strstr(line, title);
	assert_non_null(at);
	for (; line < at; line++)
		cells += (*line & 0xc0) != 0x80;
	snprintf(click, sizeof(click), "\033[<2;%d;%dM\033[<2;%d;%dm", cells, y + 1, cells, y + 1);
	for (int i = 0; i < 20 && pty_find_line(p, "order rows by this column") < 0; i++) {
		pty_keys(p, click);
		pty_wait_text(p, "order rows by this column", SOON_MS / 20);
	}
	sees(p, "order rows by this column");
}

#ifdef HAVE_INIH

static void
a_right_click_on_a_title_opens_the_menu_of_its_column(void **state)
{
	struct rc_folder rc;
	char text[4096];
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, "[columns]\nprocesses = pid user threads evt command\n");
	p = start(120, 24, ENV(rc.config, rc.state));
	assert_true(pty_wait_match(p, "PID +USER +THR .*%EVT +COMMAND", SOON_MS));
	click_title(p, "THR");
	assert_true(pty_wait_match(p, "^ +THR *$", SOON_MS));
	assert_int_equal(pty_find_line(p, "own width"), -1);
	pty_keys(p, "jjj\r"); /* to the left, twice; the menu stays */
	assert_true(pty_wait_match(p, "PID +THR +USER .*%EVT +COMMAND", SOON_MS));
	pty_keys(p, "\r");
	assert_true(pty_wait_match(p, "^ +THR +PID +USER .*%EVT +COMMAND", SOON_MS));
	pty_keys(p, "\r");
	sees(p, "it is the first column already");
	pty_keys(p, "\033");
	sees_no(p, "move this column");
	click_title(p, "USER");
	pty_keys(p, "jjjjj\r\r"); /* wider */
	assert_true(pty_wait_match(p, "USER {13,}.*%EVT +COMMAND", SOON_MS));
	sees(p, "own width");
	pty_keys(p, "\033");
	sees_no(p, "move this column");
	click_title(p, "PID");
	pty_keys(p, "jj\r");
	assert_true(pty_wait_match(p, "^ +THR +USER .*%EVT +COMMAND", SOON_MS));
	click_title(p, "COMMAND");
	pty_keys(p, "j\r");
	sees(p, "COMMAND (command): command line");
	pty_keys(p, "\027"); /* ^W: of the one that is sorted by */
	assert_true(pty_wait_match(p, "^ +%EVT *$", SOON_MS));
	pty_keys(p, "\033W");
	sees(p, "written to ");
	leave(p);
	rc_folder_read(&rc, "ptoprc", text, sizeof(text));
	assert_non_null(strstr(text, "\nprocesses = threads user:17 evt command\n"));
	rc_folder_remove(&rc);
}

#endif

static void
a_right_click_opens_the_menu_of_the_row_that_it_hits(void **state)
{
	struct pty *p = start(120, 24, ENV("FAKE_SHUFFLE=0"));
	char click[32];

	(void)state;
	sees(p, "nginx: worker process");
	snprintf(click, sizeof(click), "\033[<2;20;%dM", pty_find_line(p, "nginx: worker process") + 1);
	pty_keys(p, click);
	assert_true(pty_wait_match(p, "^ +77 nginx *$", SOON_MS));
	sees(p, "SIGTERM: it is asked to end");
	pty_keys(p, "\033");
	sees_no(p, "asked to end");
	pty_keys(p, "\033[<2;20;1M"); /* on the header: on nothing */
	pty_settle(p, QUIET_MS, FRAME_MS);
	assert_null(strstr(pty_screen(p), "asked to end"));
	/* The numbers of the fake engine's processes are nobody's, or somebody else's. */
	pty_keys(p, "\033[20~\ry");
	assert_true(pty_wait_match(p, "not done: 77 nginx: it has ended", SOON_MS));
	leave(p);
}

/* Rows change places while one reads what i tells of one. */
static void
a_key_on_what_is_told_of_a_row_is_about_that_row(void **state)
{
	struct pty *p = start(120, 24, ENV("FAKE_SHUFFLE=1", "FAKE_DELAY=0.05"));
	const char *told;
	char line[64];

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\\comm!=sh\r");
	sees(p, "filter comm!=sh");
	pty_keys(p, "i");
	sees(p, "named by .symtab");
	told = strstr(pty_screen(p), "row ");
	told = told != NULL ? strpbrk(told, "123456789") : NULL;
	assert_non_null(told);
	snprintf(line, sizeof(line), "not done: %d ", atoi(told));
	/* The fake engine's processes are nobody's. */
	for (int i = 0; i < 12; i++) {
		pty_keys(p, "J");
		sees(p, line);
		pty_keys(p, "j"); /* nothing is said any more */
		sees_no(p, "not done");
		pty_run(p, 60);
	}
	leave(p);
}

/* The first samples of new code may come before it is known who made it. */
static void
who_made_code_is_looked_for_again_while_it_is_told_of(void **state)
{
	struct pty *p = start(120, 24, ENV("FAKE_MAKER=ui_maker.txt", "FAKE_VIEW=functions", "FAKE_DELAY=0.05"));
	FILE *f;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\\symbol=0x55d0c1a0\r");
	sees(p, "filter symbol=0x55d0c1a0");
	pty_keys(p, "i");
	sees(p, "named by .symtab");
	pty_keys(p, "J");
	sees(p, "no process that lives made this code");
	f = fopen("ui_maker.txt", "we");
	assert_non_null(f);
	fprintf(f, "%d\n", getpid());
	fclose(f);
	for (int i = 0; i < 100 && strstr(pty_screen(p), "Nothing was done to it") == NULL; i++) {
		pty_keys(p, "J");
		pty_run(p, 100);
	}
	sees(p, "gets no names now");
	unlink("ui_maker.txt");
	leave(p);
}

static void
what_is_no_living_process_has_no_menu_of_processes(void **state)
{
	struct pty *p = start(120, 24, NULL);

	(void)state;
	sees(p, "sh -c true");
	pty_keys(p, "/sh -c\r");
	pty_keys(p, "M");
	sees(p, "it has ended");
	/* Nor is another row meant then, but the one that is tagged. */
	pty_keys(p, " \033[HM");
	sees(p, "no process that is tagged lives");
	pty_keys(p, "\025"); /* ^U */
	sees(p, "tags are taken off");
	pty_keys(p, "\t\t");
	sees(p, "[Functions]");
	pty_keys(p, "M");
	sees(p, "this row is no process: the views processes and threads have them");
	leave(p);
}

static void
rows_are_tagged_and_kept(void **state)
{
	struct pty *p = start(120, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "&");
	sees(p, "no process is tagged");
	pty_keys(p, "  ");
	assert_true(pty_wait_match(p, "^ \\+ +1234 ", SOON_MS));
	assert_true(pty_wait_match(p, "^ \\+ +77 ", SOON_MS));
	pty_keys(p, "&");
	sees(p, "filter pid~^(1234|77)$");
	sees_no(p, "rcu_preempt");
	sees(p, "nginx");
	pty_keys(p, "&");
	sees(p, "rcu_preempt");
	sees_no(p, "filter pid~");
	pty_keys(p, "\025"); /* ^U */
	sees(p, "2 tags are taken off");
	assert_false(pty_wait_match(p, "^ \\+ +1234 ", 10));
	leave(p);
}

static void
rows_of_one_user_are_kept_and_a_row_is_followed(void **state)
{
	struct pty *p = start(120, 24, ENV("FAKE_SHUFFLE=1"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "F");
	sees(p, "this row is followed");
	pty_keys(p, "F");
	sees(p, "the first row is selected");
	pty_keys(p, "\\comm=nginx\ru");
	sees(p, "Rows of");
	pty_keys(p, "j\r");
	sees(p, "filter comm=nginx user=root");
	pty_keys(p, "u\r");
	sees_no(p, "user=root");
	sees(p, "filter comm=nginx");
	leave(p);
}

static void
commands_lose_path_and_arguments(void **state)
{
	struct pty *p = start(120, 24, ENV());

	(void)state;
	sees(p, "./threads --workers 2");
	pty_keys(p, "\020"); /* ^P */
	sees(p, "programs without path and arguments");
	sees_no(p, "./threads");
	assert_true(pty_wait_match(p, " threads *$", SOON_MS));
	sees(p, "nginx: worker process");
	sees(p, "[rcu_preempt]");
	pty_keys(p, "\020");
	sees(p, "./threads --workers 2");
	leave(p);
}

/* Where it stands in its line, of a screen without other characters than ASCII; -1: it does not. */
static long
place_of(struct pty *p, const char *text)
{
	const char *screen = pty_screen(p), *at = strstr(screen, text), *line = at;

	while (at != NULL && line > screen && line[-1] != '\n')
		line--;
	return at != NULL ? at - line : -1;
}

static void
processes_become_a_tree(void **state)
{
	struct pty *p = start(120, 24, ENV("LC_ALL=C"));

	(void)state;
	sees(p, "nginx: worker");
	assert_int_equal(place_of(p, "nginx: worker"), place_of(p, "COMMAND"));
	pty_keys(p, "\033[15~"); /* F5 */
	sees(p, "a tree: each process has");
	for (int i = 0; i < 100 && place_of(p, "nginx: worker") == place_of(p, "COMMAND"); i++)
		pty_run(p, 100);
	assert_int_equal(place_of(p, "nginx: worker"), place_of(p, "COMMAND") + 2);
	pty_keys(p, "\033[15~");
	sees(p, "no tree: each process has");
	for (int i = 0; i < 100 && place_of(p, "nginx: worker") != place_of(p, "COMMAND"); i++)
		pty_run(p, 100);
	assert_int_equal(place_of(p, "nginx: worker"), place_of(p, "COMMAND"));
	pty_keys(p, "\t\033[15~");
	sees(p, "only processes have a tree");
	leave(p);
}

/* What F1 tells of begins so. */
static void
sees_entry(struct pty *p, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "%s: ", name);
	pty_keys(p, "\033OP");
	sees(p, text);
}

static void
letters_select_an_entry_of_a_menu(void **state)
{
	struct pty *p = start(100, 50, ENV());

	(void)state;
	sees(p, "[Processes]");
	pty_keys(p, "vfunctions\r");
	sees(p, "[Functions]");
	pty_keys(p, "vProcesses\r");
	sees(p, "[Processes]");
	/* A key of the menu is a letter where a name goes on with it. */
	pty_keys(p, "vlock");
	sees_entry(p, "Locks");
	pty_keys(p, "k");
	sees_entry(p, "Unnamed");
	/* The next one that begins so, up to the first again. */
	pty_keys(p, "u");
	sees_entry(p, "Users");
	pty_keys(p, "u");
	sees_entry(p, "Units");
	/* What nothing has selects nothing, nor does Enter take what is selected. */
	pty_keys(p, "ytree");
	sees(p, "no entry has 'uytree': Backspace takes it back");
	sees(p, "View  uytree");
	sees_entry(p, "Units");
	pty_keys(p, "\r");
	sees(p, "no entry has 'uytree'");
	sees_entry(p, "Units");
	pty_keys(p, "\177\177\177\177\177\177u");
	sees_entry(p, "Users");
	/* A word in a name will do, where no name begins so. */
	pty_keys(p, "\177tree");
	sees_entry(p, "Call tree");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	/* A key that moves is a letter where a name begins with it. */
	pty_keys(p, "xjson");
	sees_entry(p, "json");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	leave(p);
}

static void
an_entry_of_a_menu_is_explained(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\033[17~"); /* F6 */
	sees(p, "Sort by");
	pty_keys(p, "\033OP"); /* F1 */
	sees(p, "%EVT: share of what the event counted");
	pty_keys(p, "jj\033OP");
	sees(p, "HOTTEST: function that the task spent most in");
	sees(p, "Enter: all");
	pty_keys(p, "\r");
	sees(p, "Message (Esc leaves)");
	sees_no(p, "Sort by");
	sees(p, "HOTTEST: function that the task spent most in");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	leave(p);
}

/* What is wider than 80 columns has them where they are there. */
static void
a_menu_is_as_wide_as_what_it_says(void **state)
{
	struct pty *p = start(160, 50, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "g");
	sees(p, "Group by");
	for (size_t i = 0; i < VIEW_COUNT; i++)
		if (i == VIEW_CGROUPS || i == VIEW_CONTAINERS || i == VIEW_PODS || i == VIEW_UNITS)
			sees(p, view_defs[i].help);
	leave(p);
}

/* There is no line that says it. */
static void
the_smallest_screen_says_which_view_it_is(void **state)
{
	struct pty *p = start(20, 5, ENV());

	(void)state;
	sees(p, "[Processes]");
	pty_keys(p, "\t");
	sees(p, "[Threads]");
	pty_keys(p, "Z");
	sees(p, "FROZEN  [Threads]");
	leave(p);
}

/* Which cell of the line is the last that is not blank; -1: none. */
static int
last_cell(struct pty *p, int y)
{
	const char *line = pty_line(p, y);
	int cells = 0, last = -1;

	for (; *line != '\0'; line++) {
		if ((*line & 0xc0) != 0x80)
			cells++;
		if (*line != ' ')
			last = cells - 1;
	}
	return last;
}

/* What is above each other there is now, however much time a cell stands for. */
static void
lines_of_time_end_in_the_same_column(void **state)
{
	static const int widths[] = { 80, 100, 160, 250 };
	struct pty *p = start(80, 40, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "T");
	sees(p, "Time line");
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		int rules = 0;

		pty_resize(p, widths[i], 40);
		pty_settle(p, QUIET_MS, FRAME_MS);
		for (int y = 2; y < 36; y++) {
			if (strspn(pty_line(p, y), " =") != strlen(pty_line(p, y)) ||
			    strchr(pty_line(p, y), '=') == NULL)
				continue;
			rules++;
			assert_int_equal(last_cell(p, y), widths[i] - 2);
			assert_int_equal(last_cell(p, y - 1), widths[i] - 2);
		}
		assert_int_equal(rules, 3);
	}
	leave(p);
}

/* What its heights are, and what Enter does. */
static void
lines_of_time_have_a_scale(void **state)
{
	struct pty *p = start(100, 40, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "T");
	sees(p, "Time line");
	sees(p, "Enter Rows");
	sees(p, "100%");
	leave(p);
}

/* The graphs grow with the screen, and leave room for marks. */
static void
the_time_line_uses_a_large_screen(void **state)
{
	struct pty *p = start(200, 60, ENV());
	int marks;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "T");
	sees(p, "Time line");
	sees(p, " marks");
	marks = pty_find_line(p, " marks");
	assert_that(marks, >, 40);
	assert_that(marks, <, 55);
	leave(p);
}

/* Each second is a cell. */
static void
the_header_has_two_minutes_where_there_is_room(void **state)
{
	static const struct {
		int width;
		const char *span;
	} rows[] = { { 80, " s " }, { 120, " s " }, { 200, " 2 min " } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct pty *p = start(rows[i].width, 24, ENV());

		sees(p, "nginx");
		assert_non_null(strstr(pty_line(p, pty_find_line(p, " cpus ")), rows[i].span));
		leave(p);
	}
}

static void
a_fault_of_the_configuration_is_told_with_its_line(void **state)
{
	struct rc_folder rc;
	struct pty *p;

	(void)state;
	rc_folder_make(&rc, "[keys]\nflame = A\nflames = B\n");
	p = start(120, 24, ENV(rc.config, rc.state));
	sees(p, "ptoprc:3: there is no action 'flames'");
	leave(p);
	rc_folder_remove(&rc);
}

static void
the_output_of_the_command_has_a_view(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_OUTPUT=hello\033[2J\nworld\n"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "\033[Z");
	sees(p, "hello\\x1b[2J");
	sees(p, "world");
	pty_keys(p, "\t");
	sees(p, "[Processes]");
	leave(p);
}

static void
a_double_click_goes_in(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	double_clicked(p, 10, 6, "[Threads]");
	leave(p);
}

static void
many_cpus_share_cells_and_notices_are_at_most_two_lines(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_CPUS=300", "FAKE_NOTICES=5"));

	(void)state;
	sees(p, "notice 1:");
	assert_true(pty_wait_match(p, "cpus/[0-9]+ max", SOON_MS));
	assert_non_null(strstr(pty_screen(p), "notice 2:"));
	assert_null(strstr(pty_screen(p), "notice 3:"));
	assert_non_null(strstr(pty_screen(p), "+3 more: !"));
	leave(p);
}

/* What is left out of it is on the page of messages. */
static void
a_notice_that_is_too_long_says_where_the_rest_is(void **state)
{
	static const struct {
		int width;
		const char *line;
	} cases[] = {
		{ 120, "^ ! notice 1: user space only [(]perf_event_paranoid is 2[)]: sudo .*=1 *$" },
		{ 80, "^ ! notice 1: user space only [(]perf_event_paranoid is 2[)]: see ! *$" },
		{ 40, "^ ! notice 1: user space only: see ! *$" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pty *p = start(cases[i].width, 24, ENV("FAKE_NOTICES=1"));

		if (!pty_wait_match(p, cases[i].line, SOON_MS))
			fail_msg("%d columns:\n%s", cases[i].width, pty_screen(p));
		leave(p);
	}
}

static void
cpus_that_are_off_line_are_told_beside_the_rate(void **state)
{
	struct pty *p = start(100, 24, ENV("FAKE_CPUS=64", "FAKE_OFF_LINE=1"));

	(void)state;
	sees(p, "Hz x 63/64 CPUs");
	leave(p);
	p = start(100, 24, ENV("FAKE_CPUS=64"));
	sees(p, "Hz x 64 cpu");
	leave(p);
}

/* What was, what comes, and the end of that: each is one choice away. */
static void
w_writes_what_was_or_from_now_on(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "w");
	sees(p, "the last 34 s, which the flight recorder kept");
	pty_keys(p, "\r");
	sees(p, "written");
	pty_keys(p, "w\033[B\r");
	sees(p, "REC 12M");
	pty_keys(p, "w");
	sees(p, "End the recording");
	pty_keys(p, "\r");
	sees_no(p, "REC 12M");
	leave(p);
}

/* Of all pages of text the one of what has changed alone has something to write. */
static void
w_writes_the_time_of_a_change_where_it_is_told(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "C");
	sees(p, "+7.2 points inflate < gzip_filter (nginx)");
	pty_keys(p, "w");
	sees(p, "written: two minutes");
	pty_keys(p, "h");
	sees(p, "Help");
	pty_keys(p, "w");
	sees(p, "w writes a file in views of samples");
	pty_keys(p, "\033");
	leave(p);
}

/* What is new is at the top; who reads further down keeps what is read. */
static void
the_page_of_changes_follows_while_it_is_open(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_CHANGES=40", "FAKE_DELAY=0.2"));
	char *line;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "C");
	sees(p, "+46.2 points");
	sees(p, "+48.2 points");
	pty_keys(p, "\033[6~");
	sees_no(p, " 1-22 of");
	line = strdup(pty_line(p, 1));
	assert_true(pty_wait_match(p, " of ([5-9][0-9]|[0-9]{3})", SOON_MS));
	assert_string_equal(pty_line(p, 1), line);
	pty_keys(p, "\033[5~\033[5~\033[5~");
	assert_true(pty_wait_match(p, " 1-22 of ([5-9][0-9]|[0-9]{3})", SOON_MS));
	pty_keys(p, "\033");
	free(line);
	leave(p);
}

/* What they were is not kept: columns of it would be empty. */
static void
calls_are_not_compared_and_say_so(void **state)
{
	struct pty *p = start(160, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "=");
	sees(p, "as much time before it");
	pty_keys(p, "\r");
	sees(p, " THEN ");
	sees(p, "DELTA");
	pty_keys(p, "B");
	sees(p, "[Calls]");
	sees(p, "calls are not compared");
	sees(p, "CALLS/s");
	sees_no(p, "DELTA");
	sees_no(p, " THEN ");
	pty_keys(p, ":view processes\r");
	sees(p, "DELTA");
	leave(p);
}

/* A format, then a name that says the same, or another one. */
static void
x_asks_for_a_format_and_a_name(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "x");
	sees(p, "Write what is shown as");
	sees(p, "speedscope");
	pty_keys(p, "\r");
	assert_true(pty_wait_match(p, "write to: ptop-[0-9-]+\\.txt", SOON_MS));
	pty_keys(p, "\177\177\177\177.doc\r");
	sees(p, "its ending names no format");
	pty_keys(p, "\177\177\177\177.folded\r");
	sees(p, "written");
	leave(p);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ui_test(the_first_screen_shows_machine_event_processes_and_keys),
		ui_test(what_is_missing_is_in_the_line_of_the_event),
		ui_test(only_what_is_wrong_is_in_the_colour_of_alarm),
		ui_test(enter_goes_in_and_escape_returns_to_the_same_row),
		ui_test(enter_on_a_process_with_one_thread_opens_its_functions),
		ui_test(enter_on_a_process_whose_other_threads_ended_opens_its_threads),
		ui_test(enter_on_a_process_of_unknown_threads_opens_its_threads),
		ui_test(keys_typed_ahead_wait_for_their_rows),
		ui_test(nothing_is_done_to_rows_that_are_not_there_yet),
		ui_test(a_right_click_on_no_row_needs_none),
		ui_test(the_selection_stays_on_its_row_while_rows_change_places),
		ui_test(shares_go_round_from_what_is_shown_to_all_to_per_second),
		ui_test(events_that_count_things_have_columns_for_them),
		ui_test(until_the_user_moves_the_first_row_is_selected),
		ui_test(views_go_round_with_tab_and_the_menu),
		ui_test(find_moves_to_the_row_and_says_when_there_is_none),
		ui_test(a_search_of_rows_that_come_late_ends_with_its_page),
		ui_test(a_filter_keeps_its_rows_and_a_wrong_one_is_refused),
		ui_test(a_filter_without_a_key_says_which_there_are),
		ui_test(sorting_by_keys_menu_and_mouse),
		ui_test(a_click_on_an_entry_of_a_menu_drags_no_time),
		ui_test(the_picker_finds_by_typing_and_switches),
		ui_test(another_event_begins_at_its_first_row),
		ui_test(another_event_leaves_a_view_that_has_nothing_of_it),
		ui_test(scrolling_the_picker_asks_nothing_of_the_engine),
		ui_test(a_refused_event_leaves_the_row_selected),
		ui_test(states_of_threads_fit_narrow_screens),
		ui_test(records_fit_the_smallest_screen),
		ui_test(a_refusal_in_the_picker_is_whole_on_a_small_screen),
		ui_test(ticked_events_are_sampled_together),
		ui_test(events_of_the_command_line_stay_beside_ticked_ones),
		ui_test(the_header_has_what_was_chosen),
		ui_test(many_cpus_are_a_line_for_each_node),
		ui_test(the_way_is_shortened_at_its_begin),
		ui_test(a_filter_that_is_in_force_is_seen_wherever_one_is),
		ui_test(the_title_of_counts_says_what_is_counted),
		ui_test(w_writes_what_was_or_from_now_on),
		ui_test(w_writes_the_time_of_a_change_where_it_is_told),
		ui_test(the_page_of_changes_follows_while_it_is_open),
		ui_test(calls_are_not_compared_and_say_so),
		ui_test(x_asks_for_a_format_and_a_name),
		ui_test(help_and_messages_are_pages_that_escape_leaves),
		ui_test(the_palette_finds_what_can_be_done_by_typing),
		ui_test(the_palette_has_each_option_with_its_value),
		ui_test(options_are_changed_in_the_palette),
#ifdef HAVE_INIH
		ui_test(keys_of_the_configuration_are_in_help_footer_and_palette),
		ui_test(an_action_without_a_key_takes_no_room_in_the_footer),
		ui_test(what_was_changed_is_written_and_what_was_not_stays),
		ui_test(a_filter_by_pid_is_not_written),
		ui_test(the_time_line_uses_a_large_screen),
		ui_test(the_header_has_two_minutes_where_there_is_room),
		ui_test(a_fault_of_the_configuration_is_told_with_its_line),
		ui_test(columns_are_chosen_ordered_and_kept),
		ui_test(columns_that_the_event_lacks_say_why),
		ui_test(a_right_click_on_a_title_opens_the_menu_of_its_column),
		ui_test(news_wait_for_the_answer_to_be_read),
		ui_test(enter_shows_all_of_an_answer_that_is_cut),
		ui_test(enter_shows_all_of_news_that_are_cut),
		ui_test(so_it_does_on_the_smallest_screen),
		ui_test(an_answer_has_more_lines_on_a_narrow_screen),
		ui_test(a_cause_that_fits_a_narrow_screen_says_where_the_rest_is),
		ui_test(keys_of_other_programs_are_told_once),
		ui_test(what_was_used_is_known_the_next_time),
#endif
		ui_test(letters_select_an_entry_of_a_menu),
		ui_test(an_entry_of_a_menu_is_explained),
		ui_test(a_menu_is_as_wide_as_what_it_says),
		ui_test(the_smallest_screen_says_which_view_it_is),
		ui_test(lines_of_time_have_a_scale),
		ui_test(lines_of_time_end_in_the_same_column),
		ui_test(a_right_click_opens_the_menu_of_the_row_that_it_hits),
		ui_test(a_key_on_what_is_told_of_a_row_is_about_that_row),
		ui_test(who_made_code_is_looked_for_again_while_it_is_told_of),
		ui_test(what_is_no_living_process_has_no_menu_of_processes),
		ui_test(rows_are_tagged_and_kept),
		ui_test(rows_of_one_user_are_kept_and_a_row_is_followed),
		ui_test(commands_lose_path_and_arguments),
		ui_test(processes_become_a_tree),
		ui_test(help_is_grouped_and_searched),
		ui_test(it_ends_after_as_many_refreshes_as_were_asked_for),
		ui_test(the_delay_is_shown_before_it_is_changed),
		ui_test(code_without_a_name_says_why_and_goes_into_its_pages),
		ui_test(a_key_without_meaning_says_so),
		ui_test(the_window_goes_into_the_past_and_back),
		ui_test(how_long_ago_is_told_of_the_end_beside_it),
		ui_test(time_goes_by_beside_a_frozen_screen),
		ui_test(a_frozen_window_is_not_forgotten),
		ui_test(a_stretch_is_told_by_the_clock_or_refused),
		ui_test(a_stretch_is_chosen_by_its_ends),
		ui_test(marks_and_the_line_of_time),
		ui_test(a_process_is_added_by_number_or_by_row_and_taken_out_by_row),
		ui_test(a_lower_frequency_is_shown_with_what_was_asked),
		cmocka_unit_test(where_the_frequency_is_lowered_own_cost_has_room_for_it),
		ui_test(switches_show_that_they_are_on),
		ui_test(the_output_of_the_command_has_a_view),
		ui_test(a_double_click_goes_in),
		ui_test(many_cpus_share_cells_and_notices_are_at_most_two_lines),
		ui_test(a_notice_that_is_too_long_says_where_the_rest_is),
		ui_test(cpus_that_are_off_line_are_told_beside_the_rate),
	};

	if (argc > 1 && strcmp(argv[1], "--ui") == 0)
		return fake_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
