/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What threads wait for, by the whole program: by looks and by switches, beside known waits.  It
 * takes more than half a minute: waits of known lengths are looked at for three seconds each time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "live/sys/limits.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { PATIENCE_S = 60, LOOK_S = 3 };

#define LOOK_TEXT "3"

#define ptop_run(r, ...) \
	run_program(r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "--budget", "off", \
					       "-b", "-n", "1", "-d", LOOK_TEXT, __VA_ARGS__, NULL })

/* Seconds in which @function was in the stack, of a view "callees". */
static double
seconds_in(const char *text, const char *function)
{
	const char *const pairs[][2] = { { "depth", "0" }, { "symbol", function } };

	return run_csv_sum(text, "period", 2, pairs) / 1e9;
}

enum { LOCK, NAP, PIPE, WAITS };

/* The load, and what it says itself of the waits of its worker. */
struct waiter {
	pid_t pid;
	char tid[16], file[64];
	const volatile uint64_t *waited;
};

static void
waiter_start(struct waiter *w)
{
	int fd;
	void *map;

	snprintf(w->file, sizeof(w->file), "/tmp/ptop-waits-XXXXXX");
	fd = mkstemp(w->file);
	assert_return_code(fd, 0);
	assert_return_code(ftruncate(fd, 4096), 0);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	w->waited = map;
	w->pid = run_load_with("waits", w->file, NULL);
	snprintf(w->tid, sizeof(w->tid), "%d", run_thread(w->pid, "worker"));
	while (w->waited[PIPE] == 0)
		usleep(1000);
}

static void
waiter_end(struct waiter *w)
{
	run_end(w->pid);
	unlink(w->file);
	munmap((void *)(uintptr_t)w->waited, 4096);
}

static void
each_wait_of_a_thread_is_at_its_function_for_its_time(void **state)
{
	static const char *const functions[WAITS] = { "wait_for_lock", "nap", "read_pipe" };
	double before[WAITS], all = 0, told;
	struct run_result r;
	struct waiter w;

	(void)state;
	need_root();
	waiter_start(&w);
	for (size_t i = 0; i < WAITS; i++)
		before[i] = (double)w.waited[i] / 1e9;
	ptop_run(&r, "-e", "off-cpu", "-t", w.tid, "--view", "callees", "--format", "csv");
	for (size_t i = 0; i < WAITS; i++) {
		before[i] = (double)w.waited[i] / 1e9 - before[i];
		all += before[i];
	}
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	told = seconds_in(r.out, "worker");
	/* The rest is ptop's own begin and end. */
	assert_that(told, <=, all + 0.1);
	assert_that(told, >=, 0.75 * all);
	for (size_t i = 0; i < WAITS; i++) {
		double part = seconds_in(r.out, functions[i]) / told;

		print_message("# %s: %.1f %%, is %.1f\n", functions[i], part * 100,
			      before[i] / all * 100);
		/* On a busy machine ptop itself waits for a CPU; else it is within 3 points. */
		assert_within(part, before[i] / all, 0.12);
	}
	assert_within(seconds_in(r.out, "be_busy"), 0, 0.1);
	run_release(&r);
}

/* Innermost in its stacks, by the name of its kind. */
static void
each_wait_is_of_its_kind(void **state)
{
	static const char *const kinds[WAITS] = { "lock", "sleep", "pipe" };
	double before[WAITS], sum = 0;
	struct run_result r;
	struct waiter w;

	(void)state;
	need_root();
	waiter_start(&w);
	for (size_t i = 0; i < WAITS; i++)
		before[i] = (double)w.waited[i] / 1e9;
	ptop_run(&r, "-e", "off-cpu", "-t", w.tid, "--by", "state,waitkind,symbol", "--format", "csv");
	for (size_t i = 0; i < WAITS; i++)
		before[i] = (double)w.waited[i] / 1e9 - before[i];
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < WAITS; i++) {
		char frame[32];
		double s;

		snprintf(frame, sizeof(frame), "[%s]", kinds[i]);
		s = run_csv_sum(r.out, "period", 3, (const char *const[][2]){
			{ "state", kinds[i] }, { "waitkind", kinds[i] }, { "symbol", frame } });
		assert_within(s / 1e9, before[i], 0.35);
		sum += s / 1e9;
	}
	assert_that(sum, >=, run_csv_sum(r.out, "period", 0, NULL) / 1e9 * 0.95);
	run_release(&r);
}

