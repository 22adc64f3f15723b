/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads wait for, by looks at them.  It takes more than half a minute: waits of known lengths
 * are looked at for three seconds each time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/root.h"
#include "tests/waiter.h"

/* The share of the worst of the three functions: by how much it is not what it was. */
static double
compare_functions(void)
{
	static const char *const functions[WAITS] = { "wait_for_lock", "nap", "read_pipe" };
	double all = 0, told, worst = 0;
	struct waiter_span span;
	struct run_result r;
	struct waiter w;

	waiter_start(&w);
	waiter_span_begin(&span, &w);
	ptop_run(&r, "-e", "off-cpu", "-t", w.tid, "--view", "callees", "--format", "csv");
	waiter_span_end(&span, &w);
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < WAITS; i++)
		all += span.waited_s[i];
	told = seconds_in(r.out, "worker");
	/* The rest is ptop's own begin and end. */
	assert_that(told, <=, all + 0.1);
	assert_that(told, >=, all - (span.s - LOOK_S) - 0.25 * LOOK_S);
	for (size_t i = 0; i < WAITS; i++) {
		double part = seconds_in(r.out, functions[i]) / told, is = span.waited_s[i] / all;

		print_message("# %s: %.1f %%, is %.1f\n", functions[i], part * 100, is * 100);
		worst = MAX(worst, fabs(part - is));
	}
	assert_within(seconds_in(r.out, "be_busy"), 0, 0.1);
	run_release(&r);
	return worst;
}

/* On a quiet machine within 3 points; on a busy one ptop itself waits for a CPU, more or less long. */
static void
each_wait_of_a_thread_is_at_its_function_for_its_time(void **state)
{
	double worst = 1;

	(void)state;
	need_root();
	for (unsigned i = 0; i < TRIES && worst > 0.12; i++)
		worst = compare_functions();
	assert_that(worst, <=, 0.12);
}

/* Innermost in its stacks, by the name of its kind. */
static void
each_wait_is_of_its_kind(void **state)
{
	static const char *const kinds[WAITS] = { "lock", "sleep", "pipe" };
	struct waiter_span span;
	struct run_result r;
	struct waiter w;
	double sum = 0;

	(void)state;
	need_root();
	waiter_start(&w);
	waiter_span_begin(&span, &w);
	ptop_run(&r, "-e", "off-cpu", "-t", w.tid, "--by", "state,waitkind,symbol", "--format", "csv");
	waiter_span_end(&span, &w);
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < WAITS; i++) {
		char frame[32];
		double s;

		snprintf(frame, sizeof(frame), "[%s]", kinds[i]);
		s = run_csv_sum(r.out, "period", 3, (const char *const[][2]){
			{ "state", kinds[i] }, { "waitkind", kinds[i] }, { "symbol", frame } });
		assert_waits_of_span(s / 1e9, &span, i);
		sum += s / 1e9;
	}
	assert_that(sum, >=, run_csv_sum(r.out, "period", 0, NULL) / 1e9 * 0.95);
	run_release(&r);
}

/* Seconds on a CPU, and in the run queue, so far. */
static void
read_sched(const char *tid, double *run_s, double *queue_s)
{
	unsigned long long run = 0, queue = 0;
	struct buf b = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/schedstat", tid);
	assert_return_code(file_read(path, &b, 256), 0);
	assert_int_equal(sscanf(buf_str(&b), "%llu %llu", &run, &queue), 2);
	buf_release(&b);
	*run_s = (double)run / 1e9;
	*queue_s = (double)queue / 1e9;
}

