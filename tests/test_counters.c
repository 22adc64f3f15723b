/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters on the real kernel: exact counts, followed threads, and what perf stat says. */
#include "live/count/counting.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <config.h>

#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { GETPID, CLOCK, FAULTS, EVENTS, SOON_MS = 60000, TRIES = 5 };

/* A load that is told what to do, and counters of it. */
struct fixture {
	struct event_env env;
	struct event_list events;
	struct err err;
	int pid, to, from;
	struct counters *counters;
	struct counter_value values[EVENTS];
};

static void
start_load(struct fixture *f)
{
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	f->pid = run_fork();
	if (f->pid == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execl(run_load_path("counted"), "counted", "steps", (char *)NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	f->to = in[1];
	f->from = out[0];
}

/* Has the load do what each letter says. */
static void
steps(const struct fixture *f, const char *letters)
{
	char dot;

	for (; *letters != '\0'; letters++) {
		assert_int_equal(write(f->to, letters, 1), 1);
		assert_int_equal(read(f->from, &dot, 1), 1);
	}
}

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct err err = { 0 };

	*state = f;
	event_env_open(&f->env);
	if (event_parse(&f->env, "syscalls:sys_enter_getpid,task-clock,page-faults", &f->events,
			&err) < 0)
		f->events.len = 0;
	f->err = err;
	start_load(f);
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	counters_close(f->counters);
	close(f->to);
	close(f->from);
	run_end(f->pid);
	event_list_release(&f->events);
	event_env_close(&f->env);
	free(f);
	return 0;
}

static void
need_tracepoints(const struct fixture *f)
{
	if (f->events.len == 0 || geteuid() != 0)
		skip_for("tracepoints need root and tracefs: %s", f->err.text);
}

/* The counts are in f->values, and all of them known. */
static void
read_all(struct fixture *f)
{
	bool is_scaled;
	uint64_t n;

	counters_read(f->counters, f->values);
	for (int i = 0; i < EVENTS; i++) {
		assert_true(counter_between(NULL, &f->values[i], &n, &is_scaled));
		assert_false(is_scaled);
	}
}

static void
count_target(struct fixture *f, struct counter_target target)
{
	f->counters = counters_open(NULL, &f->env, &target, f->events.items, f->events.len,
				    &f->err);
	if (f->counters == NULL)
		fail_msg("%s", f->err.text);
	for (size_t i = 0; i < f->events.len; i++)
		assert_string_equal(counter_why(f->counters, i), "");
}

static void
assert_getpids(struct fixture *f, uint64_t n)
{
	read_all(f);
	assert_int_equal(f->values[GETPID].raw, n);
}

static void
threads_of_a_process_are_followed_and_leave_their_counts(void **state)
{
	struct fixture *f = *state;

	need_tracepoints(f);
	steps(f, "mss");
	count_target(f, (struct counter_target){ .pid = f->pid });
	assert_getpids(f, 0);
	steps(f, "m");
	assert_getpids(f, 10);
	steps(f, "t");
	assert_getpids(f, 110);
	steps(f, "s");
	assert_getpids(f, 1110);
	steps(f, "x"); /* two that were there before, and one that came */
	assert_getpids(f, 1125);
	steps(f, "c"); /* not a thread of this process */
	assert_getpids(f, 1125);
	assert_that(f->values[CLOCK].raw, >, 0);
}

static void
children_of_a_process_are_counted_if_asked_for(void **state)
{
	struct fixture *f = *state;

	need_tracepoints(f);
	steps(f, "s");
	count_target(f, (struct counter_target){ .pid = f->pid, .with_children = true });
	steps(f, "ctm");
	assert_getpids(f, 140);
}

static void
a_thread_is_counted_alone(void **state)
{
	struct fixture *f = *state;

	need_tracepoints(f);
	count_target(f, (struct counter_target){ .tid = f->pid });
	steps(f, "mtscm");
	assert_getpids(f, 20);
}

/* A child, a thread and one of nobody are named with the process. */
static void
each_task_of_several_is_counted_once(void **state)
{
	struct fixture *f = *state;
	const struct counter_task besides[] = { { .pid = 1 << 22 }, { .tid = f->pid } };

	need_tracepoints(f);
	steps(f, "s");
	count_target(f, (struct counter_target){ .pid = f->pid, .with_children = true,
						 .besides = besides, .beside_count = 2 });
	steps(f, "ctm");
	assert_getpids(f, 140);
	counters_close(f->counters);
	/* Whose child the load is: both are named. */
	count_target(f, (struct counter_target){ .pid = getpid(), .with_children = true,
						 .besides = &(struct counter_task){ .pid = f->pid },
						 .beside_count = 1 });
	steps(f, "m");
	assert_getpids(f, 10);
	syscall(SYS_getpid);
	assert_getpids(f, 11);
	counters_close(f->counters);
	count_target(f, (struct counter_target){ .tid = f->pid,
						 .besides = &(struct counter_task){ .pid = 1 << 22 },
						 .beside_count = 1 });
	steps(f, "mt");
	assert_getpids(f, 10);
}

/* One with its children, the other without. */
static void
of_several_each_is_counted_with_its_own_children(void **state)
{
	struct fixture *f = *state, other = { 0 };

	need_tracepoints(f);
	start_load(&other);
	steps(f, "s");
	steps(&other, "s");
	for (int lone = 0; lone < 2; lone++) {
		count_target(f, (struct counter_target){
			.pid = f->pid, .with_children = !lone,
			.besides = &(struct counter_task){ .pid = other.pid, .with_children = lone },
			.beside_count = 1 });
		steps(f, "ctm");
		steps(&other, "tm");
		assert_getpids(f, lone ? 220 : 250);
		steps(&other, "c");
		assert_getpids(f, 250);
		counters_close(f->counters);
		f->counters = NULL;
	}
	close(other.to);
	close(other.from);
	run_end(other.pid);
}

static void
what_has_ended_keeps_its_counts(void **state)
{
	struct fixture *f = *state;

	need_tracepoints(f);
	count_target(f, (struct counter_target){ .pid = f->pid });
	steps(f, "mm");
	run_end(f->pid);
	f->pid = 0;
	assert_getpids(f, 20);
	assert_null(counters_open(NULL, &f->env, &(struct counter_target){ .pid = 1 << 22 },
				  f->events.items, f->events.len, &f->err));
	assert_int_equal(f->err.code, ERR_GONE);
}

static void
no_descriptor_is_left_behind(void **state)
{
	struct fixture *f = *state;
	int before, all;

	need_tracepoints(f);
	steps(f, "ss");
	before = run_count_descriptors(getpid(), "");
	for (int i = 0; i < 20; i++) {
		f->events.items[FAULTS].config = i % 2 ? 999 : 2; /* the first has no such event */
		f->counters = counters_open(NULL, &f->env,
					    &(struct counter_target){ .pid = f->pid },
					    f->events.items, f->events.len, &f->err);
		assert_non_null(f->counters);
		all = run_count_events(getpid());
		assert_int_equal(all, i % 2 ? 6 : 9);
		assert_int_equal(*counter_why(f->counters, FAULTS) != '\0', i % 2);
		counters_close(f->counters);
		f->counters = NULL;
	}
	assert_int_equal(run_count_descriptors(getpid(), ""), before);
}

static void
a_thread_of_its_own_answers_with_readings(void **state)
{
	struct fixture *f = *state;
	struct queue *answers = queue_new();
	struct counting *k = counting_new(NULL, &f->env, NULL, answers);
	struct counting_msg *m;

	need_tracepoints(f);
	counting_watch(k, &(struct counting_order){
		7, &(struct counter_target){ .pid = f->pid }, 1, f->events.items, f->events.len,
		false });
	m = (struct counting_msg *)queue_wait(answers, SOON_MS);
	assert_non_null(m);
	assert_true(m->is_first);
	assert_int_equal(m->token, 7);
	assert_int_equal(m->count, EVENTS);
	msg_free(&m->msg);
	steps(f, "m");
	counting_ask(k);
	m = (struct counting_msg *)queue_wait(answers, SOON_MS);
	assert_non_null(m);
	assert_int_equal(m->values[GETPID].raw, 10);
	msg_free(&m->msg);
	counting_watch(k, &(struct counting_order){
		8, &(struct counter_target){ .pid = 1 << 22 }, 1, f->events.items, f->events.len,
		false });
	m = (struct counting_msg *)queue_wait(answers, SOON_MS);
	assert_non_null(m);
	assert_int_equal(m->err.code, ERR_GONE);
	msg_free(&m->msg);
	counting_leave(k);
	counting_ask(k);
	counting_free(k);
	assert_null(queue_take(answers));
	queue_free(answers);
}

/* What a counter of a CSV report says; NAN: nothing. */
static double
value_of(const char *text, const char *counter)
{
	double value = NAN;
	bool found = false;
	struct csv c;

	csv_init(&c, text);
	while (!found && csv_next(&c)) {
		found = strcmp(csv_field(&c, "counter"), counter) == 0;
		if (found && *csv_field(&c, "value") != '\0')
			value = csv_number(&c, "value");
	}
	csv_release(&c);
	if (!found)
		fail_msg("no row of '%s' in:\n%s", counter, text);
	return value;
}

/* The count of an event of the load, from its first instruction to its end. */
static double
count_load(const char *counter, const char *what, const char *times)
{
	struct run_result r;
	double n;

	run_program(&r, 60, (char *[]){ (char *)run_ptop(), "--view", "counters", "--format",
					"csv", "-e", "syscalls:sys_enter_getpid", "--",
					run_load_path("counted"), (char *)what, (char *)times, NULL });
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0)
		fail_msg("%s", r.err);
	n = value_of(r.out, counter);
	run_release(&r);
	return n;
}

