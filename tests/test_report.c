/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows, their order and shares; stacks, trends, code without names.  Keys and waits: see beside it. */
#include "profile/place/irq_on.h"
#include "report_fixture.h"

static void
processes_are_rows_that_add_up(void **state)
{
	const struct row *web;
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_int_equal(s.snap->row_count, 2); /* the idle task is not work */
	assert_int_equal(s.snap->total_samples, 80);
	assert_adds_up(&s);
	web = row_named(&s, "web", "");
	assert_non_null(web);
	assert_int_equal(web->samples, 40);
	assert_int_equal(web->period, 400);
	assert_int_equal(web->pid, 20);
	assert_string_equal(web->hottest, "f1");
	assert_string_equal(row_named(&s, "db", "")->user, "1000");
	assert_string_equal(row_named(&s, "db", "")->hottest, "f0");
	scene_close(&s);
}

/* Of a recording, and of what has ended, nothing but samples tells how many there were. */
static void
a_process_of_a_recording_says_that_all_of_it_is_one_threads(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_int_equal(row_named(&s, "db", "")->flags & ROW_ONE_THREAD, 0);
	s.src.is_recording = true;
	report(&s);
	assert_int_equal(row_named(&s, "db", "")->flags & ROW_ONE_THREAD, ROW_ONE_THREAD);
	assert_int_equal(row_named(&s, "web", "")->flags & ROW_ONE_THREAD, 0);
	s.src.is_recording = false;
	tell_exit(s.b.model, 30, 30, 0, s.b.now_ns);
	report(&s);
	assert_int_equal(row_named(&s, "db", "")->flags & ROW_ONE_THREAD, ROW_ONE_THREAD);
	assert_int_equal(row_named(&s, "web", "")->flags & ROW_ONE_THREAD, 0);
	scene_close(&s);
}

/* Each sample of the scene stands for ten; of what took time the period is how long. */
static void
rows_have_how_much_was_counted(void **state)
{
	struct event_facts facts[2] = { { .counts_things = true }, { .counts_things = true } };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.src.events = facts;
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_int_equal(row_named(&s, "web", "")->counted, 400);
	facts[0].is_elapsed = true;
	report(&s);
	assert_int_equal(row_named(&s, "web", "")->counted, 40);
	s.query.max_rows = 1;
	report(&s);
	assert_int_equal(s.snap->rows[0].flags & ROW_REST, ROW_REST);
	assert_int_equal(s.snap->rows[0].counted, s.snap->rows[0].samples);
	scene_close(&s);
}

/* A process of which one thread lives is more than that one where others have samples in the window. */
static void
a_process_says_that_threads_of_it_have_ended(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_int_equal(row_named(&s, "web", "")->flags & ROW_THREADS_ENDED, 0);
	tell_exit(s.b.model, 20, 21, 20, s.b.now_ns);
	report(&s);
	assert_int_equal(row_named(&s, "web", "")->flags & ROW_THREADS_ENDED, ROW_THREADS_ENDED);
	assert_int_equal(row_named(&s, "db", "")->flags & ROW_THREADS_ENDED, 0);
	/* Of a window that is after it there is nothing left to be shown. */
	samples(&s, 0, 20, 20, dsos_file(&s.b.model->dsos, "/bin/web", 8, 1, 42, 0), 0x10, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	profile_set_window(s.b.profile, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(row_named(&s, "web", "")->flags & ROW_THREADS_ENDED, 0);
	scene_close(&s);
}

/* They are one task of many names: each row tells its own, and leads to what was of that. */
static void
ended_tasks_that_were_merged_are_told_by_name(void **state)
{
	static const char *const names[] = { "alpha", "beta" };
	uint32_t web;
	struct scene s;

	(void)state;
	scene_open(&s);
	web = dsos_file(&s.b.model->dsos, "/bin/web", 8, 1, 42, 0);
	for (int pid = 100; pid < 120; pid++) {
		tell_fork(s.b.model, 1, 1, pid, pid, s.b.now_ns);
		tell_comm(s.b.model, pid, pid, names[pid % 2], true);
		samples(&s, 0, pid, pid, web, pid % 2 != 0 ? 0x210 : 0x310, 3);
		tell_exit(s.b.model, pid, pid, 0, s.b.now_ns);
	}
	bench_interval(&s.b, NSEC_PER_SEC);
	model_sweep(s.b.model, s.b.now_ns);
	s.b.profile->hot_max = 1;
	profile_fold(s.b.profile, s.b.now_ns);
	assert_int_equal(s.b.profile->merged_tasks, 20);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct row *row;

		ask_view(&s, VIEW_PROCESSES);
		report(&s);
		row = row_named(&s, names[i], "");
		assert_non_null(row);
		assert_int_equal(row->samples, 30);
		assert_string_equal(row->command, names[i]);
		assert_true(row->flags & ROW_DEAD);
		ask_view(&s, VIEW_FUNCTIONS);
		s.query.process = row->process;
		s.query.name = row->name;
		report(&s);
		assert_int_equal(s.snap->row_count, 1);
		assert_int_equal(s.snap->rows[0].samples, 30);
		assert_string_equal(s.snap->rows[0].symbol, i != 0 ? "f2" : "f3");
	}
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_int_equal(row_named(&s, "web", "")->name, 0);
	assert_adds_up(&s);
	scene_close(&s);
}

/* Those of event 0 are rows whether event 1 is open or not; what it alone has are rows, too. */
static void
events_sampled_together_are_columns_beside_the_one_shown(void **state)
{
	struct event_facts facts[2] = { { .window_s = 1 }, { .window_s = 2 } };
	struct scene s;
	const struct row *row;

	(void)state;
	scene_open(&s);
	s.src.events = facts;
	s.b.profile->events[1].open_since_ns = 0;
	ask_view(&s, VIEW_FUNCTIONS);
	report(&s);
	assert_int_equal(s.snap->row_count, 4);
	assert_string_equal(snapshot_shown(s.snap)->name, "cycles");
	assert_int_equal(snapshot_shown(s.snap)->beside_count, 0);
	assert_null(s.snap->rows[0].beside);
	s.b.profile->events[1].open_since_ns = s.b.now_ns;
	report(&s);
	assert_int_equal(snapshot_shown(s.snap)->beside_count, 1);
	assert_int_equal(s.snap->row_count, 5);
	assert_adds_up(&s);
	row = row_named(&s, "", "f3");
	assert_int_equal(row->samples, 0);
	assert_that(row->share, ==, 0.0);
	assert_that(row->beside[0].share, ==, 1.0);
	assert_that(row->beside[0].per_second, ==, 25.0); /* 5 of period 10 in 2 s */
	assert_that(row_named(&s, "", "f1")->beside[0].share, ==, 0.0);
	s.query.sort = COLUMN_BESIDE;
	report(&s);
	assert_string_equal(s.snap->rows[0].symbol, "f3");
	/* What is hidden is no row, and no part of what is shown. */
	s.query.shares = SHARES_OF_SHOWN;
	s.query.hide_user = true;
	report(&s);
	assert_null(row_named(&s, "", "f3"));
	ask_view(&s, VIEW_PROCESSES);
	s.filter = filter_parse("symbol=f3", NULL);
	report(&s);
	assert_that(row_named(&s, "db", "")->beside[0].share, ==, 1.0);
	assert_int_equal(row_named(&s, "db", "")->samples, 0);
	scene_close(&s);
}

static void
cycles_and_instructions_together_tell_instructions_per_cycle(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	free(s.b.profile->events[0].name);
	free(s.b.profile->events[1].name);
	s.b.profile->events[0].name = mem_strdup("instructions");
	s.b.profile->events[1].name = mem_strdup("cycles:P");
	s.b.profile->events[1].open_since_ns = s.b.now_ns;
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_true(snapshot_shown(s.snap)->has_ipc);
	assert_string_equal(snapshot_shown(s.snap)->beside[0], "cycles");
	assert_that(row_named(&s, "db", "")->ipc, ==, 8.0); /* 40 samples to 5 of the same period */
	assert_true(isnan(row_named(&s, "web", "")->ipc));
	scene_close(&s);
}

static void
idle_is_shown_when_asked_for_and_always_counted_in_batch(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_PROCESSES);
	s.query.idle = true;
	report(&s);
	assert_int_equal(s.snap->total_samples, 100);
	assert_true(row_named(&s, "swapper", "")->flags & ROW_IDLE);
	ask_keys(&s, "comm");
	report(&s);
	assert_int_equal(s.snap->total_samples, 100);
	assert_int_equal(row_named(&s, "swapper", "")->samples, 20);
	assert_adds_up(&s);
	scene_close(&s);
}

