/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact places in call trees, and the frames of the functions that are inlined there. */
#include "profile_fixture.h"

enum { FUNCTIONS = 10, FUNCTION_BYTES = 256, DSO = DSO_ID_FIRST_FILE };

static void
open_file(struct fixture *b, size_t places)
{
	bench_open(b, 24 << 20);
	assert_int_equal(dsos_file(&b->model->dsos, "/bin/x", 8, 1, 42, 0), DSO);
	b->locations.inlined.max = places;
}

static void
learn_image(struct fixture *b)
{
	locations_learn_image(&b->locations, DSO, make_image(FUNCTIONS, FUNCTION_BYTES), "", "");
}

static uint32_t
place(struct fixture *b, uint32_t dso, uint64_t offset)
{
	return inlined_place(&b->locations, locations_find(&b->locations, dso, offset), dso, offset);
}

/* The names of the frames at @location, each with a blank behind it. */
static void
assert_frames(const struct fixture *b, uint32_t location, const char *want)
{
	uint32_t frames[INLINED_FRAMES_MAX];
	size_t len = inlined_frames(&b->locations, location, frames);
	char got[1024] = "";

	for (size_t i = 0; i < len; i++) {
		const struct location *loc = &b->locations.items[frames[i]];

		assert_int_equal(loc->kind, LOCATION_FUNCTION);
		assert_int_equal(loc->is_inlined, i > 0);
		strcat(got, strs_get(&b->model->strs, loc->name));
		strcat(got, " ");
	}
	assert_string_equal(got, want);
}

static void
a_place_stands_for_its_function_before_and_after_its_image_has_come(void **state)
{
	struct fixture b;
	uint32_t early, late;

	(void)state;
	open_file(&b, 100);
	early = place(&b, DSO, 3 * FUNCTION_BYTES + 16);
	learn_image(&b);
	late = place(&b, DSO, 3 * FUNCTION_BYTES + 32);
	assert_int_not_equal(early, late);
	assert_int_equal(place(&b, DSO, 3 * FUNCTION_BYTES + 16), early);
	assert_int_equal(locations_resolve(&b.locations, early),
			 locations_find(&b.locations, DSO, 3 * FUNCTION_BYTES));
	assert_int_equal(locations_resolve(&b.locations, early),
			 locations_resolve(&b.locations, late));
	assert_int_equal(locations_frame(&b.locations, early), early);
	bench_close(&b);
}

static void
nothing_but_files_has_exact_places_and_none_has_where_they_are_not_wanted(void **state)
{
	struct fixture b;
	uint32_t kernel;

	(void)state;
	open_file(&b, 100);
	kernel = locations_find(&b.locations, DSO_ID_KERNEL, 4096);
	assert_int_equal(place(&b, DSO_ID_KERNEL, 4096), kernel);
	bench_close(&b);
	open_file(&b, 0);
	learn_image(&b);
	assert_int_equal(place(&b, DSO, 16), locations_find(&b.locations, DSO, 16));
	bench_close(&b);
}

static void
beyond_the_bound_places_are_their_functions_and_counted(void **state)
{
	struct fixture b;
	uint32_t first;

	(void)state;
	open_file(&b, 2);
	learn_image(&b);
	first = place(&b, DSO, 1);
	place(&b, DSO, 2);
	assert_int_equal(place(&b, DSO, 3), locations_find(&b.locations, DSO, 3));
	assert_int_equal(b.locations.inlined.missed, 1);
	assert_int_equal(place(&b, DSO, 1), first);
	bench_close(&b);
}

