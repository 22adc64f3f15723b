/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of threads that wait: how long, in what, for whom. */
#include "report_fixture.h"

#include "profile/report/wait_wrapper.h"

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
	assert_int_equal(s.snap->total_samples, 6 + 3);
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

/* As what other filters leave out. */
static void
what_is_idle_is_a_part_of_all_where_it_is_not_shown(void **state)
{
	static const struct {
		enum shares shares;
		bool idle;
		uint64_t base;
	} asks[] = {
		{ SHARES_OF_SHOWN, false, 550 }, { SHARES_OF_SHOWN, true, 2050 },
		{ SHARES_OF_ALL, false, 2050 },  { SHARES_OF_ALL, true, 2050 },
	};
	struct scene s;

	(void)state;
	scene_open(&s);
	wait_for(&s, WAIT_LOCK, 500);
	wait_for(&s, WAIT_LOOP, 1500);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.shown_event = 1;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(asks); i++) {
		ask_view(&s, i % 2 == 0 ? VIEW_FUNCTIONS : VIEW_TREE);
		s.query.shares = asks[i / 2].shares;
		s.query.idle = asks[i / 2].idle;
		report(&s);
		assert_int_equal(s.snap->events[1].base, asks[i / 2].base);
		assert_int_equal(s.snap->events[1].period, 2050); /* and what runs */
		assert_null(s.snap->filtered);
	}
	scene_close(&s);
}

/* Looks at a thread of db: below these functions of @program it is at @leaf. */
static void
look_of(struct scene *s, int tid, uint32_t program, const char *functions, uint32_t leaf, uint32_t dso,
	const char *on, uint64_t period)
{
	struct tables *t = &s->b.profile->tables;
	struct label label = { .on = *on != '\0' ? strs_add_str(&s->b.model->strs, on) : 0 };
	struct profile_sample sample = {
		.event = 1, .who = model_who(s->b.model, model_task(s->b.model, 30, tid)),
		.leaf = leaf, .frame = leaf, .dso = dso, .cpu = UINT32_MAX, .period = period,
		.label = &label,
	};

	sample.callers = tables_root(t, sample.who, 1);
	for (; *functions != '\0'; functions++)
		sample.callers = tables_node(t, sample.callers,
					     locations_find(&s->b.locations, program,
							    (uint64_t)(*functions - '0') * 256));
	profile_add(s->b.profile, &sample);
}

static void
look_in(struct scene *s, uint32_t program, const char *functions, uint32_t leaf, uint32_t dso,
	const char *on, uint64_t period)
{
	look_of(s, 30, program, functions, leaf, dso, on, period);
}

static void
look_below(struct scene *s, const char *functions, uint32_t leaf, uint32_t dso, const char *on,
	   uint64_t period)
{
	look_in(s, DSO_ID_FIRST_FILE + 1, functions, leaf, dso, on, period);
}

static void
a_thread_that_waits_says_for_how_long_in_what_and_on_what(void **state)
{
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true, .is_all_time = true } };
	const enum view_id views[] = { VIEW_THREADS, VIEW_PROCESSES };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(~(key_set)0);
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
		assert_string_equal(row->on, "socket:[7]"); /* in that function, not the longest of all */
	}
	scene_close(&s);
}

/* As one who holds a lock that it had to wait for, and sleeps. */
static void
who_sleeps_is_not_said_to_wait_for_a_lock_of_the_same_function(void **state)
{
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true } };
	const enum view_id views[] = { VIEW_THREADS, VIEW_PROCESSES };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(~(key_set)0);
	look_below(&s, "02", LOCATION_WAITING + WAIT_LOCK, DSO_ID_WAITING, "mutex 0x7f10", 40);
	look_below(&s, "02", LOCATION_WAITING + WAIT_SLEEP, DSO_ID_WAITING, "", 300);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.events = events;
	s.src.shown_event = 1;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		ask_view(&s, views[i]);
		report(&s);
		assert_string_equal(row_named(&s, "db", "")->waits_in, "f2");
		assert_string_equal(row_named(&s, "db", "")->on, "");
	}
	scene_close(&s);
}