static void
what_filters_and_hidden_parts_leave_out_is_one_sum(void **state)
{
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_FUNCTIONS);
	s.query.hide_kernel = true;
	report(&s);
	assert_adds_up(&s);
	assert_int_equal(s.snap->filtered->samples, 10);
	s.query.hide_kernel = false;
	s.query.hide_user = true;
	report(&s);
	assert_adds_up(&s);
	assert_int_equal(s.snap->row_count, 1);
	assert_true(s.snap->rows[0].flags & ROW_KERNEL);
	assert_string_equal(s.snap->rows[0].reason, "hidden");
	ask_keys(&s, "symbol");
	s.filter = filter_parse("comm=w*", &err);
	assert_non_null(s.filter);
	report(&s);
	assert_adds_up(&s);
	assert_int_equal(s.snap->row_count, 2); /* grouped by symbol alone, filtered by comm */
	assert_int_equal(s.snap->filtered->samples, 60);
	assert_string_equal(s.snap->filtered->symbol, "[filtered]");
	filter_free(s.filter);
	s.filter = filter_parse("comm!=nobody", &err);
	report(&s);
	assert_null(s.snap->filtered);
	scene_close(&s);
}

/* A program that has just begun, and a name is looked for in it. */
static void
a_filter_of_what_has_no_samples_leaves_nothing_out(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	tell_fork(s.b.model, 1, 1, 40, 40, 1);
	ask_view(&s, VIEW_FUNCTIONS);
	s.query.process = model_find_task(s.b.model, 40);
	s.filter = filter_parse("comm=w*", NULL);
	report(&s);
	assert_int_equal(s.snap->row_count, 0);
	assert_null(s.snap->filtered);
	assert_int_equal(s.snap->total_samples, 80); /* but for the idle task */
	scene_close(&s);
}

static void
ptop_itself_can_be_hidden(void **state)
{
	const struct task_facts facts[] = {
		{ .pid = 20, .tid = 20, .comm = "web" },
		{ .pid = 30, .tid = 30, .comm = "db", .is_helper = true },
	};
	struct scene s;

	(void)state;
	scene_open(&s);
	s.src.self_pid = 20;
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_adds_up(&s);
	assert_null(s.snap->filtered);
	s.query.hide_self = true;
	s.src.processes = facts;
	s.src.process_count = 1;
	report(&s);
	assert_adds_up(&s);
	assert_int_equal(s.snap->filtered->samples, 40);
	for (size_t i = 0; i < s.snap->row_count; i++)
		assert_int_not_equal(s.snap->rows[i].pid, 20);
	s.src.process_count = 2;
	report(&s);
	assert_adds_up(&s);
	assert_int_equal(s.snap->filtered->samples, 80);
	for (size_t i = 0; i < s.snap->row_count; i++)
		assert_int_not_equal(s.snap->rows[i].pid, 30);
	scene_close(&s);
}

static size_t
count_pid(const struct scene *s, int pid)
{
	size_t n = 0;

	for (size_t i = 0; i < s->snap->row_count; i++)
		n += s->snap->rows[i].pid == pid;
	return n;
}

/* /proc is read for all in turn: it may be half a minute old. */
static void
who_ended_is_not_alive_because_proc_was_read_before(void **state)
{
	const struct task_facts facts[] = {
		{ .pid = 500, .tid = 500, .comm = "gone", .command = "" },
		{ .pid = 501, .tid = 501, .comm = "quiet", .command = "" },
	};
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_PROCESSES);
	s.src.processes = facts;
	s.src.process_count = ARRAY_SIZE(facts);
	tell_fork(s.b.model, 1, 1, 500, 500, s.b.now_ns);
	report(&s);
	assert_int_equal(count_pid(&s, 500), 1);
	tell_exit(s.b.model, 500, 500, 0, s.b.now_ns);
	report(&s);
	assert_int_equal(count_pid(&s, 500), 0);
	model_sweep(s.b.model, UINT64_MAX);
	report(&s);
	assert_int_equal(count_pid(&s, 500), 0);
	assert_int_equal(count_pid(&s, 501), 1);
	/* Another has the number. */
	tell_fork(s.b.model, 1, 1, 500, 500, s.b.now_ns + 1);
	report(&s);
	assert_int_equal(count_pid(&s, 500), 1);
	scene_close(&s);
}

static void
a_scope_keeps_the_shares_of_the_whole(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_THREADS);
	s.query.process = model_find_task(s.b.model, 20);
	report(&s);
	assert_int_equal(s.snap->row_count, 2);
	assert_that(fabs(row_named(&s, "worker", "")->share - 30.0 / 80), <, 1e-9);
	assert_int_equal(row_named(&s, "worker", "")->tid, 21);
	assert_int_equal(row_named(&s, "worker", "")->pid, 20);
	ask_view(&s, VIEW_FUNCTIONS);
	s.query.process = model_find_task(s.b.model, 20);
	s.query.thread = model_find_task(s.b.model, 21);
	report(&s);
	assert_int_equal(s.snap->row_count, 1);
	assert_string_equal(s.snap->rows[0].symbol, "f1");
	assert_string_equal(s.snap->rows[0].dso, "web");
	scene_close(&s);
}

static void
rows_that_do_not_fit_are_one_row(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_keys(&s, "comm,symbol");
	s.query.max_rows = 3;
	report(&s);
	assert_int_equal(s.snap->row_count, 3);
	assert_true(s.snap->rows[2].flags & ROW_REST);
	assert_string_equal(s.snap->rows[2].symbol, "3 more rows");
	assert_adds_up(&s);
	s.query.max_rows = 5;
	report(&s);
	assert_false(s.snap->rows[4].flags & ROW_REST);
	scene_close(&s);
}

enum { CROWD = 60, CROWD_SECONDS = 14, FIRST_OF_CROWD = 200 };

/*
 * A program of many functions: some have as much as others, and some nothing in the last seconds.  Of
 * every third another event was sampled, too; of some that alone.
 */
static void
crowd(struct scene *s)
{
	uint32_t many = dsos_file(&s->b.model->dsos, "/bin/many", 8, 1, 44, 0);

	locations_learn_image(&s->b.locations, many, make_image(CROWD, 256), "", "");
	for (int second = 0; second < CROWD_SECONDS; second++) {
		for (int i = 0; i < CROWD; i++) {
			int pid = 20 + i % 2 * 10;

			if (second < CROWD_SECONDS / 2 || i % 5 != 0)
				samples(s, 0, pid, pid, many, (uint64_t)i * 256, 1 + (i + second) % 9);
			if (i % 3 == 0)
				samples(s, 1, pid, pid, many, (uint64_t)i * 256, 1 + i % 4);
		}
		bench_interval(&s->b, NSEC_PER_SEC);
	}
	profile_set_window(s->b.profile, 5 * NSEC_PER_SEC);
}

