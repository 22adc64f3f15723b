/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's list of functions, read again when modules have come: who records is told. */
#include "engine/names/names_impl.h"
#include "tests/profile_fixture.h"

static void
count_lists(void *self)
{
	++*(unsigned *)self;
}

/* The answer to the question for the list: @functions NULL: there is no newer one. */
static void
answer(struct names *nm, struct image *functions)
{
	struct symbol_image_msg m = { .dso = DSO_ID_KERNEL, .image = functions };

	nm->kernel.is_asked = true;
	kernel_names_learn(nm, &m);
	assert_false(nm->kernel.is_asked);
}

/* A recording that goes on has the functions of modules that are loaded meanwhile. */
static void
a_recorder_is_told_of_each_new_list_of_the_kernels_functions(void **state)
{
	static const struct names_observer recorder = { .kernel = count_lists };
	const struct engine_config config = { .vmlinux = NULL };
	unsigned lists = 0;
	struct fixture b;
	struct engine_env env = { .config = &config };
	struct names nm = { .env = &env };

	(void)state;
	bench_open(&b, 24 << 20);
	env.model = b.model;
	env.locations = &b.locations;
	env.profile = b.profile;
	names_observe(&nm, &recorder, &lists);
	answer(&nm, make_image(10, 16));
	assert_int_equal(lists, 1);
	answer(&nm, NULL);
	assert_int_equal(lists, 1);
	answer(&nm, make_image(20, 16));
	assert_int_equal(lists, 2);
	bench_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorder_is_told_of_each_new_list_of_the_kernels_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
