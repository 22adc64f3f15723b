/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile_fixture.h"
#include "run.h"

#include "profile/count/fold_impl.h"
#include "profile/place/location.h"
#include "tests/asserts.h"

enum { FUNCTIONS = 200, FUNCTION_BYTES = 1 << 16, GRACE_NS = 2000000000, KEPT_TASKS = 5 };

static uint32_t
comm_of(int pid)
{
	return (uint32_t)pid % COMMS;
}

static void
open_named(struct fixture *b, size_t budget)
{
	uint32_t dso;

	bench_open(b, budget);
	dso = dsos_file(&b->model->dsos, "/bin/x", 8, 1, 42, 0);
	assert_int_equal(dso, DSO_ID_FIRST_FILE);
	locations_learn_image(&b->locations, dso, make_image(FUNCTIONS, FUNCTION_BYTES), "", "");
}

/* A stack of @depth functions. */
static uint32_t
stack_of(struct fixture *b, uint32_t event, int pid, int tid, int depth)
{
	struct tables *t = &b->profile->tables;
	uint32_t node = tables_root(t, model_who(b->model, model_task(b->model, pid, tid)), event);

	while (depth-- > 0) {
		uint64_t offset = (uint64_t)rand() % (FUNCTIONS * FUNCTION_BYTES);

		node = tables_node(
			t, node, locations_find(&b->locations, DSO_ID_FIRST_FILE, offset));
	}
	return node;
}

static void
sample_anywhere(struct fixture *b, int pid, int tid, int depth)
{
	uint32_t event = rand() % 4 == 0;

	bench_sample(b, event, pid, tid, comm_of(pid), DSO_ID_FIRST_FILE,
		     (uint64_t)rand() % (FUNCTIONS * FUNCTION_BYTES),
		     stack_of(b, event, pid, tid, depth), rand() % 9 ? 1001001 : (uint64_t)rand());
}

/* A stack of @depth functions; the outer ones are few, the inner ones without end. */
static void
sample_rarely_again(struct fixture *b, int pid, int depth)
{
	struct tables *t = &b->profile->tables;
	uint32_t node = tables_root(t, model_who(b->model, model_task(b->model, pid, pid)), 0);

	for (int i = 1; i <= depth; i++)
		node = tables_node(t, node,
			locations_find(&b->locations, DSO_ID_FIRST_FILE,
				       (uint64_t)(rand() % (1 << i)) * FUNCTION_BYTES));
	bench_sample(b, 0, pid, pid, comm_of(pid), DSO_ID_FIRST_FILE,
		     (uint64_t)rand() % (FUNCTIONS * FUNCTION_BYTES), node, 7);
}

static size_t
bounded_bytes(const struct profile *p)
{
	return tables_bytes(&p->tables, TABLE_TREE) + tables_bytes(&p->tables, TABLE_ADDRESS) +
	       log_bytes(&p->log);
}

static void
fold_and_sweep(struct fixture *b)
{
	profile_fold(b->profile, b->now_ns);
	model_sweep(b->model, b->now_ns - MIN(b->now_ns, (uint64_t)GRACE_NS));
}

/* The list forgets what the log did. */
static void
follow_dropped(struct fixture *b)
{
	for (int e = 0; e < EVENTS; e++)
		b->zero_span[e] = MAX(b->zero_span[e], (size_t)log_first(&b->profile->log));
}

/* An interval may bring more than the budget: then it is folded before it ends. */
static void
a_tree_is_full_before_it_is_larger_than_its_share(void **state)
{
	const size_t budget = 1 << 20, share = budget / PROFILE_SHARES * PROFILE_TREE_SHARE;
	struct fixture b;
	size_t folds = 0;

	(void)state;
	srand(21);
	open_named(&b, budget);
	for (int i = 0; i < 100000; i++) {
		int pid = 1000 + rand() % 8;

		sample_anywhere(&b, pid, pid, 1 + rand() % 8);
		if (i % 100 != 0 || !profile_is_full(b.profile))
			continue;
		profile_fold(b.profile, b.now_ns);
		assert_false(profile_is_full(b.profile));
		folds++;
		assert_that(tables_bytes(&b.profile->tables, TABLE_TREE), <, share);
	}
	assert_that(folds, >, 3);
	assert_that(tables_bytes(&b.profile->tables, TABLE_TREE), <, share);
	bench_close(&b);
}

/* What was folded into it, too: also that of the first root. */
static void
a_node_weighs_what_it_has_and_all_below_it(void **state)
{
	enum { FIRST = 1000, PIDS = 3, SAMPLES = 20 };
	const uint32_t more = 7;
	struct fixture b;
	uint32_t *weights, root;

	(void)state;
	srand(32);
	open_named(&b, 1 << 20);
	for (int i = 0; i < PIDS * SAMPLES; i++)
		sample_rarely_again(&b, FIRST + i % PIDS, 3);
	fold_tree(b.profile, NULL, fold_tree_weights(b.profile), SAMPLES + 1);
	assert_int_equal(b.profile->tables.cells[TABLE_TREE].len, 1 + PIDS);
	for (uint32_t i = 0; i < more; i++)
		sample_rarely_again(&b, FIRST, 3);
	weights = fold_tree_weights(b.profile);
	for (int pid = FIRST; pid < FIRST + PIDS; pid++) {
		uint32_t who = model_who(b.model, model_task(b.model, pid, pid));

		root = tables_root(&b.profile->tables, who, 0);
		assert_int_equal(weights[root], SAMPLES + (pid == FIRST ? more : 0));
	}
	free(weights);
	bench_close(&b);
}

/* Roots stay: what cannot be folded is not tried again for each sample. */
static void
a_tree_of_roots_is_not_full_again_at_once(void **state)
{
	struct fixture b;
	int pid = 1000;

	(void)state;
	open_named(&b, 1 << 20);
	for (; !profile_is_full(b.profile); pid++)
		sample_anywhere(&b, pid, pid, 1);
	profile_fold(b.profile, b.now_ns);
	for (int i = 0; i < 100; i++, pid++) {
		sample_anywhere(&b, pid, pid, 1);
		assert_false(profile_is_full(b.profile));
	}
	bench_close(&b);
}

static void
endless_stacks_addresses_and_tasks_stay_within_the_budget(void **state)
{
	const size_t budget = 1 << 20;
	struct fixture b;
	int pid = 1000;

	(void)state;
	srand(20);
	open_named(&b, budget);
	for (int second = 0; second < 200; second++) {
		for (int i = 0; i < 20; i++, pid++) {
			bench_exec(&b, pid, comm_of(pid));
			for (int n = 0; n < 5; n++)
				sample_anywhere(&b, pid, pid, rand() % 12);
			tell_exit(b.model, pid, pid, 0, b.now_ns);
		}
		bench_interval(&b, NSEC_PER_SEC);
		fold_and_sweep(&b);
		follow_dropped(&b);
		assert_that(bounded_bytes(b.profile), <=, budget);
		if (second % 10 == 0)
			bench_check(&b);
	}
	bench_check(&b);
	profile_set_window(b.profile, 60 * NSEC_PER_SEC);
	bench_check(&b);
	profile_set_window(b.profile, WINDOW_ALL);
	bench_check(&b);
	assert_that(b.profile->folded_nodes, >, 0);
	assert_that(b.profile->folded_addresses, >, 0);
	assert_that(b.profile->merged_tasks, >, 0);
	bench_close(&b);
}

/* Of all that there was the newest is kept, as much as there is room for, and no more is shown. */
static void
a_past_without_end_keeps_within_its_share(void **state)
{
	const struct interval_log *log;
	struct fixture b;
	uint64_t first;

	(void)state;
	srand(25);
	open_named(&b, 1 << 20);
	log = &b.profile->log;
	profile_set_window(b.profile, WINDOW_ALL);
	bench_exec(&b, 50, comm_of(50));
	for (int step = 0; step < 2000; step++) {
		for (int n = 0; n < 50; n++)
			sample_anywhere(&b, 50, 50, 1);
		bench_interval(&b, 100 * NSEC_PER_MSEC);
		profile_fold(b.profile, b.now_ns);
		follow_dropped(&b);
		assert_that(log_bytes(log), <=, profile_log_share(b.profile));
	}
	assert_in_range(b.profile->dropped_intervals, 100, 4000);
	assert_that(log_bytes(log), >, profile_log_share(b.profile) / 2);
	first = log_at(log, log_first(log))->start_ns;
	assert_that(first, >, NSEC_PER_SEC);
	assert_that(first, <, b.now_ns - 10 * NSEC_PER_SEC);
	bench_check(&b);
	profile_set_window(b.profile, 10 * NSEC_PER_SEC);
	bench_check(&b);
	bench_close(&b);
}

