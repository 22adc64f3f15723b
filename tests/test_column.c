/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "view/column.h"
#include "view/share.h"
#include "tests/asserts.h"

static const struct column_style utf8 = { .ascii = false }, ascii = { .ascii = true };

static struct row
blank(void)
{
	return (struct row){ .cpu = NAN, .pid = -1, .tid = -1, .cpu_number = -1, .event = "",
			     .comm = "", .dso = "", .symbol = "", .source = "", .user = "",
			     .cgroup = "", .command = "", .hottest = "", .reason = "" };
}

static void
assert_put(enum column_id id, const struct row *row, const struct column_style *style,
	   const char *expected)
{
	struct buf b = { 0 };

	column_put(&b, id, row, style);
	assert_string_equal(buf_str(&b), expected);
	buf_release(&b);
}

static void
every_column_is_complete_and_its_name_unique(void **state)
{
	(void)state;
	for (int i = 0; i < COLUMN_COUNT; i++) {
		assert_non_null(columns[i].name);
		assert_non_null(columns[i].title);
		assert_that(strlen(columns[i].help), >, 5);
		assert_true(columns[i].kind != VALUE_OWN || columns[i].put != NULL);
		assert_true((columns[i].kind == VALUE_OWN) == (columns[i].compare != NULL));
		assert_true((columns[i].key != NULL) == (i < KEY_COUNT));
		assert_true(columns[i].width > 0 || columns[i].min_width > 0);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(columns[i].name, columns[j].name);
	}
}

static void
functions_are_brief_only_where_that_is_wanted(void **state)
{
	static const struct column_style brief = { .brief = true };
	struct row row = blank();

	(void)state;
	row.symbol = "ns::Map<Key, Value>::find\033[2J";
	row.dso = "lib<Key, Value>.so";
	assert_put(COLUMN_SYMBOL, &row, &utf8, "ns::Map<Key, Value>::find\\x1b[2J");
	assert_put(COLUMN_SYMBOL, &row, &brief, "ns::Map<...>::find\\x1b[2J");
	assert_put(COLUMN_DSO, &row, &brief, "lib<Key, Value>.so");
}

static void
every_column_takes_a_blank_row(void **state)
{
	struct row a = blank(), b = blank();

	(void)state;
	b.id = 1;
	for (int i = 0; i < COLUMN_COUNT; i++) {
		struct buf text = { 0 };

		column_put(&text, i, &a, &utf8);
		column_put(&text, i, &a, &ascii);
		buf_release(&text);
		assert_that(column_compare(i, &a, &b), <, 0);
		assert_that(column_compare(i, &b, &a), >, 0);
		assert_int_equal(column_compare(i, &a, &a), 0);
	}
}

static void
numbers_are_written_as_people_read_them(void **state)
{
	struct row r = blank();

	(void)state;
	assert_put(COLUMN_CPU, &r, &utf8, "-");
	assert_put(COLUMN_PID, &r, &utf8, "");
	r.share = 0.3816;
	r.cpu = 155.4;
	r.address = 0xffffffff81000000;
	r.pid = 0;
	assert_put(COLUMN_SHARE, &r, &utf8, "38.2");
	assert_put(COLUMN_CPU_ESTIMATE, &r, &utf8, "155");
	assert_put(COLUMN_ADDRESS, &r, &utf8, "0xffffffff81000000");
	assert_put(COLUMN_PID, &r, &utf8, "0");
	r.cpu = 4.25;
	assert_put(COLUMN_CPU, &r, &utf8, "4.2");
	r.flags |= ROW_ESTIMATE;
	assert_put(COLUMN_CPU, &r, &utf8, "~4.2");
	assert_put(COLUMN_CPU_ESTIMATE, &r, &utf8, "4.2"); /* its title says it */
	r.cpu = NAN;
	assert_put(COLUMN_CPU, &r, &utf8, "-");
	r.held = -1;
	assert_put(COLUMN_HELD, &r, &utf8, "");
	r.held = 75;
	assert_put(COLUMN_HELD, &r, &utf8, "75");
	r.flags |= ROW_HELD_ROUGHLY;
	assert_put(COLUMN_HELD, &r, &utf8, "~75");
}

/* --explain and the manual have one alone. */
static void
no_column_is_explained_by_the_one_before_it(void **state)
{
	(void)state;
	for (int id = 0; id < COLUMN_COUNT; id++)
		assert_null(strstr(columns[id].help, "the same"));
}