static void
each_place_is_asked_about_once_in_order(void **state)
{
	static const uint64_t offsets[] = { 900, 20, 300 };
	struct inlined_ask *asks;
	struct fixture b;
	size_t count;

	(void)state;
	open_file(&b, 100);
	learn_image(&b);
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
		place(&b, DSO, offsets[i]);
	asks = inlined_take(&b.locations, SIZE_MAX, &count);
	assert_int_equal(count, 3);
	assert_int_equal(asks[0].offset, 20);
	assert_int_equal(asks[1].offset, 300);
	assert_int_equal(asks[2].offset, 900);
	free(asks);
	place(&b, DSO, 300);
	assert_null(inlined_take(&b.locations, SIZE_MAX, &count));
	assert_int_equal(count, 0);
	/* But for a debug file that has come. */
	inlined_ask_again(&b.locations.inlined);
	free(inlined_take(&b.locations, SIZE_MAX, &count));
	assert_int_equal(count, 3);
	bench_close(&b);
}

static void
frames_are_the_function_and_what_is_inlined_from_the_outside_in(void **state)
{
	struct fixture b;
	uint32_t deep, flat, unknown;

	(void)state;
	open_file(&b, 100);
	learn_image(&b);
	deep = place(&b, DSO, FUNCTION_BYTES + 1);
	flat = place(&b, DSO, FUNCTION_BYTES + 2);
	unknown = place(&b, DSO, FUNCTION_BYTES + 3);
	inlined_learn(&b.locations, DSO, FUNCTION_BYTES + 1, "outer\0inner\0outer", 3);
	inlined_learn(&b.locations, DSO, FUNCTION_BYTES + 2, "outer", 1);
	inlined_learn(&b.locations, DSO, FUNCTION_BYTES + 200, "nobody asked", 1);
	assert_frames(&b, deep, "f1 outer inner outer ");
	assert_frames(&b, flat, "f1 outer ");
	assert_frames(&b, unknown, "f1 ");
	assert_frames(&b, locations_find(&b.locations, DSO, FUNCTION_BYTES), "f1 ");
	inlined_learn(&b.locations, DSO, FUNCTION_BYTES + 2, "other\0inner", 2);
	assert_frames(&b, flat, "f1 other inner ");
	/* A real function of the same name is another one. */
	inlined_learn(&b.locations, DSO, FUNCTION_BYTES + 3, "f1", 1);
	assert_frames(&b, unknown, "f1 f1 ");
	bench_close(&b);
}

static void
folding_keeps_places_in_trees_and_functions_in_the_hot_table(void **state)
{
	struct fixture b;
	uint32_t caller, leaf, root;
	struct profile_sample s = { .period = 5, .dso = DSO, .offset = 40 };
	const struct tables *t;

	(void)state;
	open_file(&b, 100);
	bench_exec(&b, 30, 1);
	s.who = model_who(b.model, model_task(b.model, 30, 30));
	caller = place(&b, DSO, FUNCTION_BYTES + 7);
	leaf = place(&b, DSO, 40);
	root = tables_root(&b.profile->tables, s.who, 0);
	s.callers = tables_node(&b.profile->tables, root, caller);
	s.leaf = locations_resolve(&b.locations, leaf);
	s.frame = leaf;
	profile_add(b.profile, &s);
	learn_image(&b);
	b.profile->fold_due = true;
	bench_interval(&b, NSEC_PER_SEC);
	profile_fold(b.profile, b.now_ns);
	t = &b.profile->tables;
	assert_int_equal(t->cells[TABLE_TREE].len, 4);
	assert_int_equal(t->tree[2].location, caller);
	assert_int_equal(t->tree[3].location, leaf);
	assert_int_equal(t->hot[1].location, locations_find(&b.locations, DSO, 0));
	bench_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_stands_for_its_function_before_and_after_its_image_has_come),
		cmocka_unit_test(nothing_but_files_has_exact_places_and_none_has_where_they_are_not_wanted),
		cmocka_unit_test(beyond_the_bound_places_are_their_functions_and_counted),
		cmocka_unit_test(each_place_is_asked_about_once_in_order),
		cmocka_unit_test(frames_are_the_function_and_what_is_inlined_from_the_outside_in),
		cmocka_unit_test(folding_keeps_places_in_trees_and_functions_in_the_hot_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