static void
a_heavy_stack_outlives_endless_light_ones(void **state)
{
	uint64_t samples = 0;
	struct fixture b;
	const struct tables *t;
	uint32_t node, id;

	(void)state;
	srand(21);
	open_named(&b, 1 << 20);
	t = &b.profile->tables;
	bench_exec(&b, 10, 2);
	node = tables_root(&b.profile->tables, model_who(b.model, model_task(b.model, 10, 10)), 0);
	for (uint32_t i = 0; i < 5; i++)
		node = tables_node(&b.profile->tables, node,
			locations_find(&b.locations, DSO_ID_FIRST_FILE, i * FUNCTION_BYTES));
	for (int i = 0; i < 500; i++)
		bench_sample(&b, 0, 10, 10, 2, DSO_ID_FIRST_FILE, 6 * FUNCTION_BYTES, node, 7);
	for (int second = 0; second < 30; second++) {
		for (int n = 0; n < 500; n++)
			sample_anywhere(&b, 10, 10, 8);
		bench_interval(&b, NSEC_PER_SEC);
		fold_and_sweep(&b);
	}
	assert_that(b.profile->folded_nodes, >, 0);
	node = tables_root(&b.profile->tables, model_who(b.model, model_task(b.model, 10, 10)), 0);
	for (uint32_t i = 0; i < 5; i++)
		node = tables_node(&b.profile->tables, node,
			locations_find(&b.locations, DSO_ID_FIRST_FILE, i * FUNCTION_BYTES));
	id = tables_node(&b.profile->tables, node,
			 locations_find(&b.locations, DSO_ID_FIRST_FILE, 6 * FUNCTION_BYTES));
	samples = t->cells[TABLE_TREE].items[id].all_samples;
	assert_that(samples, >=, 500);
	bench_close(&b);
}

static void
folding_in_the_middle_of_an_interval_loses_nothing(void **state)
{
	struct fixture b;

	(void)state;
	srand(22);
	open_named(&b, 1 << 20);
	for (int i = 0; i < 20; i++)
		bench_exec(&b, 100 + i, comm_of(100 + i));
	for (int step = 0; step < 400; step++) {
		for (int n = 0; n < 40; n++) {
			int pid = 100 + rand() % 20;

			sample_anywhere(&b, pid, pid, rand() % 8);
		}
		if (rand() % 3 == 0)
			bench_interval(&b, 300 * NSEC_PER_MSEC);
		if (rand() % 2 == 0)
			profile_fold(b.profile, b.now_ns);
		follow_dropped(&b);
		if (step % 10 == 0)
			bench_check(&b);
	}
	assert_that(b.profile->folded_nodes, >, 0);
	profile_set_window(b.profile, 3 * NSEC_PER_SEC);
	bench_check(&b);
	bench_close(&b);
}

/* How many rows name @pid. */
static size_t
rows_of(const struct fixture *b, int pid)
{
	const struct tables *t = &b->profile->tables;
	size_t n = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		n += b->model->tasks[b->model->whos[t->hot[id].who].task].tid == pid;
	return n;
}

static void
few_ended_tasks_keep_their_rows_until_the_table_is_full(void **state)
{
	struct fixture b;

	(void)state;
	srand(23);
	open_named(&b, 24 << 20);
	b.profile->hot_max = 64;
	bench_exec(&b, 50, comm_of(50));
	bench_exec(&b, 58, comm_of(58));
	for (int i = 0; i < 60; i++) {
		sample_anywhere(&b, 50, 50, 2);
		sample_anywhere(&b, 58, 58, 2);
	}
	tell_exit(b.model, 50, 50, 0, b.now_ns);
	for (int second = 0; second < 59; second++) {
		bench_interval(&b, NSEC_PER_SEC);
		model_sweep(b.model, b.now_ns);
		b.profile->hot_max = 1000;
		profile_fold(b.profile, b.now_ns);
		assert_int_not_equal(rows_of(&b, 50), 0);
	}
	bench_interval(&b, 2 * NSEC_PER_SEC);
	b.profile->hot_max = 64;
	profile_fold(b.profile, b.now_ns);
	assert_int_equal(rows_of(&b, 50), 0);
	assert_int_not_equal(rows_of(&b, 58), 0);
	assert_int_not_equal(rows_of(&b, TASK_ENDED_TID), 0);
	assert_int_equal(model_find_task(b.model, 50), 0);
	assert_int_equal(b.profile->merged_tasks, 1);
	profile_set_window(b.profile, WINDOW_ALL);
	bench_check(&b);
	bench_close(&b);
}

enum { FIRST = 100 };

/* Processes from FIRST on that end at once, called @comm, 0: each by its number; and @seconds after that. */
static void
end_at_once(struct fixture *b, int count, uint32_t comm, int seconds)
{
	for (int pid = FIRST; pid < FIRST + count; pid++) {
		bench_exec(b, pid, comm != 0 ? comm : comm_of(pid));
		sample_anywhere(b, pid, pid, 2);
		tell_exit(b->model, pid, pid, 0, b->now_ns);
	}
	for (int second = 0; second < seconds; second++) {
		bench_interval(b, NSEC_PER_SEC);
		model_sweep(b->model, b->now_ns);
		profile_fold(b->profile, b->now_ns);
	}
}

/* How many of these have rows of their own. */
static size_t
survivors_of(int count, uint64_t window_ns, uint64_t report_ns, int seconds, size_t hot_max)
{
	struct fixture b;
	size_t rows = 0;

	srand(24);
	open_named(&b, 24 << 20);
	b.profile->hot_max = hot_max;
	b.profile->report_ns = report_ns;
	profile_set_window(b.profile, window_ns);
	end_at_once(&b, count, 0, seconds);
	for (int pid = FIRST; pid < FIRST + count; pid++)
		rows += rows_of(&b, pid) != 0;
	bench_close(&b);
	return rows;
}

static size_t
survivors(uint64_t window_ns, int seconds, size_t hot_max)
{
	return survivors_of(30, window_ns, 0, seconds, hot_max);
}

static void
many_ended_tasks_are_merged_once_no_window_can_show_them(void **state)
{
	(void)state;
	assert_int_equal(survivors(10 * NSEC_PER_SEC, 29, 1000), 30);
	assert_int_equal(survivors(10 * NSEC_PER_SEC, 40, 1000), 0);
	assert_int_equal(survivors(60 * NSEC_PER_SEC, 55, 1000), 30);
	assert_int_equal(survivors(60 * NSEC_PER_SEC, 70, 1000), 0);
	assert_int_equal(survivors(WINDOW_ALL, 100, 1000), 30);
}

static void
in_a_crowd_they_are_merged_soon_after(void **state)
{
	enum { CROWD = 100 }; /* far less, but its rows are an eighth */

	(void)state;
	assert_int_equal(survivors(10 * NSEC_PER_SEC, 11, CROWD), 30);
	assert_int_equal(survivors(10 * NSEC_PER_SEC, 20, CROWD), 0);
	assert_int_equal(survivors(60 * NSEC_PER_SEC, 55, CROWD), 30);
	assert_int_equal(survivors(60 * NSEC_PER_SEC, 70, CROWD), 0);
	assert_int_equal(survivors(WINDOW_ALL, 100, CROWD), 30);
}

static void
a_screen_shows_many_that_ended_as_one_of_their_name(void **state)
{
	enum { MANY = 70, FEW = 60, ROOM = 100000 };
	const uint64_t window_ns = 10 * NSEC_PER_SEC;

	(void)state;
	assert_int_equal(survivors_of(MANY, window_ns, 0, 2, ROOM), MANY);
	assert_int_equal(survivors_of(MANY, window_ns, 0, 11, ROOM), 0);
	assert_int_equal(survivors_of(FEW, window_ns, 0, 11, ROOM), FEW);
	/* In a report, and in all that there was, each has its own. */
	assert_int_equal(survivors_of(MANY, window_ns, window_ns, 11, ROOM), MANY);
	assert_int_equal(survivors_of(MANY, WINDOW_ALL, 0, 11, ROOM), MANY);
}

/* So many of one name end at once; whether others of it make a crowd then, @seconds later. */
static bool
becomes_a_crowd(int count, uint64_t report_ns, int seconds)
{
	struct fixture b;
	bool is_crowd;

	srand(24);
	open_named(&b, 24 << 20);
	b.profile->hot_max = 1 << 20;
	b.profile->report_ns = report_ns;
	profile_set_window(b.profile, 10 * NSEC_PER_SEC);
	end_at_once(&b, count, 1, seconds);
	is_crowd = b.profile->crowds.len > 0;
	bench_close(&b);
	return is_crowd;
}

/* Nor is there a crowd any more once all that there was is shown. */
static void
those_that_were_counted_young_are_not_counted_again(void **state)
{
	enum { COUNT = 2 * CROWD_LEAST, YOUNG = 100, KEPT_S = 4 };
	struct fixture b;

	(void)state;
	srand(24);
	open_named(&b, 24 << 20);
	b.profile->hot_max = 1 << 20;
	profile_set_window(b.profile, 10 * NSEC_PER_SEC);
	end_at_once(&b, COUNT, 1, 0);
	for (int pid = FIRST; pid < FIRST + YOUNG; pid++)
		b.model->tasks[model_find_task(b.model, pid)].crowd_comm = 1;
	end_at_once(&b, 0, 1, KEPT_S);
	assert_int_equal(b.profile->merged_tasks, COUNT - YOUNG);
	assert_int_equal(b.profile->crowds.len, 1);
	profile_set_window(b.profile, WINDOW_ALL);
	end_at_once(&b, 0, 1, 1);
	assert_int_equal(b.profile->crowds.len, 0);
	bench_close(&b);
}