/* Two threads wait in f2, each for less time than a third one in f1. */
static void
a_process_has_what_is_waited_for_where_it_waits_longest(void **state)
{
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true } };
	const struct {
		int tid;
		const char *functions, *on;
		uint64_t period;
	} looks[] = { { 30, "01", "pipe:[5]", 300 }, { 31, "02", "pipe:[6]", 200 }, { 32, "02", "pipe:[7]", 150 } };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(~(key_set)0);
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++)
		look_of(&s, looks[i].tid, DSO_ID_FIRST_FILE + 1, looks[i].functions,
			LOCATION_WAITING + WAIT_PIPE, DSO_ID_WAITING, looks[i].on, looks[i].period);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.events = events;
	s.src.shown_event = 1;
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_string_equal(row_named(&s, "db", "")->waits_in, "f2");
	assert_string_equal(row_named(&s, "db", "")->on, "pipe:[6]");
	scene_close(&s);
}

/* As without call chains: where it waits is not known, and what for is. */
static void
a_wait_whose_stack_leads_to_no_function_says_on_what_it_is(void **state)
{
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true } };
	const enum view_id views[] = { VIEW_THREADS, VIEW_PROCESSES };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(~(key_set)0);
	look_below(&s, "", LOCATION_WAITING + WAIT_PIPE, DSO_ID_WAITING, "pipe:[5]", 300);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.events = events;
	s.src.shown_event = 1;
	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		ask_view(&s, views[i]);
		report(&s);
		assert_non_null(row_named(&s, "db", ""));
		assert_string_equal(row_named(&s, "db", "")->waits_in, "");
		assert_string_equal(row_named(&s, "db", "")->on, "pipe:[5]");
	}
	scene_close(&s);
}

/* The other thread waits in a function of its own: the longest of its waits is none of f2. */
static void
a_wait_without_a_function_is_of_who_waits_where_most_is_waited(void **state)
{
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true } };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(~(key_set)0);
	look_below(&s, "02", LOCATION_WAITING + WAIT_LOCK, DSO_ID_WAITING, "mutex 0x7f10", 300);
	look_of(&s, 31, DSO_ID_FIRST_FILE + 1, "01", LOCATION_WAITING + WAIT_PIPE, DSO_ID_WAITING,
		"pipe:[5]", 200);
	look_of(&s, 31, DSO_ID_FIRST_FILE + 1, "", LOCATION_WAITING + WAIT_NETWORK, DSO_ID_WAITING,
		"socket:[7]", 400);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.events = events;
	s.src.shown_event = 1;
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_string_equal(row_named(&s, "db", "")->waits_in, "f2");
	assert_string_equal(row_named(&s, "db", "")->on, "mutex 0x7f10");
	scene_close(&s);
}

/* What all of a program's waits go through says nothing: who called it does. */
static void
a_programs_own_way_to_wait_is_passed_over(void **state)
{
	static const char *const names[] = { "XactLockTableWait", "ProcSleep", "WaitLatch",
					     "WaitEventSetWait" };
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true } };
	const struct {
		const char *functions, *want;
	} stacks[] = {
		{ "0123", "XactLockTableWait" },
		{ "03", "XactLockTableWait" },
		{ "123", "ProcSleep" }, /* none has another one: the outermost */
		{ "3", "WaitEventSetWait" },
		{ "043", "XactLockTableWait" }, /* between them is one without a name */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		struct scene s;

		uint32_t program;

		scene_open(&s);
		program = dsos_file(&s.b.model->dsos, "/usr/bin/postgres", 8, 1, 50, 0);
		locations_learn_image(&s.b.locations, program,
				      make_named_image(names, ARRAY_SIZE(names), 256), "", "");
		look_in(&s, program, stacks[i].functions, LOCATION_WAITING + WAIT_NETWORK, DSO_ID_WAITING, "", 9);
		bench_interval(&s.b, NSEC_PER_SEC);
		s.src.events = events;
		s.src.shown_event = 1;
		ask_view(&s, VIEW_PROCESSES);
		report(&s);
		assert_non_null(row_named(&s, "db", ""));
		assert_string_equal(row_named(&s, "db", "")->waits_in, stacks[i].want);
		scene_close(&s);
	}
}