/* Nothing is counted twice, nothing is left out but ptop's own begin and end. */
static void
running_queueing_and_waiting_are_all_the_time(void **state)
{
	double run, queue, run_after, queue_after, waited, all;
	struct run_result r;
	struct waiter w;

	(void)state;
	need_root();
	waiter_start(&w);
	read_sched(w.tid, &run, &queue);
	waited = (double)(w.waited[LOCK] + w.waited[NAP] + w.waited[PIPE]) / 1e9;
	ptop_run(&r, "-e", "wall-clock", "-t", w.tid, "--by", "state", "--format", "csv");
	read_sched(w.tid, &run_after, &queue_after);
	waited = (double)(w.waited[LOCK] + w.waited[NAP] + w.waited[PIPE]) / 1e9 - waited;
	run = run_after - run;
	queue = queue_after - queue;
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	all = run_csv_sum(r.out, "period", 0, NULL) / 1e9;
	print_message("# all %.3f of %d s; run %.3f is %.3f, queue %.3f is %.3f\n", all, LOOK_S,
		      state_sum(r.out, "run"), run, state_sum(r.out, "queue"), queue);
	/* A busy machine is late at the begin and at the end. */
	assert_that(all / LOOK_S, <, 1.06);
	assert_that(all / LOOK_S, >, 0.8);
	assert_within(state_sum(r.out, "run"), run, 0.35);
	assert_within(state_sum(r.out, "queue"), queue, 0.35);
	assert_within(state_sum(r.out, "lock") + state_sum(r.out, "sleep") + state_sum(r.out, "pipe"),
		      waited, 0.35);
	run_release(&r);
}

static void
a_recording_of_all_the_time_says_the_same(void **state)
{
	static const char *const states[] = { "run", "lock", "pipe", "sleep" };
	char dir[] = "/tmp/ptop-wall-XXXXXX", file[64];
	struct run_result r, again;
	struct waiter w;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	waiter_start(&w);
	ptop_run(&r, "-e", "wall-clock", "-t", w.tid, "--by", "state", "--format", "csv", "-r", file);
	waiter_end(&w);
	run_program(&again, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i", file, "-b",
			"--by", "event,state", "--format", "csv", NULL });
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	assert_int_equal(again.status, 0);
	assert_that(state_sum(r.out, "run"), >, 0.02);
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		assert_within(state_sum(again.out, states[i]), state_sum(r.out, states[i]), 0.05);
	assert_int_equal(run_count_text(again.out, "wall-clock,run"), 1);
	run_release(&r);
	run_release(&again);
}

/* By the word that libc keeps in the mutex, read again at each look. */
static void
who_waits_for_a_lock_says_who_holds_it(void **state)
{
	struct run_result r;
	struct waiter w;
	char held[64];
	struct csv c;
	double all = 0, right = 0, wrong = 0;

	(void)state;
	need_root();
	waiter_start(&w);
	snprintf(held, sizeof(held), " held by %d", run_thread(w.pid, "holder"));
	ptop_run(&r, "-e", "off-cpu", "-t", w.tid, "--by", "state,on", "--format", "csv");
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	csv_init(&c, r.out);
	while (csv_next(&c)) {
		const char *on = csv_field(&c, "on");
		double s = csv_number(&c, "period") / 1e9;

		if (strcmp(csv_field(&c, "state"), "pipe") == 0)
			assert_int_equal(strncmp(on, "pipe:[", 6), 0);
		if (strcmp(csv_field(&c, "state"), "lock") != 0)
			continue;
		all += s;
		if (strncmp(on, "lock held by ", 13) == 0 && strstr(on, held) != NULL)
			right += s;
		else if (strstr(on, " held by ") != NULL)
			wrong += s;
	}
	csv_release(&c);
	assert_that(all, >, 0.3);
	assert_that(right, >=, 0.9 * all);
	assert_within(wrong, 0, 0);
	run_release(&r);
}

/* Lines count nanoseconds. */
static void
folded_lines_say_how_long(void **state)
{
	unsigned long long sum = 0;
	struct run_result r;
	struct waiter w;

	(void)state;
	need_root();
	waiter_start(&w);
	ptop_run(&r, "-e", "off-cpu", "-t", w.tid, "--format", "folded");
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "worker;wait_for_lock;"));
	for (const char *line = r.out; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
		line += *line == '\n';
		sum += strtoull(line + strcspn(line, " \n"), NULL, 10);
	}
	assert_that((double)sum / 1e9 / LOOK_S, <, 0.7);
	assert_that((double)sum / 1e9 / LOOK_S, >, 0.1);
	run_release(&r);
}