/* What is not shown is not made: what is shown is what it is beside all others. */
static void
assert_cut(struct scene *s, size_t max_rows)
{
	struct snapshot *all;
	uint64_t rest = 0;
	char label[32];

	s->query.max_rows = 0;
	report(s);
	all = snapshot_get(s->snap);
	s->query.max_rows = max_rows;
	report(s);
	assert_int_equal(s->snap->row_count, max_rows);
	for (size_t i = 0; i < all->row_count; i++) {
		const struct row *have = &s->snap->rows[i], *want = &all->rows[i];

		if (i + 1 >= max_rows) {
			rest += want->samples;
			continue;
		}
		assert_string_equal(have->symbol, want->symbol);
		assert_string_equal(have->command, want->command);
		assert_string_equal(have->hottest, want->hottest);
		assert_true(have->id == want->id && have->samples == want->samples &&
			    have->period == want->period && have->share == want->share);
		assert_true(have->beside[0].share == want->beside[0].share);
		assert_memory_equal(have->trend, want->trend, sizeof(have->trend));
		assert_memory_equal(have->sums, want->sums, sizeof(*have->sums));
	}
	assert_int_equal(s->snap->rows[max_rows - 1].samples, rest);
	snprintf(label, sizeof(label), "%zu more rows", all->row_count - max_rows + 1);
	assert_string_equal(s->snap->rows[max_rows - 1].symbol, label);
	assert_null(s->snap->rows[max_rows - 1].sums);
	assert_memory_equal(s->snap->events[0].sums, all->events[0].sums, sizeof(*all->events[0].sums));
	snapshot_put(all);
}

static void
rows_of_a_crowd_are_as_they_are_beside_all_others(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	crowd(&s);
	ask_view(&s, VIEW_FUNCTIONS);
	s.query.sums = true;
	for (size_t max_rows = 2; max_rows < CROWD / 2; max_rows += 3) {
		s.query.shares = max_rows % 2 != 0 ? SHARES_OF_SHOWN : SHARES_OF_ALL;
		assert_cut(&s, max_rows);
		assert_adds_up(&s);
	}
	s.filter = filter_parse("symbol!=f1*", NULL);
	assert_cut(&s, 12);
	s.query.process = model_find_task(s.b.model, 30);
	assert_cut(&s, 12);
	scene_close(&s);
}

/* Each in two functions, the other event in some.  @process: whose threads they are, 0: each is a process. */
static void
crowd_of_tasks(struct scene *s, int process)
{
	uint32_t many = dsos_file(&s->b.model->dsos, "/bin/many", 8, 1, 44, 0);

	locations_learn_image(&s->b.locations, many, make_image(CROWD, 256), "", "");
	for (int i = 0; i < CROWD; i++) {
		if (process != 0)
			tell_fork(s->b.model, process, process, process, FIRST_OF_CROWD + i, s->b.now_ns);
		else
			bench_exec(&s->b, FIRST_OF_CROWD + i, (uint32_t)i % COMMS);
	}
	for (int second = 0; second < CROWD_SECONDS; second++) {
		for (int i = 0; i < CROWD; i++) {
			int tid = FIRST_OF_CROWD + i, pid = process != 0 ? process : tid;

			samples(s, 0, pid, tid, many, (uint64_t)i * 256, 1 + (i + second) % 9);
			samples(s, 0, pid, tid, many, (uint64_t)(i / 2) * 256, i % 4);
			if (i % 3 == 0)
				samples(s, 1, pid, tid, many, (uint64_t)i * 256, 1 + i % 4);
		}
		bench_interval(&s->b, NSEC_PER_SEC);
	}
	profile_set_window(s->b.profile, 5 * NSEC_PER_SEC);
}

/* As hosts have them, of which nothing but samples is known. */
static void
tasks_of_a_crowd_are_as_they_are_beside_all_others(void **state)
{
	static const enum view_id views[] = { VIEW_PROCESSES, VIEW_THREADS };
	struct scene s;

	(void)state;
	scene_open(&s);
	crowd_of_tasks(&s, 0);
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		ask_view(&s, views[i]);
		s.query.sums = true;
		s.src.process_count = s.src.thread_count = 0;
		for (size_t max_rows = 2; max_rows < CROWD / 2; max_rows += 3) {
			assert_cut(&s, max_rows);
			assert_adds_up(&s);
		}
	}
	scene_close(&s);
}

/* The one that has no room of its own is no task without samples. */
static void
no_task_of_a_crowd_is_listed_twice(void **state)
{
	struct task_facts facts[CROWD];
	struct scene s;

	(void)state;
	scene_open(&s);
	crowd_of_tasks(&s, 0);
	ask_view(&s, VIEW_PROCESSES);
	for (int i = 0; i < CROWD; i++)
		facts[i] = (struct task_facts){ .pid = FIRST_OF_CROWD + i, .tid = FIRST_OF_CROWD + i,
						.comm = "", .command = "", .cpu = i };
	s.src.processes = facts;
	s.src.process_count = CROWD;
	s.query.max_rows = 0;
	report(&s);
	assert_int_equal(s.snap->row_count, CROWD);
	s.query.max_rows = 8;
	report(&s);
	assert_int_equal(s.snap->row_count, 8);
	assert_string_equal(s.snap->rows[7].symbol, "53 more rows");
	scene_close(&s);
}

enum { ALIKE = 2500 };

/* Thousands that have as much as each other are not all made, and none is lost. */
static void
of_rows_that_are_alike_the_same_ones_are_shown(void **state)
{
	struct scene s;
	uint32_t many;

	(void)state;
	scene_open(&s);
	many = dsos_file(&s.b.model->dsos, "/bin/many", 8, 1, 44, 0);
	locations_learn_image(&s.b.locations, many, make_image(ALIKE, 256), "", "");
	for (int i = 0; i < ALIKE; i++)
		samples(&s, 0, 20, 20, many, (uint64_t)i * 256, i == ALIKE / 2 ? 3 : 2);
	bench_interval(&s.b, NSEC_PER_SEC);
	profile_set_window(s.b.profile, NSEC_PER_SEC);
	ask_view(&s, VIEW_FUNCTIONS);
	s.query.max_rows = 10;
	for (int i = 0; i < 2; i++) {
		report(&s);
		assert_int_equal(s.snap->row_count, 10);
		assert_int_equal(s.snap->rows[0].samples, 3);
		assert_int_equal(s.snap->rows[1].samples, 2);
		assert_string_equal(s.snap->rows[1].symbol, "f999");
		assert_string_equal(s.snap->rows[9].symbol, "2491 more rows");
		assert_int_equal(s.snap->rows[9].samples, 2 * (ALIKE - 9));
		assert_adds_up(&s);
	}
	scene_close(&s);
}

enum { QUIET = 7 };