static double
state_sum(const char *text, const char *state)
{
	return run_csv_sum(text, "period", 1, (const char *const[][2]){ { "state", state } }) / 1e9;
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
	assert_within(all / LOOK_S, 1, 0.06);
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
	assert_that(state_sum(r.out, "run"), >, 0.2);
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
	assert_within((double)sum / 1e9 / LOOK_S, 0.5, 0.2);
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
	/* Four threads, one of which waits for 60 % of the time, or less if it is late. */
	all = seconds_in(r.out, "worker") + seconds_in(r.out, "holder") +
	      seconds_in(r.out, "feeder") + seconds_in(r.out, "main");
	assert_within(all / LOOK_S, 3.4, 0.4);
	whole = all - seconds_in(r.out, "[cut]");
	assert_that(whole, >=, all * 0.9);
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

	(void)state;
	need_root();
	load = run_load("threads");
	snprintf(pid, sizeof(pid), "%d", run_thread(load, "idle-c"));
	ptop_run(&r, "-e", "off-cpu", "--by", "tid,comm", "--format", "csv");
	run_end(load);
	assert_int_equal(r.status, 0);
	assert_within(run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "tid", pid } }) / 1e9,
		      LOOK_S, 0.5);
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
		    >, LOOK_S * 0.8);
	assert_that(run_csv_sum(r.out, "period", 1, (const char *const[][2]){ { "pid", child_pid } })
		    / 1e9, >, LOOK_S * 0.7);
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
	assert_that(seconds_in(r.out, "wait_for_lock"), >, 0.5);
	assert_within(seconds_in(again.out, "wait_for_lock"), seconds_in(r.out, "wait_for_lock"), 0.01);
	assert_within(seconds_in(again.out, "read_pipe"), seconds_in(r.out, "read_pipe"), 0.01);
	run_release(&r);
	run_release(&again);
}

/* Of @event in a report by event, tid and state. */
static double
seconds_of(const char *text, const char *event, const char *tid, const char *state)
{
	const char *const pairs[][2] = { { "event", event }, { "tid", tid }, { "state", state } };

	return run_csv_sum(text, "period", 3, pairs) / 1e9;
}

#define EXACT "off-cpu/exact/"
#define EXACT_FORCED "off-cpu/exact,force/"

/* Looks and switches beside each other: what they say of the same seconds. */
static void
looks_tell_what_switches_do(void **state)
{
	static const char *const states[WAITS] = { "lock", "sleep", "pipe" };
	double looks = 0, exact = 0, real[WAITS], sum = 0;
	struct run_result r;
	struct waiter w;
	char pid[16];

	(void)state;
	need_root();
	waiter_start(&w);
	snprintf(pid, sizeof(pid), "%d", (int)w.pid);
	for (size_t i = 0; i < WAITS; i++)
		real[i] = (double)w.waited[i] / 1e9;
	ptop_run(&r, "-e", EXACT, "-e", "off-cpu", "-p", pid, "--by", "event,tid,state",
		 "--format", "csv");
	for (size_t i = 0; i < WAITS; i++)
		sum += real[i] = (double)w.waited[i] / 1e9 - real[i];
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < WAITS; i++) {
		double by_looks = seconds_of(r.out, "off-cpu", w.tid, states[i]);
		double by_switches = seconds_of(r.out, EXACT, w.tid, states[i]);

		print_message("# %s: looks %.3f s, switches %.3f, %.3f is %.3f\n", states[i], by_looks,
			      by_switches, by_switches / LOOK_S, real[i] / sum);
		/* The load's own figures are of ptop's begin and end, too. */
		assert_within(by_switches, real[i], 0.35);
		looks += by_looks;
		exact += by_switches;
	}
	print_message("# all: looks %.4f s, switches %.4f\n", looks, exact);
	/* Each has its own begin; and a look comes late where there is no CPU for it. */
	assert_within(looks / exact, 1, 0.04);
	run_release(&r);
}

static void
each_wait_is_as_long_as_its_switches_say(void **state)
{
	static const struct {
		const char *state, *length, *waker;
	} waits[WAITS] = {
		{ "lock", "16-32 ms", "holder" }, { "sleep", "8-16 ms", "[interrupt]" },
		{ "pipe", "16-32 ms", "feeder" },
	};
	struct run_result r;
	struct waiter w;

	(void)state;
	need_root();
	waiter_start(&w);
	ptop_run(&r, "-e", EXACT, "-t", w.tid, "--by", "state,length,waker", "--format", "csv");
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < WAITS; i++) {
		const char *const pairs[][2] = { { "state", waits[i].state },
						 { "length", waits[i].length } };
		double all = run_csv_sum(r.out, "samples", 1, pairs);
		const char *line = r.out;
		size_t by_waker = 0;

		for (; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
			size_t len = strcspn(line += *line == '\n', "\n");

			by_waker += strncmp(line, waits[i].state, strlen(waits[i].state)) == 0 &&
				    memmem(line, len, waits[i].waker, strlen(waits[i].waker)) != NULL;
		}
		/* One a turn, of 50 turns; on a busy machine some are shorter, as it comes late. */
		assert_within(all, LOOK_S * 10, LOOK_S * 5);
		assert_that(run_csv_sum(r.out, "samples", 2, pairs), >=, 0.3 * all);
		assert_that(by_waker, >=, 1);
	}
	run_release(&r);
}