static void
ways_to_wait_are_known_by_name(void **state)
{
	static const struct {
		const char *name;
		bool is_one;
	} names[] = {
		{ "WaitEventSetWaitBlock.isra.0", true },
		{ "LockAcquireExtended", true },
		{ "secure_read", false },
		{ "ngx_process_events_and_timers", true },
		{ "ngx_worker_process_cycle", false },
		{ "aeProcessEvents.part.0", true },
		{ "aeMain", false },
		{ "uv__io_poll", true },
		{ "PyThread_acquire_lock_timed", true },
		{ "lock_PyThread_acquire_lock", false },
		{ "os::PlatformEvent::park()", true },
		{ "_ZN2os13PlatformEvent4parkEv", true },
		{ "Monitor::wait(unsigned long)", true },
		{ "HealthMonitor::await()", false },
		{ "poll_once(Monitor&, wait_policy)", false },
		{ "void java.util.concurrent.locks.LockSupport.park(java.lang.Object)", true },
		{ "ObjectMonitor::EnterI(JavaThread*)", false },
		{ "runtime.futexsleep", true },
		{ "runtime.notetsleep_internal", true },
		{ "runtime.stopm", false },
		{ "internal/runtime/syscall.Syscall6", true },
		{ "main.main", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (wait_wrapper_is(names[i].name) != names[i].is_one)
			fail_msg("%s", names[i].name);
}

/* Innermost, of a kind of its own; what runs is as it is. */
static void
in_trees_a_wait_is_told_from_what_runs(void **state)
{
	struct scene s;
	size_t waits = 0;

	(void)state;
	scene_open(&s);
	look_below(&s, "01", LOCATION_WAITING + WAIT_PIPE, DSO_ID_WAITING, "", 300);
	look_below(&s, "01", LOCATION_WAITING + WAIT_QUEUE, DSO_ID_WAITING, "", 100);
	look_below(&s, "0", locations_find(&s.b.locations, DSO_ID_FIRST_FILE + 1, 0x100),
		   DSO_ID_FIRST_FILE + 1, "", 200);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.shown_event = 1;
	ask_view(&s, VIEW_FLAME);
	report(&s);
	for (uint32_t i = 0; i < s.snap->node_count; i++) {
		const struct snapshot_node *n = &s.snap->nodes[i];

		assert_int_equal(n->kind == NODE_WAITS, *n->name == '[');
		if (n->kind != NODE_WAITS)
			continue;
		waits++;
		assert_int_equal(n->end, i + 1);
		assert_string_equal(s.snap->nodes[n->parent].name, "f1");
	}
	assert_int_equal(waits, 2);
	/* As wide as all its time. */
	assert_int_equal(s.snap->nodes[0].total.period, 600);
	scene_close(&s);
}

/* A look at that thread of db in f@fn, whose stack is told as the process's; @on: what it waits for, "": not known. */
static void
look_without_tree_on(struct scene *s, int tid, enum wait_kind kind, int fn, const char *on, uint64_t period)
{
	struct tables *t = &s->b.profile->tables;
	uint32_t at = locations_find(&s->b.locations, DSO_ID_FIRST_FILE + 1, (uint64_t)fn * 256);
	struct label label = { .waits_at = at, .on = *on != '\0' ? strs_add_str(&s->b.model->strs, on) : 0 };
	struct profile_sample sample = {
		.event = 1, .who = model_who(s->b.model, model_task(s->b.model, 30, tid)),
		.leaf = LOCATION_WAITING + kind, .frame = LOCATION_WAITING + kind,
		.dso = DSO_ID_WAITING, .cpu = UINT32_MAX, .period = period, .label = &label,
	};

	sample.callers = tables_root(t, model_who(s->b.model, model_task(s->b.model, 30, 30)), 1);
	sample.callers = tables_node(t, sample.callers, at);
	profile_add(s->b.profile, &sample);
}

static void
look_without_tree(struct scene *s, int tid, enum wait_kind kind, int fn, uint64_t period)
{
	look_without_tree_on(s, tid, kind, fn, "", period);
}

static const struct row *
row_of(const struct scene *s, int tid)
{
	for (size_t i = 0; i < s->snap->row_count; i++)
		if (s->snap->rows[i].tid == tid)
			return &s->snap->rows[i];
	fail_msg("there is no thread %d", tid);
	return NULL;
}

static const char *
waits_in(const struct scene *s, int tid)
{
	return row_of(s, tid)->waits_in;
}

/* Its stacks are those of its process, which do not tell whose they are. */
static void
a_thread_without_a_tree_says_where_it_waits_too(void **state)
{
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true } };
	struct scene s;

	(void)state;
	scene_open(&s);
	tell_fork(s.b.model, 30, 30, 30, 31, 1);
	tell_fork(s.b.model, 30, 30, 30, 32, 1);
	look_without_tree(&s, 30, WAIT_PIPE, 1, 12);
	look_without_tree(&s, 30, WAIT_PIPE, 3, 11);
	look_without_tree(&s, 31, WAIT_PIPE, 2, 20);
	look_without_tree(&s, 31, WAIT_QUEUE, 1, 100); /* that is no wait */
	look_without_tree(&s, 32, WAIT_PIPE, 3, 11);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.events = events;
	s.src.shown_event = 1;
	ask_view(&s, VIEW_THREADS);
	report(&s);
	assert_string_equal(waits_in(&s, 31), "");
	model_task_at(s.b.model, model_find_task(s.b.model, 30))->has_one_tree = true;
	report(&s);
	assert_string_equal(waits_in(&s, 31), "f2");
	assert_string_equal(waits_in(&s, 32), "f3");
	/* Though its tree has all that others wait in. */
	assert_string_equal(waits_in(&s, 30), "f1");
	/* And for a row of all of them each wait counts once. */
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_string_equal(row_named(&s, "db", "")->waits_in, "f3");
	scene_close(&s);
}