/* They come after those with samples: beyond those that are shown they are counted. */
static void
assert_quiet_are_more(enum view_id view, int process, const char *filter)
{
	struct task_facts facts[CROWD + QUIET];
	struct scene s;

	scene_open(&s);
	crowd_of_tasks(&s, process);
	for (int i = 0; i < CROWD + QUIET; i++) {
		int tid = FIRST_OF_CROWD + i;

		facts[i] = (struct task_facts){ .pid = process != 0 ? process : tid, .tid = tid,
						.comm = i % 2 != 0 ? "odd" : "even", .command = "",
						.cpu = 2 * CROWD - i };
	}
	ask_view(&s, view);
	s.query.sums = true;
	s.query.process = process != 0 ? model_find_task(s.b.model, process) : 0;
	s.filter = filter != NULL ? filter_parse(filter, NULL) : NULL;
	s.src.processes = s.src.threads = facts;
	s.src.process_count = s.src.thread_count = CROWD + QUIET;
	report(&s);
	assert_string_equal(s.snap->rows[s.snap->row_count - 1].comm, "even");
	assert_int_equal(s.snap->rows[s.snap->row_count - 1].samples, 0);
	for (size_t max_rows = 2; max_rows < CROWD / 4; max_rows += 3)
		assert_cut(&s, max_rows);
	assert_cut(&s, CROWD / 2 + QUIET);
	scene_close(&s);
}

static void
tasks_without_samples_are_more_rows(void **state)
{
	(void)state;
	assert_quiet_are_more(VIEW_PROCESSES, 0, NULL);
	assert_quiet_are_more(VIEW_THREADS, 20, NULL);
	assert_quiet_are_more(VIEW_PROCESSES, 0, "comm!=odd");
	assert_quiet_are_more(VIEW_THREADS, 20, "comm!=odd");
}

static void
rows_are_in_the_order_asked(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_keys(&s, "comm,symbol");
	report(&s);
	for (size_t i = 1; i < s.snap->row_count; i++)
		assert_that(s.snap->rows[i - 1].share, >=, s.snap->rows[i].share);
	s.query.ascending = true;
	report(&s);
	for (size_t i = 1; i < s.snap->row_count; i++)
		assert_that(s.snap->rows[i - 1].share, <=, s.snap->rows[i].share);
	s.query.sort = COLUMN_COMM;
	report(&s);
	for (size_t i = 1; i < s.snap->row_count; i++)
		assert_that(strcmp(s.snap->rows[i - 1].comm, s.snap->rows[i].comm), <=, 0);
	scene_close(&s);
}

