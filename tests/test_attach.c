/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that come to and go from what is sampled, while it is: on the real kernel, where every
 * CPU is sampled and where each task has events of its own.  It takes more than half a minute: that
 * nothing more comes can only be seen by waiting, and races are looked for a thousand times.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/config.h"
#include "engine/engine.h"
#include "base/clock.h"
#include "base/file.h"
#include "profile/count/profile.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"

enum { LOADS_MAX = 4, PATIENCE_MS = 60000, NO_PID = 4198546, ROUNDS = 1000, NOBODY = 65534 };

/* A process that is sampled again and again, and does what it is told in memory that it shares with the test. */
struct load {
	int pid;
	volatile struct orders {
		bool fork, begin_thread, end_thread, becomes_nobody, executes;
		int child, thread; /* 0: not there */
	} *orders;
};

struct fixture {
	struct config config;
	struct query query;
	struct queue *answers;
	struct engine *engine;
	struct load loads[LOADS_MAX];
	struct snapshot *snap; /* the newest */
	char status[2048];     /* all since it was emptied */
	const char *event;     /* what is sampled; NULL: cpu-clock */
	const char *delay;     /* NULL: 0.2 */
	bool is_error;         /* one of them is */
};

static void
burn(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

/* A quarter of a CPU: others want to run, too. */
static void
burn_and_rest(void)
{
	burn();
	usleep(500);
}

/* Of the thread alone, and again and again: a probe may be set after it began. */
static __attribute__((noinline)) void
burn_a_moment(void)
{
	const uint64_t end = clock_mono_ns() + 10 * NSEC_PER_MSEC;

	while (clock_mono_ns() < end)
		burn();
}

static void *
burn_in_thread(void *arg)
{
	volatile struct orders *o = arg;

	o->thread = gettid();
	while (!o->end_thread) {
		burn_a_moment();
		usleep(20000);
	}
	o->thread = 0;
	return NULL;
}

static void
become_nobody(volatile struct orders *o)
{
	int parent = getppid();

	o->becomes_nobody = false;
	if (setuid(NOBODY) < 0)
		_exit(1);
	run_end_with(parent);
	if (o->executes)
		execl("/bin/sh", "sh", "-c", "while :; do :; done", (char *)NULL);
}

static void
burn_as_told(volatile struct orders *o)
{
	pthread_t thread;

	for (;; burn_and_rest()) {
		if (o->fork) {
			int pid = run_fork();

			if (pid == 0) {
				for (;;)
					burn_and_rest();
			}
			o->fork = false;
			o->child = pid;
		}
		if (o->begin_thread) {
			o->begin_thread = false;
			pthread_create(&thread, NULL, burn_in_thread, (void *)(uintptr_t)o);
		}
		if (o->becomes_nobody)
			become_nobody(o);
	}
}

static struct load *
begin_load(struct fixture *f)
{
	struct load *load = f->loads;

	while (load->pid != 0)
		load++;
	load->orders = mmap(NULL, sizeof(*load->orders), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(load->orders != MAP_FAILED);
	load->pid = run_fork();
	if (load->pid == 0) {
		burn_as_told(load->orders);
	}
	return load;
}

static void
end_load(struct load *load)
{
	if (load->pid == 0)
		return;
	kill(load->pid, SIGKILL);
	waitpid(load->pid, NULL, 0);
	munmap((void *)(uintptr_t)load->orders, sizeof(*load->orders));
	*load = (struct load){ 0 };
}

static int
setup(void **state)
{
	*state = mem_calloc(1, sizeof(struct fixture));
	return 0;
}

static void
take(struct fixture *f, struct msg *m)
{
	if (m->type == ENGINE_MSG_STATUS) {
		const struct engine_text_msg *t = (const struct engine_text_msg *)m;

		snprintf(f->status + strlen(f->status), sizeof(f->status) - strlen(f->status),
			 "%s\n", t->text);
		f->is_error |= t->is_error;
	} else if (m->type == ENGINE_MSG_SNAPSHOT) {
		snapshot_put(f->snap);
		f->snap = snapshot_get(((struct engine_snapshot_msg *)m)->snapshot);
	}
	msg_free(m);
}

static void
run_ms(struct fixture *f, unsigned ms)
{
	uint64_t end = clock_mono_ns() + ms * NSEC_PER_MSEC, now;

	while ((now = clock_mono_ns()) < end) {
		struct msg *m = queue_wait(f->answers, (int)((end - now) / NSEC_PER_MSEC) + 1);

		if (m != NULL)
			take(f, m);
	}
}

static int
teardown(void **state)
{
	struct fixture *f = *state;
	struct msg *m;

	if (f->engine != NULL) {
		while ((m = queue_take(f->answers)) != NULL)
			msg_free(m);
		snapshot_put(f->snap);
		engine_stop(f->engine, NULL);
		while ((m = queue_take(f->answers)) != NULL)
			msg_free(m);
		queue_free(f->answers);
		config_release(&f->config);
	}
	for (int i = 0; i < LOADS_MAX; i++)
		end_load(&f->loads[i]);
	free(f);
	return 0;
}

/* ptop with an option that says what is sampled; NULL: everything. */
static void
begin(struct fixture *f, const char *option, const char *value)
{
	/* The flight recorder fills up by itself: that is no leak. */
	const char *event = f->event != NULL ? f->event : "cpu-clock";
	const char *delay = f->delay != NULL ? f->delay : "0.2";
	char *argv[] = { "ptop", "-d", (char *)(uintptr_t)delay, "-e", (char *)(uintptr_t)event, "--history", "0",
			 "--force-probe", (char *)(uintptr_t)option, (char *)(uintptr_t)value, NULL };
	struct err err = { 0 };

	need_root();
	if (config_parse(&f->config, option != NULL ? 10 : 8, argv, &err) < 0)
		fail_msg("%s", err.text);
	f->config.batch = false; /* the tests' output is no terminal */
	f->config.engine.is_watched = true;
	config_query(&f->config, &f->query);
	f->query.view = VIEW_PROCESSES;
	f->query.by_view = true;
	f->query.all_events = false;
	f->query.window_ns = WINDOW_ALL;
	f->answers = queue_new();
	f->engine = engine_start(&f->config.engine, &f->query, f->answers, &err);
	if (f->engine == NULL)
		fail_msg("%s", err.text);
	run_ms(f, 300);
}

/* Every CPU is sampled, and what is not a target is dropped: nobody has no processes. */
static void
begin_system(struct fixture *f)
{
	begin(f, "-u", "65534");
}

/* Each task has events of its own. */
static void
begin_tasks(struct fixture *f)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", begin_load(f)->pid);
	begin(f, "-p", pid);
}

static void (*const begins[])(struct fixture *f) = { begin_system, begin_tasks };

static uint64_t
samples_of(const struct fixture *f, int pid)
{
	uint64_t sum = 0;

	for (size_t i = 0; f->snap != NULL && i < f->snap->row_count; i++)
		if (f->snap->rows[i].pid == pid)
			sum += f->snap->rows[i].samples;
	return sum;
}

static bool
is_sampled_soon(struct fixture *f, int pid)
{
	uint64_t before = samples_of(f, pid);

	for (int ms = 0; ms < PATIENCE_MS; ms += 50) {
		run_ms(f, 50);
		if (samples_of(f, pid) > before)
			return true;
	}
	return false;
}

static void
forget_status(struct fixture *f)
{
	f->status[0] = '\0';
	f->is_error = false;
}

static void
says(struct fixture *f, const char *text)
{
	uint64_t end = clock_mono_ns() + PATIENCE_MS * NSEC_PER_MSEC;

	while (strstr(f->status, text) == NULL && clock_mono_ns() < end)
		run_ms(f, 1); /* a thousand rounds would be long if it did not end with the answer */
	if (strstr(f->status, text) == NULL)
		fail_msg("'%s' does not say '%s'", f->status, text);
}

static void
attach(struct fixture *f, int pid, bool descendants)
{
	forget_status(f);
	engine_attach(f->engine, pid, descendants);
	says(f, "is attached, with");
}

static void
detach(struct fixture *f, int pid)
{
	forget_status(f);
	engine_detach(f->engine, pid);
	says(f, "is detached");
}

static int
wait_until_set(const volatile int *value)
{
	for (int ms = 0; ms < PATIENCE_MS && *value == 0; ms += 10)
		usleep(10000);
	assert_int_not_equal(*value, 0);
	return *value;
}

/* Nothing is added to what each of them has by now. */
static void
assert_silent(struct fixture *f, const int *pids, size_t count, unsigned ms)
{
	uint64_t before[8];

	assert_that(count, <=, 8);
	run_ms(f, 400); /* a snapshot that is newer than the detaching */
	for (size_t i = 0; i < count; i++)
		before[i] = samples_of(f, pids[i]);
	run_ms(f, ms);
	for (size_t i = 0; i < count; i++) {
		assert_that(before[i], >, 0);
		assert_int_equal(samples_of(f, pids[i]), before[i]);
	}
}

static void
a_process_is_added_and_taken_out_with_what_it_starts(void **state)
{
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct fixture *f = *state;
		struct load *load;
		uint64_t start;
		int pids[2];

		begins[i](f);
		load = begin_load(f);
		pids[0] = load->pid;
		load->orders->fork = true;
		pids[1] = wait_until_set(&load->orders->child);
		run_ms(f, 500);
		assert_int_equal(samples_of(f, pids[0]), 0);
		start = clock_mono_ns();
		attach(f, pids[0], true);
		/* The child that was there, and one that comes later. */
		assert_true(is_sampled_soon(f, pids[0]));
		assert_that(clock_mono_ns() - start, <, 10 * NSEC_PER_SEC);
		assert_true(is_sampled_soon(f, pids[1]));
		load->orders->child = 0;
		load->orders->fork = true;
		kill(pids[1], SIGKILL);
		pids[1] = wait_until_set(&load->orders->child);
		assert_true(is_sampled_soon(f, pids[1]));
		detach(f, pids[0]);
		assert_silent(f, pids, 2, 1000);
		/* And once more: it is the same process. */
		attach(f, pids[0], true);
		assert_true(is_sampled_soon(f, pids[0]));
		teardown(state);
		setup(state);
	}
}