/* What it waits for where it waits longest is told by the same labels; of the process by the kind of wait. */
static void
a_thread_without_a_tree_says_on_what_it_waits_there(void **state)
{
	struct event_facts events[EVENTS] = { [1] = { .is_looks = true } };
	struct scene s;

	(void)state;
	scene_open(&s);
	s.b.profile->labels.want = key_labels(~(key_set)0);
	tell_fork(s.b.model, 30, 30, 30, 31, 1);
	tell_fork(s.b.model, 30, 30, 30, 32, 1);
	model_task_at(s.b.model, model_find_task(s.b.model, 30))->has_one_tree = true;
	look_without_tree_on(&s, 31, WAIT_NETWORK, 1, "socket:[1]", 100); /* longer than any below */
	look_without_tree_on(&s, 31, WAIT_PIPE, 2, "pipe:[5]", 60);
	look_without_tree_on(&s, 31, WAIT_PIPE, 2, "pipe:[6]", 70);
	look_without_tree_on(&s, 32, WAIT_PIPE, 3, "pipe:[7]", 90);
	bench_interval(&s.b, NSEC_PER_SEC);
	s.src.events = events;
	s.src.shown_event = 1;
	ask_view(&s, VIEW_THREADS);
	report(&s);
	assert_string_equal(waits_in(&s, 31), "f2");
	assert_string_equal(row_of(&s, 31)->on, "pipe:[6]");
	assert_string_equal(waits_in(&s, 32), "f3");
	assert_string_equal(row_of(&s, 32)->on, "pipe:[7]");
	ask_view(&s, VIEW_PROCESSES);
	report(&s);
	assert_string_equal(row_named(&s, "db", "")->waits_in, "f2");
	assert_string_equal(row_named(&s, "db", "")->on, "pipe:[7]");
	look_without_tree_on(&s, 31, WAIT_SLEEP, 2, "", 200);
	bench_interval(&s.b, 2 * NSEC_PER_SEC);
	ask_view(&s, VIEW_THREADS);
	report(&s);
	assert_string_equal(waits_in(&s, 31), "f2");
	assert_string_equal(row_of(&s, 31)->on, "");
	scene_close(&s);
}