static void
hundreds_of_one_name_that_end_at_once_are_a_crowd_until_no_more_come(void **state)
{
	enum { KEPT_S = 4, OVER_S = KEPT_S + 3 * CROWD_JUDGE_S };

	(void)state;
	/* The next ones are: these have rows of their own for a while. */
	assert_true(becomes_a_crowd(CROWD_LEAST, 0, 1));
	assert_true(becomes_a_crowd(CROWD_LEAST, 0, KEPT_S));
	assert_false(becomes_a_crowd(CROWD_LEAST - 1, 0, KEPT_S));
	assert_false(becomes_a_crowd(CROWD_LEAST, 0, OVER_S));
	/* In a report each has its own row. */
	assert_false(becomes_a_crowd(CROWD_LEAST, 10 * NSEC_PER_SEC, KEPT_S));
}

/* Whether so many that end in each of @seconds, of one name or threads of @process, make a crowd. */
static bool
is_crowd_of(int per_second, int seconds, int process)
{
	struct fixture b;
	bool is_crowd = false;
	int pid = FIRST;

	open_named(&b, 24 << 20);
	b.profile->hot_max = 1 << 20;
	profile_set_window(b.profile, 10 * NSEC_PER_SEC);
	if (process != 0)
		bench_exec(&b, process, 1);
	for (int second = 0; second < seconds; second++) {
		for (int i = 0; i < per_second; i++, pid++) {
			if (process == 0)
				bench_exec(&b, pid, 1);
			sample_anywhere(&b, process != 0 ? process : pid, pid, 2);
			tell_exit(b.model, process != 0 ? process : pid, pid, 0, b.now_ns);
		}
		end_at_once(&b, 0, 1, 1);
		is_crowd |= b.profile->crowds.len > 0;
	}
	bench_close(&b);
	return is_crowd;
}

static void
those_that_end_one_after_another_or_are_threads_are_no_crowd(void **state)
{
	enum { SECONDS = 10, A_SECOND = CROWD_LEAST / 4 };

	(void)state;
	srand(24);
	assert_false(is_crowd_of(A_SECOND, SECONDS, 0)); /* three seconds' are too few */
	assert_true(is_crowd_of(CROWD_LEAST / 2, SECONDS, 0));
	assert_false(is_crowd_of(CROWD_LEAST, SECONDS, FIRST - 1));
}

static void
a_crowd_ends_with_the_first_stretch_in_which_too_few_came(void **state)
{
	const uint64_t judge_ns = CROWD_JUDGE_S * NSEC_PER_SEC;
	struct crowds c = { .len = 0 };

	(void)state;
	crowds_ended(&c, 1, 0, CROWD_LEAST);
	for (uint64_t i = 1; i <= 2; i++) {
		crowds_judge(&c, i * judge_ns);
		assert_non_null(crowds_find(&c, 1, 0));
		crowds_find(&c, 1, 0)->tasks = CROWD_STAYS;
	}
	crowds_judge(&c, 3 * judge_ns);
	crowds_find(&c, 1, 0)->tasks = CROWD_STAYS - 1;
	crowds_judge(&c, 4 * judge_ns - 1);
	assert_non_null(crowds_find(&c, 1, 0));
	crowds_judge(&c, 4 * judge_ns);
	assert_null(crowds_find(&c, 1, 0));
}

/* Each time the whole tree is gone through. */
static void
beside_a_large_tree_a_screen_merges_them_seldom(void **state)
{
	enum { LIVING = 9, WAVE = 70, SECONDS = 20, LARGE = 20000, EACH_S = 5 };
	unsigned merges = 0, pid = 100;
	struct fixture b;

	(void)state;
	open_named(&b, 24 << 20);
	b.profile->hot_max = 1 << 20;
	profile_set_window(b.profile, 10 * NSEC_PER_SEC);
	bench_exec(&b, LIVING, comm_of(LIVING));
	while (b.profile->tables.cells[TABLE_TREE].len < LARGE)
		sample_anywhere(&b, LIVING, LIVING, 20);
	for (int second = 0; second < SECONDS; second++) {
		uint64_t before = b.profile->merged_tasks;

		for (unsigned i = 0; i < WAVE; i++, pid++) {
			bench_exec(&b, (int)pid, comm_of((int)pid));
			sample_anywhere(&b, (int)pid, (int)pid, 2);
			tell_exit(b.model, (int)pid, (int)pid, 0, b.now_ns);
		}
		bench_interval(&b, NSEC_PER_SEC);
		model_sweep(b.model, b.now_ns);
		profile_fold(b.profile, b.now_ns);
		merges += b.profile->merged_tasks > before;
	}
	assert_within(merges, SECONDS / EACH_S, 1);
	assert_that(b.profile->merged_tasks, >, WAVE * SECONDS / 2);
	bench_check(&b);
	bench_close(&b);
}

/* Who stopped the window to look at it has time for that. */
static void
nothing_is_merged_while_the_window_is_frozen(void **state)
{
	struct fixture b;

	(void)state;
	srand(24);
	open_named(&b, 24 << 20);
	b.profile->hot_max = 100;
	for (int pid = 100; pid < 130; pid++) {
		bench_exec(&b, pid, comm_of(pid));
		sample_anywhere(&b, pid, pid, 2);
		tell_exit(b.model, pid, pid, 0, b.now_ns);
	}
	bench_interval(&b, NSEC_PER_SEC);
	profile_set_frozen(b.profile, true);
	for (int second = 0; second < 100; second++) {
		bench_interval(&b, NSEC_PER_SEC);
		fold_and_sweep(&b);
	}
	assert_int_not_equal(rows_of(&b, 100), 0);
	profile_set_frozen(b.profile, false);
	bench_interval(&b, 10 * NSEC_PER_SEC);
	fold_and_sweep(&b);
	assert_int_equal(rows_of(&b, 100), 0);
	bench_check(&b);
	bench_close(&b);
}

/* A process that ends after @samples samples. */
static void
live_for(struct fixture *b, int pid, int samples, bool is_target)
{
	bench_exec(b, pid, comm_of(pid));
	b->model->tasks[model_find_task(b->model, pid)].is_target = is_target;
	for (int i = 0; i < samples; i++)
		sample_anywhere(b, pid, pid, 2);
	tell_exit(b->model, pid, pid, 0, b->now_ns);
}

static void
the_process_that_is_looked_at_is_never_merged_and_targets_are_last(void **state)
{
	enum { LOOKED_AT = 50, TARGET = 51, OTHER = 52, OTHERS = 40 };
	struct fixture b;

	(void)state;
	srand(24);
	open_named(&b, 24 << 20);
	live_for(&b, LOOKED_AT, 30, false);
	live_for(&b, TARGET, 30, true);
	for (int i = 0; i < OTHERS; i++)
		live_for(&b, OTHER + i * COMMS, 30, false);
	b.profile->keep_process = model_find_task(b.model, LOOKED_AT);
	bench_interval(&b, 100 * NSEC_PER_SEC);
	model_sweep(b.model, b.now_ns);
	b.profile->merged_ns = b.now_ns;
	b.profile->hot_max = 1000;
	profile_fold(b.profile, b.now_ns);
	assert_int_not_equal(rows_of(&b, LOOKED_AT), 0);
	assert_int_not_equal(rows_of(&b, TARGET), 0);
	assert_int_equal(rows_of(&b, OTHER), 0);
	b.profile->hot_max = 10;
	profile_fold(b.profile, b.now_ns);
	assert_int_not_equal(rows_of(&b, LOOKED_AT), 0);
	assert_int_equal(rows_of(&b, TARGET), 0);
	bench_check(&b);
	bench_close(&b);
}

/* Of a command's processes those that just ended are still looked at. */
static void
targets_that_ended_long_ago_are_merged_before_those_that_ended_just_now(void **state)
{
	enum { OLD = 1000, OLD_COUNT = 40, RECENT = 50, RECENT_COUNT = 4 };
	struct fixture b;

	(void)state;
	open_named(&b, 24 << 20);
	for (int i = 0; i < OLD_COUNT; i++) {
		int pid = OLD + i * COMMS;

		bench_exec(&b, pid, comm_of(pid));
		b.model->tasks[model_find_task(b.model, pid)].is_target = true;
		bench_sample(&b, 0, pid, pid, comm_of(pid), DSO_ID_FIRST_FILE, 0, 0, 7);
		tell_exit(b.model, pid, pid, 0, b.now_ns);
	}
	bench_interval(&b, 100 * NSEC_PER_SEC);
	for (int pid = RECENT; pid < RECENT + RECENT_COUNT; pid++)
		live_for(&b, pid, 1, true);
	bench_interval(&b, NSEC_PER_SEC);
	model_sweep(b.model, b.now_ns);
	/* There is room enough once the old ones are one. */
	b.profile->hot_max = OLD_COUNT;
	profile_fold(b.profile, b.now_ns);
	assert_int_equal(rows_of(&b, OLD), 0);
	for (int pid = RECENT; pid < RECENT + RECENT_COUNT; pid++)
		assert_int_equal(rows_of(&b, pid), 1);
	assert_int_equal(b.profile->merged_tasks, OLD_COUNT);
	bench_check(&b);
	bench_close(&b);
}