static void
the_stack_of_a_wait_is_that_of_its_switch(void **state)
{
	static const char *const functions[WAITS] = { "wait_for_lock", "nap", "read_pipe" };
	static const char *const frames[WAITS] = { "[lock]", "[sleep]", "[pipe]" };
	struct run_result r;
	struct waiter w;

	(void)state;
	need_root();
	waiter_start(&w);
	ptop_run(&r, "-e", EXACT, "-t", w.tid, "--view", "callees", "--format", "csv");
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < WAITS; i++) {
		assert_that(seconds_in(r.out, functions[i]), >, 0.2);
		assert_that(seconds_in(r.out, functions[i]), >=, 0.95 * seconds_in(r.out, frames[i]));
	}
	run_release(&r);
}

/* Its one wait goes on when the report is made, and is over later. */
static void
a_wait_that_goes_on_counts_so_far(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-n", "2", "-d", "1",
			"-e", EXACT, "--by", "comm,length", "--format", "csv", "-w", "all", "--",
			"sleep", "5", NULL });
	assert_int_equal(r.status, 0);
	assert_that(run_csv_sum(r.out, "period", 2, (const char *const[][2]){
		    { "comm", "sleep" }, { "length", "goes on" } }) / 1e9, >, 1.5);
	run_release(&r);
}

static void
a_recording_has_waits_that_others_can_read(void **state)
{
	char dir[] = "/tmp/ptop-exact-XXXXXX", file[64];
	static const char *const states[] = { "lock", "pipe", "sleep" };
	struct run_result r, again, perf;
	struct waiter w;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	waiter_start(&w);
	ptop_run(&r, "-e", EXACT, "-t", w.tid, "--by", "state,length", "--format", "csv", "-r", file);
	waiter_end(&w);
	run_program(&again, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i", file, "-b",
			"--by", "event,state,length", "--format", "csv", NULL });
	if (run_has_perf())
		run_program(&perf, PATIENCE_S, (char *[]){ "/usr/bin/env", "perf", "report", "-i", file,
				"--stdio", "-g", "none", "-F", "period,sym", NULL });
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	assert_int_equal(again.status, 0);
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		assert_that(state_sum(r.out, states[i]), >, 0.2);
		assert_within(state_sum(again.out, states[i]), state_sum(r.out, states[i]), 0.05);
	}
	assert_that(run_count_text(again.out, EXACT ",lock,16-32 ms"), >=, 1);
	if (run_has_perf()) {
		assert_int_equal(perf.status, 0);
		assert_non_null(strstr(perf.out, EXACT));
		run_release(&perf);
	}
	run_release(&r);
	run_release(&again);
}

static void
counters_say_that_waits_are_sampled(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	run_program(&r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-b", "-n", "1", "-d", "0.2",
			"--view", "counters", "-e", EXACT, NULL });
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.out, "waits are sampled, not counted"));
	run_release(&r);
}

/* Two that hand a byte to each other on one CPU, as fast as that can be. */
static pid_t
hand_over(unsigned cpu)
{
	int to[2], from[2];
	pid_t pid = run_fork();
	cpu_set_t set;
	char c = 'x';

	if (pid != 0)
		return pid;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (pipe(to) < 0 || pipe(from) < 0)
		_exit(1);
	pid = run_fork();
	if (pid > 0 && write(to[1], &c, 1) != 1)
		_exit(1);
	for (;;)
		if (read(pid > 0 ? from[0] : to[0], &c, 1) != 1 ||
		    write(pid > 0 ? to[1] : from[1], &c, 1) != 1)
			_exit(1);
}

static void
too_many_switches_of_all_are_refused_unless_forced(void **state)
{
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	struct event_env env = { .root = "" };
	pid_t pids[2];
	struct run_result r;
	char pid[16];

	(void)state;
	need_root();
	for (unsigned i = 0; i < 2; i++)
		pids[i] = hand_over(i % cpus);
	usleep(200000);
	if (limits_switches(&env) < 60000) {
		run_end(pids[0]);
		run_end(pids[1]);
		skip_for("the machine does not switch so often");
	}
	ptop_run(&r, "-e", EXACT);
	assert_int_not_equal(r.status, 0);
	assert_non_null(strstr(r.err, "switches a second"));
	assert_non_null(strstr(r.err, EXACT_FORCED));
	run_release(&r);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	ptop_run(&r, "-e", EXACT, "-t", pid);
	assert_int_equal(r.status, 0);
	run_release(&r);
	/* What does not fit into the rings is unknown, and said. */
	ptop_run(&r, "-e", EXACT_FORCED, "-m", "16", "--by", "comm,state", "--format", "csv");
	run_end(pids[0]);
	run_end(pids[1]);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "waits of which a switch was lost"));
	run_release(&r);
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
		cmocka_unit_test(looks_tell_what_switches_do),
		cmocka_unit_test(each_wait_is_as_long_as_its_switches_say),
		cmocka_unit_test(the_stack_of_a_wait_is_that_of_its_switch),
		cmocka_unit_test(a_wait_that_goes_on_counts_so_far),
		cmocka_unit_test(a_recording_has_waits_that_others_can_read),
		cmocka_unit_test(counters_say_that_waits_are_sampled),
		cmocka_unit_test(too_many_switches_of_all_are_refused_unless_forced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