/* Also of bars, and of what is no plain number. */
static void
the_largest_is_first_of_all_that_is_counted(void **state)
{
	static const struct {
		enum column_id id;
		const char *first;
	} wants[] = {
		{ COLUMN_SHARE, "the largest is" }, { COLUMN_TREND, "the largest is" },
		{ COLUMN_ERROR, "the largest is" }, { COLUMN_CALL_TIMES, "the largest is" },
		{ (enum column_id)KEY_COMM, "A is" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		struct buf b = { 0 };
		enum column_id id;
		bool ascending;
		struct err err;

		column_put_about(&b, wants[i].id);
		assert_non_null(strstr(buf_str(&b), wants[i].first));
		assert_int_equal(column_parse(columns[wants[i].id].name, &id, &ascending, &err), 0);
		assert_int_equal(ascending, *wants[i].first == 'A');
		buf_release(&b);
	}
}

static void
trends_are_bars_or_plain_characters(void **state)
{
	struct row r = blank();

	(void)state;
	memcpy(r.trend, (uint8_t[]){ 0, 1, 2, 3, 4, 6, 8, 200 }, TREND_LEN);
	assert_put(COLUMN_TREND, &r, &utf8, " ▁▂▃▄▆██");
	assert_put(COLUMN_TREND, &r, &ascii, " .:-=*@@");
}

static void
names_of_others_cannot_command_a_terminal(void **state)
{
	struct row r = blank();

	(void)state;
	r.comm = r.symbol = r.dso = "\033[2J;\n\xff";
	assert_put(COLUMN_COMM, &r, &utf8, "\\x1b[2J;\\x0a\\xff");
	assert_put(COLUMN_SYMBOL, &r, &ascii, "\\x1b[2J;\\x0a\\xff");
	r.dso = "\xc3\xa9";
	assert_put(COLUMN_DSO, &r, &utf8, "\xc3\xa9");
	assert_put(COLUMN_DSO, &r, &ascii, "\\xc3\\xa9");
}

static void
ended_tasks_are_marked_and_sums_show_their_label(void **state)
{
	struct row r = blank();

	(void)state;
	r.comm = "nginx";
	r.flags = ROW_DEAD;
	r.pid = 12;
	assert_put(COLUMN_COMM, &r, &utf8, "nginx (ended)");
	assert_put(COLUMN_COMMAND, &r, &utf8, "nginx (ended)");
	r.command = "nginx -g x";
	assert_put(COLUMN_COMMAND, &r, &utf8, "nginx -g x (ended)");
	r.flags = ROW_REST;
	r.symbol = "12 more";
	assert_put(COLUMN_COMMAND, &r, &utf8, "12 more");
	assert_put(COLUMN_PID, &r, &utf8, "");
}

/* In percent, or what the event counted in a second of the window. */
static void
shares_are_percent_or_per_second(void **state)
{
	static const struct {
		bool counts_time;
		double window_s;
		uint64_t period;
		const char *want;
	} rows[] = {
		{ true, 10, UINT64_C(15000000000), "1.5k" }, /* ms */
		{ true, 10, 123456789, "12.3" },
		{ false, 4, 480, "120" },
		{ false, 4, 1, "0.2" },
		{ false, 0, 480, "-" },
	};
	struct row r = blank();

	(void)state;
	r.share = NAN; /* what is left out of what shares are of */
	assert_put(COLUMN_SHARE, &r, &utf8, "-");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct snapshot_event event = { .counts_time = rows[i].counts_time,
						      .window_s = rows[i].window_s };
		const struct column_style style = { .event = &event, .per_second = true };

		r.share = 0.25;
		r.period = rows[i].period;
		assert_put(COLUMN_SHARE, &r, &utf8, "25.0");
		assert_put(COLUMN_SHARE, &r, &style, rows[i].want);
	}
	assert_put(COLUMN_RATE, &r, &utf8, "-");
}

/* A sample may stand for many of what is counted. */
static void
rates_are_of_events_not_of_samples(void **state)
{
	const struct snapshot_event event = { .counts_things = true, .window_s = 2 };
	const struct column_style style = { .event = &event };
	struct row few = blank(), many = blank();

	(void)state;
	few.samples = few.counted = 300;
	many.samples = 200;
	many.counted = 800;
	assert_put(COLUMN_RATE, &few, &style, "150");
	assert_put(COLUMN_RATE, &many, &style, "400");
	assert_that(column_compare(COLUMN_RATE, &few, &many), <, 0);
}

