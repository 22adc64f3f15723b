/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What breakpoints take of who is watched: told where it is much. */
#include "engine/sampling/sampling_impl.h"
#include "tests/profile_fixture.h"

enum { PID = 40, HITS = 2000 };

static void
hits_that_take_much_of_a_cpu_are_told_once(void **state)
{
	struct measured *measured = mem_calloc(1, sizeof(*measured));
	struct sampling sp = { .measured = measured };
	struct engine_event *ev = &measured->events[0];
	struct arena arena = { 0 };
	struct buf page = { 0 };
	struct fixture b;

	(void)state;
	bench_open(&b, 24 << 20);
	sp.profile = b.profile;
	measured->event_count = 1;
	*ev = (struct engine_event){ .spec.name = (char *)(uintptr_t)"mem:counter:w",
				     .live = (struct session_event *)(void *)&b, .hit_ns = 10000 };
	assert_null(hit_cost_notice(&sp, 0, &arena));
	for (int second = 1; second <= 2; second++) {
		for (int i = 0; i < second * HITS / 3; i++)
			bench_sample(&b, 0, PID, PID, 0, DSO_ID_KERNEL, 0x10, 0, 3);
		bench_interval(&b, NSEC_PER_SEC);
		if (second == 1)
			assert_null(hit_cost_notice(&sp, 0, &arena)); /* 2 % */
	}
	assert_null(hit_cost_notice(&sp, 0, &arena)); /* 4 % */
	ev->hit_ns = 50000;
	assert_string_equal(hit_cost_notice(&sp, 0, &arena),
			    "mem:counter:w slows down who is watched: hits, of 50.0 us or more each, take more "
			    "than 10 % of a CPU; watch fewer tasks (-p), or not for long");
	hit_cost_put(&sp, &page);
	assert_string_equal(buf_str(&page), "mem:counter:w: 3999 hits a second take 20.0 % of a CPU or more "
					    "from who is watched\n");
	ev->is_paused = true;
	assert_null(hit_cost_notice(&sp, 0, &arena));
	/* It was closed for a second, beside another event, and has just been opened again. */
	b.profile->events[0].open_since_ns = 0;
	bench_interval(&b, NSEC_PER_SEC);
	ev->is_paused = false;
	assert_null(hit_cost_notice(&sp, 0, &arena));
	arena_release(&arena);
	buf_release(&page);
	bench_close(&b);
	free(measured);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_that_take_much_of_a_cpu_are_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