/* The thread 30 waits in f@fn for a lock that the thread 20 holds. */
static void
wait_for_lock_in(struct scene *s, int fn, char owner_state, uint64_t period)
{
	const struct label label = {
		.on = strs_add_str(&s->b.model->strs, "mutex 0x7f20 held by 20"),
		.owner_state = owner_state,
		.waits_at = locations_find(&s->b.locations, DSO_ID_FIRST_FILE + 1,
					   (uint64_t)fn * 256),
	};

	s->b.profile->labels.want = key_labels(~(key_set)0);
	profile_add(s->b.profile, &(struct profile_sample){
		.who = model_who(s->b.model, model_find_task(s->b.model, 30)), .period = period,
		.dso = DSO_ID_WAITING, .offset = WAIT_LOCK, .label = &label,
		.leaf = LOCATION_WAITING + WAIT_LOCK, .frame = LOCATION_WAITING + WAIT_LOCK });
}

/* Its holder ran for some of that, and waited for the rest: it is one waiter, and one place. */
static void
a_lock_says_where_it_is_waited_for_longest(void **state)
{
	const struct row *row;
	struct scene s;

	(void)state;
	scene_open(&s);
	wait_for_lock_in(&s, 2, 'R', 30);
	wait_for_lock_in(&s, 1, 'R', 20);
	wait_for_lock_in(&s, 1, 'S', 25);
	bench_interval(&s.b, NSEC_PER_SEC);
	ask_view(&s, VIEW_LOCKS);
	report(&s);
	assert_int_equal(s.snap->row_count, 1);
	row = &s.snap->rows[0];
	assert_int_equal(row->waiters, 1);
	assert_int_equal(row->waiting, 1);
	assert_string_equal(row->waits_in, "f1");
	assert_int_equal(row->owner, 20);
	assert_int_equal(row->held, 100);
	scene_close(&s);
}

static void
wait_with_label(struct scene *s, int pid, int tid, const struct label *label, uint64_t period)
{
	s->b.profile->labels.want = key_labels(~(key_set)0);
	profile_add(s->b.profile, &(struct profile_sample){
		.who = model_who(s->b.model, model_task(s->b.model, pid, tid)), .period = period,
		.dso = DSO_ID_WAITING, .offset = WAIT_LOCK, .label = label,
		.leaf = LOCATION_WAITING + WAIT_LOCK, .frame = LOCATION_WAITING + WAIT_LOCK });
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

	wait_with_label(s, pid, tid, &label, period);
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

/* Before the view was opened nobody looked for holders. */
static void
a_holder_has_a_share_of_the_time_that_it_was_looked_for(void **state)
{
	struct label label = { .is_unheld = true };
	struct scene s;

	(void)state;
	scene_open(&s);
	wait_for_lock(&s, 20, 20, "mutex 0x7f10", 0, -1, 700);
	wait_for_lock(&s, 20, 20, "mutex 0x7f10 held by 21", 'R', -1, 30);
	bench_interval(&s.b, NSEC_PER_SEC);
	ask_view(&s, VIEW_LOCKS);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->held, 100);
	assert_false(lock_row(&s, 20, "0x7f10")->flags & ROW_HELD_ROUGHLY);
	label.on = strs_add_str(&s.b.model->strs, "mutex 0x7f10");
	wait_with_label(&s, 20, 20, &label, 10);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->held, 75);
	assert_true(lock_row(&s, 20, "0x7f10")->flags & ROW_HELD_ROUGHLY);
	/* Many looks are sure. */
	for (unsigned i = 0; i < 10; i++) {
		wait_with_label(&s, 20, 20, &label, 10);
		wait_for_lock(&s, 20, 20, "mutex 0x7f10 held by 21", 'R', -1, 30);
	}
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->held, 75);
	assert_false(lock_row(&s, 20, "0x7f10")->flags & ROW_HELD_ROUGHLY);
	scene_close(&s);
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
	/* A frozen screen has who waited then. */
	profile_set_frozen(s.b.profile, true);
	bench_interval(&s.b, NSEC_PER_SEC);
	wait_for_lock(&s, 20, 20, "mutex 0x7f30", 0, -1, NSEC_PER_SEC);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 1);
	profile_set_frozen(s.b.profile, false);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 0);
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