/* @n seconds, of 1000 samples each: one after the other @a and @b of them are the row's. */
static const struct share_sums *
seconds_of(struct share_sums *s, int n, double a, double b)
{
	*s = (struct share_sums){ .unit_s = 1, .samples = n * 1000.0 };
	for (int i = 0; i < n; i++)
		share_add(&s->window, i % 2 == 0 ? a : b, 1000);
	s->spread = s->window;
	return s;
}

static void
shares_that_are_vague_say_by_how_much(void **state)
{
	struct row row = blank();
	struct share_sums sums;
	struct buf b = { 0 };

	(void)state;
	row.share = 0.1;
	assert_put(COLUMN_ERROR, &row, &utf8, "");
	row.sums = seconds_of(&sums, 30, 100, 100);
	assert_put(COLUMN_ERROR, &row, &utf8, "");
	row.sums = seconds_of(&sums, 30, 20, 180);
	column_put(&b, COLUMN_ERROR, &row, &utf8);
	assert_int_equal(strncmp(buf_str(&b), "\xc2\xb1", 2), 0);
	assert_within(strtod(buf_str(&b) + 2, NULL), 3, 2);
	buf_release(&b);
	/* It may be none: then it is at most so much. */
	row.sums = seconds_of(&sums, 4, 0, 200);
	column_put(&b, COLUMN_ERROR, &row, &utf8);
	assert_int_equal(buf_str(&b)[0], '<');
	assert_within(strtod(buf_str(&b) + 1, NULL), 100 * (0.1 + share_error(&sums)), 0.051);
	assert_that(share_error(&sums), >, 0.1);
	buf_release(&b);
	row.sums = seconds_of(&sums, 2, 0, 900);
	assert_put(COLUMN_ERROR, &row, &ascii, "+-?");
}

static void
unknown_values_sort_below_all_others(void **state)
{
	struct row a = blank(), b = blank();

	(void)state;
	b.cpu = 0;
	a.id = 9;
	assert_that(column_compare(COLUMN_CPU, &a, &b), <, 0);
	assert_that(column_compare(COLUMN_CPU, &b, &a), >, 0);
	a.comm = "b";
	b.comm = "a";
	assert_that(column_compare(COLUMN_COMM, &a, &b), >, 0);
}

static void
equal_rows_are_ordered_by_name(void **state)
{
	struct row first = { .id = 2, .period = 5, .symbol = "alloc", .comm = "z" };
	struct row same = { .id = 3, .period = 5, .symbol = "alloc", .comm = "z" };
	struct row next = { .id = 1, .period = 5, .symbol = "free", .comm = "a" };

	(void)state;
	/* Whichever was numbered first: that depends on which answer came first. */
	assert_that(column_compare(COLUMN_PERIOD, &first, &next), <, 0);
	assert_that(column_compare(COLUMN_PERIOD, &next, &first), >, 0);
	assert_that(column_compare(COLUMN_PERIOD, &first, &same), <, 0);
	assert_that(column_compare(COLUMN_PID, &first, &next), <, 0);
}