static void
a_row_keeps_its_identity_over_time_and_death(void **state)
{
	uint64_t process, worker, function;
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	process = row_named(&s, "db", "")->id;
	ask_view(&s, VIEW_THREADS);
	report(&s);
	worker = row_named(&s, "worker", "")->id;
	ask_keys(&s, "pid,symbol");
	report(&s);
	for (size_t i = 1; i < s.snap->row_count; i++)
		assert_int_not_equal(s.snap->rows[i].id, s.snap->rows[i - 1].id);
	/* Of two rows alike whichever comes first: the next sample decides. */
	function = s.snap->rows[s.snap->rows[0].pid == 20 ? 0 : 1].id;
	tell_exit(s.b.model, 30, 30, 0, s.b.now_ns);
	bench_sample(&s.b, 0, 20, 21, 0, DSO_ID_FIRST_FILE, 0x110, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(s.snap->rows[0].id, function);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_int_equal(row_named(&s, "db", "")->id, process);
	assert_true(row_named(&s, "db", "")->flags & ROW_DEAD);
	assert_int_equal(row_named(&s, "db", "")->ended_ns, 999 * NSEC_PER_SEC + NSEC_PER_SEC);
	ask_view(&s, VIEW_THREADS);
	/* One that is renamed has a row for each name, each with an identity of its own. */
	tell_comm(s.b.model, 20, 21, "renamed", false);
	bench_sample(&s.b, 0, 20, 21, 0, DSO_ID_FIRST_FILE, 0x110, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(row_named(&s, "renamed", "")->id, worker);
	assert_int_not_equal(row_named(&s, "worker", "")->id, worker);
	scene_close(&s);
}

static void
a_thread_outlives_its_leader_unmarked(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	tell_exit(s.b.model, 20, 20, 0, s.b.now_ns);
	ask_view(&s, VIEW_THREADS);
	report(&s);
	assert_true(row_named(&s, "web", "")->flags & ROW_DEAD);
	assert_false(row_named(&s, "worker", "")->flags & ROW_DEAD);
	scene_close(&s);
}

/* Only a screen of processes or threads that has a column for it. */
static void
what_proc_tells_of_tasks_is_there_if_a_column_wants_it(void **state)
{
	static const struct task_facts processes[] = {
		{ .pid = 20, .tid = 20, .cpu = 1, .comm = "web", .command = "web",
		  .stat = { .rss_bytes = 4096, .nice = 5 } },
		{ .pid = 40, .tid = 40, .cpu = 1, .comm = "quiet", .command = "quiet",
		  .stat = { .rss_bytes = 8192 } },
	};
	struct scene s;

	(void)state;
	scene_open(&s);
	s.src.processes = processes;
	s.src.process_count = ARRAY_SIZE(processes);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_null(row_named(&s, "web", "")->stat);
	s.query.columns[s.query.column_count++] = COLUMN_PID;
	s.query.columns[s.query.column_count++] = COLUMN_RSS;
	s.query.columns[s.query.column_count++] = COLUMN_CGROUP;
	report(&s);
	assert_int_equal(row_named(&s, "web", "")->stat->rss_bytes, 4096);
	s.query.sort = COLUMN_RSS;
	report(&s);
	assert_int_equal(row_named(&s, "web", "")->stat->rss_bytes, 4096);
	assert_int_equal(row_named(&s, "web", "")->stat->nice, 5);
	assert_string_equal(s.snap->rows[0].comm, "quiet");
	assert_null(row_named(&s, "db", "")->stat); /* nothing is known of it */
	assert_string_equal(row_named(&s, "web", "")->cgroup, "-");
	model_learn_cgroup(s.b.model, model_find_task(s.b.model, 20), "/system.slice/web.service");
	model_learn_cgroup(s.b.model, model_find_task(s.b.model, 40), "/user.slice");
	report(&s);
	assert_string_equal(row_named(&s, "web", "")->cgroup, "/system.slice/web.service");
	assert_string_equal(row_named(&s, "quiet", "")->cgroup, "/user.slice");
	assert_int_equal(row_named(&s, "web", "")->depth, 0);
	scene_close(&s);
}

static void
is_row(const struct row *row, const char *comm, unsigned depth, double cpu)
{
	assert_string_equal(row->comm, comm);
	assert_int_equal(row->depth, depth);
	assert_true(row->cpu == cpu);
}

/* Also where a parent has no row, or the readings of two are of different times. */
static void
processes_are_a_tree_of_who_forked_whom(void **state)
{
	static const struct task_facts processes[] = {
		{ .pid = 20, .tid = 20, .cpu = 4, .comm = "web", .command = "web", .stat = { .ppid = 1 } },
		{ .pid = 40, .tid = 40, .cpu = 2, .comm = "child", .command = "child", .stat = { .ppid = 20 } },
		{ .pid = 41, .tid = 41, .cpu = NAN, .comm = "gone", .command = "x", .stat = { .ppid = 40 } },
		{ .pid = 42, .tid = 42, .cpu = 1, .comm = "inner", .command = "x", .stat = { .ppid = 41 } },
		{ .pid = 43, .tid = 43, .cpu = 8, .comm = "busy", .command = "x", .stat = { .ppid = 20 } },
		{ .pid = 60, .tid = 60, .cpu = 0.5, .comm = "loop", .command = "x", .stat = { .ppid = 61 } },
		{ .pid = 61, .tid = 61, .cpu = 0.25, .comm = "loop2", .command = "x", .stat = { .ppid = 60 } },
	};
	uint64_t samples, db;
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.src.processes = processes;
	s.src.process_count = ARRAY_SIZE(processes);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	samples = row_named(&s, "web", "")->samples;
	db = row_named(&s, "db", "")->samples;
	s.query.process_tree = true;
	report(&s);
	assert_int_equal(s.snap->row_count, 8);
	assert_int_equal(row_named(&s, "web", "")->samples, samples);
	assert_int_equal(row_named(&s, "db", "")->samples, db);
	assert_int_equal(row_named(&s, "db", "")->depth, 1);
	for (size_t i = 0; i < s.snap->row_count; i++) {
		if (strcmp(s.snap->rows[i].comm, "web") != 0)
			continue;
		is_row(&s.snap->rows[i], "web", 1, 15);
		is_row(&s.snap->rows[i + 1], "busy", 2, 8);
		is_row(&s.snap->rows[i + 2], "child", 2, 3);
		is_row(&s.snap->rows[i + 3], "gone", 3, 1);
		is_row(&s.snap->rows[i + 4], "inner", 4, 1);
	}
	/* None is lost, whoever is told to be its own ancestor. */
	assert_non_null(row_named(&s, "loop", ""));
	assert_non_null(row_named(&s, "loop2", ""));
	s.filter = filter_parse("comm!=gone comm!=child", &err);
	report(&s);
	is_row(row_named(&s, "inner", ""), "inner", 2, 1);
	filter_free(s.filter);
	s.filter = NULL;
	scene_close(&s);
}

static void
measured_facts_are_the_rows_own(void **state)
{
	static const struct task_facts processes[] = {
		{ 20, 20, 0, 2, 150, "web", "/bin/web -d", false, false, { .start_ticks = 77 } },
		{ 30, 30, 0, 1, NAN, "db", "db", false, false },
		{ 40, 40, 0, 1, 7, "busier", "busier --now", false, false },
		{ 50, 50, 0, 1, 1, "busy", "ptop -d 1", false, true },
	};
	static const struct task_facts threads[] = {
		{ 20, 21, 0, 1, 90, "worker", "", false, false },
		{ 20, 22, 0, 1, 0, "quiet", "", false, false },
		{ 20, 30, 0, 1, 0, "stale", "", false, false }, /* 30 is a process by now */
	};
	struct err err = { 0 };
	struct scene s;
	uint32_t db;

	(void)state;
	scene_open(&s);
	s.src.processes = processes;
	s.src.process_count = ARRAY_SIZE(processes);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_int_equal(s.snap->row_count, 4);
	assert_true(row_named(&s, "web", "")->cpu == 150);
	assert_int_equal(row_named(&s, "web", "")->threads, 2);
	assert_string_equal(row_named(&s, "web", "")->command, "/bin/web -d");
	assert_true(isnan(row_named(&s, "db", "")->cpu));
	assert_int_equal(row_named(&s, "web", "")->start_ticks, 77);
	assert_int_equal(row_named(&s, "db", "")->start_ticks, 0);
	/* Those without samples come last, by the CPU that they use. */
	assert_string_equal(s.snap->rows[2].comm, "busier");
	assert_string_equal(s.snap->rows[3].comm, "busy");
	/* One of ptop's own. */
	assert_int_equal(s.snap->rows[2].flags & ROW_SELF, 0);
	assert_int_equal(s.snap->rows[3].flags & ROW_SELF, ROW_SELF);
	assert_string_equal(s.snap->rows[3].command, "busy");
	/* A filter keeps of them what fits, as of the others. */
	s.filter = filter_parse("bus", &err);
	report(&s);
	assert_int_equal(s.snap->row_count, 2);
	assert_string_equal(s.snap->rows[0].comm, "busier");
	assert_string_equal(s.snap->rows[1].comm, "busy");
	filter_free(s.filter);
	s.filter = NULL;
	assert_adds_up(&s);
	s.src.threads = threads;
	s.src.thread_count = ARRAY_SIZE(threads);
	db = model_find_task(s.b.model, 30);
	ask_view(&s, VIEW_THREADS);
	s.query.process = model_find_task(s.b.model, 20);
	report(&s);
	assert_int_equal(s.snap->row_count, 3);
	assert_true(row_named(&s, "worker", "")->cpu == 90);
	assert_int_equal(row_named(&s, "worker", "")->start_ticks, 77); /* of its process */
	s.b.model->tasks[model_find_task(s.b.model, 20)].died_ns = 1;
	report(&s);
	assert_int_equal(row_named(&s, "worker", "")->start_ticks, 0);
	assert_true(isnan(row_named(&s, "web", "")->cpu)); /* the process's is not the thread's */
	assert_non_null(row_named(&s, "quiet", ""));
	assert_int_equal(model_find_task(s.b.model, 30), db);
	assert_int_equal(s.b.model->tasks[db].died_ns, 0);
	scene_close(&s);
}

/* Of all events, as in batch reports: a task's is what was measured, in the rows of each event. */
static void
cpu_time_is_measured_or_told_by_an_event_of_time(void **state)
{
	static const struct task_facts processes[] = {
		{ 20, 20, 0, 2, 150, "web", "web", false, false },
	};
	const struct event_facts events[EVENTS] = { { 1, .counts_time = true }, { 1 } };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.src.processes = processes;
	s.src.process_count = ARRAY_SIZE(processes);
	s.src.events = events;
	ask_keys(&s, "pid");
	s.query.all_events = true;
	report(&s);
	assert_that(s.snap->row_count, >=, 3);
	for (size_t i = 0; i < s.snap->row_count; i++) {
		const struct row *row = &s.snap->rows[i];

		assert_int_equal((row->flags & ROW_ESTIMATE) != 0, row->pid != 20);
		if (row->pid == 20)
			assert_true(row->cpu == 150);
		else if (strcmp(row->event, "page-faults") == 0)
			assert_true(isnan(row->cpu));
		else
			assert_that(fabs(row->cpu - (double)row->period / 1e7), <, 1e-9);
	}
	scene_close(&s);
}

/* The sum of the rows' shares, of those of one name with @comm. */
static double
shares(const struct scene *s, const char *comm)
{
	double sum = 0;

	for (size_t i = 0; i < s->snap->row_count; i++)
		if (comm == NULL || strcmp(s->snap->rows[i].comm, comm) == 0)
			sum += s->snap->rows[i].share;
	return sum;
}

static void
assert_share(double share, double want)
{
	assert_that(fabs(share - want), <, 1e-9);
}

static void
shares_are_of_the_process_that_one_went_into(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_THREADS);
	s.query.process = model_find_task(s.b.model, 20);
	report(&s);
	assert_share(shares(&s, "worker"), 30. / 80);
	assert_share(shares(&s, NULL), 40. / 80);
	assert_int_equal(s.snap->events[0].base, 800);
	s.query.shares = SHARES_OF_SHOWN;
	report(&s);
	assert_share(shares(&s, "worker"), 30. / 40);
	assert_share(shares(&s, NULL), 1);
	assert_int_equal(s.snap->events[0].base, 400);
	assert_int_equal(s.snap->events[0].period, 800); /* what that is a part of */
	s.query.thread = model_find_task(s.b.model, 21);
	s.query.view = VIEW_FUNCTIONS;
	report(&s);
	assert_share(shares(&s, NULL), 1);
	assert_int_equal(s.snap->events[0].base, 300);
	scene_close(&s);
}

/* What is left out has no part in it. */
static void
shares_of_what_is_shown_know_filters(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_PROCESSES);
	s.query.shares = SHARES_OF_SHOWN;
	s.query.hide_kernel = true;
	report(&s);
	assert_share(shares(&s, "web"), 40. / 70);
	assert_share(shares(&s, NULL), 1);
	assert_int_equal(s.snap->filtered->samples, 10);
	assert_true(isnan(s.snap->filtered->share));
	s.query.hide_kernel = false;
	s.filter = filter_parse("comm=db", NULL);
	report(&s);
	assert_share(shares(&s, NULL), 1);
	assert_true(isnan(s.snap->filtered->share));
	s.query.shares = SHARES_OF_ALL;
	report(&s);
	assert_share(shares(&s, NULL), 40. / 80);
	assert_share(s.snap->filtered->share, 40. / 80);
	scene_close(&s);
}

