/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/column.h"
#include "profile/place/irq_on.h"
#include "profile/place/location.h"
#include "profile/report/report.h"
#include "profile/report/report_key.h"
#include "profile_fixture.h"
#include "tests/asserts.h"

#include <math.h>

enum { USERS_BASE = 1000 };

/*
 * Two processes and the idle task, 100 samples of period 10 of event 0: web 20 (threads 20: 10, 21:
 * 30), db 30: 40, of which 10 in the kernel; idle: 20.  And 5 samples of event 1 by db.
 */
struct scene {
	struct fixture b;
	struct report_source src;
	struct query query;
	struct snapshot *snap;
	struct filter *filter;
};

static void
samples(struct scene *s, uint32_t event, int pid, int tid, uint32_t dso, uint64_t offset, int count)
{
	while (count-- > 0)
		bench_sample(&s->b, event, pid, tid, 0, dso, offset, 0, 10);
}

static void
scene_open(struct scene *s)
{
	uint32_t web, db;

	*s = (struct scene){ 0 };
	bench_open(&s->b, 24 << 20);
	web = dsos_file(&s->b.model->dsos, "/bin/web", 8, 1, 42, 0);
	db = dsos_file(&s->b.model->dsos, "/bin/db", 8, 1, 43, 0);
	locations_learn_image(&s->b.locations, web, make_image(4, 256), "", "");
	locations_learn_image(&s->b.locations, db, make_image(4, 256), "", "");
	locations_learn_image(&s->b.locations, DSO_ID_KERNEL, NULL, "hidden", "be root");
	tell_fork(s->b.model, 1, 1, 20, 20, 1);
	tell_comm(s->b.model, 20, 20, "web", true);
	tell_fork(s->b.model, 20, 20, 20, 21, 1);
	tell_comm(s->b.model, 20, 21, "worker", false);
	tell_fork(s->b.model, 1, 1, 30, 30, 1);
	tell_comm(s->b.model, 30, 30, "db", true);
	s->b.model->tasks[model_find_task(s->b.model, 30)].uid = USERS_BASE;
	samples(s, 0, 20, 20, web, 0x10, 10);
	samples(s, 0, 20, 21, web, 0x110, 30);
	samples(s, 0, 30, 30, db, 0x10, 30);
	samples(s, 0, 30, 30, DSO_ID_KERNEL, 0xffffffff81000010, 10);
	samples(s, 0, 0, 0, DSO_ID_KERNEL, 0xffffffff81002010, 20);
	samples(s, 1, 30, 30, db, 0x310, 5);
	bench_interval(&s->b, NSEC_PER_SEC);
	s->src = (struct report_source){ .profile = s->b.profile, .mono_ns = s->b.now_ns,
					 .real_ns = 1000 * NSEC_PER_SEC };
}

static void
scene_close(struct scene *s)
{
	snapshot_put(s->snap);
	filter_free(s->filter);
	bench_close(&s->b);
}

static void
report(struct scene *s)
{
	snapshot_put(s->snap);
	s->snap = snapshot_new();
	s->snap->query = s->query;
	s->snap->head.window_have_s = 1;
	s->src.filter = s->filter;
	report_fill(s->snap, &s->src, &s->query);
}

static void
ask_view(struct scene *s, enum view_id view)
{
	s->query = (struct query){ .view = view, .by_view = true, .trends = true,
				   .sort = COLUMN_SHARE, .key_count = view_defs[view].key_count,
				   .unnamed = view_defs[view].is_unnamed,
				   .locks = view_defs[view].is_locks };
	memcpy(s->query.keys, view_defs[view].keys, sizeof(view_defs[view].keys));
}

static void
ask_keys(struct scene *s, const char *keys)
{
	s->query = (struct query){ .sort = COLUMN_SHARE };
	assert_int_equal(key_parse_list(keys, s->query.keys, &s->query.key_count, NULL), 0);
}

static const struct row *
row_named(const struct scene *s, const char *comm, const char *symbol)
{
	for (size_t i = 0; i < s->snap->row_count; i++)
		if (strcmp(s->snap->rows[i].comm, comm) == 0 &&
		    strcmp(s->snap->rows[i].symbol, symbol) == 0)
			return &s->snap->rows[i];
	return NULL;
}

/* Rows and what was left out are all there is. */
static void
assert_adds_up(const struct scene *s)
{
	uint64_t samples = s->snap->filtered != NULL ? s->snap->filtered->samples : 0;
	uint64_t period = s->snap->filtered != NULL ? s->snap->filtered->period : 0;
	double share = s->snap->filtered != NULL ? s->snap->filtered->share : 0;

	if (s->snap->named != NULL) {
		samples += s->snap->named->samples;
		period += s->snap->named->period;
		share += s->snap->named->share;
	}
	for (size_t i = 0; i < s->snap->row_count; i++) {
		samples += s->snap->rows[i].samples;
		period += s->snap->rows[i].period;
		share += s->snap->rows[i].share;
	}
	assert_int_equal(samples, s->snap->total_samples);
	assert_int_equal(period, s->snap->total_period);
	assert_that(fabs(share - 1), <, 1e-9);
}

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