static void
sort_orders_are_read_from_text(void **state)
{
	struct err err = { 0 };
	enum column_id id;
	bool ascending = true;

	(void)state;
	assert_int_equal(column_parse("evt", &id, &ascending, &err), 0);
	assert_int_equal(id, COLUMN_SHARE);
	assert_false(ascending);
	assert_int_equal(column_parse("comm", &id, &ascending, &err), 0);
	assert_true(ascending);
	assert_int_equal(column_parse("pid:asc", &id, &ascending, &err), 0);
	assert_int_equal(id, COLUMN_PID);
	assert_true(ascending);
	assert_int_equal(column_parse("comm:desc", &id, &ascending, &err), 0);
	assert_false(ascending);
	assert_int_equal(column_parse("evt:up", &id, &ascending, &err), -1);
	assert_int_equal(column_parse("smaples", &id, &ascending, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	assert_string_equal(err.text, "unknown column 'smaples': did you mean 'samples'?");
	assert_int_equal(column_parse("", &id, &ascending, &err), -1);
	assert_int_equal(column_parse("qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", &id,
				      &ascending, &err), -1);
}

static void
every_view_has_columns_keys_and_help(void **state)
{
	(void)state;
	for (int v = 0; v < VIEW_COUNT; v++) {
		const struct view_def *d = &view_defs[v];
		bool has_share = false;
		enum view_id found;

		assert_that(strlen(d->help), >, 5);
		assert_that(strlen(d->title), >, 0);
		assert_in_range(d->key_count, 1, VIEW_KEYS_MAX);
		assert_in_range(d->column_count, 2, VIEW_COLUMNS_MAX);
		for (size_t i = 0; i < d->column_count; i++)
			has_share |= d->columns[i] == COLUMN_SHARE;
		assert_true(has_share || d->is_counted); /* no samples, no share */
		assert_that(d->into, <, VIEW_COUNT);
		assert_true(d->into != v);
		/* What has a part of all samples, or none, is none to begin with. */
		assert_false(d->is_overview && (d->is_tree || d->is_code || d->is_counted ||
						d->is_locks || d->is_unnamed || !has_share));
		assert_int_equal(view_parse(d->name, &found, NULL), 0);
		assert_int_equal(found, v);
	}
}

static void
keys_are_read_in_order_and_each_once(void **state)
{
	struct err err = { 0 };
	enum key keys[KEYS_MAX];
	size_t n;

	(void)state;
	assert_int_equal(key_parse_list("symbol,comm,pid", keys, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_int_equal(keys[0], KEY_SYMBOL);
	assert_int_equal(keys[2], KEY_PID);
	for (int k = 0; k < KEY_COUNT; k++) {
		assert_int_equal(key_parse_list(key_name(k), keys, &n, &err), 0);
		assert_int_equal(keys[0], k);
		assert_that(strlen(columns[k].help), >, 5);
	}
	assert_int_equal(key_parse_list("comm,comm", keys, &n, &err), -1);
	assert_string_equal(err.text, "key 'comm' is given twice");
	assert_int_equal(key_parse_list("conm", keys, &n, &err), -1);
	assert_string_equal(err.text, "unknown key 'conm': did you mean 'comm'?");
	assert_int_equal(key_parse_list("comm,", keys, &n, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

static void
what_proc_tells_of_a_task_is_written_as_top_does(void **state)
{
	static const struct {
		struct task_stat stat;
		const char *priority, *cpu_time;
	} cases[] = {
		{ { .priority = 20, .cpu_ns = 120000000 }, "20", "0:00.12" },
		{ { .priority = -100, .cpu_ns = UINT64_C(3599990000000) }, "RT", "59:59.99" },
		{ { .priority = -2, .cpu_ns = UINT64_C(3600000000000) }, "-2", "1h00:00" },
		{ { .priority = 39, .cpu_ns = UINT64_C(8640000000000000) }, "39", "100d00h" },
	};
	const struct task_stat stat = { .ppid = 1, .nice = -5, .state = 'D', .virt_bytes = 3 << 20,
					.rss_bytes = 2 << 20, .memory = 0.125,
					.start_ns = 3600 * NSEC_PER_SEC };
	static const struct column_style plain;
	struct row row = blank();

	(void)state;
	assert_put(COLUMN_RSS, &row, &plain, ""); /* nothing is known */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		row.stat = &cases[i].stat;
		assert_put(COLUMN_PRIORITY, &row, &plain, cases[i].priority);
		assert_put(COLUMN_CPU_TIME, &row, &plain, cases[i].cpu_time);
	}
	row.stat = &stat;
	assert_put(COLUMN_PPID, &row, &plain, "1");
	assert_put(COLUMN_NICE, &row, &plain, "-5");
	assert_put(COLUMN_TASK_STATE, &row, &plain, "D");
	assert_put(COLUMN_VIRT, &row, &plain, "3.0M");
	assert_put(COLUMN_RSS, &row, &plain, "2.0M");
	assert_put(COLUMN_MEMORY, &row, &plain, "12.5");
	setenv("TZ", "UTC", 1);
	assert_put(COLUMN_START, &row, &plain, "Jan01"); /* of 1970 */
}

static void
tasks_are_ordered_by_what_proc_tells_of_them(void **state)
{
	const struct task_stat small = { .rss_bytes = 1 }, large = { .rss_bytes = UINT64_MAX };
	struct row a = blank(), b = blank(), none = blank();

	(void)state;
	a.stat = &small;
	b.stat = &large;
	assert_that(column_compare(COLUMN_RSS, &a, &b), <, 0);
	assert_that(column_compare(COLUMN_MEMORY, &b, &a), >, 0);
	assert_that(column_compare(COLUMN_RSS, &none, &a), <, 0);
}

/* On the page of columns both are listed. */
static void
columns_that_can_be_chosen_are_none_that_a_view_has(void **state)
{
	(void)state;
	for (int v = 0; v < VIEW_COUNT; v++) {
		const struct view_def *d = &view_defs[v];

		assert_that(d->column_count + d->offer_count, <=, CHOICE_MAX);
		for (size_t i = 0; i < d->offer_count; i++) {
			assert_that(d->offers[i], <, COLUMN_COUNT);
			assert_null(memchr(d->columns, d->offers[i], d->column_count));
			assert_null(memchr(d->offers, d->offers[i], i));
		}
	}
}

static void
columns_that_were_chosen_take_the_place_of_the_views_own(void **state)
{
	struct query q = { .view = VIEW_PROCESSES, .by_view = true, .column_count = 2,
			   .columns = { COLUMN_COMMAND, COLUMN_PID } };
	struct column_list list;

	(void)state;
	column_list_make(&list, &q, false, NULL);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.ids[0], COLUMN_COMMAND);
	assert_int_equal(list.ids[1], COLUMN_PID);
	/* By keys that were asked for there is no view. */
	q.by_view = false;
	q.key_count = 1;
	q.keys[0] = KEY_COMM;
	column_list_make(&list, &q, false, NULL);
	assert_false(column_list_has(&list, COLUMN_PID));
}

static bool
has_title(const struct column_list *list, size_t end, const char *title)
{
	for (size_t i = 0; i < end; i++)
		if (strcmp(columns[list->ids[i]].title, title) == 0)
			return true;
	return false;
}

/* Nor two columns of one title; the locks' own NOW is of the window. */
static void
what_is_compared_has_no_counts_of_the_window(void **state)
{
	(void)state;
	for (int v = 0; v < VIEW_COUNT; v++) {
		struct query q = { .by_view = true, .view = v, .compare = COMPARE_BEFORE };
		struct column_list list;

		if (!query_compares(&q))
			continue;
		column_list_make(&list, &q, false, NULL);
		for (size_t i = 0; i < list.count; i++)
			assert_false(has_title(&list, i, columns[list.ids[i]].title));
		assert_false(column_list_has(&list, COLUMN_WAITERS));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_proc_tells_of_a_task_is_written_as_top_does),
		cmocka_unit_test(tasks_are_ordered_by_what_proc_tells_of_them),
		cmocka_unit_test(columns_that_can_be_chosen_are_none_that_a_view_has),
		cmocka_unit_test(columns_that_were_chosen_take_the_place_of_the_views_own),
		cmocka_unit_test(what_is_compared_has_no_counts_of_the_window),
		cmocka_unit_test(every_column_is_complete_and_its_name_unique),
		cmocka_unit_test(every_column_takes_a_blank_row),
		cmocka_unit_test(functions_are_brief_only_where_that_is_wanted),
		cmocka_unit_test(numbers_are_written_as_people_read_them),
		cmocka_unit_test(no_column_is_explained_by_the_one_before_it),
		cmocka_unit_test(the_largest_is_first_of_all_that_is_counted),
		cmocka_unit_test(trends_are_bars_or_plain_characters),
		cmocka_unit_test(names_of_others_cannot_command_a_terminal),
		cmocka_unit_test(ended_tasks_are_marked_and_sums_show_their_label),
		cmocka_unit_test(shares_are_percent_or_per_second),
		cmocka_unit_test(rates_are_of_events_not_of_samples),
		cmocka_unit_test(shares_that_are_vague_say_by_how_much),
		cmocka_unit_test(unknown_values_sort_below_all_others),
		cmocka_unit_test(equal_rows_are_ordered_by_name),
		cmocka_unit_test(sort_orders_are_read_from_text),
		cmocka_unit_test(every_view_has_columns_keys_and_help),
		cmocka_unit_test(keys_are_read_in_order_and_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