/* The view of code without a name says how much of all it is. */
static void
shares_of_code_without_a_name_are_of_named_code_too(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_UNNAMED);
	s.query.shares = SHARES_OF_SHOWN;
	report(&s);
	assert_share(shares(&s, NULL), 10. / 80);
	assert_share(s.snap->named->share, 70. / 80);
	scene_close(&s);
}

/* Of each event its own. */
static void
relative_reports_of_many_events_are_of_what_is_shown_of_each(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_keys(&s, "comm");
	s.query.all_events = true;
	s.query.shares = SHARES_OF_SHOWN;
	s.filter = filter_parse("comm=db", NULL);
	report(&s);
	assert_int_equal(s.snap->row_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_share(s.snap->rows[i].share, 1);
	scene_close(&s);
}

/* Timers alone wait for interrupts: other events do not. */
static void
code_that_lets_interrupts_on_is_marked_where_a_timer_samples(void **state)
{
	static const char *const names[] = { "finish_task_switch.isra.0", "kmem_cache_alloc" };
	struct event_facts events[EVENTS] = { { .is_timer = true } };
	struct scene s;

	(void)state;
	scene_open(&s);
	locations_learn_image(&s.b.locations, DSO_ID_KERNEL, make_image(4, 256), "", "");
	for (uint32_t i = 0; i < 2; i++) {
		samples(&s, 0, 30, 30, DSO_ID_KERNEL, i * 256, 5);
		locations_learn_name(&s.b.locations, DSO_ID_KERNEL, i, names[i]);
	}
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.events = events;
	ask_view(&s, VIEW_FUNCTIONS);
	report(&s);
	assert_true(row_named(&s, "", names[0])->flags & ROW_IRQ_ON);
	assert_false(row_named(&s, "", names[1])->flags & ROW_IRQ_ON);
	events[0].is_timer = false;
	report(&s);
	assert_false(row_named(&s, "", names[0])->flags & ROW_IRQ_ON);
	scene_close(&s);
}

static void
copies_and_parts_that_the_compiler_made_let_interrupts_on_too(void **state)
{
	static const char *const on[] = {
		"__do_fast_syscall_32", "xen_irq_enable_direct", "finish_task_switch",
		"finish_task_switch.isra.0", "exit_to_user_mode_loop.cold", "do_idle",
		"_raw_spin_unlock_irq", "_raw_spin_unlock_irqrestore", "__do_softirq",
		"handle_softirqs", "do_softirq.part.0", "_raw_read_unlock_irqrestore",
		"pvm_irq_enable",
	};
	static const char *const off[] = {
		"", ".", "finish_task_switc", "finish_task_switchx", "schedule", "_raw_spin_unlock",
		"_raw_spin_unlock_bh", "do_idle_x.isra.0", "zzz", "a",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(on); i++)
		if (!irq_on_in(on[i]))
			fail_msg("'%s' is not known", on[i]);
	for (size_t i = 0; i < ARRAY_SIZE(off); i++)
		if (irq_on_in(off[i]))
			fail_msg("'%s' is taken for another", off[i]);
}

/* A recording has samples alone, and of most threads a screen has no more. */
static void
cpu_time_that_is_not_measured_is_an_estimate_on_the_screen_too(void **state)
{
	static const enum view_id views[] = { VIEW_PROCESSES, VIEW_THREADS };
	const struct event_facts events[EVENTS] = { { 1, .counts_time = true }, { 1 } };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.src.events = events;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(views); i++) {
		ask_view(&s, views[i / 2]);
		s.src.is_recording = i % 2 == 1;
		report(&s);
		assert_that(fabs(s.snap->rows[0].cpu - (double)s.snap->rows[0].period / 1e7), <, 1e-9);
		assert_true((s.snap->rows[0].flags & ROW_ESTIMATE) != 0);
	}
	scene_close(&s);
}

static void
trends_show_the_last_intervals_to_the_rows_own_scale(void **state)
{
	static const int counts[] = { 0, 4, 8, 2, 0, 1, 8 };
	static const uint8_t want[] = { 4, 8, 2, 0, 1, 8 };
	const struct row *row;
	struct scene s;

	(void)state;
	scene_open(&s);
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		samples(&s, 0, 30, 30, DSO_ID_FIRST_FILE, 0x210, counts[i]);
		bench_interval(&s.b, NSEC_PER_SEC);
	}
	ask_view(&s, VIEW_FUNCTIONS);
	report(&s);
	row = row_named(&s, "", "f2");
	assert_memory_equal(row->trend + TREND_LEN - sizeof(want), want, sizeof(want));
	assert_int_equal(row->trend[0], 0);
	row = row_named(&s, "", "f1");
	assert_int_equal(row->trend[0], 8); /* only in the first of the eight */
	assert_int_equal(row->trend[7], 0);
	scene_close(&s);
}

static const struct row *
row_of_path(const struct scene *s, const char *path, const char *build_id)
{
	for (size_t i = 0; i < s->snap->row_count; i++)
		if (strcmp(s->snap->rows[i].path, path) == 0 &&
		    strcmp(s->snap->rows[i].build_id, build_id) == 0)
			return &s->snap->rows[i];
	fail_msg("no row is of '%s' '%s'", path, build_id);
	return NULL;
}

/* A library of @ino with 4 functions of 256 bytes, and what the symbol service says of it. */
static uint32_t
tell_library(struct scene *s, uint64_t ino, uint8_t build_id, const char *reason)
{
	uint32_t dso = dsos_file(&s->b.model->dsos, "/lib/part.so", 8, 1, ino, 0);
	struct symbol_image_msg m = { .dso = dso, .source = ".dynsym only",
				      .build_id = { build_id }, .build_id_len = 1 };

	dso_source_learn(&s->b.locations, &m);
	locations_learn_image(&s->b.locations, dso, make_image(4, 256), reason, "mend it");
	return dso;
}

/* No runtime made it, nor could one name it. */
static void
probed_instructions_are_no_code_of_a_runtime(void **state)
{
	const struct row *row;
	struct scene s;

	(void)state;
	scene_open(&s);
	samples(&s, 0, 20, 20, dsos_file(&s.b.model->dsos, "[uprobes]", 0, 0, 0, 0), 0x80, 5);
	locations_learn_image(&s.b.locations, DSO_ID_UPROBES, NULL, "", "");
	bench_interval(&s.b, NSEC_PER_SEC);
	ask_view(&s, VIEW_UNNAMED);
	report(&s);
	row = row_of_path(&s, "[uprobes]", "");
	assert_int_equal(row->samples, 5);
	assert_non_null(strstr(row->reason, "probed functions"));
	assert_string_equal(row->remedy, "");
	scene_close(&s);
}

