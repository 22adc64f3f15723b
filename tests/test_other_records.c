/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records that change nothing of what is shown: none goes silently. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <linux/perf_event.h>

#include "engine/leaf/other_records.h"
#include "record/abi.h"

static void
assert_says(const struct other_records *others, const char *wanted)
{
	struct buf b = { 0 };

	other_records_put(others, &b);
	assert_string_equal(buf_str(&b), wanted);
	buf_release(&b);
}

static void
each_kind_is_counted_by_itself(void **state)
{
	struct other_records others = { { 0 } };

	(void)state;
	assert_says(&others, "");
	other_records_add(&others, PERF_RECORD_SWITCH);
	other_records_add(&others, PERF_RECORD_SWITCH_CPU_WIDE);
	other_records_add(&others, ABI_RECORD_TEXT_POKE);
	other_records_add(&others, PERF_RECORD_READ);
	other_records_add(&others, PERF_RECORD_NAMESPACES);
	assert_says(&others, "switches between tasks: 2; they are in recordings\n"
		    "final counts of ended tasks: 1; they are in recordings\n"
		    "namespaces of tasks: 1; they are in recordings\n"
		    "changes of the kernel's code: 1; they are in recordings\n");
	assert_null(other_records_notice(&others));
}

static void
what_is_shown_is_not_counted_again(void **state)
{
	static const uint32_t shown[] = { 0, PERF_RECORD_MMAP2, PERF_RECORD_SAMPLE,
					  PERF_RECORD_UNTHROTTLE, UINT32_MAX };
	struct other_records others = { { 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		other_records_add(&others, shown[i]);
	assert_says(&others, "");
}

static void
what_is_in_aux_areas_is_a_notice(void **state)
{
	static const uint32_t types[] = { PERF_RECORD_AUX, PERF_RECORD_ITRACE_START,
					  ABI_RECORD_AUX_OUTPUT_HW_ID };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct other_records others = { { 0 } };

		other_records_add(&others, types[i]);
		assert_string_equal(other_records_notice(&others),
				    "what the processor wrote into AUX areas is "
				    "not decoded: perf script does that");
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_is_counted_by_itself),
		cmocka_unit_test(what_is_shown_is_not_counted_again),
		cmocka_unit_test(what_is_in_aux_areas_is_a_notice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