static void
trees_of_threads_become_their_processs(void **state)
{
	struct fixture b;
	size_t roots = 0;

	(void)state;
	srand(25);
	open_named(&b, 1 << 20);
	bench_exec(&b, 10, 1);
	for (int tid = 11; tid < 60; tid++) {
		tell_fork(b.model, 10, 10, 10, tid, b.now_ns);
		for (int n = 0; n < 100; n++)
			bench_sample(&b, 0, 10, tid, 1, DSO_ID_FIRST_FILE,
				(uint64_t)rand() % (1 << 20), stack_of(&b, 0, 10, tid, 3), 5);
	}
	bench_interval(&b, NSEC_PER_SEC);
	profile_fold(b.profile, b.now_ns);
	for (uint32_t id = 1; id < b.profile->tables.cells[TABLE_TREE].len; id++)
		roots += b.profile->tables.tree[id].parent == 0;
	assert_int_equal(roots, 1);
	assert_int_not_equal(rows_of(&b, 30), 0); /* the hot table still tells threads apart */
	assert_false(model_task_at(b.model, model_find_task(b.model, 10))->has_one_tree);
	bench_check(&b);
	bench_close(&b);
}

static size_t
roots_of(const struct fixture *b, int pid)
{
	const struct tables *t = &b->profile->tables;
	const struct model *m = b->model;
	size_t roots = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_TREE].len; id++) {
		uint32_t who = t->tree[id].location & TREE_WHO_MASK;

		roots += t->tree[id].parent == 0 && m->tasks[m->whos[who].task].pid == pid;
	}
	return roots;
}

/* A full tree without threads is none of theirs: the first time is then not soon again. */
static void
trees_of_threads_do_not_grow_again_soon_where_there_were_none(void **state)
{
	enum { ALONE = 500, PID = 10, THREADS = 49, SAMPLES = THREADS * 100 };
	struct fixture b;

	(void)state;
	srand(31);
	open_named(&b, 1 << 20);
	profile_set_window(b.profile, WINDOW_ALL);
	bench_exec(&b, ALONE, 1);
	bench_exec(&b, PID, 1);
	for (int n = 0; n < SAMPLES; n++)
		bench_sample(&b, 0, ALONE, ALONE, 1, DSO_ID_FIRST_FILE, 0,
			     stack_of(&b, 0, ALONE, ALONE, 3), 5);
	bench_interval(&b, NSEC_PER_SEC);
	profile_fold(b.profile, b.now_ns);
	assert_that(b.profile->folded_nodes, >, 0);
	for (int i = 1; i <= THREADS; i++)
		tell_fork(b.model, PID, PID, PID, PID + i, b.now_ns);
	for (int n = 0; n < SAMPLES; n++) {
		int tid = PID + 1 + n % THREADS;

		bench_sample(&b, 0, PID, tid, 1, DSO_ID_FIRST_FILE, 0,
			     stack_of(&b, 0, PID, tid, 3), 5);
	}
	bench_interval(&b, NSEC_PER_SEC);
	profile_fold(b.profile, b.now_ns);
	assert_int_equal(roots_of(&b, PID), 1);
	assert_false(model_task_at(b.model, model_find_task(b.model, PID))->has_one_tree);
	assert_int_equal(b.profile->merged_threads, 0);
	bench_check(&b);
	bench_close(&b);
}

/* Who looks at them wants to know what each does. */
static void
threads_of_the_process_that_is_looked_at_keep_their_trees(void **state)
{
	enum { LOOKED_AT = 10, OTHER = 500, THREADS = 25 };
	struct fixture b;

	(void)state;
	srand(27);
	open_named(&b, 1 << 20);
	profile_set_window(b.profile, WINDOW_ALL);
	bench_exec(&b, LOOKED_AT, 1);
	bench_exec(&b, OTHER, 1);
	b.profile->keep_process = model_find_task(b.model, LOOKED_AT);
	for (int i = 1; i <= THREADS; i++) {
		tell_fork(b.model, LOOKED_AT, LOOKED_AT, LOOKED_AT, LOOKED_AT + i, b.now_ns);
		tell_fork(b.model, OTHER, OTHER, OTHER, OTHER + i, b.now_ns);
	}
	for (int n = 0; n < THREADS * 200; n++) {
		int pid = n % 2 == 0 ? LOOKED_AT : OTHER, tid = pid + 1 + n / 2 % THREADS;

		bench_sample(&b, 0, pid, tid, 1, DSO_ID_FIRST_FILE, (uint64_t)rand() % (1 << 20),
			     stack_of(&b, 0, pid, tid, 3), 5);
	}
	bench_interval(&b, NSEC_PER_SEC);
	profile_fold(b.profile, b.now_ns);
	assert_int_equal(roots_of(&b, LOOKED_AT), THREADS);
	assert_int_equal(roots_of(&b, OTHER), 1);
	bench_check(&b);
	bench_close(&b);
}

/* Merged again and again they would be made anew each time. */
static void
trees_of_threads_that_grow_again_soon_are_their_processs_for_good(void **state)
{
	struct fixture b;

	(void)state;
	srand(26);
	open_named(&b, 1 << 20);
	profile_set_window(b.profile, WINDOW_ALL);
	bench_exec(&b, 10, 1);
	bench_exec(&b, 500, 1);
	for (int tid = 11; tid < 60; tid++)
		tell_fork(b.model, 10, 10, 10, tid, b.now_ns);
	for (int turn = 0; turn < 2; turn++) {
		assert_false(model_task_at(b.model, model_find_task(b.model, 10))->has_one_tree);
		for (int tid = 11; tid < 60; tid++)
			for (int n = 0; n < 100; n++)
				bench_sample(&b, 0, 10, tid, 1, DSO_ID_FIRST_FILE,
					(uint64_t)rand() % (1 << 20), stack_of(&b, 0, 10, tid, 3), 5);
		bench_interval(&b, NSEC_PER_SEC);
		profile_fold(b.profile, b.now_ns);
	}
	assert_true(model_task_at(b.model, model_find_task(b.model, 10))->has_one_tree);
	assert_false(model_task_at(b.model, model_find_task(b.model, 500))->has_one_tree);
	assert_int_equal(b.profile->merged_threads, 49);
	bench_check(&b);
	bench_close(&b);
}

/* Thousands of threads, as looks find them: there is room for their trees, but no time. */
static void
trees_of_thousands_of_threads_are_one_where_time_is_short(void **state)
{
	enum { PID = 10, THREADS = 1100, DEPTH = 16 };
	struct fixture b;

	(void)state;
	srand(28);
	open_named(&b, 64 << 20);
	bench_exec(&b, PID, 1);
	for (int tid = PID + 1; tid <= PID + THREADS; tid++) {
		tell_fork(b.model, PID, PID, PID, tid, b.now_ns);
		bench_sample(&b, 0, PID, tid, 1, DSO_ID_FIRST_FILE, 0, stack_of(&b, 0, PID, tid, DEPTH), 5);
	}
	bench_interval(&b, NSEC_PER_SEC);
	profile_fold(b.profile, b.now_ns);
	assert_int_equal(roots_of(&b, PID), THREADS);
	/* Not those that are looked at. */
	b.profile->is_thrifty = true;
	b.profile->keep_process = model_find_task(b.model, PID);
	profile_fold(b.profile, b.now_ns);
	assert_int_equal(roots_of(&b, PID), THREADS);
	b.profile->keep_process = 0;
	profile_fold(b.profile, b.now_ns);
	assert_int_equal(roots_of(&b, PID), 1);
	assert_true(model_task_at(b.model, model_find_task(b.model, PID))->has_one_tree);
	assert_int_equal(b.profile->merged_threads, THREADS);
	bench_check(&b);
	bench_close(&b);
}

/* A command that starts others without end: all of them were sampled on purpose. */
static void
targets_without_end_stay_within_the_bounds(void **state)
{
	struct fixture b;
	int pid = 1000;

	(void)state;
	srand(30);
	open_named(&b, 1 << 20);
	b.profile->hot_max = 4000;
	for (int second = 0; second < 200; second++) {
		for (int i = 0; i < 50; i++, pid++) {
			bench_exec(&b, pid, comm_of(pid));
			b.model->tasks[model_find_task(b.model, pid)].is_target = true;
			sample_rarely_again(&b, pid, 2);
			tell_exit(b.model, pid, pid, 0, b.now_ns);
		}
		bench_interval(&b, NSEC_PER_SEC);
		fold_and_sweep(&b);
		follow_dropped(&b);
	}
	assert_int_equal(b.profile->hot_max, 4000);
	assert_that(bounded_bytes(b.profile), <=, 1 << 20);
	assert_that(b.model->task_count, <, 4000);
	bench_check(&b);
	bench_close(&b);
}