static void
stacks_of_what_waits_are_whole(void **state)
{
	struct run_result r;
	struct waiter w;
	double all, whole;
	char pid[16];

	(void)state;
	need_root();
	waiter_start(&w);
	snprintf(pid, sizeof(pid), "%d", (int)w.pid);
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--view", "callees", "--format", "csv");
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	/* Four threads, one of which waits for 60 % of the time.  They also wait for a CPU. */
	all = seconds_in(r.out, "worker") + seconds_in(r.out, "holder") +
	      seconds_in(r.out, "feeder") + seconds_in(r.out, "main");
	assert_that(all / LOOK_S, <, 3.8);
	assert_that(all / LOOK_S, >, 1);
	whole = all - seconds_in(r.out, "[cut]");
	/* Beside much load rules of libraries come late. */
	assert_that(whole, >=, all * 0.7);
	run_release(&r);
}

static void
the_threads_of_a_command_are_looked_at_from_its_exec(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-e", "off-cpu",
			"--by", "comm", "--format", "csv", "--", "sleep", "2", NULL });
	assert_int_equal(r.status, 0);
	assert_within(run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "comm", "sleep" } })
		      / 1e9, 2, 0.3);
	run_release(&r);
}

static void
the_whole_machine_waits(void **state)
{
	struct run_result r;
	char pid[16];
	pid_t load;
	double told;

	(void)state;
	need_root();
	load = run_load("threads");
	snprintf(pid, sizeof(pid), "%d", run_thread(load, "idle-c"));
	ptop_run(&r, "-e", "off-cpu", "--by", "tid,comm", "--format", "csv");
	run_end(load);
	assert_int_equal(r.status, 0);
	told = run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "tid", pid } }) / 1e9;
	/* On a busy machine it takes a while to begin with all threads. */
	assert_that(told, <=, LOOK_S + 0.5);
	assert_that(told, >=, LOOK_S * 0.1);
	run_release(&r);
}

/* It sleeps, and no sample of it ever tells that it is there. */
static void
children_that_were_there_before_are_looked_at(void **state)
{
	struct run_result r;
	int fds[2];
	pid_t parent, child;
	char pid[16], child_pid[16];

	(void)state;
	need_root();
	assert_return_code(pipe(fds), 0);
	parent = run_fork();
	if (parent == 0) {
		child = run_fork();
		if (child > 0 && write(fds[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fds[0], &child, sizeof(child)), sizeof(child));
	snprintf(pid, sizeof(pid), "%d", (int)parent);
	snprintf(child_pid, sizeof(child_pid), "%d", (int)child);
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--by", "pid", "--format", "csv");
	run_end(parent);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(r.status, 0);
	assert_that(run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "pid", pid } }) / 1e9,
		    >, LOOK_S * 0.6);
	assert_that(run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "pid", child_pid } })
		    / 1e9, >, LOOK_S * 0.5);
	run_release(&r);
}

/* What was recorded says the same. */
static void
a_recording_has_what_was_looked_at(void **state)
{
	char dir[] = "/tmp/ptop-waits-XXXXXX", file[64];
	struct run_result r, again;
	struct waiter w;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	waiter_start(&w);
	ptop_run(&r, "-e", "off-cpu", "-t", w.tid, "--view", "callees", "--format", "csv", "-r", file);
	run_program(&again, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i", file, "-b",
			"--view", "callees", "--format", "csv", NULL });
	waiter_end(&w);
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	assert_int_equal(again.status, 0);
	assert_that(seconds_in(r.out, "wait_for_lock"), >, 0.1);
	assert_within(seconds_in(again.out, "wait_for_lock"), seconds_in(r.out, "wait_for_lock"), 0.01);
	assert_within(seconds_in(again.out, "read_pipe"), seconds_in(r.out, "read_pipe"), 0.01);
	run_release(&r);
	run_release(&again);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wait_of_a_thread_is_at_its_function_for_its_time),
		cmocka_unit_test(each_wait_is_of_its_kind),
		cmocka_unit_test(running_queueing_and_waiting_are_all_the_time),
		cmocka_unit_test(a_recording_of_all_the_time_says_the_same),
		cmocka_unit_test(who_waits_for_a_lock_says_who_holds_it),
		cmocka_unit_test(folded_lines_say_how_long),
		cmocka_unit_test(stacks_of_what_waits_are_whole),
		cmocka_unit_test(the_threads_of_a_command_are_looked_at_from_its_exec),
		cmocka_unit_test(the_whole_machine_waits),
		cmocka_unit_test(children_that_were_there_before_are_looked_at),
		cmocka_unit_test(a_recording_has_what_was_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
