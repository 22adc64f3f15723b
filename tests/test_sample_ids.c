/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which opening of an event a sample is of that has the id of another program's event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core_fixture.h"
#include "engine/leaf/sample_ids.h"
#include "tests/asserts.h"

#define FIELDS \
	((uint64_t)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME))
#define CHAIN ((uint64_t)PERF_SAMPLE_CALLCHAIN)
#define PERIOD ((uint64_t)PERF_SAMPLE_PERIOD)

enum { EVENT = 3, OTHER_EVENT, OLD = 10, NEW = 20, ANOTHERS = 99, TID = 100 };

static const struct record_layout first = RECORD_LAYOUT(FIELDS, true);

static void
open_with(struct sample_ids *ids, uint64_t id, int tid, uint64_t sample_type, uint64_t period)
{
	struct event_attr attr = { .sample_type = sample_type, .sample_period = period,
				   .sample_id_all = 1 };
	uint32_t layout = sample_ids_layout(ids, &attr);

	sample_ids_add(ids, &(struct sample_id){ .id = id, .event = EVENT, .tid = tid }, layout);
}

/* Its id among @ids. */
static uint64_t
id_of(const struct sample_ids *ids, uint64_t sample_type)
{
	static const uint64_t chain[] = { PERF_CONTEXT_USER, 0x401000, 0x402000 };
	const struct record_id id = { .pid = TID, .tid = TID, .time_ns = 1, .id = ANOTHERS };
	const struct record_sample s = { .ip = chain[1], .period = 1, .chain = chain,
					 .chain_len = ARRAY_SIZE(chain) };
	const struct record_layout layout = RECORD_LAYOUT(sample_type, true);
	struct maker m;

	return sample_ids_of_event(ids, EVENT,
				   make_sample(&m, &layout, PERF_RECORD_MISC_USER, &id, &s));
}

static void
a_sample_is_of_the_opening_whose_fields_it_has(void **state)
{
	static const uint64_t others[] = { 0, CHAIN };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const uint64_t each = FIELDS | PERIOD | others[i], some = FIELDS | others[i];
		struct sample_ids *ids = sample_ids_new(&first);

		open_with(ids, OLD, 0, each, 1);
		open_with(ids, NEW, 0, some, 4);
		sample_ids_leave(ids, OLD);
		assert_int_equal(id_of(ids, each), OLD);
		assert_int_equal(id_of(ids, some), NEW);
		sample_ids_end(ids, OLD);
		assert_int_equal(id_of(ids, each), NEW);
		assert_int_equal(id_of(ids, some), NEW);
		sample_ids_free(ids);
	}
}

static void
until_the_rings_are_read_it_is_of_the_opening_that_was_left(void **state)
{
	struct sample_ids *ids = sample_ids_new(&first);

	(void)state;
	open_with(ids, OLD, 0, FIELDS, 4);
	open_with(ids, NEW, 0, FIELDS, 16);
	assert_int_equal(id_of(ids, FIELDS), NEW);
	sample_ids_leave(ids, OLD);
	assert_int_equal(id_of(ids, FIELDS), OLD);
	sample_ids_end(ids, OLD);
	assert_int_equal(id_of(ids, FIELDS), NEW);
	sample_ids_end(ids, NEW);
	assert_int_equal(id_of(ids, FIELDS), NEW);
	sample_ids_free(ids);
}

/* A thread's own descriptor is told from the one that it inherited: see sample_ids_is_duplicate(). */
static void
it_is_of_the_threads_own_descriptor(void **state)
{
	struct sample_ids *ids = sample_ids_new(&first);

	(void)state;
	open_with(ids, OLD, TID, FIELDS, 1);
	open_with(ids, OLD + 1, TID + 1, FIELDS, 1);
	assert_int_equal(id_of(ids, FIELDS), OLD);
	sample_ids_leave(ids, OLD + 1);
	assert_int_equal(id_of(ids, FIELDS), OLD);
	open_with(ids, NEW, TID, FIELDS, 4);
	sample_ids_leave(ids, OLD);
	assert_int_equal(id_of(ids, FIELDS), OLD);
	sample_ids_free(ids);
}

/* The kernel counts in what the other program's sample has. */
static void
a_sample_may_be_longer_than_its_fields(void **state)
{
	struct sample_ids *ids = sample_ids_new(&first);

	(void)state;
	open_with(ids, NEW, 0, FIELDS, 1);
	assert_int_equal(id_of(ids, FIELDS | CHAIN), NEW);
	sample_ids_free(ids);
}

static void
what_fits_no_opening_has_no_id(void **state)
{
	struct sample_ids *ids = sample_ids_new(&first);

	(void)state;
	assert_int_equal(id_of(ids, FIELDS), 0);
	open_with(ids, NEW, 0, FIELDS | PERIOD, 1);
	assert_int_equal(id_of(ids, FIELDS), 0);
	sample_ids_add(ids, &(struct sample_id){ .id = OLD, .event = OTHER_EVENT }, 0);
	assert_int_equal(id_of(ids, FIELDS), 0);
	sample_ids_free(ids);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_is_of_the_opening_whose_fields_it_has),
		cmocka_unit_test(until_the_rings_are_read_it_is_of_the_opening_that_was_left),
		cmocka_unit_test(it_is_of_the_threads_own_descriptor),
		cmocka_unit_test(a_sample_may_be_longer_than_its_fields),
		cmocka_unit_test(what_fits_no_opening_has_no_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