/* A process whose name nobody else has, from begin to end. */
static void
live_with_a_name(struct fixture *b, int pid)
{
	char name[16];

	snprintf(name, sizeof(name), "name-%d", pid);
	tell_fork(b->model, 1, 1, pid, pid, b->now_ns);
	tell_comm(b->model, pid, pid, name, true);
	for (int n = 0; n < 3; n++)
		sample_anywhere(b, pid, pid, 2);
	tell_exit(b->model, pid, pid, 0, b->now_ns);
}

static uint64_t
samples_of_task(const struct fixture *b, int pid)
{
	const struct tables *t = &b->profile->tables;
	uint32_t who = model_who(b->model, model_task(b->model, pid, pid));
	uint64_t samples = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		if (t->hot[id].who == who)
			samples += t->cells[TABLE_HOT].items[id].all_samples;
	return samples;
}

static void
names_without_end_become_one(void **state)
{
	const struct tables *t;
	uint64_t samples = 0;
	struct fixture b;
	int pid = 1000;

	(void)state;
	srand(27);
	open_named(&b, 24 << 20);
	b.profile->hot_max = 2000;
	t = &b.profile->tables;
	/* They live on, with fewer samples than any name that is merged. */
	for (int i = 0; i < KEPT_TASKS; i++)
		sample_anywhere(&b, 10 + i, 10 + i, 2);
	for (int second = 0; second < 200; second++) {
		for (int i = 0; i < 50; i++, pid++)
			live_with_a_name(&b, pid);
		bench_interval(&b, NSEC_PER_SEC);
		fold_and_sweep(&b);
	}
	assert_int_equal(b.profile->hot_max, 2000);
	assert_that(t->cells[TABLE_HOT].len, <=, 2000);
	assert_that(b.model->who_len, <, 2000);
	assert_that(b.profile->merged_names, >, 5000);
	for (int i = 0; i < KEPT_TASKS; i++)
		assert_int_equal(samples_of_task(&b, 10 + i), 1);
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		samples += t->cells[TABLE_HOT].items[id].all_samples;
	assert_int_equal(samples, b.taken_len);
	samples = 0;
	for (uint32_t id = 1; id < t->cells[TABLE_TREE].len; id++)
		samples += t->cells[TABLE_TREE].items[id].all_samples;
	assert_int_equal(samples, b.taken_len);
	bench_close(&b);
}

static size_t
tree_and_addresses_bytes(const struct profile *p)
{
	return tables_bytes(&p->tables, TABLE_TREE) + tables_bytes(&p->tables, TABLE_ADDRESS);
}

/* A second of a process that lives and of some that soon end. */
static void
busy_second(struct fixture *b, int *pid)
{
	for (int n = 0; n < 200; n++)
		sample_rarely_again(b, 10, 7);
	for (int i = 0; i < 20; i++, (*pid)++) {
		bench_exec(b, *pid, comm_of(*pid));
		sample_rarely_again(b, *pid, 7);
		tell_exit(b->model, *pid, *pid, 0, b->now_ns);
	}
	bench_interval(b, NSEC_PER_SEC);
	fold_and_sweep(b);
}

/* Far below the budget, too: what comes and goes for long takes no more than for two minutes. */
static void
stacks_and_addresses_without_end_soon_stop_growing(void **state)
{
	enum { SETTLED_S = 120, END_S = IS_SANITIZED ? 300 : 900 };
	size_t settled = 0, most = 0;
	int pid = 1000;
	struct fixture b;

	(void)state;
	srand(28);
	open_named(&b, 96 << 20);
	bench_exec(&b, 10, comm_of(10));
	for (int second = 0; second < END_S; second++) {
		size_t *peak = second < SETTLED_S ? &settled : &most;

		busy_second(&b, &pid);
		*peak = MAX(*peak, tree_and_addresses_bytes(b.profile));
		if (second % 100 == 99)
			bench_check(&b);
	}
	assert_that(most, <=, settled + settled / 8);
	assert_that(b.profile->folded_light, >, 0);
	assert_int_equal(b.profile->folded_nodes + b.profile->folded_addresses, 0);
	bench_close(&b);
}

/* Who looks at all there was has all of it, as long as there is room. */
static void
what_the_window_all_shows_is_not_thinned(void **state)
{
	int pid = 1000;
	struct fixture b;

	(void)state;
	srand(28);
	open_named(&b, 96 << 20);
	profile_set_window(b.profile, WINDOW_ALL);
	bench_exec(&b, 10, comm_of(10));
	for (int second = 0; second < 200; second++)
		busy_second(&b, &pid);
	assert_int_equal(b.profile->folded_light, 0);
	assert_int_equal(b.profile->folded_nodes + b.profile->folded_addresses, 0);
	bench_check(&b);
	bench_close(&b);
}

/* Samples of the stacks that end with @path, functions by number, of the process 10. */
static uint64_t
samples_of_path(struct fixture *b, const int *path, int len)
{
	struct tables *t = &b->profile->tables;
	uint32_t node = tables_root(t, model_who(b->model, model_task(b->model, 10, 10)), 0);

	for (int i = 0; i < len; i++)
		node = tables_node(t, node, locations_find(&b->locations, DSO_ID_FIRST_FILE,
							   (uint64_t)path[i] * FUNCTION_BYTES));
	return t->cells[TABLE_TREE].items[node].all_samples;
}

static void
sample_path(struct fixture *b, const int *path, int len)
{
	struct tables *t = &b->profile->tables;
	uint32_t node = tables_root(t, model_who(b->model, model_task(b->model, 10, 10)), 0);

	for (int i = 0; i < len - 1; i++)
		node = tables_node(t, node, locations_find(&b->locations, DSO_ID_FIRST_FILE,
							   (uint64_t)path[i] * FUNCTION_BYTES));
	bench_sample(b, 0, 10, 10, comm_of(10), DSO_ID_FIRST_FILE,
		     (uint64_t)path[len - 1] * FUNCTION_BYTES, node, 7);
}

static void
a_stack_is_thinned_when_no_window_shows_it_and_it_weighs_nothing(void **state)
{
	static const int old[] = { 150, 151, 152 }, heavy[] = { 160, 161 }, young[] = { 170, 171 };
	int pid = 1000;
	struct fixture b;

	(void)state;
	srand(29);
	open_named(&b, 96 << 20);
	bench_exec(&b, 10, comm_of(10));
	sample_path(&b, old, 3);
	for (int i = 0; i < 1000; i++)
		sample_path(&b, heavy, 2);
	for (int second = 0; second < 180; second++)
		busy_second(&b, &pid);
	sample_path(&b, young, 2);
	for (int second = 0; second < 25; second++)
		busy_second(&b, &pid);
	assert_that(b.profile->folded_light, >, 0);
	assert_int_equal(samples_of_path(&b, old, 3), 0);
	assert_int_equal(samples_of_path(&b, heavy, 2), 1000);
	assert_int_equal(samples_of_path(&b, young, 2), 1);
	bench_close(&b);
}

enum { MANY_FUNCTIONS = 40000, SMALL_FUNCTION_BYTES = 64, OWN_FUNCTIONS = 8 };

static void
sample_function(struct fixture *b, int pid, uint64_t function)
{
	uint32_t who = model_who(b->model, model_task(b->model, pid, pid));

	bench_sample(b, 0, pid, pid, comm_of(pid), DSO_ID_FIRST_FILE, function * SMALL_FUNCTION_BYTES,
		     tables_root(&b->profile->tables, who, 0), 7);
}

/* What a process that ends at once is sampled in: some functions often, most hardly ever. */
static void
run_rare_functions(struct fixture *b, int pid)
{
	bench_exec(b, pid, comm_of(pid));
	for (int n = 0; n < 40; n++) {
		double r = (double)rand() / RAND_MAX;

		sample_function(b, pid, (uint64_t)(r * r * r * r * (MANY_FUNCTIONS - OWN_FUNCTIONS)));
	}
	tell_exit(b->model, pid, pid, 0, b->now_ns);
}

static void
open_many_functions(struct fixture *b)
{
	bench_open(b, 96 << 20);
	assert_int_equal(dsos_file(&b->model->dsos, "/bin/x", 8, 1, 42, 0), DSO_ID_FIRST_FILE);
	locations_learn_image(&b->locations, DSO_ID_FIRST_FILE,
			      make_image(MANY_FUNCTIONS, SMALL_FUNCTION_BYTES), "", "");
}

/* Samples of one function, and of all that became one with others, of the tasks of that name. */
static struct sums
function_samples(const struct fixture *b, uint32_t who_comm, uint32_t location)
{
	const struct tables *t = &b->profile->tables;
	struct sums sums = { 0 };

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const char *name = strs_get(&b->model->strs, b->model->whos[t->hot[id].who].comm);

		if (t->hot[id].location == location && strcmp(name, comm_name(who_comm)) == 0)
			sums_add(&sums, t->cells[TABLE_HOT].items[id].all_samples,
				 t->cells[TABLE_HOT].items[id].all_period);
	}
	return sums;
}