static void
a_command_calls_1000_times(void **state)
{
	need_tracepoints(*state);
	assert_int_equal(count_load("syscalls:sys_enter_getpid", "getpid", "1000"), 1000);
	assert_int_equal(count_load("syscalls:sys_enter_getpid", "getpid", "0001"), 1);
}

/* Where a program is put is by chance, and so is the number of pages that its start touches. */
static void
a_command_touches_5000_pages(void **state)
{
	int before = personality(0xffffffff);
	double more = 0;

	need_tracepoints(*state);
	personality((unsigned long)before | ADDR_NO_RANDOMIZE);
	count_load("page-faults", "pages", "0000");
	for (int i = 0; i < TRIES && more != 5000; i++)
		more = count_load("page-faults", "pages", "5000") -
		       count_load("page-faults", "pages", "0000");
	personality((unsigned long)before);
	assert_int_equal(more, 5000);
}

/* A program in the background whose standard output or error is @out. */
static int
spawn(char *const argv[], int stream, int out)
{
	int pid = run_fork();

	if (pid == 0) {
		dup2(out, stream);
		execvp(argv[0], argv);
		_exit(127);
	}
	return pid;
}

/* Its counters are open, and a moment later they count. */
static void
wait_counting(int pid, int count)
{
	for (int ms = 0; ms < SOON_MS && run_count_events(pid) < count; ms += 20)
		usleep(20 * 1000);
	assert_that(run_count_events(pid), >=, count);
	usleep(500 * 1000);
}

