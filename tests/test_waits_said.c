/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of looks, by figures that a looker could have: how often threads are looked at. */
#include "engine/leaf/measured.h"
#include "engine/leaf/own_cost.h"
#include "engine/leaf/part.h"
#include "engine/waits/waits_impl.h"
#include "tests/profile_fixture.h"

#include <stdlib.h>
#include <string.h>

#define MS NSEC_PER_MSEC

static struct looker_figures figures;

void __wrap_looker_figures(const struct looker *l, struct looker_figures *out);

void
__wrap_looker_figures(const struct looker *l, struct looker_figures *out)
{
	(void)l;
	*out = figures;
}

static struct own_cost cost;
static struct engine_config config;
static struct measured measured;

static const struct waits looks = {
	.looker = (struct looker *)&figures, .cost = &cost, .config = &config, .measured = &measured,
	.share.budget = 2,
};

/* The page of messages, by these figures, has @text. */
static void
page_has(struct looker_figures f, const char *text)
{
	struct buf b = { 0 };

	figures = f;
	waits_put_page(&looks, &b);
	if (strstr(buf_str(&b), text) == NULL)
		fail_msg("no '%s' in: %s", text, buf_str(&b));
	buf_release(&b);
}

static void
the_page_tells_how_often_threads_are_looked_at_and_why_no_more_often(void **state)
{
	(void)state;
	page_has((struct looker_figures){ .threads = 1, .planned_ns = 4 * MS },
		 ": 1 thread, looked at each 4 ms or so; ");
	page_has((struct looker_figures){ .threads = 3, .planned_ns = 6 * MS, .reached_ns = 7 * MS,
					  .is_still = true }, "looked at each 7 ms or so; ");
	page_has((struct looker_figures){ .threads = 3, .planned_ns = 6 * MS, .reached_ns = 118 * MS,
					  .behind_ns = 4 * MS, .is_still = true },
		 "each 118 ms or so, not each 6 ms: threads that have not run since are looked at more "
		 "seldom; ");
	page_has((struct looker_figures){ .threads = 3, .planned_ns = 6 * MS, .reached_ns = 90 * MS,
					  .behind_ns = 60 * MS },
		 "each 90 ms or so, not each 6 ms: ptop waits for a CPU; ");
	page_has((struct looker_figures){ .threads = 900, .planned_ns = 50 * MS,
					  .reached_ns = 4670 * MS, .behind_ns = 9 * MS, .is_dear = true,
					  .is_still = true },
		 "each 4.7 s or so, not each 50 ms: more would cost more than --budget, threads that ");
	page_has((struct looker_figures){ .planned_ns = 4 * MS }, "no thread is looked at; ");
}

/* Whether a notice by these figures has @text. */
static bool
is_noticed_within(double budget, struct looker_figures f, const char *text)
{
	struct fixture b;
	struct waits w = looks;
	struct arena arena = { 0 };
	struct part_notices n = { .arena = &arena };
	bool is_there = false;

	bench_open(&b, 24 << 20);
	w.profile = b.profile;
	w.share.budget = budget;
	figures = f;
	waits_put_notices(&w, &n);
	for (size_t i = 0; i < n.len; i++)
		is_there |= strstr(n.items[i], text) != NULL;
	free(n.items);
	arena_release(&arena);
	bench_close(&b);
	return is_there;
}

static bool
is_noticed(struct looker_figures f, const char *text)
{
	return is_noticed_within(looks.share.budget, f, text);
}

static void
looks_at_no_thread_are_not_called_seldom(void **state)
{
	(void)state;
	assert_true(is_noticed((struct looker_figures){ .threads = 900, .interval_ns = 1500 * MS,
							.is_listed = true },
			       "900 threads are looked at only each 1.5 s"));
	assert_true(is_noticed((struct looker_figures){ .threads = 1, .interval_ns = 1500 * MS,
							.is_listed = true },
			       "1 thread is looked at only each 1.5 s"));
	assert_true(is_noticed_within(0, (struct looker_figures){ .threads = 900, .interval_ns = 1500 * MS,
								  .is_listed = true },
				      "what 900 threads wait is told only each 1.5 s: they are so many"));
	assert_true(is_noticed_within(0, (struct looker_figures){ .threads = 1, .interval_ns = 1500 * MS,
								  .is_listed = true },
				      "what 1 thread waits is told only each 1.5 s"));
	assert_false(is_noticed((struct looker_figures){ .interval_ns = 1500 * MS, .is_listed = true },
				"only each"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_tells_how_often_threads_are_looked_at_and_why_no_more_often),
		cmocka_unit_test(looks_at_no_thread_are_not_called_seldom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
