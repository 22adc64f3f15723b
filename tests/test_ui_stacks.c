/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call tree, callers and callees, and flame graph, on the fake engine. */
#include "ui_test.h"

#include <stdio.h>

#include "base/util.h"
#include "tests/asserts.h"

/* The line of the screen that holds @text, -1: none. */
static int
line_with(struct pty *p, const char *text, int height)
{
	for (int y = 0; y < height; y++)
		if (strstr(pty_line(p, y), text) != NULL)
			return y;
	return -1;
}

static void
a_flame_graph_is_boxes_below_each_other(void **state)
{
	struct pty *p = start(80, 24, ENV());
	int all, main_row, handle, copy;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "[Flame graph]");
	sees(p, "window 10 s  event ");
	sees(p, "|handle_request");
	all = line_with(p, "=all", 24);
	main_row = line_with(p, "|main", 24);
	handle = line_with(p, "|handle_request", 24);
	copy = line_with(p, "|parse_header", 24);
	assert_int_equal(main_row, all + 2);
	/* To the last cell of the line: what ends there is all of it. */
	assert_true(pty_cell(p, 79, all).colored);
	assert_int_equal(handle, main_row + 1);
	assert_int_equal(copy, handle + 1);
	/* Kinds of code have marks of their own; the legend says which. */
	assert_int_equal(line_with(p, ":memcpy", 24), copy);
	assert_int_equal(line_with(p, "#do_sysc", 24), copy);
	assert_int_equal(line_with(p, "*L", 24), main_row);
	sees(p, "#kernel");
	sees(p, "-waits");
	/* The boxes of one row are as wide as their shares: 250 and 300 of 990. */
	assert_int_equal(strstr(pty_line(p, copy), "|parse_header") - pty_line(p, copy), 20);
	leave(p);
}

static void
boxes_are_selected_zoomed_and_left_again(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "=all");
	pty_keys(p, "jjj");
	sees(p, "65.00%  self 10.00%  nginx  650 samples");
	pty_keys(p, "j");
	sees(p, "parse_header  30.00%");
	pty_keys(p, "\033[D");
	sees(p, "memcpy  25.00%");
	pty_keys(p, "\033[C");
	sees(p, "parse_header  30.00%");
	pty_keys(p, "\r");
	sees(p, "of this zoom 100.0%");
	sees_no(p, "tcp_sendmsg");
	sees(p, "|main"); /* who calls it stays, as wide */
	pty_keys(p, "j");
	sees(p, "of this zoom 33.3%");
	pty_keys(p, "\033");
	sees(p, "tcp_sendmsg");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	leave(p);
}

static void
the_mouse_selects_and_zooms(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "|parse_header");
	pty_keys(p, "\033[<0;30;7M\033[<0;30;7m");
	sees(p, " parse_header  30.00%");
	pty_run(p, 500); /* no double click with the next one */
	double_clicked(p, 60, 6, "of this zoom 100.0%");
	sees(p, " write  23.00%");
	pty_resize(p, 160, 50);
	sees(p, " write  23.00%");
	sees(p, "#tcp_sendmsg");
	leave(p);
}

static void
the_box_under_the_mouse_is_told(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_DELAY=0.1"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "|parse_header");
	pty_keys(p, "j");
	sees(p, " nginx  89.00%");
	pty_keys(p, "\033[<35;30;7M");
	sees(p, " parse_header  30.00%");
	pty_keys(p, "\033[<35;60;6M");
	sees(p, " write  23.00%");
	/* It is told through updates; what is selected is so for the keys. */
	pty_run(p, 500);
	sees(p, " write  23.00%");
	pty_keys(p, "\033[<35;60;22M");
	sees(p, " nginx  89.00%");
	pty_keys(p, "\033[<35;60;6M");
	sees(p, " write  23.00%");
	pty_keys(p, "j");
	sees(p, " main  89.00%");
	leave(p);
}

/* Elsewhere nobody is told of each move of the mouse. */
static void
moves_of_the_mouse_are_asked_for_in_the_flame_graph_alone(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	assert_null(strstr(pty_raw(p)->data, "\033[?1003h"));
	pty_keys(p, "f");
	sees(p, "=all");
	assert_non_null(strstr(pty_raw(p)->data, "\033[?1003h"));
	assert_null(strstr(pty_raw(p)->data, "\033[?1003l"));
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	assert_non_null(strstr(pty_raw(p)->data, "\033[?1003l\033[?1000h"));
	pty_keys(p, "f");
	sees(p, "=all");
	leave(p); /* which looks whether the terminal is as it was */
}