static char *
read_end(int fd)
{
	char *text = calloc(1, 1 << 16);
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, text + len, (1 << 16) - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	return text;
}

/* Of "123.4,msec,task-clock,..." */
static double
perf_value(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	if (at == NULL)
		fail_msg("no %s in: %s", name, text);
	while (at > text && at[-1] != '\n')
		at--;
	return atof(at);
}

static void
it_agrees_with_perf_stat(void **state)
{
	static const struct {
		const char *name;
		double scale; /* from perf's unit */
	} counters[] = { { "task-clock", 1e6 }, { "context-switches", 1 }, { "page-faults", 1 } };
	struct fixture *f = *state;
	int ours[2], perfs[2], ptop, perf;
	char pid[16], *csv, *text;

	if (geteuid() != 0 || system("perf --version >/dev/null 2>&1") != 0)
		skip_for("needs root and perf");
	snprintf(pid, sizeof(pid), "%d", f->pid);
	assert_int_equal(pipe2(ours, O_CLOEXEC) + pipe2(perfs, O_CLOEXEC), 0);
	ptop = spawn((char *[]){ (char *)run_ptop(), "-b", "-n", "1", "-d", "3600", "--view",
				 "counters", "--format", "csv", "-p", pid, NULL },
		     STDOUT_FILENO, ours[1]);
	perf = spawn((char *[]){ "perf", "stat", "-x,", "-e",
				 "task-clock,context-switches,page-faults", "-p", pid, NULL },
		     STDERR_FILENO, perfs[1]);
	close(ours[1]);
	close(perfs[1]);
	wait_counting(ptop, 6);
	wait_counting(perf, 3);
	/* All that it does is between their beginnings and ends, so that both see the same. */
	steps(f, "w");
	kill(ptop, SIGINT);
	kill(perf, SIGINT);
	csv = read_end(ours[0]);
	text = read_end(perfs[0]);
	waitpid(ptop, NULL, 0);
	waitpid(perf, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		double a = value_of(csv, counters[i].name);
		double b = perf_value(text, counters[i].name) * counters[i].scale;

		assert_that(b, >, 10);
		if (!(fabs(a - b) <= 0.02 * b + 2))
			fail_msg("%s: %.0f, and perf stat has %.0f", counters[i].name, a, b);
	}
	free(csv);
	free(text);
}

