/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows whose shares read the same stay where they were; all others are in order. */
#include "profile/report/row_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LIST = 7 };

/* A list as a report has sorted it: ids, and shares in permille. */
struct list {
	struct row rows[ROW_ORDER_MAX + 4];
	size_t len;
};

static void
add(struct list *l, uint64_t id, double permille)
{
	l->rows[l->len++] = (struct row){ .id = id, .share = permille / 1000, .samples = 1 };
}

static void
assert_ids(const struct list *l, const char *ids)
{
	for (size_t i = 0; i < l->len; i++)
		assert_int_equal(l->rows[i].id, ids[i]);
	assert_int_equal(l->len, strlen(ids));
}

static void
keep(struct row_order *o, const char *ids, const double permille[], const char *expected)
{
	struct list l = { .len = 0 };

	for (size_t i = 0; ids[i] != '\0'; i++)
		add(&l, (uint64_t)ids[i], permille[i]);
	row_order_keep(o, LIST, l.rows, l.len);
	assert_ids(&l, expected);
}

static void
the_first_list_is_as_it_was_sorted(void **state)
{
	struct row_order o = { .len = 0 };

	(void)state;
	keep(&o, "", NULL, "");
	keep(&o, "abc", (const double[]){ 3, 3, 3 }, "abc");
}

static void
equal_rows_stay_and_a_new_one_takes_the_place_that_is_free(void **state)
{
	struct row_order o = { .len = 0 };

	(void)state;
	keep(&o, "xabcd", (const double[]){ 9, 3, 3, 3, 3 }, "xabcd");
	/* What the column shows of them is 0.3. */
	keep(&o, "xndca", (const double[]){ 9, 3.4, 3.2, 3.1, 2.6 }, "xancd");
	keep(&o, "xacdn", (const double[]){ 9, 3, 3, 3, 3 }, "xancd");
}

static void
a_row_that_reads_as_more_goes_up(void **state)
{
	struct row_order o = { .len = 0 };

	(void)state;
	keep(&o, "abcd", (const double[]){ 3, 3, 3, 3 }, "abcd");
	keep(&o, "dabc", (const double[]){ 4, 3, 3, 3 }, "dbca");
	keep(&o, "dbca", (const double[]){ 4, 3, 3, 2 }, "dbca");
}

/* Though both are shown as 0.1: where they are is to tell the hotter ones. */
static void
a_row_of_twice_as_much_stays_above(void **state)
{
	struct row_order o = { .len = 0 };

	(void)state;
	keep(&o, "abcd", (const double[]){ 1.4, 1.3, 0.6, 0.6 }, "abcd");
	keep(&o, "cdab", (const double[]){ 1.4, 1.3, 0.6, 0.6 }, "cdab");
	keep(&o, "dcba", (const double[]){ 1.4, 1.3, 0.6, 0.6 }, "cdab");
}

static void
another_list_begins_anew(void **state)
{
	struct row_order o = { .len = 0 };
	struct list l = { .len = 0 };

	(void)state;
	keep(&o, "abc", (const double[]){ 3, 3, 3 }, "abc");
	add(&l, 'c', 3);
	add(&l, 'b', 3);
	row_order_keep(&o, LIST + 1, l.rows, l.len);
	assert_ids(&l, "cb");
}

/* They are ordered by their CPU time. */
static void
rows_without_samples_are_as_they_were_sorted(void **state)
{
	struct row_order o = { .len = 0 };

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		struct list l = { .len = 0 };

		add(&l, turn == 0 ? 'a' : 'b', 0.2);
		add(&l, turn == 0 ? 'b' : 'a', 0.2);
		add(&l, turn == 0 ? 'c' : 'd', 0);
		add(&l, turn == 0 ? 'd' : 'c', 0);
		l.rows[2].samples = l.rows[3].samples = 0;
		row_order_keep(&o, LIST, l.rows, l.len);
		assert_ids(&l, turn == 0 ? "abcd" : "abdc");
	}
}

static void
what_is_far_down_is_as_it_was_sorted(void **state)
{
	struct row_order o = { .len = 0 };
	struct list l = { .len = 0 };

	(void)state;
	for (uint64_t i = 0; i < ARRAY_SIZE(l.rows); i++)
		add(&l, i, 3);
	row_order_keep(&o, LIST, l.rows, l.len);
	for (uint64_t i = 0; i < ARRAY_SIZE(l.rows); i++)
		l.rows[i].id = ARRAY_SIZE(l.rows) - 1 - i;
	row_order_keep(&o, LIST, l.rows, l.len);
	assert_int_equal(l.rows[4].id, 4);
	assert_int_equal(l.rows[ROW_ORDER_MAX - 1].id, ROW_ORDER_MAX - 1);
	assert_int_equal(l.rows[ROW_ORDER_MAX].id, ARRAY_SIZE(l.rows) - 1 - ROW_ORDER_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_list_is_as_it_was_sorted),
		cmocka_unit_test(equal_rows_stay_and_a_new_one_takes_the_place_that_is_free),
		cmocka_unit_test(a_row_that_reads_as_more_goes_up),
		cmocka_unit_test(a_row_of_twice_as_much_stays_above),
		cmocka_unit_test(another_list_begins_anew),
		cmocka_unit_test(rows_without_samples_are_as_they_were_sorted),
		cmocka_unit_test(what_is_far_down_is_as_it_was_sorted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