static void
a_search_marks_all_and_says_their_share(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "=all");
	pty_keys(p, "/memc");
	sees(p, "'memc' 35.00% in 2");
	pty_keys(p, "\r");
	sees(p, "memcpy  25.00%");
	pty_keys(p, "n");
	sees(p, "memcpy  10.00%");
	pty_keys(p, "n");
	sees(p, "memcpy  25.00%");
	/* A function below one that was found is in its share already. */
	pty_keys(p, "/\025h\r");
	sees(p, "'h'");
	pty_keys(p, "/zzz");
	sees(p, "no function holds this");
	pty_keys(p, "\033");
	sees_no(p, "zzz");
	leave(p);
}

/* What is too small for a box is in the sum, once the engine has told it. */
static void
the_sum_of_a_search_has_what_is_too_small_to_be_seen(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_SLOW=300"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "=all");
	pty_keys(p, "/m");
	sees(p, "'m' at least ");
	sees(p, "'m' 99.10% in ");
	pty_keys(p, "\025seldom\r");
	sees(p, "'seldom' 0.10% in smaller ones");
	leave(p);
}

/* Keys wait for a report for a second at most; a search goes on waiting. */
static void
a_search_waits_for_what_is_searched(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_SLOW=1500"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f/parse\r");
	sees(p, " parse_header  30.00%");
	leave(p);
}

static void
updates_leave_the_selected_box_selected(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_SHUFFLE=1", "FAKE_DELAY=0.05"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "=all");
	pty_keys(p, "/parse\r");
	sees(p, " parse_header  ");
	for (int i = 0; i < 4; i++) {
		sees(p, "| |main");
		assert_non_null(strstr(pty_line(p, 22), " parse_header"));
		sees_no(p, "| |main");
		assert_non_null(strstr(pty_line(p, 22), " parse_header"));
	}
	leave(p);
}

/* As on symbols that come after the first samples. */
static void
functions_that_get_other_names_stay_selected(void **state)
{
	struct pty *p = start(80, 24, ENV("FAKE_LATE=1", "FAKE_DELAY=0.05"));

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "=all");
	sees(p, "|main");
	pty_keys(p, "/parse\r");
	for (int i = 0; i < 3; i++) {
		sees(p, " _Z12parse_header  30.00%");
		sees(p, " parse_header  30.00%");
	}
	pty_keys(p, "\r");
	for (int i = 0; i < 3; i++) {
		sees(p, " _Z12parse_header  30.00%  self 20.00%  of this zoom 100.0%");
		sees(p, " parse_header  30.00%  self 20.00%  of this zoom 100.0%");
	}
	leave(p);
}

static void
a_call_tree_opens_and_closes(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "t");
	sees(p, "[Call tree]");
	sees(p, "- handle_request");
	sees(p, "| main"); /* nothing else is called by it: the line goes on */
	sees(p, "tcp_sendmsg");
	pty_keys(p, "jj");
	pty_keys(p, "-");
	sees(p, "+ main");
	sees_no(p, "handle_request");
	pty_keys(p, "\r");
	sees(p, "| main");
	sees(p, "tcp_sendmsg");
	pty_keys(p, "\033[D"); /* closed */
	sees(p, "+ main");
	pty_keys(p, "\033[D"); /* to who calls it */
	pty_keys(p, "-");
	sees(p, "+ nginx");
	/* A search opens what it finds. */
	pty_keys(p, "/tcp\r");
	sees(p, "tcp_sendmsg");
	sees(p, "'tcp' 15.00% in 1");
	pty_keys(p, "t");
	sees(p, "bottom up");
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	leave(p);
}

/* That it lets interrupts on is no word on what has changed: it stands behind that. */
static void
lines_that_are_compared_have_the_sign_of_chance(void **state)
{
	struct pty *p = start(100, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "t");
	sees(p, "!   20.00   5.00 ");
	sees(p, "#   15.00  15.00 ");
	pty_keys(p, "=");
	sees(p, "as much time before it");
	pty_keys(p, "\r");
	sees(p, "=!  20.00  +0.00 ");
	sees(p, "=   15.00  +0.00 ");
	leave(p);
}

