/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/leaf/notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/asserts.h"

static void
lines_have_their_time_and_stand_in_order(void **state)
{
	struct journal j = { .dropped = 0 };
	struct buf out = { 0 };

	(void)state;
	setenv("TZ", "UTC", 1);
	journal_put(&j, &out);
	assert_string_equal(buf_str(&out), "");
	journal_add(&j, 3661, "CPU 1 went off line");
	journal_add(&j, 3662, "two\nlines");
	journal_put(&j, &out);
	assert_string_equal(buf_str(&out), "01:01:01 CPU 1 went off line\n01:01:02 two lines\n");
	buf_release(&out);
	journal_release(&j);
}

/* The page that keeps them is the one that key ! shows. */
static void
a_line_does_not_lead_to_where_it_is(void **state)
{
	struct journal j = { .dropped = 0 };
	struct buf out = { 0 };

	(void)state;
	setenv("TZ", "UTC", 1);
	journal_add(&j, 3661, "no event can be opened here: ! shows why");
	journal_add(&j, 3662, "3 more hosts are gone, slow or off (!)");
	journal_add(&j, 3663, ": ! shows why not: hurry!");
	journal_put(&j, &out);
	assert_string_equal(buf_str(&out), "01:01:01 no event can be opened here\n"
					   "01:01:02 3 more hosts are gone, slow or off\n"
					   "01:01:03 : ! shows why not: hurry!\n");
	buf_release(&out);
	journal_release(&j);
}

static void
the_oldest_give_way_and_are_counted(void **state)
{
	struct journal j = { .dropped = 0 };
	struct buf out = { 0 };
	unsigned missing = 0, first = 0;
	char text[64];

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "message %u", i);
		journal_add(&j, i, text);
	}
	journal_put(&j, &out);
	assert_that(out.len, <, 20000);
	assert_int_equal(sscanf(buf_str(&out), "(%u older messages are not kept)\n%*s message %u",
				&missing, &first), 2);
	assert_that(missing, >, 0);
	assert_int_equal(first, missing);
	assert_non_null(strstr(buf_str(&out), " message 4999\n"));
	buf_release(&out);
	journal_release(&j);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_their_time_and_stand_in_order),
		cmocka_unit_test(a_line_does_not_lead_to_where_it_is),
		cmocka_unit_test(the_oldest_give_way_and_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