/* Looks at a thread of db: where it waits is the location of its kind. */
static void
wait_for(struct scene *s, enum wait_kind kind, uint64_t period)
{
	const struct profile_sample sample = {
		.event = 1, .who = model_who(s->b.model, model_task(s->b.model, 30, 30)),
		.leaf = LOCATION_WAITING + kind, .dso = DSO_ID_WAITING, .offset = kind,
		.cpu = UINT32_MAX, .period = period,
	};

	profile_add(s->b.profile, &sample);
}

static void
who_waits_for_work_is_idle_and_every_wait_has_its_state(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	wait_for(&s, WAIT_LOCK, 300);
	wait_for(&s, WAIT_SEMAPHORE, 100);
	wait_for(&s, WAIT_NETWORK, 200);
	wait_for(&s, WAIT_LOOP, 1000);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.shown_event = 1;
	ask_view(&s, VIEW_FUNCTIONS);
	report(&s);
	assert_null(row_named(&s, "", "[event loop]"));
	assert_int_equal(row_named(&s, "", "[lock]")->period, 300);
	assert_string_equal(row_named(&s, "", "[lock]")->dso, "[waiting]");
	assert_int_equal(s.snap->total_samples, 5 + 3);
	s.query.idle = true;
	report(&s);
	assert_int_equal(row_named(&s, "", "[event loop]")->period, 1000);
	ask_keys(&s, "state");
	report(&s);
	for (size_t i = 0; i < s.snap->row_count; i++) {
		const struct row *row = &s.snap->rows[i];
		uint64_t want = strcmp(row->state, "lock") == 0 ? 400
				: strcmp(row->state, "net") == 0 ? 200
				: strcmp(row->state, "idle") == 0 ? 1000 : 50;

		assert_int_equal(row->period, want);
	}
	assert_int_equal(s.snap->row_count, 4); /* and what runs */
	scene_close(&s);
}

/* Looks at db: below these functions of its program it is at @leaf. */
static void
look_below(struct scene *s, const char *functions, uint32_t leaf, uint32_t dso, const char *on,
	   uint64_t period)
{
	struct tables *t = &s->b.profile->tables;
	struct label label = { .on = *on != '\0' ? strs_add_str(&s->b.model->strs, on) : 0 };
	struct profile_sample sample = {
		.event = 1, .who = model_who(s->b.model, model_task(s->b.model, 30, 30)),
		.leaf = leaf, .frame = leaf, .dso = dso, .cpu = UINT32_MAX, .period = period,
		.label = &label,
	};

	sample.callers = tables_root(t, sample.who, 1);
	for (; *functions != '\0'; functions++)
		sample.callers = tables_node(t, sample.callers,
					     locations_find(&s->b.locations, DSO_ID_FIRST_FILE + 1,
							    (uint64_t)(*functions - '0') * 256));
	profile_add(s->b.profile, &sample);
}

static void
a_thread_that_waits_says_for_how_long_in_what_and_on_what(void **state)
{
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true, .is_all_time = true } };
	const enum view_id views[] = { VIEW_THREADS, VIEW_PROCESSES };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(~0u);
	look_below(&s, "01", LOCATION_WAITING + WAIT_PIPE, DSO_ID_WAITING, "pipe:[5]", 300);
	look_below(&s, "02", LOCATION_WAITING + WAIT_NETWORK, DSO_ID_WAITING, "socket:[7]", 200);
	look_below(&s, "02", LOCATION_WAITING + WAIT_SLEEP, DSO_ID_WAITING, "", 150);
	look_below(&s, "0", LOCATION_WAITING + WAIT_QUEUE, DSO_ID_WAITING, "", 100);
	look_below(&s, "0", locations_find(&s.b.locations, DSO_ID_FIRST_FILE + 1, 0x300),
		   DSO_ID_FIRST_FILE + 1, "", 200);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.events = events;
	s.src.shown_event = 1;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		const struct row *row;

		ask_view(&s, views[i]);
		report(&s);
		row = row_named(&s, "db", "");
		assert_non_null(row);
		/* Of 1000, with what it ran before. */
		assert_that(fabs(row->wait - 0.65), <, 1e-9);
		assert_that(fabs(row->queue - 0.1), <, 1e-9);
		assert_that(fabs(row->run - 0.25), <, 1e-9);
		assert_string_equal(row->waits_in, "f2"); /* in two kinds of waits */
		assert_string_equal(row->on, "pipe:[5]");
	}
	scene_close(&s);
}