static void
what_is_selected_is_so_in_the_other_tree(void **state)
{
	struct pty *p = start(80, 24, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "=all");
	pty_keys(p, "/sendm\r");
	sees(p, " tcp_sendmsg  15.00%");
	pty_keys(p, "t");
	sees(p, "[Call tree]");
	pty_keys(p, "c"); /* of what is selected: of all there are none */
	sees(p, "[Callers and callees]");
	pty_keys(p, "t");
	sees(p, "[Call tree]");
	pty_keys(p, "k");
	pty_keys(p, "f");
	sees(p, " do_syscall_64  20.00%");
	leave(p);
}

static void
a_function_has_its_callers_above_and_its_callees_below(void **state)
{
	struct pty *p = start(80, 24, ENV());
	int callers, callees;

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "c");
	sees(p, "select a function first");
	pty_keys(p, "f");
	sees(p, "=all");
	pty_keys(p, "/memcpy\rc");
	sees(p, "[Callers and callees]");
	sees(p, "- callers of memcpy");
	callers = line_with(p, "callers of memcpy", 24);
	callees = line_with(p, "callees of memcpy", 24);
	assert_that(callers, <, line_with(p, "handle_request", 24));
	assert_that(line_with(p, "parse_header", 24), <, callees);
	assert_that(callees, <, line_with(p, "page_fault", 24));
	pty_keys(p, "\033");
	sees(p, "[Processes]");
	leave(p);
}

/* What was looked for in one view is not told to be missing in another. */
static void
a_search_ends_with_its_view(void **state)
{
	struct pty *p = start(120, 30, ENV());

	(void)state;
	sees(p, "nginx");
	pty_keys(p, "f");
	sees(p, "=all");
	pty_keys(p, "/parse_header\r");
	sees(p, "'parse_header' ");
	pty_keys(p, "/memcpy\rc");
	sees(p, "[Callers and callees]");
	sees(p, "callers of memcpy");
	assert_true(pty_find_line(p, "'memcpy'") < 0);
	pty_keys(p, "/nowhere\r");
	sees(p, "'nowhere' not found");
	pty_keys(p, "t");
	sees(p, "[Call tree]");
	assert_true(pty_find_line(p, "'nowhere' not found") < 0);
	leave(p);
}

static void
all_views_of_stacks_work_on_any_terminal(void **state)
{
	static const struct {
		int width, height;
		const char *env[3];
	} terminals[] = {
		{ 20, 5, { "LC_ALL=C", "TERM=vt100", NULL } },
		{ 40, 8, { "TERM=vt100", NULL } },
		{ 80, 24, { "LC_ALL=C", NULL } },
		{ 160, 50, { "FAKE_HOSTILE=1", NULL } },
		{ 1, 1, { "LC_ALL=C", NULL } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(terminals); i++) {
		struct pty *p = start(terminals[i].width, terminals[i].height, terminals[i].env);

		is_up(p);
		pty_keys(p, "t");
		if (terminals[i].width >= 20)
			sees(p, "- all");
		pty_keys(p, "f");
		if (terminals[i].width >= 20)
			sees(p, "=all");
		pty_keys(p, "jjj\r\033[C\033[D/x\rnc");
		if (terminals[i].width >= 20)
			sees(p, "callers");
		assert_null(strchr(pty_screen(p), '\033'));
		leave(p);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ui_test(a_flame_graph_is_boxes_below_each_other),
		ui_test(boxes_are_selected_zoomed_and_left_again),
		ui_test(the_mouse_selects_and_zooms),
		ui_test(the_box_under_the_mouse_is_told),
		ui_test(moves_of_the_mouse_are_asked_for_in_the_flame_graph_alone),
		ui_test(a_search_marks_all_and_says_their_share),
		ui_test(the_sum_of_a_search_has_what_is_too_small_to_be_seen),
		ui_test(a_search_waits_for_what_is_searched),
		ui_test(updates_leave_the_selected_box_selected),
		ui_test(functions_that_get_other_names_stay_selected),
		ui_test(a_call_tree_opens_and_closes),
		ui_test(lines_that_are_compared_have_the_sign_of_chance),
		ui_test(what_is_selected_is_so_in_the_other_tree),
		ui_test(a_function_has_its_callers_above_and_its_callees_below),
		ui_test(a_search_ends_with_its_view),
		ui_test(all_views_of_stacks_work_on_any_terminal),
	};

	if (argc > 1 && strcmp(argv[1], "--ui") == 0)
		return fake_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
