/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --list on the real kernel: the events, what fits a pattern, and whether each can be opened. */
#include "event/event_table.h"
#include "tests/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include <config.h>

enum { SECONDS = 60 };

static void
list(struct run_result *r, const char *pattern)
{
	char option[128];
	char *argv[] = { (char *)(uintptr_t)run_ptop(), option, NULL };

	snprintf(option, sizeof(option), "--list%s%s", *pattern != '\0' ? "=" : "", pattern);
	run_program(r, SECONDS, argv);
}

/* The line of an event; what is beside its name is told. */
static bool
has_event(const char *text, const char *name, char *class, char *can)
{
	for (const char *line = text; line != NULL && *line != '\0';
	     line = strchr(line, '\n') != NULL ? strchr(line, '\n') + 1 : NULL) {
		char found[256];

		if (sscanf(line, "%31s %255s %7s", class, found, can) == 3 &&
		    strcmp(found, name) == 0)
			return true;
	}
	return false;
}

static void
all_events_that_kernels_know_by_name_are_there(void **state)
{
	size_t count;
	const struct event_row *rows = event_table(&count);
	char class[32], can[8];
	struct run_result r;

	(void)state;
	list(&r, "");
	assert_int_equal(r.status, 0);
	assert_string_equal(r.err, "");
	assert_int_equal(strncmp(r.out, "CLASS ", 6), 0);
	for (size_t i = 0; i < count; i++) {
		if (!has_event(r.out, rows[i].name, class, can))
			fail_msg("%s is not there", rows[i].name);
		assert_true(strcmp(can, "yes") == 0 || strcmp(can, "no") == 0);
		if (strcmp(can, "no") == 0)
			assert_string_not_equal(class, "software");
	}
	run_release(&r);
}

/* Where the name is, whether it can be opened and what it counts begin at the same place. */
static void
columns_are_aligned_to_the_longest_name(void **state)
{
	struct run_result r;
	size_t at = 0;

	(void)state;
	list(&r, "cpu-");
	for (char *line = strtok(r.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		const char *open = strstr(line, at == 0 ? "OPEN" : "yes ");

		if (open == NULL)
			open = strstr(line, "no  ");
		assert_non_null(open);
		if (at != 0)
			assert_int_equal((size_t)(open - line), at);
		at = (size_t)(open - line);
		assert_int_equal(line[at - 1], ' ');
	}
	assert_true(at > strlen("software    cpu-clock"));
	run_release(&r);
}

static void
a_pattern_is_a_part_of_the_name_or_fits_all_of_it(void **state)
{
	static const struct {
		const char *pattern;
		bool clock, migrations, faults;
	} rows[] = {
		{ "cpu-", true, true, false }, { "CPU-C", true, false, false },
		{ "cpu-*", true, true, false }, { "*-faults", false, false, true },
		{ "pu-*", false, false, false }, { "cpu-cloc[jk]", true, false, false },
	};
	char class[32], can[8];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct run_result r;

		list(&r, rows[i].pattern);
		if (has_event(r.out, "cpu-clock", class, can) != rows[i].clock ||
		    has_event(r.out, "cpu-migrations", class, can) != rows[i].migrations ||
		    has_event(r.out, "page-faults", class, can) != rows[i].faults)
			fail_msg("%s: %s", rows[i].pattern, r.out);
		assert_int_equal(WEXITSTATUS(r.status),
				 !rows[i].clock && !rows[i].migrations && !rows[i].faults);
		run_release(&r);
	}
}

static void
what_fits_nothing_is_told_with_the_nearest_name(void **state)
{
	struct run_result r;

	(void)state;
	list(&r, "cpu-clokc");
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_string_equal(r.out, "");
	assert_string_equal(r.err, "ptop: no event fits 'cpu-clokc': did you mean 'cpu-clock'?\n");
	run_release(&r);
	list(&r, "nothing-is-like-that");
	assert_string_equal(r.err, "ptop: no event fits 'nothing-is-like-that'\n");
	run_release(&r);
}

/* What cannot be opened says why; of all others there is no reason. */
static void
what_cannot_be_opened_says_why(void **state)
{
	struct run_result r;
	size_t lines = 0;

	(void)state;
	list(&r, "cycles");
	for (char *line = strtok(r.out, "\n"); line != NULL; line = strtok(NULL, "\n"), lines++) {
		bool has_reason = strstr(line, " (E") != NULL && line[strlen(line) - 1] == ')';

		if (lines > 0)
			assert_int_equal(has_reason, strstr(line, "  no  ") != NULL);
	}
	assert_true(lines > 3);
	run_release(&r);
}

static void
explains(const char *word, int status, const char *says)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), (char *)"--explain", (char *)(uintptr_t)word, NULL };
	struct run_result r;

	run_program(&r, SECONDS, argv);
	assert_int_equal(WEXITSTATUS(r.status), status);
	if (strstr(status == 0 ? r.out : r.err, says) == NULL)
		fail_msg("'%s' is not in '%s%s'", says, r.out, r.err);
	run_release(&r);
}

static void
a_word_is_explained_whatever_it_names(void **state)
{
	(void)state;
	explains("MEM%", 0, "column MEM% (memory): ");
	explains("CHANGED", 0, "needs 5 s: ");
	explains("rss", 0, "without what each CPU has not added up yet");
	explains("comm", 0, "column and key COMM (comm): name of the thread");
	explains("functions", 0, "view functions: one row for each function");
	explains("throttled", 0, "count throttled: ");
	explains("--delay", 0, "option --delay SECS: time between refreshes");
#ifdef HAVE_NCURSES
	explains("w", 0, "key w (record): ");
	explains("needs", 0, "} makes them longer");
	explains("W", 0, "key W (write-config): ");
	explains("f9", 0, "(process-menu): ");
	explains("^N", 0, "key ^N (theme-next): ");
	explains("self", 0, "header self: ");
	explains("load", 0, "header load: ");
	explains("us", 0, "header us: ");
	explains("id", 0, "nothing to do (idle)\ncolumn and key ID");
	explains("ID", 0, "largest is first\nheader id: ");
	explains("stall%", 0, "header stall%: ");
	explains("PAST", 0, "header PAST: ");
	explains("-g auto", 0, "header -g auto: ");
	explains("deep stacks", 0, "header deep stacks: ");
	explains("deep", 0, "header deep: ");
	explains("so far", 0, "header so far: ");
	explains("%TOTAL", 0, "title %TOTAL: in views of stacks");
	explains("g auto", 2, "did you mean '-g auto'");
	explains("\xe2\x80\xa0", 0, "sign \xe2\x80\xa0: the task has ended");
	explains("k", 0, "sign k: kernel code or a kernel thread\nkey ");
	explains("MS/S", 0, "column %EVT");
	explains("tree", 0, "view tree: ");
	explains("tree", 0, "\nkey t (tree): ");
	explains("Tab", 0, "key Tab (view-next): ");
	explains("process-mneu", 2, "did you mean 'process-menu'");
#endif
	explains("functoins", 2, "did you mean 'functions'");
	explains("\033[2J", 2, "nothing is called '\\x1b[2J'");
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_word_is_explained_whatever_it_names),
		cmocka_unit_test(all_events_that_kernels_know_by_name_are_there),
		cmocka_unit_test(columns_are_aligned_to_the_longest_name),
		cmocka_unit_test(a_pattern_is_a_part_of_the_name_or_fits_all_of_it),
		cmocka_unit_test(what_fits_nothing_is_told_with_the_nearest_name),
		cmocka_unit_test(what_cannot_be_opened_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