static void
without_descendants_only_threads_are_followed(void **state)
{
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct fixture *f = *state;
		struct load *load;
		int child, thread;
		uint64_t before;

		begins[i](f);
		load = begin_load(f);
		attach(f, load->pid, false);
		load->orders->fork = true;
		child = wait_until_set(&load->orders->child);
		assert_true(is_sampled_soon(f, load->pid));
		load->orders->begin_thread = true;
		thread = wait_until_set(&load->orders->thread);
		f->query.by_view = false;
		f->query.keys[0] = KEY_PID;
		f->query.keys[1] = KEY_TID;
		f->query.key_count = 2;
		engine_query(f->engine, &f->query);
		run_ms(f, 1000);
		before = 0;
		for (size_t r = 0; r < f->snap->row_count; r++) {
			assert_int_not_equal(f->snap->rows[r].pid, child);
			if (f->snap->rows[r].tid == thread)
				before = f->snap->rows[r].samples;
		}
		assert_that(before, >, 0);
		/* A thread that ends leaves its counts. */
		load->orders->end_thread = true;
		run_ms(f, 1500);
		for (size_t r = 0; r < f->snap->row_count; r++)
			if (f->snap->rows[r].tid == thread && f->snap->rows[r].samples >= before)
				before = 0;
		assert_int_equal(before, 0);
		teardown(state);
		setup(state);
	}
}

