/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of what can be missing in what is shown. */
#include "view/loss.h"
#include "view/notice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void
each_loss_has_a_sentence_and_names_of_its_own(void **state)
{
	(void)state;
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++) {
		const struct loss_def *def = &loss_defs[k];

		assert_non_null(def->what);
		assert_non_null(def->remedy);
		assert_null(strchr(def->what, ':')); /* the number follows */
		assert_true(def->header == NULL || (def->name != NULL && def->rank > 0));
		for (enum loss_kind other = 0; other < k; other++) {
			assert_string_not_equal(loss_defs[other].what, def->what);
			if (def->name != NULL && loss_defs[other].name != NULL)
				assert_string_not_equal(loss_defs[other].name, def->name);
		}
	}
	assert_false(loss_defs[0].is_part);
}

static void
parts_count_in_the_sum_of_their_kind(void **state)
{
	uint64_t losses[LOSS_KINDS];

	(void)state;
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++)
		losses[k] = UINT64_C(1) << k;
	assert_int_equal(loss_sum(losses, LOSS_SAMPLES), 1u << LOSS_SAMPLES | 1u << LOSS_SIDEBAND);
	assert_int_equal(loss_sum(losses, LOSS_SIDEBAND), 1u << LOSS_SIDEBAND);
	assert_int_equal(loss_sum(losses, LOSS_UNKNOWN), 1u << LOSS_UNKNOWN | 1u << LOSS_FOREIGN);
	assert_int_equal(loss_sum(losses, LOSS_STACKS), 1u << LOSS_STACKS | 1u << LOSS_THREADS |
							1u << LOSS_ADDRESSES | 1u << LOSS_TASKS |
							1u << LOSS_NAMES);
	assert_int_equal(loss_sum(losses, LOSS_SHARED), 1u << LOSS_SHARED);
}

static void
a_sentence_says_how_many_and_what_helps(void **state)
{
	struct buf b = { 0 };

	(void)state;
	loss_put(&b, LOSS_SAMPLES, 1, false);
	assert_string_equal(buf_str(&b), "samples lost in full rings: 1; "
					 "larger rings (-m) or fewer samples (-F, key -)");
	buf_reset(&b);
	loss_put(&b, LOSS_UNKNOWN, 369000, false);
	assert_string_equal(buf_str(&b),
			    "records of a type or event that ptop does not know: 369000; they "
			    "were skipped");
	buf_release(&b);
}

/* Neither rings nor keys change what was recorded. */
static void
of_a_recording_it_says_what_helps_the_next_one(void **state)
{
	struct buf b = { 0 };

	(void)state;
	loss_put(&b, LOSS_SAMPLES, 1, true);
	assert_string_equal(buf_str(&b), "samples lost in full rings: 1; record again with larger "
					 "rings (-m) or fewer samples (-F)");
	for (enum loss_kind k = 0; k < LOSS_KINDS; k++) {
		bool is_of_rings;

		buf_reset(&b);
		loss_put(&b, k, 1, true);
		is_of_rings = strstr(buf_str(&b), "(-m)") != NULL || strstr(buf_str(&b), "(-F") != NULL;
		assert_true(!is_of_rings || strstr(buf_str(&b), "record again with ") != NULL);
		assert_null(strstr(buf_str(&b), "key -"));
	}
	buf_release(&b);
}

static void
a_notice_is_told_once_whatever_its_figures(void **state)
{
	static const struct {
		const char *text;
		bool is_new;
	} rows[] = {
		{ "6.0 % of all call chains so far are cut: [cut]", true },
		{ "12.7 % of all call chains so far are cut: [cut]", false },
		{ "functions of 'a' have no names (60.0 % of samples): why", true },
		{ "functions of 'a' have no names (60.1 % of samples): why", false },
		{ "functions of 'b' have no names (60.1 % of samples): why", true },
		{ "18 % of the time of 200 threads is not counted", true },
		{ "7 % of the time of 34 threads is not counted", false },
		{ "what 5000 threads wait is told only each 2.0 s: they", true },
		{ "what 5001 threads wait is told only each 3.5 s: they", false },
		{ "db1: gone since 14:27:35: killed", true },
		{ "db2: gone since 14:27:35: killed", true },
		{ "db1: gone since 14:29:00: killed", true },
		{ "deadlock: thread 12 waits for 13", true },
		{ "deadlock: thread 14 waits for 15", true },
		{ "deadlock: thread 12 waits for 13", false },
	};
	struct strs told = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (notice_is_new(&told, rows[i].text) != rows[i].is_new)
			fail_msg("%s", rows[i].text);
	strs_release(&told);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_loss_has_a_sentence_and_names_of_its_own),
		cmocka_unit_test(parts_count_in_the_sum_of_their_kind),
		cmocka_unit_test(a_sentence_says_how_many_and_what_helps),
		cmocka_unit_test(of_a_recording_it_says_what_helps_the_next_one),
		cmocka_unit_test(a_notice_is_told_once_whatever_its_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