static void
several_targets_are_a_block_each(void **state)
{
	struct fixture *f = *state;
	char pid[16], self[16], row[64];
	struct run_result r;

	snprintf(pid, sizeof(pid), "%d", f->pid);
	snprintf(self, sizeof(self), "%d", (int)getpid());
	run_program(&r, 60, (char *[]){ (char *)run_ptop(), "-b", "-n", "1", "-d", "0.2",
					"--view", "counters", "--format", "csv",
					"-p", pid, "-t", self, NULL });
	assert_int_equal(r.status, 0);
	snprintf(row, sizeof(row), "\n%s,,counted,task-clock,ns,", pid);
	assert_non_null(strstr(r.out, row));
	snprintf(row, sizeof(row), "\n,%s,test_counters,task-clock,ns,", self);
	assert_non_null(strstr(r.out, row));
	run_release(&r);
#ifdef HAVE_JANSSON
	run_program(&r, 60, (char *[]){ (char *)run_ptop(), "-b", "-n", "2", "-d", "0.2",
					"--view", "counters", "--format", "json", NULL });
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "\"counter\":\"task-clock\",\"unit\":\"ns\",\"value\":"));
	assert_non_null(strchr(strchr(r.out, '\n') + 1, '\n')); /* two lines */
	/* Without samples there is no window, and nothing measures what they cost. */
	assert_non_null(strstr(r.out, ",\"self_cpu\":null,\"self_memory\":null,\"window\":null,"));
	run_release(&r);
#endif
}

static void
what_it_cannot_do_is_said(void **state)
{
	static const struct {
		const char *args[6];
		const char *message;
		int status;
	} cases[] = {
		{ { "--format", "folded" }, "--view counters does not go with --format folded", 2 },
		{ { "-b", "--uid", "0" }, "--view counters: counts do not keep to --uid: enter", 2 },
		{ { "--cgroup", "/x" }, "--view counters: counts do not keep to --cgroup: enter", 2 },
		{ { "-b", "-p", "4194304" }, "no process 4194304", 1 },
		{ { "-b", "-t", "4194304" }, "no thread 4194304", 1 },
		{ { "-b", "-e", "cylces" }, "did you mean 'cycles'", 2 },
		{ { "-b", "--", "/nowhere/at/all" }, "cannot execute '/nowhere/at/all'", 127 },
		{ { "-n", "3", "--", "/nowhere/at/all" }, "cannot execute", 127 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *argv[16] = { (char *)run_ptop(), "--view", "counters" };
		struct run_result r;

		for (size_t n = 0; n < 6 && cases[i].args[n] != NULL; n++)
			argv[3 + n] = (char *)cases[i].args[n];
		run_program(&r, 60, argv);
		if (strstr(r.err, cases[i].message) == NULL)
			fail_msg("'%s' is not '%s'", r.err, cases[i].message);
		assert_string_equal(r.out, "");
		assert_true(WIFEXITED(r.status));
		assert_int_equal(WEXITSTATUS(r.status), cases[i].status);
		run_release(&r);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(threads_of_a_process_are_followed_and_leave_their_counts),
		TEST(children_of_a_process_are_counted_if_asked_for),
		TEST(a_thread_is_counted_alone),
		TEST(each_task_of_several_is_counted_once),
		TEST(of_several_each_is_counted_with_its_own_children),
		TEST(what_has_ended_keeps_its_counts),
		TEST(no_descriptor_is_left_behind),
		TEST(a_thread_of_its_own_answers_with_readings),
		TEST(a_command_calls_1000_times),
		TEST(a_command_touches_5000_pages),
		TEST(it_agrees_with_perf_stat),
		TEST(several_targets_are_a_block_each),
		cmocka_unit_test(what_it_cannot_do_is_said),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