/* Whatever was forgotten: what is counted is counted where it was, and found there again. */
static void
check_functions(struct fixture *b)
{
	const struct tables *t = &b->profile->tables;
	char name[16];

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		uint32_t at = t->hot[id].location;
		const struct location *loc = &b->locations.items[at];

		assert_int_equal(loc->dso, DSO_ID_FIRST_FILE);
		if (loc->is_rest)
			continue;
		assert_int_equal(loc->kind, LOCATION_FUNCTION);
		snprintf(name, sizeof(name), "f%u", loc->fn);
		assert_string_equal(strs_get(&b->model->strs, loc->name), name);
		assert_int_equal(loc->offset, (uint64_t)loc->fn * SMALL_FUNCTION_BYTES);
		assert_int_equal(locations_find(&b->locations, DSO_ID_FIRST_FILE, loc->offset), at);
	}
}

/* A place that waits for its name keeps its serial, in whatever order numbers are given out again. */
static void
check_serials(struct fixture *b)
{
	enum { PLACES = 4 };
	uint32_t dso = dsos_file(&b->model->dsos, "/bin/y", 8, 1, 43, 0), id[PLACES];
	uint32_t serials[PLACES];

	assert_that(b->locations.free_len, >=, 2 * (size_t)PLACES);
	for (int i = 0; i < PLACES; i++) {
		id[i] = locations_find(&b->locations, dso, (uint64_t)i * SMALL_FUNCTION_BYTES);
		serials[i] = b->locations.items[id[i]].serial;
	}
	locations_learn_image(&b->locations, dso, make_image(PLACES, SMALL_FUNCTION_BYTES), "", "");
	for (int i = 0; i < PLACES; i++) {
		uint32_t now = locations_resolve(&b->locations, id[i]);

		assert_int_not_equal(now, id[i]);
		assert_int_equal(b->locations.items[now].serial, serials[i]);
	}
}

/* The same few programs again and again: each time some of their functions are new. */
static void
functions_of_ended_tasks_soon_stop_growing(void **state)
{
	enum { SETTLED_S = 120, END_S = IS_SANITIZED ? 300 : 900 };
	size_t settled = 0, most = 0, settled_places = 0;
	int pid = 1000;
	struct fixture b;

	(void)state;
	srand(30);
	open_many_functions(&b);
	for (int second = 0; second < END_S; second++) {
		size_t *peak = second < SETTLED_S ? &settled : &most;

		for (int i = 0; i < 20; i++)
			run_rare_functions(&b, pid++);
		bench_interval(&b, NSEC_PER_SEC);
		fold_and_sweep(&b);
		*peak = MAX(*peak, b.profile->tables.cells[TABLE_HOT].len);
		if (second % 100 == 99) {
			bench_check(&b);
			check_functions(&b);
		}
		if (second == SETTLED_S)
			settled_places = b.locations.len;
	}
	assert_that(most, <=, settled + settled / 8);
	assert_that(b.locations.len, <=, settled_places + settled_places / 4);
	check_serials(&b);
	bench_close(&b);
}

/* Of what ended: neither what is often seen nor what a window shows.  Of what lives: nothing. */
static void
a_function_is_thinned_when_its_tasks_ended_and_no_window_shows_it(void **state)
{
	enum { RARE = MANY_FUNCTIONS - OWN_FUNCTIONS + 1, OFTEN, YOUNG, LIVING = 10, RUNS = 160,
	       KEPT = MANY_FUNCTIONS - 2, FORGOTTEN };
	uint32_t at[3], rest, kept, forgotten;
	int pid = 1000;
	struct fixture b;

	(void)state;
	srand(31);
	open_many_functions(&b);
	kept = locations_find(&b.locations, DSO_ID_FIRST_FILE, KEPT * SMALL_FUNCTION_BYTES);
	forgotten = locations_find(&b.locations, DSO_ID_FIRST_FILE,
				   FORGOTTEN * SMALL_FUNCTION_BYTES);
	b.profile->keep_location = kept; /* somebody looks at its callers */
	bench_exec(&b, LIVING, comm_of(LIVING));
	sample_function(&b, LIVING, RARE);
	for (int second = 0; second < RUNS; second++) {
		int where = second == 0 ? RARE : second == RUNS - 5 ? YOUNG : OFTEN;

		for (int i = 0; i < 20; i++)
			run_rare_functions(&b, pid++);
		pid = (pid + COMMS) / COMMS * COMMS + 1; /* its name is another than that of LIVING */
		bench_exec(&b, pid, comm_of(pid));
		for (int i = 0; i < (where == OFTEN ? 20 : 1); i++)
			sample_function(&b, pid, (uint64_t)where);
		tell_exit(b.model, pid, pid, 0, b.now_ns);
		pid++;
		bench_interval(&b, NSEC_PER_SEC);
		fold_and_sweep(&b);
	}
	for (int i = 0; i < 3; i++)
		at[i] = locations_find(&b.locations, DSO_ID_FIRST_FILE,
				       (uint64_t)(RARE + i) * SMALL_FUNCTION_BYTES);
	rest = locations_rest(&b.locations, DSO_ID_FIRST_FILE);
	assert_int_equal(function_samples(&b, 1, at[0]).samples, 0);
	assert_int_equal(function_samples(&b, 1, at[1]).samples, (RUNS - 2) * 20);
	assert_int_equal(function_samples(&b, 1, at[2]).samples, 1);
	assert_int_equal(function_samples(&b, comm_of(LIVING), at[0]).samples, 1);
	assert_that(function_samples(&b, 1, rest).samples, >, 0);
	assert_string_equal(strs_get(&b.model->strs, b.locations.items[rest].name),
			    "[rarely seen]");
	assert_int_equal(b.locations.items[kept].fn, KEPT);
	assert_int_not_equal(b.locations.items[forgotten].fn, FORGOTTEN);
	bench_check(&b);
	bench_close(&b);
}

/* Samples are told apart by them, whatever has become of the rest of their stacks. */
static void
functions_that_labels_name_are_not_forgotten(void **state)
{
	enum { MANY = 2000, FROM = 10, TO, HOLDING, WAITS, END };
	uint32_t at[MANY];
	struct fixture b;

	(void)state;
	open_many_functions(&b);
	for (uint64_t i = 0; i < MANY; i++)
		at[i] = locations_find(&b.locations, DSO_ID_FIRST_FILE, i * SMALL_FUNCTION_BYTES);
	labels_find(&b.profile->labels, &(struct label){ .from = at[FROM], .to = at[TO] });
	labels_find(&b.profile->labels,
		    &(struct label){ .holding_at = at[HOLDING], .waits_at = at[WAITS] });
	forget_locations(b.profile);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(b.locations.items[at[i]].kind == LOCATION_FUNCTION,
				 i >= FROM && i < END);
	bench_close(&b);
}

static void
counts_follow_locations_to_what_they_became(void **state)
{
	const struct tables *t;
	struct fixture b;
	uint32_t dso;

	(void)state;
	srand(26);
	bench_open(&b, 24 << 20);
	t = &b.profile->tables;
	dso = dsos_file(&b.model->dsos, "/bin/x", 8, 1, 42, 0);
	bench_exec(&b, 10, comm_of(10));
	for (int round = 0; round < 2; round++) {
		for (int n = 0; n < 500; n++)
			sample_anywhere(&b, 10, 10, 3);
		if (round == 0)
			bench_interval(&b, NSEC_PER_SEC);
		/* The second time in the middle of an interval. */
	}
	assert_that(b.locations.pending, >, 900);
	assert_that(locations_learn_image(&b.locations, dso, make_image(20, 1 << 19), "", ""), >,
		    900);
	assert_int_equal(b.locations.pending, 0);
	assert_int_equal(
		b.locations.pending_first, b.locations.len); /* the next image looks no further */
	b.profile->fold_due = true;
	profile_fold(b.profile, b.now_ns);
	assert_false(b.profile->fold_due);
	/* Twenty functions of two events; what lies behind them by page. */
	assert_that(t->cells[TABLE_HOT].len, <, 1000);
	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++) {
		const struct location *loc = &b.locations.items[t->hot[id].location];

		assert_int_equal(loc->forward, 0);
		assert_int_not_equal(loc->kind, LOCATION_PENDING);
	}
	bench_check(&b);
	bench_interval(&b, NSEC_PER_SEC);
	bench_check(&b);
	bench_close(&b);
}

static size_t
count_forwarded(const struct fixture *b)
{
	const struct tables *t = &b->profile->tables;
	size_t count = 0;

	for (uint32_t id = 1; id < t->cells[TABLE_HOT].len; id++)
		count += b->locations.items[t->hot[id].location].forward != 0;
	return count;
}

static void
follow_now(struct fixture *b)
{
	b->profile->fold_due = true;
	profile_follow(b->profile);
	assert_int_equal(count_forwarded(b), 0);
	bench_check(b);
}