/* As a login does, which executes a shell, and a daemon, which does not; by whatever samples of it. */
static void
a_process_that_becomes_the_users_is_sampled_soon(void **state)
{
	/* The picture comes each two seconds; lists of processes are asked anew for owners each sixteen. */
	enum { SOON_S = 10 };
	static const struct {
		const char *event;
		bool executes;
	} ways[] = {
		{ "cpu-clock", false }, { "cpu-clock", true }, { "off-cpu/exact/", false },
		{ "{cpu-clock,page-faults}:S", false },
	};

	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct fixture *f = *state;
		struct load *load;

		f->delay = "2";
		f->event = ways[i].event;
		begin_system(f);
		load = begin_load(f);
		run_ms(f, 4500); /* lists of processes tell that it is root's */
		assert_int_equal(samples_of(f, load->pid), 0);
		load->orders->executes = ways[i].executes;
		load->orders->becomes_nobody = true;
		/* And it stays so, whatever lists tell that were read before. */
		for (int look = 0; look < 3; look++) {
			uint64_t start = clock_mono_ns();

			assert_true(is_sampled_soon(f, load->pid));
			assert_that(clock_mono_ns() - start, <, SOON_S * NSEC_PER_SEC);
		}
		teardown(state);
		setup(state);
	}
}

