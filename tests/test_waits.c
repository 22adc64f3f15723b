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
#include <config.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/root.h"
#include "tests/stack_sums.h"
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
	double run, queue, run_after, queue_after, waited, all, slack;
	uint64_t begin_ns;
	struct run_result r;
	struct waiter w;

	(void)state;
	need_root();
	waiter_start(&w);
	begin_ns = clock_mono_ns();
	read_sched(w.tid, &run, &queue);
	waited = (double)(w.waited[LOCK] + w.waited[NAP] + w.waited[PIPE]) / 1e9;
	ptop_run(&r, "-e", "wall-clock", "-t", w.tid, "--by", "state", "--format", "csv");
	read_sched(w.tid, &run_after, &queue_after);
	waited = (double)(w.waited[LOCK] + w.waited[NAP] + w.waited[PIPE]) / 1e9 - waited;
	slack = (double)(clock_mono_ns() - begin_ns) / 1e9;
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
	/* What it did while ptop was not there yet, or no more, is in one of the two alone. */
	slack = MAX(slack - all, 0) + 0.1;
	assert_within(state_sum(r.out, "run"), run, slack);
	assert_within(state_sum(r.out, "queue"), queue, slack);
	assert_within(state_sum(r.out, "lock") + state_sum(r.out, "sleep") + state_sum(r.out, "pipe"),
		      waited, slack);
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

/* What the recording @file says by @format; @view: of a table, else NULL. */
static void
read_again(struct run_result *r, const char *file, const char *format, const char *view)
{
	run_program(r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i",
			(char *)(uintptr_t)file, "-b", "--idle", "--format",
			(char *)(uintptr_t)format, view != NULL ? "--view" : NULL,
			(char *)(uintptr_t)view, NULL });
	assert_int_equal(r->status, 0);
}

#ifdef HAVE_ZLIB
static double
seconds_of_pprof(const char *file)
{
	struct sums sums = { 0 };
	struct run_result r;
	double seconds;

	read_again(&r, file, "pprof", NULL);
	sums_of_pprof(&sums, r.out, r.out_len, "wall-clock");
	seconds = (double)sums.all / 1e9;
	sums_release(&sums);
	run_release(&r);
	return seconds;
}
#endif

/* Nanoseconds, by lines of stacks: that end in a kind of wait, that run; of waits without who waits. */
struct line_sums {
	uint64_t waits, runs, bare;
};

static struct line_sums
sum_lines(const char *text)
{
	struct line_sums sums = { 0 };

	while (*text != '\0') {
		const char *end = text + strcspn(text, "\n"), *number = end, *leaf;
		uint64_t ns;

		while (number > text && *number != ' ')
			number--;
		ns = strtoull(number, NULL, 10);
		leaf = memrchr(text, ';', (size_t)(number - text));
		assert_non_null(leaf);
		if (leaf[1] != '[' || strncmp(leaf, ";[unknown]", 10) == 0)
			sums.runs += ns;
		else if (memchr(text, ';', (size_t)(leaf - text)) == NULL)
			sums.bare += ns;
		else
			sums.waits += ns;
		text = end + (*end == '\n');
	}
	return sums;
}

/* Whatever the format: all its time, in nanoseconds. */
static void
the_stacks_of_a_thread_are_as_wide_as_its_wall_time(void **state)
{
	char dir[] = "/tmp/ptop-wide-XXXXXX", file[64];
	struct line_sums l;
	double wall, run, s;
	struct run_result r;
	struct waiter w;
	uint64_t all;
	char period[64];

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	waiter_start(&w);
	ptop_run(&r, "-e", "wall-clock", "-t", w.tid, "--by", "state", "--format", "csv", "-r", file);
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	wall = run_csv_sum(r.out, "period", 0, NULL) / 1e9;
	run = state_sum(r.out, "run");
	run_release(&r);
	assert_that(wall, >, LOOK_S * 0.8);
	read_again(&r, file, "folded", NULL);
	assert_non_null(strstr(r.out, "worker;wait_for_lock;"));
	l = sum_lines(r.out);
	all = l.waits + l.runs + l.bare;
	s = (double)all / 1e9;
	print_message("# %.3f s, %.3f of it on a CPU; by stacks %.3f and %.3f; %.3f are nowhere\n",
		      wall, run, s, (double)l.runs / 1e9, (double)l.bare / 1e9);
	assert_within(s, wall, 0.05 * wall);
	assert_within((double)l.runs / 1e9, run, 0.05 * wall);
	/* Before it was seen to wait somewhere it may have waited for a CPU. */
	assert_that((double)l.bare / 1e9, <=, 0.05 * wall);
	run_release(&r);
	read_again(&r, file, "csv", "callees");
	assert_within(seconds_in(r.out, "worker"), s - (double)l.bare / 1e9, 0.001 * wall);
	run_release(&r);
	read_again(&r, file, "svg", NULL);
	snprintf(period, sizeof(period), "period %" PRIu64 "</title>", all);
	assert_non_null(strstr(r.out, period));
	assert_non_null(strstr(r.out, "<rect class=\"waits\""));
	run_release(&r);
#ifdef HAVE_ZLIB
	assert_within(seconds_of_pprof(file), s, 0.001 * wall);
#endif
	unlink(file);
	rmdir(dir);
}