/* Of two that wait for each other looks tell on two tries of three: on a busy machine they are late. */
static void
a_deadlock_lasts_until_its_threads_are_seen_elsewhere(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_LOCKS);
	for (unsigned i = 0; i < 12; i++) {
		if (i % 3 != 2) {
			wait_for_lock(&s, 20, 20, "mutex 0x7f10 held by 21", 'S', 2, 700 * NSEC_PER_MSEC);
			wait_for_lock(&s, 20, 21, "mutex 0x7f30 held by 20", 'S', 3, 700 * NSEC_PER_MSEC);
		}
		bench_interval(&s.b, 500 * NSEC_PER_MSEC);
		if (i < 1)
			continue;
		report(&s);
		assert_true(lock_row(&s, 20, "0x7f10")->flags & ROW_DEADLOCK);
		assert_string_equal(lock_row(&s, 20, "0x7f30")->does, "deadlock with 21 worker");
		assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 1);
		assert_int_equal(lock_row(&s, 20, "0x7f30")->waiting, 1);
	}
	/* One of them was given up. */
	wait_for_lock(&s, 20, 21, "rwlock 0x7f40", 0, -1, NSEC_PER_SEC / 2);
	bench_interval(&s.b, NSEC_PER_SEC / 2);
	report(&s);
	assert_false(lock_row(&s, 20, "0x7f10")->flags & ROW_DEADLOCK);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 1);
	assert_int_equal(lock_row(&s, 20, "0x7f30")->waiting, 0);
	/* Of the other nothing is told any more. */
	for (unsigned i = 0; i < 12; i++) {
		wait_for_lock(&s, 20, 21, "rwlock 0x7f40", 0, -1, NSEC_PER_SEC / 2);
		bench_interval(&s.b, NSEC_PER_SEC / 2);
	}
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 0);
	scene_close(&s);
}

/* Looks that come late give all the time between them to the lock that both take in turn. */
static void
who_runs_between_looks_is_in_no_deadlock(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_LOCKS);
	for (int i = 0; i < 2; i++) {
		const struct label label = {
			.on = strs_add_str(&s.b.model->strs, i == 0 ? "mutex 0x7f10 held by 21"
								    : "mutex 0x7f10 held by 20"),
			.owner_state = 'S', .has_run = true,
		};

		wait_with_label(&s, 20, 20 + i, &label, 4 * NSEC_PER_SEC);
	}
	bench_interval(&s.b, 4 * NSEC_PER_SEC);
	report(&s);
	assert_null(strstr(lock_row(&s, 20, "0x7f10")->does, "deadlock"));
	assert_false(lock_row(&s, 20, "0x7f10")->flags & ROW_DEADLOCK);
	/* Nor is it one beside what they do else. */
	wait_for_lock(&s, 20, 20, "mutex 0x7f10 held by 21", 'S', 2, NSEC_PER_SEC / 2);
	wait_for_lock(&s, 20, 21, "mutex 0x7f10 held by 20", 'S', 3, NSEC_PER_SEC / 2);
	bench_interval(&s.b, NSEC_PER_SEC / 2);
	report(&s);
	assert_false(lock_row(&s, 20, "0x7f10")->flags & ROW_DEADLOCK);
	scene_close(&s);
}

/* It was told of by its wait, which is what it did before. */
static void
who_has_a_lock_does_not_wait_for_it_any_more(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_LOCKS);
	wait_for_lock(&s, 20, 21, "mutex 0x7f10 held by 20", 'S', -1, 30);
	wait_for_lock(&s, 20, 20, "mutex 0x7f10 held by 21", 'S', -1, 20);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->owner, 20);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiters, 2);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 1);
	scene_close(&s);
}

static void
who_has_ended_does_not_wait_for_a_lock(void **state)
{
	struct scene s;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_LOCKS);
	wait_for_lock(&s, 20, 20, "mutex 0x7f10", 0, -1, 30);
	wait_for_lock(&s, 20, 21, "mutex 0x7f10", 0, -1, 20);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 2);
	model_end_task(s.b.model, model_task(s.b.model, 20, 21), NSEC_PER_SEC);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 1);
	scene_close(&s);
}