/*
 * Of a process that began a moment ago no list of processes tells yet, and a probe may not be hit
 * for long: neither means that it has ended.
 */
static void
a_young_process_without_samples_has_not_ended(void **state)
{
	char exe[256] = "", event[320], ended[64];

	need_uprobes();
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	snprintf(event, sizeof(event), "uprobe:%s:burn_a_moment", exe);
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct fixture *f = *state;

		f->event = event;
		begins[i](f);
		run_ms(f, 1000);
		for (unsigned round = 0; round < (IS_SANITIZED ? 3 : 6); round++) {
			struct load *load;

			run_ms(f, 34 * round); /* at another moment of the refresh each */
			load = begin_load(f);
			attach(f, load->pid, true);
			run_ms(f, 250);
			load->orders->begin_thread = true;
			assert_true(is_sampled_soon(f, load->pid));
			snprintf(ended, sizeof(ended), "%d test_attach has ended", load->pid);
			if (strstr(f->status, ended) != NULL || f->is_error)
				fail_msg("%s", f->status);
			end_load(load);
		}
		teardown(state);
		setup(state);
	}
}

static void
refuses(struct fixture *f, int attach_pid, int detach_pid, const char *text)
{
	forget_status(f);
	if (attach_pid != 0)
		engine_attach(f->engine, attach_pid, true);
	else
		engine_detach(f->engine, detach_pid);
	says(f, text);
	assert_true(f->is_error);
}

static void
refusals_say_why(void **state)
{
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct fixture *f = *state;
		struct load *load;
		int thread, child, zombie;

		begins[i](f);
		load = begin_load(f);
		load->orders->begin_thread = load->orders->fork = true;
		thread = wait_until_set(&load->orders->thread);
		child = wait_until_set(&load->orders->child);
		zombie = run_fork();
		if (zombie == 0)
			_exit(0);
		usleep(100000);
		refuses(f, NO_PID, 0, "no process 4198546");
		refuses(f, zombie, 0, "has ended");
		waitpid(zombie, NULL, 0);
		refuses(f, thread, 0, "is a thread, of process");
		refuses(f, 0, load->pid, "is not attached");
		attach(f, load->pid, true);
		refuses(f, load->pid, 0, "is attached already");
		refuses(f, child, 0, "is attached already, as a descendant of");
		refuses(f, 0, child, "is not attached itself: it is a descendant of");
		detach(f, load->pid);
		refuses(f, 0, load->pid, "is not attached");
		teardown(state);
		setup(state);
	}
}

static void
where_everything_is_sampled_there_is_nothing_to_add(void **state)
{
	struct fixture *f = *state;

	begin(f, NULL, NULL);
	refuses(f, getpid(), 0, "since every process is");
	refuses(f, 0, getpid(), "every process is sampled");
}