static void
what_has_no_name_is_a_row_for_each_file_and_the_rest_one_sum(void **state)
{
	const struct row *row;
	struct scene s;
	uint32_t part;

	(void)state;
	scene_open(&s);
	part = tell_library(&s, 50, 0xab, "stripped");
	locations_learn_image(&s.b.locations, DSO_ID_ANON, NULL, "", "");
	samples(&s, 0, 20, 20, part, 0x10, 3);
	samples(&s, 0, 20, 20, part, 0x5000, 4);
	samples(&s, 0, 20, 20, part, 0x6000, 2);
	samples(&s, 0, 20, 20, DSO_ID_ANON, 0x7000, 5);
	bench_interval(&s.b, NSEC_PER_SEC);
	ask_view(&s, VIEW_UNNAMED);
	report(&s);
	assert_adds_up(&s);
	assert_int_equal(s.snap->total_samples, 94);
	assert_int_equal(s.snap->row_count, 3); /* the library, the kernel, the JIT's code */
	assert_int_equal(s.snap->named->samples, 73);
	assert_string_equal(s.snap->named->symbol, "[named]");
	assert_null(s.snap->filtered);
	row = row_of_path(&s, "/lib/part.so", "ab");
	assert_int_equal(row->samples, 6);
	assert_that(fabs(row->unnamed - 6.0 / 9), <, 1e-9);
	assert_string_equal(row->reason, "stripped");
	assert_string_equal(row->remedy, "mend it");
	assert_string_equal(row->names_from, ".dynsym only");
	row = row_of_path(&s, "[kernel]", "");
	assert_string_equal(row->reason, "hidden");
	assert_string_equal(row->remedy, "be root");
	assert_that(fabs(row->unnamed - 1), <, 1e-9);
	row = row_of_path(&s, "[anon]", "");
	assert_non_null(strstr(row->reason, "JIT"));
	scene_close(&s);
}

static void
what_has_no_name_can_be_filtered_and_hidden_too(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	samples(&s, 0, 20, 20, tell_library(&s, 50, 0xab, "stripped"), 0x5000, 4);
	bench_interval(&s.b, NSEC_PER_SEC);
	ask_view(&s, VIEW_UNNAMED);
	s.filter = filter_parse("reason=strip*", NULL);
	report(&s);
	assert_adds_up(&s);
	assert_int_equal(s.snap->row_count, 1);
	assert_int_equal(s.snap->named->samples, 70);
	assert_int_equal(s.snap->filtered->samples, 10);
	filter_free(s.filter);
	s.filter = NULL;
	s.query.hide_user = true;
	report(&s);
	assert_adds_up(&s);
	assert_int_equal(s.snap->row_count, 1);
	assert_string_equal(s.snap->rows[0].reason, "hidden");
	scene_close(&s);
}

/* Two builds under one path are two rows, many mappings of one build are one. */
static void
what_is_behind_a_row_without_names_is_all_of_it_and_nothing_else(void **state)
{
	const struct row *row;
	struct scene s;

	(void)state;
	scene_open(&s);
	samples(&s, 0, 20, 20, tell_library(&s, 50, 0xab, "stripped"), 0x5000, 4);
	samples(&s, 0, 20, 20, tell_library(&s, 51, 0xab, "stripped"), 0x6000, 2);
	samples(&s, 0, 20, 20, tell_library(&s, 52, 0xcd, "stripped"), 0x5000, 1);
	samples(&s, 0, 30, 30, tell_library(&s, 50, 0xab, "stripped"), 0x10, 8);
	bench_interval(&s.b, NSEC_PER_SEC);
	ask_view(&s, VIEW_UNNAMED);
	report(&s);
	assert_adds_up(&s);
	row = row_of_path(&s, "/lib/part.so", "ab");
	assert_int_equal(row->samples, 6);
	assert_int_equal(row_of_path(&s, "/lib/part.so", "cd")->samples, 1);
	ask_view(&s, VIEW_FUNCTIONS);
	s.query.dso = row->dso_id;
	s.query.unnamed = true;
	report(&s);
	assert_int_equal(s.snap->row_count, 2);
	assert_int_equal(s.snap->rows[0].samples, 4);
	assert_int_equal(s.snap->rows[1].samples, 2);
	assert_string_equal(s.snap->rows[0].symbol, "part.so+0x5000");
	assert_int_equal(s.snap->named->samples, 8);
	ask_view(&s, VIEW_PROCESSES); /* whose code it is */
	s.query.dso = s.snap->rows[0].dso_id;
	s.query.unnamed = true;
	report(&s);
	assert_int_equal(s.snap->row_count, 1);
	assert_int_equal(s.snap->rows[0].pid, 20);
	scene_close(&s);
}

static void
nothing_at_all_is_a_report_too(void **state)
{
	const struct event_facts events[EVENTS] = { { .window_s = 1 } };
	const struct report_source sources[] = {
		{ .shown_event = UINT32_MAX },
		{ .shown_event = UINT32_MAX, .events = events },
		{ .shown_event = 0 }, /* nothing is measured of it */
	};
	struct scene s = { 0 };

	(void)state;
	bench_open(&s.b, 1 << 20);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		s.src = sources[i];
		s.src.profile = s.b.profile;
		for (enum view_id v = 0; v < VIEW_COUNT; v++) {
			ask_view(&s, v);
			report(&s);
			assert_int_equal(s.snap->row_count, 0);
			assert_null(s.snap->filtered);
		}
	}
	scene_close(&s);
}

/* However short intervals are: rates of the last seconds, the highest being 8. */
/* The keys c and i ask for what the row is of. */
static void
a_row_of_a_function_knows_which_one_it_is(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_FUNCTIONS);
	report(&s);
	assert_that(s.snap->row_count, >, 2);
	for (size_t i = 0; i < s.snap->row_count; i++) {
		const struct row *row = &s.snap->rows[i];

		assert_that(row->location, <, s.b.locations.len);
		assert_int_equal(s.b.locations.items[row->location].is_kernel,
				 (row->flags & ROW_KERNEL) != 0);
		if (*row->symbol == 'f')
			assert_string_equal(strs_get(&s.b.model->strs,
						     s.b.locations.items[row->location].name),
					    row->symbol);
		assert_int_not_equal(row->location, 0);
	}
	scene_close(&s);
}

/* What the format folded is made of. */
static void
stacks_by_name_are_frames_below_their_callers(void **state)
{
	static const char wanted[] =
		"0 cycles 0\n1 db 0\n2 [kernel]+0xffffffff81000000 10\n2 f0 30\n"
		"1 swapper 0\n2 [kernel]+0xffffffff81002000 20\n"
		"1 web 0\n2 f0 10\n1 worker 0\n2 f1 30\n";
	struct buf b = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.query = (struct query){ .by_view = true, .view = VIEW_TREE, .stacks = true };
	report(&s);
	for (size_t i = 0; i < s.snap->frame_count; i++) {
		const struct snapshot_frame *f = &s.snap->frames[i];

		buf_addf(&b, "%u %s %u\n", f->depth, f->name, (unsigned)f->samples);
	}
	assert_string_equal(buf_str(&b), wanted);
	buf_release(&b);
	scene_close(&s);
}