static void
stacks_of_what_waits_are_whole(void **state)
{
	struct run_result r;
	struct waiter w;
	double all, whole, s;
	uint64_t begin_ns;
	char pid[16];

	(void)state;
	need_root();
	waiter_start(&w);
	snprintf(pid, sizeof(pid), "%d", (int)w.pid);
	begin_ns = clock_mono_ns();
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--view", "callees", "--format", "csv");
	s = (double)(clock_mono_ns() - begin_ns) / 1e9;
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	/* Four threads, one of which waits for 60 % of the time.  A busy machine ends a report late. */
	all = seconds_in(r.out, "worker") + seconds_in(r.out, "holder") +
	      seconds_in(r.out, "feeder") + seconds_in(r.out, "main");
	assert_that(all, <, 3.8 * s);
	assert_that(all / LOOK_S, >, 1);
	whole = all - seconds_in(r.out, "[cut]");
	/* Beside much load rules of libraries come late. */
	assert_that(whole, >=, all * 0.7);
	run_release(&r);
}

static void
the_threads_of_a_command_are_looked_at_from_its_exec(void **state)
{
	const uint64_t begin_ns = clock_mono_ns();
	struct run_result r;
	double waited;

	(void)state;
	need_root();
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-e", "off-cpu",
			"--by", "comm", "--format", "csv", "--", "sleep", "2", NULL });
	assert_int_equal(r.status, 0);
	waited = run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "comm", "sleep" } }) / 1e9;
	/* On a busy machine it waits for a CPU, too, before its end. */
	assert_that(waited, >=, 1.7);
	assert_that(waited, <=, MAX(2.3, (double)(clock_mono_ns() - begin_ns) / 1e9));
	run_release(&r);
}

/* Of a thread that sleeps all the time, in a report of the whole machine that took @s seconds. */
static double
sleep_told_of_all(const char *tid, double *s, bool *is_whole)
{
	struct run_result r;
	uint64_t begin_ns = clock_mono_ns();
	double told;

	ptop_run(&r, "-e", "off-cpu", "--by", "tid,comm", "--format", "csv");
	*s = (double)(clock_mono_ns() - begin_ns) / 1e9;
	assert_int_equal(r.status, 0);
	*is_whole = run_looks_are_whole(&r);
	told = run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "tid", tid } }) / 1e9;
	run_release(&r);
	return told;
}

/* On a busy machine a report ends late, and begins late with all threads: it says so then. */
static void
the_whole_machine_waits(void **state)
{
	bool is_whole = false;
	double told = 0, s;
	char tid[16];
	pid_t load;

	(void)state;
	need_root();
	load = run_load("threads");
	snprintf(tid, sizeof(tid), "%d", run_thread(load, "idle-c"));
	for (unsigned i = 0; i < TRIES && !is_whole; i++) {
		told = sleep_told_of_all(tid, &s, &is_whole);
		print_message("# %.3f s of it, whole: %d, after %.3f s\n", told, is_whole, s);
		assert_that(told, <=, s);
	}
	run_end(load);
	assert_that(told, >, 0);
	if (is_whole)
		assert_that(told, >=, LOOK_S * 0.5);
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
		cmocka_unit_test(the_stacks_of_a_thread_are_as_wide_as_its_wall_time),
		cmocka_unit_test(stacks_of_what_waits_are_whole),
		cmocka_unit_test(the_threads_of_a_command_are_looked_at_from_its_exec),
		cmocka_unit_test(the_whole_machine_waits),
		cmocka_unit_test(children_that_were_there_before_are_looked_at),
		cmocka_unit_test(a_recording_has_what_was_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