static void
the_last_target_can_go_and_another_come(void **state)
{
	struct fixture *f = *state;
	int pids[1];
	struct load *load;

	begin_tasks(f);
	pids[0] = f->loads[0].pid;
	assert_true(is_sampled_soon(f, pids[0]));
	detach(f, pids[0]);
	assert_silent(f, pids, 1, 500);
	assert_string_equal(f->snap->crumbs[0], "All of nothing: p adds a process");
	/* Another event is opened for nobody; who comes then is sampled by it. */
	forget_status(f);
	engine_switch_event(f->engine, "task-clock");
	run_ms(f, 500);
	assert_false(f->is_error);
	load = begin_load(f);
	attach(f, load->pid, true);
	assert_true(is_sampled_soon(f, load->pid));
	assert_string_equal(f->snap->head.event, "task-clock");
	assert_non_null(strstr(f->snap->crumbs[0], "All of "));
}

static void
descendants_of_one_that_ended_can_be_detached(void **state)
{
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct fixture *f = *state;
		int middle, pids[1], pipe_fds[2], go_fds[2];
		char go = 0;

		begins[i](f);
		assert_int_equal(pipe(pipe_fds), 0);
		assert_int_equal(pipe(go_fds), 0);
		middle = run_fork();
		if (middle == 0) {
			if (read(go_fds[0], &go, 1) != 1)
				_exit(1);
			pids[0] = fork();
			if (pids[0] == 0) {
				alarm(60);
				for (;;)
					burn();
			}
			_exit(write(pipe_fds[1], pids, sizeof(pids)) != sizeof(pids));
		}
		attach(f, middle, true);
		assert_int_equal(write(go_fds[1], &go, 1), 1);
		assert_int_equal(read(pipe_fds[0], pids, sizeof(pids)), sizeof(pids));
		waitpid(middle, NULL, 0);
		assert_true(is_sampled_soon(f, pids[0]));
		forget_status(f);
		engine_detach(f->engine, pids[0]);
		says(f, "the descendants of");
		assert_silent(f, pids, 1, 500);
		kill(pids[0], SIGKILL);
		for (int k = 0; k < 2; k++) {
			close(pipe_fds[k]);
			close(go_fds[k]);
		}
		teardown(state);
		setup(state);
	}
}

static long
resident_kib(void)
{
	struct buf b = { 0 };
	long kib = -1;
	const char *line;

	if (file_read("/proc/self/status", &b, 64 << 10) == 0 &&
	    (line = strstr(buf_str(&b), "\nVmRSS:")) != NULL)
		kib = strtol(line + strlen("\nVmRSS:"), NULL, 10);
	buf_release(&b);
	return kib;
}

static void
go_round(struct fixture *f, int pid, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		attach(f, pid, true);
		detach(f, pid);
	}
}

static void
a_thousand_rounds_leak_nothing(void **state)
{
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct fixture *f = *state;
		/* The second way to begin differs in little, and a sanitizer sees each leak. */
		int rounds = i == 0 && !IS_SANITIZED ? ROUNDS : ROUNDS / 5;
		struct load *load;
		int events;
		long kib;

		begins[i](f);
		load = begin_load(f);
		go_round(f, load->pid, ROUNDS / 5);
		run_ms(f, 500);
		events = run_count_events(getpid());
		kib = resident_kib();
		go_round(f, load->pid, rounds);
		for (int ms = 0; ms < PATIENCE_MS && run_count_events(getpid()) > events; ms += 50)
			run_ms(f, 50);
		assert_that(run_count_events(getpid()), <=, events);
		/* Samples are taken all the while: their stacks and intervals need room. */
		assert_true(IS_SANITIZED || (kib > 0 && resident_kib() - kib < 4096));
		teardown(state);
		setup(state);
	}
}

#define ATTACH_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		ATTACH_TEST(a_process_is_added_and_taken_out_with_what_it_starts),
		ATTACH_TEST(without_descendants_only_threads_are_followed),
		ATTACH_TEST(a_process_that_becomes_the_users_is_sampled_soon),
		ATTACH_TEST(a_young_process_without_samples_has_not_ended),
		ATTACH_TEST(refusals_say_why),
		ATTACH_TEST(where_everything_is_sampled_there_is_nothing_to_add),
		ATTACH_TEST(the_last_target_can_go_and_another_come),
		ATTACH_TEST(descendants_of_one_that_ended_can_be_detached),
		ATTACH_TEST(a_thousand_rounds_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