static void
who_was_seen_elsewhere_since_does_not_wait_for_a_lock(void **state)
{
	const struct label none = { 0 };
	struct scene s;
	struct label label;

	(void)state;
	scene_open(&s);
	ask_view(&s, VIEW_LOCKS);
	wait_for_lock(&s, 20, 20, "mutex 0x7f10", 0, -1, 90);
	wait_for_lock(&s, 20, 20, "rwlock 0x7f40", 0, -1, 20);
	wait_for_lock(&s, 20, 21, "rwlock 0x7f40", 0, -1, 20);
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f10")->waiting, 0);
	assert_int_equal(lock_row(&s, 20, "0x7f40")->waiting, 2);
	/* One sleeps after that; what is told of the run queue is no state. */
	for (size_t i = 0; i < 2; i++) {
		const enum wait_kind kinds[] = { WAIT_QUEUE, WAIT_SLEEP };

		wait_for_lock(&s, 20, 20, "rwlock 0x7f40", 0, -1, 20);
		profile_add(s.b.profile, &(struct profile_sample){
			.who = model_who(s.b.model, model_task(s.b.model, 20, 20)), .period = 1,
			.dso = DSO_ID_WAITING, .offset = kinds[i], .label = &none,
			.leaf = LOCATION_WAITING + kinds[i] });
		bench_interval(&s.b, NSEC_PER_SEC);
		report(&s);
		assert_int_equal(lock_row(&s, 20, "0x7f40")->waiting, 1 - i);
	}
	/* Or it is known that the wait was over. */
	label = (struct label){ .on = strs_add_str(&s.b.model->strs, "rwlock 0x7f40") };
	profile_add(s.b.profile, &(struct profile_sample){
		.who = model_who(s.b.model, model_task(s.b.model, 20, 20)), .period = 9,
		.dso = DSO_ID_WAITING, .offset = WAIT_LOCK, .label = &label, .is_over = true,
		.leaf = LOCATION_WAITING + WAIT_LOCK, .frame = LOCATION_WAITING + WAIT_LOCK });
	bench_interval(&s.b, NSEC_PER_SEC);
	report(&s);
	assert_int_equal(lock_row(&s, 20, "0x7f40")->waiting, 0);
	scene_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_for_work_is_idle_and_every_wait_has_its_state),
		cmocka_unit_test(what_is_idle_is_a_part_of_all_where_it_is_not_shown),
		cmocka_unit_test(a_thread_that_waits_says_for_how_long_in_what_and_on_what),
		cmocka_unit_test(who_sleeps_is_not_said_to_wait_for_a_lock_of_the_same_function),
		cmocka_unit_test(a_process_has_what_is_waited_for_where_it_waits_longest),
		cmocka_unit_test(a_wait_whose_stack_leads_to_no_function_says_on_what_it_is),
		cmocka_unit_test(a_wait_without_a_function_is_of_who_waits_where_most_is_waited),
		cmocka_unit_test(a_programs_own_way_to_wait_is_passed_over),
		cmocka_unit_test(ways_to_wait_are_known_by_name),
		cmocka_unit_test(in_trees_a_wait_is_told_from_what_runs),
		cmocka_unit_test(a_thread_without_a_tree_says_where_it_waits_too),
		cmocka_unit_test(a_thread_without_a_tree_says_on_what_it_waits_there),
		cmocka_unit_test(a_lock_says_where_it_is_waited_for_longest),
		cmocka_unit_test(a_holder_has_a_share_of_the_time_that_it_was_looked_for),
		cmocka_unit_test(a_lock_says_who_holds_it_and_what_that_thread_does),
		cmocka_unit_test(a_deadlock_lasts_until_its_threads_are_seen_elsewhere),
		cmocka_unit_test(who_runs_between_looks_is_in_no_deadlock),
		cmocka_unit_test(who_has_a_lock_does_not_wait_for_it_any_more),
		cmocka_unit_test(who_has_ended_does_not_wait_for_a_lock),
		cmocka_unit_test(who_was_seen_elsewhere_since_does_not_wait_for_a_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