static void
any_keys_group_and_every_event_has_its_own_shares(void **state)
{
	double shares[EVENTS] = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_keys(&s, "comm,symbol");
	s.query.all_events = true;
	report(&s);
	assert_int_equal(s.snap->row_count, 6);
	for (size_t i = 0; i < s.snap->row_count; i++)
		shares[strcmp(s.snap->rows[i].event, "cycles") != 0] += s.snap->rows[i].share;
	assert_that(fabs(shares[0] - 1), <, 1e-9);
	assert_that(fabs(shares[1] - 1), <, 1e-9);
	assert_int_equal(row_named(&s, "worker", "f1")->samples, 30);
	assert_int_equal(row_named(&s, "db", "f3")->samples, 5);
	assert_non_null(row_named(&s, "db", "0xffffffff81000000"));
	assert_int_equal(s.snap->event_count, 2);
	assert_string_equal(s.snap->events[1].name, "page-faults");
	assert_int_equal(s.snap->events[1].samples, 5);
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

static void
measured_facts_are_the_rows_own(void **state)
{
	static const struct task_facts processes[] = {
		{ 20, 20, 0, 2, 150, "web", "/bin/web -d", false, false },
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

/* Where samples are all there is the screen does not wait for a measure. */
static void
cpu_time_of_a_recording_is_an_estimate_on_the_screen_too(void **state)
{
	const struct event_facts events[EVENTS] = { { 1, .counts_time = true }, { 1 } };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.src.events = events;
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_true(isnan(s.snap->rows[0].cpu));
	assert_int_equal(s.snap->rows[0].flags & ROW_ESTIMATE, 0);
	s.src.is_recording = true;
	report(&s);
	assert_that(fabs(s.snap->rows[0].cpu - (double)s.snap->rows[0].period / 1e7), <, 1e-9);
	assert_true((s.snap->rows[0].flags & ROW_ESTIMATE) != 0);
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

static void
labels_are_wanted_by_keys_and_filters(void **state)
{
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_keys(&s, "comm");
	report_want_labels(s.b.profile, &s.query, NULL);
	assert_int_equal(s.b.profile->labels.want, 0);
	ask_keys(&s, "cpu");
	report_want_labels(s.b.profile, &s.query, NULL);
	assert_int_equal(s.b.profile->labels.want, KEY_BIT(KEY_CPU));
	bench_sample(&s.b, 0, 30, 30, 0, DSO_ID_FIRST_FILE, 0x10, 0, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(s.snap->row_count, 2);
	assert_int_equal(s.snap->rows[0].cpu_number, -1); /* of before it was kept */
	assert_int_equal(s.snap->rows[1].cpu_number, 30 % 4);
	ask_keys(&s, "comm");
	s.filter = filter_parse("address=0x10", &err);
	assert_non_null(s.filter);
	report_want_labels(s.b.profile, &s.query, s.filter);
	assert_true(labels_want(&s.b.profile->labels, KEY_ADDRESS));
	scene_close(&s);
}

/* A sample more of db's f0 for each of these labels. */
static void
label_samples(struct scene *s, const struct label *labels, size_t count)
{
	uint32_t who = model_who(s->b.model, model_find_task(s->b.model, 30));

	s->b.profile->labels.want = key_labels(~(key_set)0);
	for (size_t i = 0; i < count; i++) {
		struct profile_sample sample = {
			.who = who, .dso = DSO_ID_FIRST_FILE + 1, .offset = 0x10 + i, .period = 10,
			.leaf = locations_find(&s->b.locations, DSO_ID_FIRST_FILE + 1, 0x10),
			.label = &labels[i],
		};

		profile_add(s->b.profile, &sample);
	}
	bench_interval(&s->b, NSEC_PER_SEC);
}

/* What the column of @key shows, in its own order: each with its samples. */
static void
assert_rows(struct scene *s, const char *key, enum column_id column, const char *want)
{
	static const struct column_style style = { .ascii = true };
	struct buf b = { 0 };

	ask_keys(s, key);
	s->query.sort = column;
	s->query.ascending = true;
	report(s);
	for (size_t i = 0; i < s->snap->row_count; i++) {
		column_put(&b, column, &s->snap->rows[i], &style);
		buf_addf(&b, ":%u ", (unsigned)s->snap->rows[i].samples);
	}
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
	assert_adds_up(s);
}

static void
labels_are_keys_and_their_rows_add_up(void **state)
{
	uint32_t f[2];
	struct scene s;

	(void)state;
	scene_open(&s);
	for (int i = 0; i < 2; i++)
		f[i] = locations_find(&s.b.locations, DSO_ID_FIRST_FILE + 1, (uint64_t)i * 256);
	label_samples(&s, (struct label[]){
		{ .time = 1, .data_src = 0x21, .weight = 1, .from = f[0], .to = f[1] },
		{ .time = 1500000001, .weight = 101, .from = f[0], .to = f[1] },
		{ .time = 1500000001, .data_src = 0x42, .weight = 1,
		  .from = f[1], .to = LOCATION_UNMAPPED, .to_addr = 0x77 },
	}, 3);
	srclines_want(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x10);
	srclines_want(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x12);
	srclines_learn(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x12,
		       strs_add_str(&s.b.model->strs, "db.c:12"));
	assert_rows(&s, "time", COLUMN_TIME, "-:100 0.0:1 1.5:2 ");
	assert_rows(&s, "data_src", COLUMN_DATA_SRC, "-:101 op=load lvl=hit:1 op=na lvl=na:1 ");
	assert_rows(&s, "weight", COLUMN_WEIGHT, "-:100 0:2 100:1 ");
	assert_rows(&s, "branch", COLUMN_BRANCH, "-:100 f0 > f1:2 f1 > 0x77:1 ");
	assert_rows(&s, "srcline", COLUMN_SOURCE, "-:102 db.c:12:1 ");
	srclines_want(&s.b.profile->instructions, DSO_ID_FIRST_FILE + 1, 0x12);
	srclines_learn(&s.b.profile->instructions, DSO_ID_FIRST_FILE + 1, 0x12,
		       strs_add_str(&s.b.model->strs, "pause"));
	assert_rows(&s, "instruction", COLUMN_INSTRUCTION, "-:102 pause:1 ");
	scene_close(&s);
}

/* Sockets by what they lead to, locks and conditions by the variable that they are. */
static void
what_is_waited_for_has_the_name_that_says_most(void **state)
{
	static const char *const files[] = {
		"socket:[123]", "socket:10.0.0.5:5432", "socket:[::1]:80", "pipe:[5]",
		"mutex 0x7f10 held by 12", "mutex 0x7f20 held by 12", "condition 0x7f30",
	};
	struct label labels[ARRAY_SIZE(files)] = { { 0 } };
	struct variables *known;
	uint32_t db;
	struct scene s;

	(void)state;
	scene_open(&s);
	known = &s.b.profile->variables;
	db = model_task_at(s.b.model, model_find_task(s.b.model, 30))->process;
	variables_want(known, db, 0x7f10);
	variables_want(known, db, 0x7f30);
	variables_learn(known, 0, strs_add_str(&s.b.model->strs, "table_lock"));
	variables_learn(known, 1, strs_add_str(&s.b.model->strs, "work+0x28"));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		labels[i].on = strs_add_str(&s.b.model->strs, files[i]);
	label_samples(&s, labels, ARRAY_SIZE(files));
	assert_rows(&s, "on", COLUMN_ON,
		    ":100 10.0.0.5:5432:1 [::1]:80:1 condition work:1 mutex 0x7f20 held by 12:1 "
		    "pipe:[5]:1 socket:[123]:1 table_lock held by 12:1 ");
	scene_close(&s);
}

/* The thread waits at f@fn of its program for what @on says. */
static void
wait_for_lock(struct scene *s, int pid, int tid, const char *on, char owner_state, int fn,
	      uint64_t period)
{
	uint32_t dso = DSO_ID_FIRST_FILE + (pid == 30);
	struct label label = {
		.on = strs_add_str(&s->b.model->strs, on), .owner_state = owner_state,
		.holding_at = fn >= 0 ? locations_find(&s->b.locations, dso, (uint64_t)fn * 256) : 0,
	};
	struct profile_sample sample = {
		.who = model_who(s->b.model, model_task(s->b.model, pid, tid)), .period = period,
		.dso = DSO_ID_WAITING, .offset = WAIT_LOCK, .label = &label,
		.leaf = LOCATION_WAITING + WAIT_LOCK, .frame = LOCATION_WAITING + WAIT_LOCK,
	};

	s->b.profile->labels.want = key_labels(~0u);
	profile_add(s->b.profile, &sample);
}

static const struct row *
lock_row(const struct scene *s, int pid, const char *lock)
{
	for (size_t i = 0; i < s->snap->row_count; i++)
		if (s->snap->rows[i].pid == pid && strstr(s->snap->rows[i].lock, lock) != NULL)
			return &s->snap->rows[i];
	fail_msg("no lock %s of %d", lock, pid);
	return NULL;
}

static void
a_lock_says_who_holds_it_and_what_that_thread_does(void **state)
{
	const struct row *row;
	struct scene s;

	(void)state;
	scene_open(&s);
	wait_for_lock(&s, 20, 20, "mutex 0x7f10 held by 21", 'R', 2, 30);
	wait_for_lock(&s, 30, 30, "mutex 0x7f20 held by 20", 'S', -1, 20);
	wait_for_lock(&s, 30, 30, "rwlock 0x7f40", 0, -1, 20);
	bench_interval(&s.b, NSEC_PER_SEC);
	ask_view(&s, VIEW_LOCKS);
	report(&s);
	assert_int_equal(s.snap->row_count, 3);
	row = lock_row(&s, 20, "0x7f10");
	assert_int_equal(row->owner, 21);
	assert_string_equal(row->owner_comm, "worker");
	assert_int_equal(row->held, 100);
	assert_int_equal(row->waiters, 1);
	assert_int_equal(row->waiting, 1);
	assert_string_equal(row->does, "runs f1");
	row = lock_row(&s, 30, "0x7f20");
	assert_int_equal(row->owner, 20);
	assert_string_equal(row->does, "waits for 21 worker: runs f1");
	assert_int_equal(lock_row(&s, 30, "0x7f40")->owner, 0);
	/* Two that wait for each other all the time of a refresh. */
	wait_for_lock(&s, 20, 20, "mutex 0x7f10 held by 21", 'S', 2, NSEC_PER_SEC);
	wait_for_lock(&s, 20, 21, "mutex 0x7f30 held by 20", 'S', 3, NSEC_PER_SEC);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	row = lock_row(&s, 20, "0x7f30");
	assert_int_equal(row->owner, 20);
	assert_string_equal(row->does, "deadlock with 21 worker");
	assert_true(row->flags & ROW_DEADLOCK);
	assert_string_equal(lock_row(&s, 20, "0x7f10")->does, "deadlock with 20 web");
	/* Whoever waits for one of them waits for the deadlock. */
	assert_string_equal(lock_row(&s, 30, "0x7f20")->does, "deadlock with 21 worker");
	assert_int_equal(lock_row(&s, 30, "0x7f20")->waiting, 0);
	scene_close(&s);
}

/* The function's own address and line, which the screen shows, are not the samples'. */
static void
addresses_and_lines_are_the_samples_in_any_order_of_keys(void **state)
{
	static const char *const orders[] = { "symbol,address,srcline", "srcline,address,symbol" };
	struct scene s;

	(void)state;
	scene_open(&s);
	label_samples(&s, (struct label[]){ { 0 }, { 0 } }, 2);
	srclines_want(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x11);
	srclines_learn(&s.b.profile->lines, DSO_ID_FIRST_FILE + 1, 0x11,
		       strs_add_str(&s.b.model->strs, "db.c:12"));
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		size_t found = 0;

		ask_keys(&s, orders[i]);
		report(&s);
		for (size_t r = 0; r < s.snap->row_count; r++)
			found += s.snap->rows[r].address == 0x11 &&
				 strcmp(s.snap->rows[r].source, "db.c:12") == 0 &&
				 strcmp(s.snap->rows[r].symbol, "f0") == 0;
		assert_int_equal(found, 1);
	}
	scene_close(&s);
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* web is in a container, its worker in a group of which only the number is known. */
static void
sort_into_cgroups(struct scene *s)
{
	struct model *m = s->b.model;

	cgroups_learn(&m->cgroups, 31, strs_add_str(&m->strs, "/old"));
	cgroups_learn(&m->cgroups, 31, strs_add_str(&m->strs, "/system.slice/docker-" ID ".scope"));
	model_set_cgroup(m, model_find_task(m, 20), 31);
	model_set_cgroup(m, model_find_task(m, 21), 33);
	model_learn_cgroup(m, model_find_task(m, 30), "/system.slice/db.service");
}

static void
cgroups_and_what_they_are_called_are_keys_and_their_rows_add_up(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	assert_rows(&s, "cgroup", COLUMN_CGROUP, "-:20 /system.slice/db.service:40 "
		    "/system.slice/docker-" ID ".scope:10 cgroup:33:30 ");
	assert_rows(&s, "container", COLUMN_CONTAINER, "-:90 0123456789ab:10 ");
	assert_rows(&s, "unit", COLUMN_UNIT, "-:50 db.service:40 docker-0123456789ab.scope:10 ");
	assert_rows(&s, "pod", COLUMN_POD, "-:100 ");
	assert_rows(&s, "program", COLUMN_PROGRAM, "db:40 swapper:20 web:40 ");
	containers_learn(s.b.profile->containers, 0, "web-1", "");
	assert_rows(&s, "container", COLUMN_CONTAINER, "-:90 web-1:10 ");
	scene_close(&s);
}

static void
assert_tree(struct scene *s, const char *want)
{
	static const struct column_style style = { .ascii = true };
	struct buf b = { 0 };

	report(s);
	for (size_t i = 0; i < s->snap->row_count; i++) {
		column_put(&b, COLUMN_CGROUP, &s->snap->rows[i], &style);
		buf_addf(&b, ":%u\n", (unsigned)s->snap->rows[i].samples);
	}
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
}

static void
cgroups_of_a_report_have_their_containers_beside_them(void **state)
{
	struct scene s;
	unsigned found = 0;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	ask_view(&s, VIEW_CGROUPS);
	s.query.trends = false;
	report(&s);
	for (size_t i = 0; i < s.snap->row_count; i++) {
		const struct row *row = &s.snap->rows[i];
		bool is_docker = strstr(row->cgroup, "docker-") != NULL;

		assert_string_equal(row->container, is_docker ? "0123456789ab" : "");
		found += is_docker && row->samples == 10;
	}
	assert_int_equal(found, 1);
	scene_close(&s);
}

/* On a screen each group has what is below it; the trend and how sure its share is, too. */
static void
cgroups_of_a_screen_are_a_tree_with_sums(void **state)
{
	const struct row *top;
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	model_learn_cgroup(s.b.model, model_find_task(s.b.model, 0), "/");
	ask_view(&s, VIEW_CGROUPS);
	s.query.idle = s.query.sums = true;
	assert_tree(&s, "/:70\n  system.slice:50\n    db.service:40\n    docker-" ID ".scope:10\n"
			"cgroup:33:30\n");
	top = &s.snap->rows[1];
	assert_true(top->share == 0.5);
	assert_string_equal(s.snap->rows[3].container, "0123456789ab");
	assert_non_null(top->sums);
	assert_that(fabs(top->sums->window.of - 500), <, 1e-6);
	assert_int_equal(top->trend[TREND_LEN - 1], 8);
	s.query.ascending = true;
	assert_tree(&s, "cgroup:33:30\n/:70\n  system.slice:50\n    docker-" ID ".scope:10\n"
			"    db.service:40\n");
	s.query.max_rows = 3;
	s.query.ascending = false;
	report(&s);
	assert_int_equal(s.snap->row_count, 3);
	assert_int_equal(s.snap->rows[2].samples, 40 + 10 + 30);
	s.query.trends = false; /* a report has no sums of sums */
	s.query.max_rows = 0;
	report(&s);
	assert_adds_up(&s);
	scene_close(&s);
}

/* Goes into the row that the column calls @name; the view's rows are those that were asked for last. */
static void
go_within(struct scene *s, enum view_id view, const char *name, enum view_id into)
{
	enum key key = view_defs[view].keys[0];
	struct query_within in = { .key = key };
	char number[COLUMN_TEXT_MAX];
	const struct row *row = NULL;

	ask_view(s, view);
	report_want_labels(s->b.profile, &s->query, NULL);
	report(s);
	for (size_t i = 0; i < s->snap->row_count; i++)
		if (strcmp(column_text((enum column_id)key, &s->snap->rows[i], number), name) == 0)
			row = &s->snap->rows[i];
	if (row == NULL)
		fail_msg("no row of %s is called '%s'", view_defs[view].name, name);
	in.part = row->part;
	ask_view(s, into);
	s->query.within[s->query.within_count++] = in;
	assert_true(report_tells_tasks(&s->query, NULL));
	report(s);
}

static uint64_t
rows_sum(const struct scene *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->snap->row_count; i++)
		sum += s->snap->rows[i].samples;
	return sum;
}

static void
within_a_group_is_what_has_its_key_alone(void **state)
{
	static const struct {
		enum view_id view;
		const char *name;
		uint64_t samples;
	} ways[] = {
		{ VIEW_CGROUPS, "/system.slice", 50 }, { VIEW_CGROUPS, "/system.slice/db.service", 40 },
		{ VIEW_CGROUPS, "cgroup:33", 30 }, { VIEW_CONTAINERS, "0123456789ab", 10 },
		{ VIEW_UNITS, "db.service", 40 }, { VIEW_USERS, "1000", 40 }, { VIEW_PROGRAMS, "web", 40 },
		{ VIEW_NAMES, "worker", 30 },
	};
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		static const enum view_id into[] = { VIEW_PROCESSES, VIEW_THREADS, VIEW_FUNCTIONS };

		for (size_t v = 0; v < ARRAY_SIZE(into); v++) {
			go_within(&s, ways[i].view, ways[i].name, into[v]);
			if (rows_sum(&s) != ways[i].samples)
				fail_msg("%s '%s' has %u in %s", view_defs[ways[i].view].name,
					 ways[i].name, (unsigned)rows_sum(&s), view_defs[into[v]].name);
		}
	}
	go_within(&s, VIEW_CGROUPS, "/system.slice", VIEW_CONTAINERS);
	assert_int_equal(s.snap->row_count, 2);
	assert_int_equal(rows_sum(&s), 50);
	scene_close(&s);
}

static void
within_a_cpu_is_what_was_sampled_there_since_it_was_asked_for(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = KEY_BIT(KEY_CPU);
	cpu_nodes_of_text(&s.b.profile->nodes, "node 0: 1 kB, 1 kB free, cpus 0-1;");
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		profile_add(s.b.profile, &(struct profile_sample){
			.who = model_who(s.b.model, model_find_task(s.b.model, 30)), .cpu = cpu,
			.leaf = locations_find(&s.b.locations, DSO_ID_FIRST_FILE, 0x10),
			.dso = DSO_ID_FIRST_FILE, .offset = 0x10, .period = 10 });
	bench_interval(&s.b, NSEC_PER_SEC);
	go_within(&s, VIEW_CPUS, "3", VIEW_PROCESSES);
	assert_int_equal(rows_sum(&s), 1);
	go_within(&s, VIEW_NODES, "0", VIEW_CPUS);
	assert_int_equal(rows_sum(&s), 2);
	scene_close(&s);
}

/* Those that do nothing now are in their container all the same. */
static void
tasks_without_samples_are_listed_within_their_group_alone(void **state)
{
	struct task_facts facts[] = { { .pid = 98, .tid = 98, .comm = "quiet", .command = "quiet" },
				      { .pid = 99, .tid = 99, .comm = "other", .command = "other" } };
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	model_learn_cgroup(s.b.model, model_task(s.b.model, 98, 98), "/system.slice/db.service/x");
	s.src.processes = facts;
	s.src.process_count = ARRAY_SIZE(facts);
	go_within(&s, VIEW_CGROUPS, "/system.slice", VIEW_PROCESSES);
	assert_non_null(row_named(&s, "quiet", ""));
	assert_null(row_named(&s, "other", ""));
	s.filter = filter_parse("unit=db.service", &err);
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_non_null(row_named(&s, "quiet", ""));
	assert_null(row_named(&s, "other", ""));
	scene_close(&s);
}

static void
cpus_are_of_nodes(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(KEY_BIT(KEY_NODE));
	assert_int_equal(s.b.profile->labels.want, KEY_BIT(KEY_CPU));
	cpu_nodes_of_text(&s.b.profile->nodes, "numa_topology: node 0: 16 kB, 8 kB free, cpus 0-1; "
					       "node 3: 1 kB, 1 kB free, cpus 2,5; node 9999: 1 kB");
	for (unsigned cpu = 0; cpu < 4; cpu++)
		profile_add(s.b.profile, &(struct profile_sample){
			.who = model_who(s.b.model, model_find_task(s.b.model, 30)), .cpu = cpu,
			.leaf = locations_find(&s.b.locations, DSO_ID_FIRST_FILE, 0x10),
			.dso = DSO_ID_FIRST_FILE, .offset = 0x10, .period = 10 });
	bench_interval(&s.b, NSEC_PER_SEC);
	assert_rows(&s, "node", COLUMN_NODE, "-:101 0:2 3:1 ");
	scene_close(&s);
}

static void
filters_look_at_cgroups(void **state)
{
	static const char *const filters[] = { "cgroup=/system.slice/docker*", "container=0123456789ab",
					       "unit~^docker", "program=web unit!=-" };
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	sort_into_cgroups(&s);
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		filter_free(s.filter);
		s.filter = filter_parse(filters[i], &err);
		assert_non_null(s.filter);
		ask_keys(&s, "comm");
		report(&s);
		assert_int_equal(s.snap->row_count, 1);
		assert_int_equal(s.snap->rows[0].samples, 10);
		assert_adds_up(&s);
		assert_true(report_tells_tasks(&s.query, s.filter));
	}
	scene_close(&s);
}

static void
filters_look_at_labels(void **state)
{
	static const char *const filters[] = { "time=1.5", "data_src~load",
					       "weight=7", "branch=*>*0x77" };
	struct err err = { 0 };
	struct scene s;

	(void)state;
	scene_open(&s);
	label_samples(&s, &(struct label){ .time = 1500000001, .data_src = 0x42,
					   .weight = 8, .from = LOCATION_UNMAPPED,
					   .to = LOCATION_UNMAPPED, .to_addr = 0x77 }, 1);
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		filter_free(s.filter);
		s.filter = filter_parse(filters[i], &err);
		assert_non_null(s.filter);
		ask_keys(&s, "comm");
		report(&s);
		assert_int_equal(s.snap->row_count, 1);
		assert_int_equal(s.snap->rows[0].samples, 1);
		assert_adds_up(&s);
	}
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
	struct scene s = { 0 };

	(void)state;
	bench_open(&s.b, 1 << 20);
	s.src = (struct report_source){ .profile = s.b.profile, .shown_event = UINT32_MAX };
	for (enum view_id v = 0; v < VIEW_COUNT; v++) {
		ask_view(&s, v);
		report(&s);
		assert_int_equal(s.snap->row_count, 0);
		assert_null(s.snap->filtered);
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

static void
each_key_is_found_in_samples_and_has_a_member_of_the_row(void **state)
{
	(void)state;
	for (enum key k = 0; k < KEY_COUNT; k++) {
		if (report_keys[k].part == NULL)
			fail_msg("'%s' has no row in report_keys[]", key_name(k));
		assert_true(columns[k].kind != VALUE_OWN);
	}
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
		cmocka_unit_test(each_key_is_found_in_samples_and_has_a_member_of_the_row),
		cmocka_unit_test(processes_are_rows_that_add_up),
		cmocka_unit_test(ended_tasks_that_were_merged_are_told_by_name),
		cmocka_unit_test(trends_go_by_steps_not_by_intervals),
		cmocka_unit_test(stacks_by_name_are_frames_below_their_callers),
		cmocka_unit_test(a_row_of_a_function_knows_which_one_it_is),
		cmocka_unit_test(stacks_tell_missing_callers_from_files),
		cmocka_unit_test(who_waits_for_work_is_idle_and_every_wait_has_its_state),
		cmocka_unit_test(idle_is_shown_when_asked_for_and_always_counted_in_batch),
		cmocka_unit_test(a_thread_that_waits_says_for_how_long_in_what_and_on_what),
		cmocka_unit_test(any_keys_group_and_every_event_has_its_own_shares),
		cmocka_unit_test(what_filters_and_hidden_parts_leave_out_is_one_sum),
		cmocka_unit_test(ptop_itself_can_be_hidden),
		cmocka_unit_test(a_scope_keeps_the_shares_of_the_whole),
		cmocka_unit_test(rows_that_do_not_fit_are_one_row),
		cmocka_unit_test(rows_are_in_the_order_asked),
		cmocka_unit_test(a_row_keeps_its_identity_over_time_and_death),
		cmocka_unit_test(a_thread_outlives_its_leader_unmarked),
		cmocka_unit_test(measured_facts_are_the_rows_own),
		cmocka_unit_test(cpu_time_is_measured_or_told_by_an_event_of_time),
		cmocka_unit_test(cpu_time_of_a_recording_is_an_estimate_on_the_screen_too),
		cmocka_unit_test(code_that_lets_interrupts_on_is_marked_where_a_timer_samples),
		cmocka_unit_test(copies_and_parts_that_the_compiler_made_let_interrupts_on_too),
		cmocka_unit_test(shares_are_of_the_process_that_one_went_into),
		cmocka_unit_test(shares_of_what_is_shown_know_filters),
		cmocka_unit_test(shares_of_code_without_a_name_are_of_named_code_too),
		cmocka_unit_test(relative_reports_of_many_events_are_of_what_is_shown_of_each),
		cmocka_unit_test(trends_show_the_last_intervals_to_the_rows_own_scale),
		cmocka_unit_test(labels_are_wanted_by_keys_and_filters),
		cmocka_unit_test(labels_are_keys_and_their_rows_add_up),
		cmocka_unit_test(what_is_waited_for_has_the_name_that_says_most),
		cmocka_unit_test(a_lock_says_who_holds_it_and_what_that_thread_does),
		cmocka_unit_test(addresses_and_lines_are_the_samples_in_any_order_of_keys),
		cmocka_unit_test(filters_look_at_labels),
		cmocka_unit_test(cgroups_and_what_they_are_called_are_keys_and_their_rows_add_up),
		cmocka_unit_test(cgroups_of_a_report_have_their_containers_beside_them),
		cmocka_unit_test(cgroups_of_a_screen_are_a_tree_with_sums),
		cmocka_unit_test(within_a_group_is_what_has_its_key_alone),
		cmocka_unit_test(within_a_cpu_is_what_was_sampled_there_since_it_was_asked_for),
		cmocka_unit_test(tasks_without_samples_are_listed_within_their_group_alone),
		cmocka_unit_test(cpus_are_of_nodes),
		cmocka_unit_test(filters_look_at_cgroups),
		cmocka_unit_test(what_has_no_name_is_a_row_for_each_file_and_the_rest_one_sum),
		cmocka_unit_test(what_has_no_name_can_be_filtered_and_hidden_too),
		cmocka_unit_test(what_is_behind_a_row_without_names_is_all_of_it_and_nothing_else),
		cmocka_unit_test(nothing_at_all_is_a_report_too),
		cmocka_unit_test(of_the_past_there_are_rows_of_what_was_sampled_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
