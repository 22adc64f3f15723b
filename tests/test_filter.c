/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "view/filter.h"

static const struct row nginx = {
	.pid = 12, .tid = 13, .cpu_number = 3, .address = 0x4010, .event = "cycles:P",
	.comm = "nginx", .dso = "libc-2.31.so", .symbol = "ngx_http_parse", .source = "a.c:8",
	.user = "www-data", .cgroup = "/system.slice", .command = "", .hottest = "", .reason = "",
};

static bool
keeps(const char *text, const struct row *row)
{
	struct err err = { 0 };
	struct filter *f = filter_parse(text, &err);
	bool kept;

	if (f == NULL)
		fail_msg("'%s' was refused: %s", text, err.text);
	kept = filter_keeps(f, row);
	filter_free(f);
	return kept;
}

static void
assert_refused(const char *text, const char *why)
{
	struct err err = { 0 };

	assert_null(filter_parse(text, &err));
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, why);
}

static void
nothing_keeps_all(void **state)
{
	(void)state;
	assert_true(keeps("", &nginx));
	assert_true(keeps("  ", &nginx));
	assert_true(filter_keeps(NULL, &nginx));
	assert_true(filter_keys(NULL) == 0);
	filter_free(NULL);
}

static void
globs_match_the_whole_value(void **state)
{
	(void)state;
	assert_true(keeps("comm=nginx", &nginx));
	assert_false(keeps("comm=ngin", &nginx));
	assert_true(keeps("comm=ng*", &nginx));
	assert_false(keeps("dso!=libc*", &nginx));
	assert_true(keeps("dso!=libm*", &nginx));
	assert_true(keeps("pid=12 tid=1? cpu=3 address=0x4010", &nginx));
	assert_true(keeps("event=cycles:* user=www-data", &nginx));
	assert_true(keeps("comm==nginx", &nginx));
	assert_true(keeps("pid==12", &nginx));
	assert_false(keeps("comm==ngin", &nginx));
}

/* ptop's own names have brackets, which are a set of letters to a glob. */
static void
names_in_brackets_match_themselves(void **state)
{
	struct row kernel = nginx;

	(void)state;
	kernel.dso = "[kernel]";
	assert_true(keeps("dso=[kernel]", &kernel));
	assert_false(keeps("dso!=[kernel]", &kernel));
	assert_false(keeps("dso=[vdso]", &kernel));
	assert_true(keeps("comm=[mn]ginx", &kernel));
}

static void
regexes_match_a_part(void **state)
{
	(void)state;
	assert_true(keeps("symbol~^ngx_", &nginx));
	assert_false(keeps("symbol~^http", &nginx));
	assert_true(keeps("symbol!~^http", &nginx));
	assert_true(keeps("comm~(nginx|apache)$", &nginx));
}

static void
events_that_cannot_pass_are_known(void **state)
{
	struct filter *f = filter_parse("event=cycles* comm=nginx", NULL);

	(void)state;
	assert_true(filter_keeps_event(f, "cycles:P"));
	assert_false(filter_keeps_event(f, "page-faults"));
	assert_true(filter_keeps_event(NULL, "page-faults"));
	filter_free(f);
}

static void
terms_are_anded(void **state)
{
	(void)state;
	assert_true(keeps("comm=nginx symbol~parse", &nginx));
	assert_false(keeps("comm=nginx\tsymbol~scan", &nginx));
}

static void
a_bare_word_is_looked_for_in_names(void **state)
{
	struct row cpp = nginx;

	(void)state;
	cpp.symbol = "std::operator==(int)";
	assert_true(keeps("http", &nginx));
	assert_true(keeps("LIBC", &nginx));
	assert_false(keeps("www", &nginx));
	assert_true(keeps("std::operator==", &cpp));
	assert_false(keeps("std::operator==", &nginx));
}

static void
comparisons_of_numbers_are_refused(void **state)
{
	static const char *const words[] = { "samples>3", "percent<1.5", "pid>=1", "cpu<3",
					     "evt>" };
	struct row cpp = nginx;
	char why[120];

	(void)state;
	cpp.symbol = "std::vector<int>::size() const";
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		snprintf(why, sizeof(why), "column 1: '%s': rows are kept by names, not by "
			 "numbers", words[i]);
		assert_refused(words[i], why);
	}
	assert_refused("comm=a samples>3",
		       "column 8: 'samples>3': rows are kept by names, not by numbers");
	assert_true(keeps("vector<int>", &cpp));
	assert_false(keeps("vector<int>", &nginx));
	assert_true(keeps("symbol~vector<int>", &cpp));
	assert_false(keeps("operator<", &cpp));
	assert_false(keeps("<samples>", &cpp));
}

static void
quotes_keep_blanks(void **state)
{
	struct row gc = nginx;

	(void)state;
	gc.comm = "GC Thread#0";
	assert_true(keeps("\"comm=GC Thread*\" symbol~ngx", &gc));
	assert_true(keeps("comm=\"GC Thread\"*", &gc));
	assert_false(keeps("comm=\"GC  Thread\"*", &gc));
}

static void
faults_are_told_with_their_column(void **state)
{
	(void)state;
	assert_refused("comm=nginx conm=x",
		       "column 12: unknown key 'conm': did you mean 'comm'?");
	assert_refused("  =x", "column 3: no key before '='");
	assert_refused("symbol~", "column 8: no pattern");
	assert_refused("comm=\"GC", "column 6: no closing quote");
	assert_null(filter_parse("symbol~(", NULL));
}

static void
a_bad_regex_is_told_with_the_reason(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_null(filter_parse("comm=a symbol~ngx_(", &err));
	assert_non_null(strstr(err.text, "column 15: 'ngx_(': "));
}

static void
too_many_terms_are_refused(void **state)
{
	char text[200] = "";
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < 33; i++)
		strcat(text, "a ");
	assert_null(filter_parse(text, &err));
	assert_non_null(strstr(err.text, "column 65: more than 32 terms"));
}

static void
a_filter_tells_what_it_looks_at(void **state)
{
	struct filter *f = filter_parse("pid=1 user!=root", NULL);

	(void)state;
	assert_int_equal(filter_keys(f), KEY_BIT(KEY_PID) | KEY_BIT(KEY_USER));
	filter_free(f);
	f = filter_parse("word", NULL);
	assert_int_equal(filter_keys(f), KEY_BIT(KEY_COMM) | KEY_BIT(KEY_DSO) | KEY_BIT(KEY_SYMBOL));
	filter_free(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_keeps_all),
		cmocka_unit_test(globs_match_the_whole_value),
		cmocka_unit_test(names_in_brackets_match_themselves),
		cmocka_unit_test(regexes_match_a_part),
		cmocka_unit_test(events_that_cannot_pass_are_known),
		cmocka_unit_test(terms_are_anded),
		cmocka_unit_test(a_bare_word_is_looked_for_in_names),
		cmocka_unit_test(comparisons_of_numbers_are_refused),
		cmocka_unit_test(quotes_keep_blanks),
		cmocka_unit_test(faults_are_told_with_their_column),
		cmocka_unit_test(a_bad_regex_is_told_with_the_reason),
		cmocka_unit_test(too_many_terms_are_refused),
		cmocka_unit_test(a_filter_tells_what_it_looks_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
