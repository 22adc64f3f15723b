/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deep stacks of a real program on the screen: each view is opened, searched, zoomed and left. */
#include "tests/screen_fixture.h"

#include <stdio.h>

static void
start_on_load(struct screen *s, int width, int height, const char *const *env)
{
	char pid[16];

	screen_load(s, "deep");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, width, height, ARGS((char *)"-p", pid), env);
	sees(s, "deep");
}

static void
the_flame_graph_zooms_searches_and_comes_back(void **state)
{
	struct screen *s = *state;

	start_on_load(s, 80, 40, ENV());
	keys(s, "f");
	sees(s, "[Flame graph]");
	sees(s, "|main");
	sees(s, ":__libc_start");
	keys(s, "/descend\r");
	sees_match(s, "'descend' [0-9.]+% in [0-9]+");
	keys(s, "n");
	sees_match(s, " descend<[^ ]*  [0-9.]+%");
	keys(s, "\r");
	sees(s, "of this zoom 100.0%");
	sees(s, "|descend<...>");
	/* The callers stay above it, over the whole width. */
	sees(s, "|main");
	keys(s, "\033");
	sees_no(s, "of this zoom");
	sees(s, "[Flame graph]");
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
}

static void
the_call_tree_goes_down_and_up(void **state)
{
	struct screen *s = *state;

	start_on_load(s, 200, 50, ENV());
	keys(s, "t");
	sees(s, "[Call tree]");
	sees_match(s, "[0-9.]+ +[0-9.]+ +[|-] main");
	keys(s, "/descend\r");
	sees_match(s, "'descend' [0-9.]+% in [0-9]+");
	/* One in thousands, of the first moment, is not worth a line. */
	sees_no(s, "are cut: [cut]");
	keys(s, "ni");
	sees(s, "About this row");
	sees_match(s, "^ *named by +.*symtab");
	keys(s, "\033");
	sees(s, "[Call tree]");
	keys(s, "t");
	sees(s, "below it who calls it");
	sees_match(s, "\\+ std::__introsort_loop<");
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
}

static void
a_function_says_who_calls_it_and_what_it_calls(void **state)
{
	struct screen *s = *state;

	start_on_load(s, 80, 24, ENV("LC_ALL=C", "TERM=vt100"));
	keys(s, "t");
	sees_match(s, "[|-] main");
	sees(s, "__libc_start_call_main"); /* found first: another file's names may come later */
	keys(s, "/introsort_loop\r");
	sees(s, "'introsort_loop'");
	keys(s, "nc");
	sees(s, "- callers of std::__introsort_loop");
	sees(s, "- callees of std::__introsort_loop");
	sees(s, "- main");
	keys(s, "Z");
	sees(s, "frozen");
	sees(s, "- callers of std::__introsort_loop");
	keys(s, "\033");
	sees(s, "[Processes]");
	leave(s);
}

/* Where a chain ends too early, it is not told that nobody calls. */
static void
callers_that_are_unknown_are_called_so(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "deep");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 80, 24, ARGS("-p", pid, "-g", "none", "-V", "functions"), NULL);
	/* Where it has just begun others are hotter. */
	sees(s, "introsort_loop");
	keys(s, "/introsort_loop\r");
	keys(s, "c");
	sees(s, "deep: callers unknown: call chains are off (G)");
	sees(s, "unknown: call chains are off");
	sees_no(s, ": none");
	leave(s);
}

/* In trees and flame graphs it stands above what is known. */
static void
what_stands_for_callers_says_why_they_are_unknown(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "nested");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 100, 24, ARGS("-p", pid, "-g", "dwarf,512", "-V", "tree"), NULL);
	sees(s, "[cut]: callers unknown: unwinding ends here (!)");
	/* By its words it is found, too. */
	keys(s, "/callers UNKNOWN: unwinding\r");
	sees_match(s, "'callers UNKNOWN: unwinding' at least [0-9.]+% in [0-9]+");
	keys(s, "/here\ri");
	sees(s, "About this row");
	sees(s, "its callers are not known");
	keys(s, "\033");
	sees(s, "[Call tree]");
	sees_match(s, "msort_with_tmp|qsort");
	keys(s, "f");
	sees(s, "[Flame graph]");
	keys(s, "/msort\r");
	sees_match(s, "'msort' [0-9.]+% in ");
	keys(s, "/unwinding ends\r");
	/* No file is named: it is no code. */
	sees_match(s, "^ \\[cut\\] .*%  callers unknown: unwinding ends here \\(!\\)  "
		      "[0-9]+ samples");
	keys(s, "!");
	sees_match(s, "call chains cut: [0-9.]+k?; the copy of the stack ended");
	leave(s);
}

/* From where a chain ends too early the key leads to one that is whole. */
static void
how_chains_are_taken_is_changed_by_a_key(void **state)
{
	struct screen *s = *state;
	char pid[16];

	screen_load(s, "nested");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 80, 24, ARGS("-p", pid, "-g", "fp", "-V", "functions"), NULL);
	sees(s, "compare_slowly");
	keys(s, "c");
	sees(s, "no frame pointers here (G)");
	keys(s, "G");
	sees(s, "Call chains");
	sees(s, "tell what is beyond a copy");
	keys(s, "\033[A\r");
	sees(s, "call chains are taken by what each process needs");
	keys(s, "z");
	sees(s, "main");
	sees_no(s, "no frame pointers here");
	keys(s, "G");
	sees(s, "Call chains");
	keys(s, "\033[B\033[B\033[B\r");
	sees(s, "call chains are taken no more");
	leave(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(the_flame_graph_zooms_searches_and_comes_back),
		screen_test(the_call_tree_goes_down_and_up),
		screen_test(a_function_says_who_calls_it_and_what_it_calls),
		screen_test(callers_that_are_unknown_are_called_so),
		screen_test(what_stands_for_callers_says_why_they_are_unknown),
		screen_test(how_chains_are_taken_is_changed_by_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
