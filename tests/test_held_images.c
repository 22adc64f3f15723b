/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files' symbols can wait while there is little time for them: by the samples that each has. */
#include "engine/names/held_images.h"
#include "tests/profile_fixture.h"

enum { PID = 20, MANY = 5000 };

static void
count(struct fixture *b, struct held_images *h, unsigned second)
{
	held_images_count(h, b->profile, second * NSEC_PER_SEC);
}

static void
samples(struct fixture *b, uint32_t dso, unsigned n)
{
	while (n-- > 0)
		bench_sample(b, 0, PID, PID, 0, dso, 0x1000, 0, 1);
}

static void
a_file_with_few_samples_waits_ten_seconds(void **state)
{
	struct held_images h = { 0 };
	struct fixture b;
	uint32_t large, small;

	(void)state;
	bench_open(&b, 24 << 20);
	bench_exec(&b, PID, 0);
	large = dsos_file(&b.model->dsos, "/bin/large", 8, 1, 1, 0);
	small = dsos_file(&b.model->dsos, "/bin/small", 8, 1, 2, 0);
	samples(&b, large, MANY);
	count(&b, &h, 20);
	assert_true(held_images_wait(&h, small, 20 * NSEC_PER_SEC));
	/* One in a thousand is not more than that. */
	samples(&b, small, MANY / 1000);
	samples(&b, large, MANY);
	count(&b, &h, 25);
	assert_true(held_images_wait(&h, small, 25 * NSEC_PER_SEC));
	assert_true(held_images_wait(&h, small, 29 * NSEC_PER_SEC));
	assert_false(held_images_wait(&h, small, 30 * NSEC_PER_SEC));
	held_images_end(&h, small);
	/* Wanted once more, it waits anew. */
	assert_true(held_images_wait(&h, small, 31 * NSEC_PER_SEC));
	held_images_release(&h);
	bench_close(&b);
}

/* What was sampled before it came says nothing of it. */
static void
a_file_with_more_samples_does_not_wait(void **state)
{
	struct held_images h = { 0 };
	struct fixture b;
	uint32_t large, late;

	(void)state;
	bench_open(&b, 24 << 20);
	bench_exec(&b, PID, 0);
	large = dsos_file(&b.model->dsos, "/bin/large", 8, 1, 1, 0);
	late = dsos_file(&b.model->dsos, "/bin/late", 8, 1, 2, 0);
	samples(&b, large, 20 * MANY);
	count(&b, &h, 20);
	assert_true(held_images_wait(&h, late, 20 * NSEC_PER_SEC));
	samples(&b, large, MANY);
	samples(&b, late, 20);
	count(&b, &h, 23);
	assert_false(held_images_wait(&h, late, 23 * NSEC_PER_SEC));
	held_images_release(&h);
	bench_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_with_few_samples_waits_ten_seconds),
		cmocka_unit_test(a_file_with_more_samples_does_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
