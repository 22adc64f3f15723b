/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose functions have no names, and what would name them: told where it matters. */
#include "report_fixture.h"

#include "engine/viewer/nameless_notice.h"

static const char *const interpreter[] = { "_PyEval_EvalFrameDefault", "_PyLong_Add" };

static const char *
told(struct nameless_notice *n, struct scene *s)
{
	bench_interval(&s->b, NSEC_PER_SEC);
	nameless_notice_update(n, s->b.profile, 0);
	return nameless_notice_text(n);
}

/* Process 40, of @names; its code without a file is dso @code. */
static uint32_t
python(struct scene *s, uint32_t *code)
{
	uint32_t dso = dsos_file(&s->b.model->dsos, "/usr/bin/python3.11", 8, 1, 50, 0);

	locations_learn_image(&s->b.locations, dso, make_named_image(interpreter, 2, 256), "", "");
	tell_fork(s->b.model, 1, 1, 40, 40, 1);
	tell_comm(s->b.model, 40, 40, "python3", true);
	*code = dsos_code(&s->b.model->dsos, 40);
	model_task_at(s->b.model, model_find_task(s->b.model, 40))->code = *code;
	return dso;
}

static void
an_interpreter_that_does_much_says_what_names_its_functions(void **state)
{
	struct nameless_notice n = { 0 };
	struct scene s;
	uint32_t dso, code;

	(void)state;
	scene_open(&s);
	dso = python(&s, &code);
	samples(&s, 0, 40, 40, dso, 0x110, 500); /* that is a function as any other */
	assert_null(told(&n, &s));
	samples(&s, 1, 40, 40, dso, 0x10, 200); /* of another event than the one that is shown */
	assert_null(told(&n, &s));
	samples(&s, 0, 40, 40, dso, 0x10, 200);
	samples(&s, 1, 40, 40, dso, 0x110, 5000);
	assert_string_equal(told(&n, &s), "python3 40: functions without names; start it with: "
			    "python -X perf (3.12 or later; 3.14 can be asked as it runs, too)");
	/* It tells as long as that matters: half as much is enough. */
	samples(&s, 0, 40, 40, dso, 0x110, 2000);
	assert_non_null(told(&n, &s));
	samples(&s, 0, 40, 40, dso, 0x110, 2000);
	assert_null(told(&n, &s));
	samples(&s, 0, 40, 40, dso, 0x10, 2000);
	assert_non_null(told(&n, &s));
	/* Its trampolines have names. */
	locations_learn_image(&s.b.locations, code, make_image(4, 256), "", "");
	assert_null(told(&n, &s));
	nameless_notice_release(&n);
	scene_close(&s);
}

static void
code_that_a_runtime_makes_says_what_names_it(void **state)
{
	struct nameless_notice n = { 0 };
	struct scene s;
	uint32_t dso, code, made;

	(void)state;
	scene_open(&s);
	dso = python(&s, &code);
	tell_fork(s.b.model, 1, 1, 41, 41, 1);
	tell_comm(s.b.model, 41, 41, "ja\033va", true);
	made = dsos_code(&s.b.model->dsos, 41);
	samples(&s, 0, 41, 41, made, 0x7f0000001000, 300);
	assert_null(told(&n, &s)); /* its file is still looked for */
	locations_learn_image(&s.b.locations, made, NULL, "it tells nobody", "the key J");
	assert_string_equal(told(&n, &s), "ja\\x1bva 41: functions without names; the key J");
	samples(&s, 0, 40, 40, dso, 0x10, 100); /* the other one is less, but enough */
	assert_string_equal(told(&n, &s), "ja\\x1bva 41 (and 1 more): functions without names; the key J");
	nameless_notice_release(&n);
	scene_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interpreter_that_does_much_says_what_names_its_functions),
		cmocka_unit_test(code_that_a_runtime_makes_says_what_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