/* For pprof and the like: callers that are missing are in no file, and that is one for all. */
static void
stacks_tell_missing_callers_from_files(void **state)
{
	size_t cut_dsos = 0, cut_places = 0;
	const struct stacks *st;
	struct scene s;

	(void)state;
	scene_open(&s);
	for (int tid = 20; tid <= 21; tid++) {
		struct tables *t = &s.b.profile->tables;
		uint32_t who = model_who(s.b.model, model_find_task(s.b.model, tid));
		uint32_t cut = tables_node(t, tables_root(t, who, 0), LOCATION_CUT);

		bench_sample(&s.b, 0, 20, tid, 0, DSO_ID_FIRST_FILE, 0x210, cut, 10);
	}
	bench_interval(&s.b, NSEC_PER_SEC);
	s.query = (struct query){ .by_view = true, .view = VIEW_TREE, .trees = true };
	report(&s);
	st = s.snap->stacks;
	assert_non_null(st);
	for (size_t i = 0; i < st->dso_count; i++)
		cut_dsos += st->dsos[i].kind == STACK_CUT;
	for (size_t i = 0; i < st->place_count; i++) {
		bool is_cut = strcmp(st->places[i].name, "[cut]") == 0;

		assert_that(st->places[i].dso, <, st->dso_count);
		assert_int_equal(st->dsos[st->places[i].dso].kind == STACK_CUT, is_cut);
		assert_int_equal(*st->dsos[st->places[i].dso].name == '\0', is_cut);
		cut_places += is_cut;
	}
	assert_int_equal(cut_dsos, 1);
	assert_int_equal(cut_places, 1);
	assert_that(st->dso_count, >, 1);
	scene_close(&s);
}

static void
trends_go_by_steps_not_by_intervals(void **state)
{
	static const uint8_t want[TREND_LEN] = { 0, 0, 0, 0, 4, 2, 8, 4 };
	struct scene s;
	uint32_t web, db;
	size_t found = 0;

	(void)state;
	scene_open(&s);
	s.b.profile->step_ns = NSEC_PER_SEC;
	web = dsos_file(&s.b.model->dsos, "/bin/web", 8, 1, 42, 0);
	db = dsos_file(&s.b.model->dsos, "/bin/db", 8, 1, 43, 0);
	for (int i = 0; i < 15; i++) {
		int count = i < 10 ? 2 : i < 14 ? 20 : 80;

		samples(&s, 0, 20, 20, web, 0x10, count);
		samples(&s, 0, 30, 30, db, 0x10, count);
		bench_interval(&s.b, i < 10 ? NSEC_PER_SEC / 10 :
				     i < 14 ? NSEC_PER_SEC / 4 : 2 * NSEC_PER_SEC);
	}
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	for (size_t i = 0; i < s.snap->row_count; i++)
		if (s.snap->rows[i].pid != 0) {
			assert_memory_equal(s.snap->rows[i].trend, want, sizeof(want));
			found++;
		}
	assert_int_equal(found, 2);
	scene_close(&s);
}

/* What is not known is no zero, and what /proc tells is of now. */
static void
of_the_past_there_are_rows_of_what_was_sampled_alone(void **state)
{
	struct task_facts facts[] = { { .pid = 30, .tid = 30, .cpu = 77, .comm = "db", .command = "db" },
				      { .pid = 99, .tid = 99, .cpu = 5, .comm = "x", .command = "x" } };
	struct event_facts events[] = { { .window_s = 1 }, { .window_s = 1 } };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.src.processes = facts;
	s.src.process_count = ARRAY_SIZE(facts);
	s.src.events = events;
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_non_null(row_named(&s, "x", ""));
	s.query.end_ns = 1;
	profile_set_end(s.b.profile, s.b.now_ns);
	report(&s);
	assert_null(row_named(&s, "x", ""));
	assert_int_equal(row_named(&s, "db", "")->samples, 40);
	assert_true(isnan(row_named(&s, "db", "")->cpu));
	/* Before anything was sampled. */
	profile_set_end(s.b.profile, 1000);
	events[0].window_s = events[1].window_s = 0;
	report(&s);
	assert_int_equal(s.snap->row_count, 0);
	scene_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_are_rows_that_add_up),
		cmocka_unit_test(a_process_of_a_recording_says_that_all_of_it_is_one_threads),
		cmocka_unit_test(rows_have_how_much_was_counted),
		cmocka_unit_test(a_process_says_that_threads_of_it_have_ended),
		cmocka_unit_test(ended_tasks_that_were_merged_are_told_by_name),
		cmocka_unit_test(trends_go_by_steps_not_by_intervals),
		cmocka_unit_test(stacks_by_name_are_frames_below_their_callers),
		cmocka_unit_test(a_row_of_a_function_knows_which_one_it_is),
		cmocka_unit_test(stacks_tell_missing_callers_from_files),
		cmocka_unit_test(events_sampled_together_are_columns_beside_the_one_shown),
		cmocka_unit_test(cycles_and_instructions_together_tell_instructions_per_cycle),
		cmocka_unit_test(idle_is_shown_when_asked_for_and_always_counted_in_batch),
		cmocka_unit_test(what_filters_and_hidden_parts_leave_out_is_one_sum),
		cmocka_unit_test(a_filter_of_what_has_no_samples_leaves_nothing_out),
		cmocka_unit_test(ptop_itself_can_be_hidden),
		cmocka_unit_test(who_ended_is_not_alive_because_proc_was_read_before),
		cmocka_unit_test(a_scope_keeps_the_shares_of_the_whole),
		cmocka_unit_test(rows_that_do_not_fit_are_one_row),
		cmocka_unit_test(rows_of_a_crowd_are_as_they_are_beside_all_others),
		cmocka_unit_test(tasks_of_a_crowd_are_as_they_are_beside_all_others),
		cmocka_unit_test(no_task_of_a_crowd_is_listed_twice),
		cmocka_unit_test(of_rows_that_are_alike_the_same_ones_are_shown),
		cmocka_unit_test(tasks_without_samples_are_more_rows),
		cmocka_unit_test(rows_are_in_the_order_asked),
		cmocka_unit_test(a_row_keeps_its_identity_over_time_and_death),
		cmocka_unit_test(a_thread_outlives_its_leader_unmarked),
		cmocka_unit_test(what_proc_tells_of_tasks_is_there_if_a_column_wants_it),
		cmocka_unit_test(processes_are_a_tree_of_who_forked_whom),
		cmocka_unit_test(measured_facts_are_the_rows_own),
		cmocka_unit_test(cpu_time_is_measured_or_told_by_an_event_of_time),
		cmocka_unit_test(cpu_time_that_is_not_measured_is_an_estimate_on_the_screen_too),
		cmocka_unit_test(code_that_lets_interrupts_on_is_marked_where_a_timer_samples),
		cmocka_unit_test(copies_and_parts_that_the_compiler_made_let_interrupts_on_too),
		cmocka_unit_test(shares_are_of_the_process_that_one_went_into),
		cmocka_unit_test(shares_of_what_is_shown_know_filters),
		cmocka_unit_test(shares_of_code_without_a_name_are_of_named_code_too),
		cmocka_unit_test(relative_reports_of_many_events_are_of_what_is_shown_of_each),
		cmocka_unit_test(trends_show_the_last_intervals_to_the_rows_own_scale),
		cmocka_unit_test(what_has_no_name_is_a_row_for_each_file_and_the_rest_one_sum),
		cmocka_unit_test(probed_instructions_are_no_code_of_a_runtime),
		cmocka_unit_test(what_has_no_name_can_be_filtered_and_hidden_too),
		cmocka_unit_test(what_is_behind_a_row_without_names_is_all_of_it_and_nothing_else),
		cmocka_unit_test(nothing_at_all_is_a_report_too),
		cmocka_unit_test(of_the_past_there_are_rows_of_what_was_sampled_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