/* What was counted before the first of them keeps its number; in the middle of an interval, too. */
static void
what_is_before_all_that_moves_stays_where_it_is(void **state)
{
	enum { ROUNDS = 60, LATE = 40 };
	struct hot_key early[8];
	const struct tables *t;
	struct fixture b;
	uint32_t dso, epoch;

	(void)state;
	srand(31);
	open_named(&b, 24 << 20);
	t = &b.profile->tables;
	bench_exec(&b, 10, comm_of(10));
	for (int n = 0; n < 500; n++)
		sample_anywhere(&b, 10, 10, 6);
	bench_interval(&b, NSEC_PER_SEC);
	memcpy(early, t->hot + 1, sizeof(early));
	epoch = b.profile->epoch;
	follow_now(&b);
	assert_int_equal(b.profile->epoch, epoch); /* nothing moves */

	dso = dsos_file(&b.model->dsos, "/bin/y", 8, 1, 43, 0);
	for (int late = 0; late < 2; late++) {
		/* First few of them, then more than half of the tables. */
		for (int n = 0; n < (late == 0 ? LATE : LATE * ROUNDS); n++) {
			uint64_t page = (uint64_t)(late * LATE * ROUNDS + n) << 12;
			uint32_t node = tables_node(&b.profile->tables,
						    stack_of(&b, 0, 10, 10, 2),
						    locations_find(&b.locations, dso, page));

			sample_anywhere(&b, 10, 10, 6);
			bench_sample(&b, 0, 10, 10, comm_of(10), dso, page, node, 5);
		}
		assert_that(locations_learn_image(&b.locations, dso, make_image(8, 1 << 30), "", ""),
			    >, 0);
		assert_that(count_forwarded(&b), >, 0);
		follow_now(&b);
		assert_int_not_equal(b.profile->epoch, epoch);
		assert_memory_equal(early, t->hot + 1, sizeof(early));
		if (late == 0) {
			dso = dsos_file(&b.model->dsos, "/bin/z", 8, 1, 44, 0);
			bench_interval(&b, NSEC_PER_SEC);
		}
	}
	bench_interval(&b, NSEC_PER_SEC);
	bench_check(&b);
	bench_close(&b);
}

/* More than 16K nodes, of few leaves, whose locations are others from now on. */
static void
open_large_tree(struct fixture *b)
{
	enum { STACKS = 1200, DEPTH = 20, LEAVES = 100 };
	const struct tables *t;
	uint32_t dso;

	srand(27);
	bench_open(b, 96 << 20);
	t = &b->profile->tables;
	dso = dsos_file(&b->model->dsos, "/bin/x", 8, 1, 42, 0);
	bench_exec(b, 10, comm_of(10));
	for (int n = 0; n < STACKS; n++)
		bench_sample(b, 0, 10, 10, comm_of(10), dso, (uint64_t)(n % LEAVES) * 4096,
			     stack_of(b, 0, 10, 10, DEPTH), 1000);
	bench_interval(b, NSEC_PER_SEC);
	assert_that(t->cells[TABLE_TREE].len, >, 16 << 10);
	assert_that(t->cells[TABLE_HOT].len, <, 8 << 10);
	assert_that(locations_learn_image(&b->locations, dso, make_image(20, 1 << 19), "", ""), >, LEAVES);
	b->profile->fold_due = true;
	b->profile->followed_ns = b->now_ns;
}

/* Each time all of it is made anew. */
static void
a_large_tree_follows_them_each_ten_seconds(void **state)
{
	struct fixture b;

	(void)state;
	open_large_tree(&b);
	assert_that(count_forwarded(&b), >, 0);
	for (int s = 1; s <= 10; s++) {
		b.now_ns += NSEC_PER_SEC;
		profile_fold(b.profile, b.now_ns);
		assert_true(b.profile->fold_due);
	}
	assert_that(count_forwarded(&b), >, 0);
	b.now_ns += NSEC_PER_SEC;
	profile_fold(b.profile, b.now_ns);
	assert_false(b.profile->fold_due);
	assert_int_equal(count_forwarded(&b), 0);
	bench_check(&b);
	bench_close(&b);
}

static void
at_the_end_of_a_recording_it_follows_them_at_once(void **state)
{
	struct fixture b;

	(void)state;
	open_large_tree(&b);
	profile_follow(b.profile);
	assert_false(b.profile->fold_due);
	assert_int_equal(count_forwarded(&b), 0);
	bench_check(&b);
	bench_close(&b);
}

/* What else stands behind a name is another function: it is called, with arguments of its own. */
static void
a_cold_part_counts_as_its_function(void **state)
{
	static const struct {
		const char *raw, *name;
	} functions[] = {
		{ "work", "work" }, { "work.cold", "work" }, { "work.part.0.cold", "work.part.0" },
		{ "work.warm", "work" },
		{ "work.cold.1", "work.cold.1" }, { ".cold", ".cold" }, { "workcold", "workcold" },
	};
	struct err err = { 0 };
	struct image_build *build = image_build_new(&err);
	struct fixture b;
	uint32_t dso;

	(void)state;
	for (uint64_t i = 0; i < ARRAY_SIZE(functions); i++)
		assert_true(image_build_add(build, &(struct image_symbol){
			.addr = i * 16, .size = 16, .name = functions[i].raw,
			.name_len = strlen(functions[i].raw), .binding = IMAGE_LOCAL }));
	bench_open(&b, 24 << 20);
	dso = dsos_file(&b.model->dsos, "/bin/x", 6, 1, 42, 0);
	locations_learn_image(&b.locations, dso,
			      image_open(image_build_finish(build, &err), &err), "", "");
	image_build_free(build);
	for (uint64_t i = 0; i < ARRAY_SIZE(functions); i++) {
		uint32_t id = locations_find(&b.locations, dso, i * 16);

		assert_string_equal(strs_get(&b.model->strs, b.locations.items[id].name),
				    functions[i].name);
	}
	bench_close(&b);
}

/* An image of one function of @bytes at 0: an entry of unwind tables, if @name is NULL. */
static struct image *
image_of_one(const char *name, uint64_t bytes)
{
	struct err err = { 0 };
	struct image_build *build = image_build_new(&err);
	struct image *image;

	if (name == NULL)
		assert_true(image_build_add_entry(build, 0, bytes, 0x400000));
	else
		assert_true(image_build_add(build, &(struct image_symbol){
			.size = bytes, .name = name, .name_len = strlen(name),
			.binding = IMAGE_GLOBAL }));
	image = image_open(image_build_finish(build, &err), &err);
	image_build_free(build);
	assert_non_null(image);
	return image;
}

/*
 * A debug file has come; or, @is_given_back, it has while the image was not kept in memory, and then
 * @is_unread the first time that it was wanted again.
 */
static void
check_entry_gets_name(bool is_given_back, bool is_unread)
{
	struct fixture b;
	struct locations *l = &b.locations;
	uint32_t dso, id, named;

	bench_open(&b, 24 << 20);
	dso = dsos_file(&b.model->dsos, "/lib/libz.so.1", 14, 1, 42, 0);
	bench_exec(&b, 10, comm_of(10));
	locations_learn_image(l, dso, image_of_one(NULL, 256), "stripped", "mend it");
	id = locations_find(l, dso, 255);
	assert_int_equal(id, locations_find(l, dso, 0));
	assert_false(location_is_named(&l->items[id]));
	assert_string_equal(strs_get(&b.model->strs, l->items[id].name), "libz.so.1+0x400000");
	assert_string_equal(strs_get(&b.model->strs, dso_source_reason(l, id)), "stripped");
	/* What a download came to stands behind the reason, and the last time is what counts. */
	dso_source_learn_asked(l, dso, "no answer");
	dso_source_learn_asked(l, dso, "has none");
	assert_string_equal(strs_get(&b.model->strs, dso_source_reason(l, id)),
			    "stripped; asked debuginfod: has none");
	bench_sample(&b, 0, 10, 10, comm_of(10), dso, 16, 0, 1);
	for (int i = 0; i < 9; i++)
		locations_vote(l, id, 0x90, 1);
	if (is_given_back) {
		uint32_t other = dsos_file(&b.model->dsos, "/lib/other.so", 13, 1, 43, 0);

		l->image_budget = 1;
		locations_learn_image(l, other, make_image(4, 256), "", "");
		assert_int_equal(locations_symbols(l, dso)->state, SYMBOLS_GIVEN_BACK);
	}
	if (is_unread)
		locations_learn_image(l, dso, NULL, "no file", "");
	assert_that(locations_learn_image(l, dso, image_of_one("inflate", 256), "", ""), >, 0);
	named = locations_resolve(l, id);
	assert_int_not_equal(named, id);
	assert_true(location_is_named(&l->items[named]));
	assert_string_equal(strs_get(&b.model->strs, l->items[named].name), "inflate");
	assert_int_equal(l->items[named].hot_offset, 0x90);
	assert_that(l->items[named].hot_votes, >=, 9);
	assert_int_equal(locations_find(l, dso, 8), named);
	b.profile->fold_due = true;
	profile_fold(b.profile, b.now_ns);
	assert_int_equal(b.profile->tables.hot[1].location, named);
	/* The same image once more changes nothing. */
	assert_int_equal(locations_learn_image(l, dso, image_of_one("inflate", 256), "", ""), 0);
	assert_int_equal(locations_find(l, dso, 8), named);
	bench_close(&b);
}

static void
an_entry_of_unwind_tables_gets_the_name_that_comes_later(void **state)
{
	(void)state;
	check_entry_gets_name(false, false);
	check_entry_gets_name(true, false);
	check_entry_gets_name(true, true);
}

static void
code_without_symbols_and_without_end_is_counted_by_page_then_as_one(void **state)
{
	struct fixture b;
	size_t len;
	uint32_t dso, id;

	(void)state;
	bench_open(&b, 24 << 20);
	dso = dsos_file(&b.model->dsos, "/jit", 8, 1, 42, 0);
	locations_learn_image(&b.locations, dso, NULL, "not ELF", "");
	id = locations_find(&b.locations, dso, 0x5123);
	assert_int_equal(id, locations_find(&b.locations, dso, 0x5fff));
	assert_int_equal(b.locations.items[id].kind, LOCATION_PAGE);
	assert_int_equal(b.locations.items[id].offset, 0x5000);
	for (uint64_t page = 0; page < 5000; page++)
		locations_find(&b.locations, dso, page << 12);
	len = b.locations.len;
	assert_that(len, <, 300);
	id = locations_find(&b.locations, dso, UINT64_C(9999) << 12);
	assert_int_equal(b.locations.items[id].kind, LOCATION_MAP);
	assert_int_equal(b.locations.len, len);
	/* Exact places that wait for an image are bounded as well. */
	dso = dsos_file(&b.model->dsos, "/slow", 8, 1, 43, 0);
	for (uint64_t at = 0; at < 40000; at++)
		locations_find(&b.locations, dso, at * 64);
	assert_that(b.locations.len, <, len + 17000);
	bench_close(&b);
}

/* As their addresses are all that is told of a kernel that hides its names. */
static void
a_kernel_without_names_has_a_row_for_each_of_its_pages(void **state)
{
	const uint64_t text = UINT64_C(0xffffffff81000000);
	struct fixture b;
	struct buf name = { 0 };
	uint32_t id = 0;

	(void)state;
	bench_open(&b, 24 << 20);
	locations_learn_image(&b.locations, DSO_ID_KERNEL, NULL, "hidden", "");
	for (uint64_t page = 0; page < 8000; page++) {
		id = locations_find(&b.locations, DSO_ID_KERNEL, text + (page << 12));
		assert_int_equal(b.locations.items[id].kind, LOCATION_PAGE);
	}
	locations_put_address(&b.locations, &b.locations.items[id], false, &name);
	assert_string_equal(buf_str(&name), "0xffffffff82f3f000");
	buf_release(&name);
	for (uint64_t page = 8000; page < 20000; page++)
		id = locations_find(&b.locations, DSO_ID_KERNEL, text + (page << 12));
	assert_int_equal(b.locations.items[id].kind, LOCATION_MAP);
	bench_close(&b);
}

static void
names_and_lines_are_learnt_and_the_hottest_place_wins_the_vote(void **state)
{
	const struct location *loc;
	struct fixture b;
	uint32_t id;

	(void)state;
	open_named(&b, 1 << 20);
	id = locations_find(&b.locations, DSO_ID_FIRST_FILE, 3 * FUNCTION_BYTES + 5);
	assert_int_equal(
		id, locations_find(&b.locations, DSO_ID_FIRST_FILE, 4 * FUNCTION_BYTES - 1));
	loc = &b.locations.items[id];
	assert_string_equal(strs_get(&b.model->strs, loc->name), "f3");
	assert_int_equal(loc->offset, 3 * FUNCTION_BYTES);
	locations_learn_name(&b.locations, DSO_ID_FIRST_FILE, 3, "ns::f3()");
	locations_learn_name(&b.locations, DSO_ID_FIRST_FILE, FUNCTIONS, "nobody");
	b.locations.items[id].line_of = 3 * FUNCTION_BYTES + 9;
	locations_learn_line(&b.locations, DSO_ID_FIRST_FILE, 3 * FUNCTION_BYTES + 9, "f.c:12");
	locations_learn_line(&b.locations, DSO_ID_FIRST_FILE, 3 * FUNCTION_BYTES + 2, "f.c:9");
	for (uint64_t i = 0; i < 1000; i++)
		locations_vote(&b.locations, id, 3 * FUNCTION_BYTES + (i % 5 < 3 ? 0x44 : i % 100), 1);
	loc = &b.locations.items[id];
	assert_string_equal(strs_get(&b.model->strs, loc->name), "ns::f3()");
	assert_string_equal(strs_get(&b.model->strs, loc->line), "f.c:12");
	assert_int_equal(loc->hot_offset, 0x44);
	bench_close(&b);
}

/* As of a memo, whose samples are told of at once. */
static void
votes_that_come_together_win_by_what_they_are_more(void **state)
{
	static const struct {
		uint64_t at;
		uint32_t votes;
	} told[] = { { 0x10, 3 }, { 0x44, 5 }, { 0x10, 4 } };
	struct fixture b;
	uint32_t id;

	(void)state;
	open_named(&b, 1 << 20);
	id = locations_find(&b.locations, DSO_ID_FIRST_FILE, 3 * FUNCTION_BYTES);
	for (size_t i = 0; i < ARRAY_SIZE(told); i++)
		locations_vote(&b.locations, id, 3 * FUNCTION_BYTES + told[i].at, told[i].votes);
	/* 7 of 12. */
	assert_int_equal(b.locations.items[id].hot_offset, 0x10);
	bench_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_is_full_before_it_is_larger_than_its_share),
		cmocka_unit_test(a_node_weighs_what_it_has_and_all_below_it),
		cmocka_unit_test(a_tree_of_roots_is_not_full_again_at_once),
		cmocka_unit_test(endless_stacks_addresses_and_tasks_stay_within_the_budget),
		cmocka_unit_test(a_past_without_end_keeps_within_its_share),
		cmocka_unit_test(a_heavy_stack_outlives_endless_light_ones),
		cmocka_unit_test(names_without_end_become_one),
		cmocka_unit_test(folding_in_the_middle_of_an_interval_loses_nothing),
		cmocka_unit_test(few_ended_tasks_keep_their_rows_until_the_table_is_full),
		cmocka_unit_test(many_ended_tasks_are_merged_once_no_window_can_show_them),
		cmocka_unit_test(in_a_crowd_they_are_merged_soon_after),
		cmocka_unit_test(a_screen_shows_many_that_ended_as_one_of_their_name),
		cmocka_unit_test(those_that_were_counted_young_are_not_counted_again),
		cmocka_unit_test(hundreds_of_one_name_that_end_at_once_are_a_crowd_until_no_more_come),
		cmocka_unit_test(those_that_end_one_after_another_or_are_threads_are_no_crowd),
		cmocka_unit_test(a_crowd_ends_with_the_first_stretch_in_which_too_few_came),
		cmocka_unit_test(beside_a_large_tree_a_screen_merges_them_seldom),
		cmocka_unit_test(nothing_is_merged_while_the_window_is_frozen),
		cmocka_unit_test(
			the_process_that_is_looked_at_is_never_merged_and_targets_are_last),
		cmocka_unit_test(
			targets_that_ended_long_ago_are_merged_before_those_that_ended_just_now),
		cmocka_unit_test(targets_without_end_stay_within_the_bounds),
		cmocka_unit_test(trees_of_threads_become_their_processs),
		cmocka_unit_test(threads_of_the_process_that_is_looked_at_keep_their_trees),
		cmocka_unit_test(trees_of_threads_that_grow_again_soon_are_their_processs_for_good),
		cmocka_unit_test(trees_of_threads_do_not_grow_again_soon_where_there_were_none),
		cmocka_unit_test(trees_of_thousands_of_threads_are_one_where_time_is_short),
		cmocka_unit_test(stacks_and_addresses_without_end_soon_stop_growing),
		cmocka_unit_test(what_the_window_all_shows_is_not_thinned),
		cmocka_unit_test(a_stack_is_thinned_when_no_window_shows_it_and_it_weighs_nothing),
		cmocka_unit_test(functions_of_ended_tasks_soon_stop_growing),
		cmocka_unit_test(a_function_is_thinned_when_its_tasks_ended_and_no_window_shows_it),
		cmocka_unit_test(functions_that_labels_name_are_not_forgotten),
		cmocka_unit_test(counts_follow_locations_to_what_they_became),
		cmocka_unit_test(what_is_before_all_that_moves_stays_where_it_is),
		cmocka_unit_test(a_large_tree_follows_them_each_ten_seconds),
		cmocka_unit_test(at_the_end_of_a_recording_it_follows_them_at_once),
		cmocka_unit_test(a_cold_part_counts_as_its_function),
		cmocka_unit_test(an_entry_of_unwind_tables_gets_the_name_that_comes_later),
		cmocka_unit_test(
			code_without_symbols_and_without_end_is_counted_by_page_then_as_one),
		cmocka_unit_test(a_kernel_without_names_has_a_row_for_each_of_its_pages),
		cmocka_unit_test(names_and_lines_are_learnt_and_the_hottest_place_wins_the_vote),
		cmocka_unit_test(votes_that_come_together_win_by_what_they_are_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
