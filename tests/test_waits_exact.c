/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What threads wait for, by their switches. */
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

#include "base/util.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/waiter.h"

/* Of @event in a report by event, tid and state. */
static double
seconds_of(const char *text, const char *event, const char *tid, const char *state)
{
	const char *const pairs[][2] = { { "event", event }, { "tid", tid }, { "state", state } };

	return run_csv_sum(text, "period", 3, pairs) / 1e9;
}

static const char *const states[WAITS] = { "lock", "sleep", "pipe" };

/* Of the same seconds: what the worker waited by looks, for each second that it did by switches. */
static double
compare_looks(void)
{
	double looks = 0, exact = 0;
	struct waiter_span span;
	struct run_result r;
	struct waiter w;
	char pid[16];

	waiter_start(&w);
	snprintf(pid, sizeof(pid), "%d", (int)w.pid);
	waiter_span_begin(&span, &w);
	ptop_run(&r, "-e", EXACT, "-e", "off-cpu", "-p", pid, "--by", "event,tid,state",
		 "--format", "csv");
	waiter_span_end(&span, &w);
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	for (size_t i = 0; i < WAITS; i++) {
		double by_looks = seconds_of(r.out, "off-cpu", w.tid, states[i]);
		double by_switches = seconds_of(r.out, EXACT, w.tid, states[i]);

		print_message("# %s: looks %.3f s, switches %.3f, of %.3f in %.3f s\n", states[i],
			      by_looks, by_switches, span.waited_s[i], span.s);
		assert_waits_of_span(by_switches, &span, i);
		looks += by_looks;
		exact += by_switches;
	}
	print_message("# all: looks %.4f s, switches %.4f\n", looks, exact);
	run_release(&r);
	return looks / exact;
}

/*
 * Each event has its own begin, and a look comes late where there is no CPU for it.  That is chance,
 * and does not happen each time.
 */
static void
looks_tell_what_switches_do(void **state)
{
	double part = 0;

	(void)state;
	need_root();
	for (unsigned i = 0; i < TRIES && !(part > 0.96 && part < 1.04); i++)
		part = compare_looks();
	assert_within(part, 1, 0.04);
}

/* What perf sched timehist has of a thread, in seconds. */
struct history {
	double all, waiting;
};

/* "TIME [CPU] NAME[TID/PID] WAIT DELAY RUN STATE", in milliseconds: how it was until it left the CPU. */
static struct history
history_of(const char *text, const char *tid)
{
	struct history h = { 0 };
	char mark[24], state, left = 0; /* the state in which it left the CPU before */
	double wait, delay, run;

	snprintf(mark, sizeof(mark), "[%s/", tid);
	while ((text = strstr(text, mark)) != NULL) {
		text += strcspn(text, "]\n");
		if (sscanf(text, "] %lf %lf %lf %c", &wait, &delay, &run, &state) != 4)
			continue;
		/* Of its first row it is not known since when it was away. */
		h.all += left != 0 ? (wait + run) / 1e3 : 0;
		h.waiting += left != 0 && left != 'R' ? (wait - delay) / 1e3 : 0;
		left = state;
	}
	return h;
}

/* Of all the time of a thread, that it waits: by @event, of a report by event, tid and state. */
static double
waiting_share(const char *text, const char *event, const char *tid)
{
	const char *const pairs[][2] = { { "event", event }, { "tid", tid } };
	double all = run_csv_sum(text, "period", 2, pairs) / 1e9;

	return (all - seconds_of(text, event, tid, "run") - seconds_of(text, event, tid, "queue") -
		seconds_of(text, event, tid, "stolen")) / all;
}

/* Records for perf while ptop looks at the same threads: the worst of how far the two are apart. */
static double
compare_with_perf(const struct waiter *w, const char *file)
{
	static const char *const names[] = { "worker", "holder", "feeder" };
	struct run_result r, perf;
	double worst = 0;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)w->pid);
	run_program(&r, PATIENCE_S, (char *[]){ "/usr/bin/env", "perf", "sched", "record", "-q", "-o",
			(char *)(uintptr_t)file, "--", (char *)(uintptr_t)run_ptop(), "--budget", "off",
			"-b", "-n", "1", "-d", "2", "-e", "wall-clock", "-p", pid, "--by",
			"event,tid,state", "--format", "csv", NULL });
	assert_int_equal(r.status, 0);
	run_program(&perf, PATIENCE_S, (char *[]){ "/usr/bin/env", "perf", "sched", "timehist", "--state",
			"-i", (char *)(uintptr_t)file, "-p", pid, NULL });
	assert_int_equal(perf.status, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct history h;
		char tid[16];
		double ours;

		snprintf(tid, sizeof(tid), "%d", run_thread(w->pid, names[i]));
		h = history_of(perf.out, tid);
		ours = waiting_share(r.out, "wall-clock", tid);
		print_message("# %s waits %.2f %% of its time, by perf %.2f of %.3f s\n", names[i],
			      ours * 100, h.waiting / h.all * 100, h.all);
		assert_that(h.all, >, 1);
		worst = MAX(worst, fabs(ours - h.waiting / h.all));
	}
	run_release(&perf);
	run_release(&r);
	return worst;
}

/* Who begins late has another part of the turns of the load: one of some is enough. */
static void
perf_sched_timehist_says_how_long_each_waits(void **state)
{
	char dir[] = "/tmp/ptop-sched-XXXXXX", file[64];
	double worst = 1;
	struct waiter w;

	(void)state;
	need_root();
	if (!run_has_perf())
		skip_for("there is no perf");
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	waiter_start_on_0(&w);
	for (unsigned i = 0; i < TRIES && worst > 0.03; i++)
		worst = compare_with_perf(&w, file);
	waiter_end(&w);
	unlink(file);
	rmdir(dir);
	assert_that(worst, <=, 0.03);
}

/* The lengths from a millisecond to the longest that a turn has room for. */
static const struct {
	const char *text;
	double least_s;
} lengths[] = {
	{ "1-2 ms", 0.001024 }, { "2-4 ms", 0.002048 }, { "4-8 ms", 0.004096 }, { "8-16 ms", 0.008192 },
	{ "16-32 ms", 0.016384 }, { "32-64 ms", 0.032768 }, { "64-128 ms", 0.065536 },
};

/* So many waits of @state were of these lengths, each of which they had on the average. */
static double
count_waits(const char *text, const char *state)
{
	double all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		const char *const pairs[][2] = { { "state", state }, { "length", lengths[i].text } };
		double count = run_csv_sum(text, "samples", 2, pairs);
		double mean_s = run_csv_sum(text, "period", 2, pairs) / 1e9 / count;

		if (count > 0 && (mean_s < lengths[i].least_s || mean_s > 2 * lengths[i].least_s))
			fail_msg("%s of %s last %.6f s", state, lengths[i].text, mean_s);
		all += count;
	}
	return all;
}

static bool
has_waker(const char *text, const char *state, const char *waker)
{
	const char *line = text;

	for (; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
		size_t len = strcspn(line += *line == '\n', "\n");

		if (strncmp(line, state, strlen(state)) == 0 &&
		    memmem(line, len, waker, strlen(waker)) != NULL)
			return true;
	}
	return false;
}

/* One a turn; on a busy machine there are fewer, and shorter ones, as the load itself says. */
static void
each_wait_is_as_long_as_its_switches_say(void **state)
{
	static const char *const wakers[WAITS] = { "holder", "[interrupt]", "feeder" };
	struct waiter_span span;
	struct run_result r;
	struct waiter w;

	(void)state;
	need_root();
	waiter_start_on_0(&w);
	waiter_span_begin(&span, &w);
	ptop_run(&r, "-e", EXACT, "-t", w.tid, "--by", "state,length,waker", "--format", "csv");
	waiter_span_end(&span, &w);
	waiter_end(&w);
	assert_int_equal(r.status, 0);
	assert_null(strstr(r.err, "not switched yet"));
	for (size_t i = 0; i < WAITS; i++) {
		double count = count_waits(r.out, states[i]);

		print_message("# %s: %.0f waits, of %.0f in %.3f s\n", states[i], count,
			      span.waits[i], span.s);
		/*
		 * One a turn in the rest of that time, begun ones, too; one goes on at each end, and
		 * where the load is late its turns are shorter.
		 */
		assert_that(count, <=, span.waits[i] + 1);
		assert_that(count, >=, span.waits[i] - (span.s - LOOK_S) / TURN_S - 5);
		if (count >= 1 && !has_waker(r.out, states[i], wakers[i]))
			fail_msg("no %s has the waker %s:\n%s", states[i], wakers[i], r.out);
	}
	run_release(&r);
}

/*
 * Stacks of the waits of a worker, and what that says itself.  Of which a switch was lost, as happens
 * where the machine has no time for ptop, are in no report, and said to be in none: then another one.
 */
static void
run_at_stacks(struct run_result *r, struct waiter_span *span)
{
	for (unsigned i = 1;; i++) {
		struct waiter w;

		waiter_start(&w);
		waiter_span_begin(span, &w);
		ptop_run(r, "-e", EXACT, "-t", w.tid, "--view", "callees", "--format", "csv");
		waiter_span_end(span, &w);
		waiter_end(&w);
		assert_int_equal(r->status, 0);
		print_message("# %s", *r->err != '\0' ? r->err : "nothing is said\n");
		if (i == TRIES || strstr(r->err, "waits of which a switch was lost") == NULL)
			return;
		run_release(r);
	}
}

static void
the_stack_of_a_wait_is_that_of_its_switch(void **state)
{
	static const char *const functions[WAITS] = { "wait_for_lock", "nap", "read_pipe" };
	static const char *const frames[WAITS] = { "[lock]", "[sleep]", "[pipe]" };
	struct waiter_span span;
	struct run_result r;

	(void)state;
	need_root();
	run_at_stacks(&r, &span);
	for (size_t i = 0; i < WAITS; i++) {
		print_message("# %s: %.3f s, %.3f of the kind, of %.3f in %.3f s\n", functions[i],
			      seconds_in(r.out, functions[i]), seconds_in(r.out, frames[i]),
			      span.waited_s[i], span.s);
		assert_waits_of_span(seconds_in(r.out, functions[i]), &span, i);
		assert_that(seconds_in(r.out, functions[i]), >=, 0.95 * seconds_in(r.out, frames[i]));
	}
	run_release(&r);
}

/* Its one wait goes on when the report is made, and is over later; on a busy machine it begins late. */
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
		    { "comm", "sleep" }, { "length", "goes on" } }) / 1e9, >, 0.5);
	run_release(&r);
}

/* The load's threads wait all the time, as in a deadlock: no switch tells of them. */
static void
threads_that_wait_since_before_are_said_to_be_missing(void **state)
{
	struct run_result r;
	char text[16];
	pid_t pid;

	(void)state;
	need_root();
	pid = run_load("locks");
	assert_that(run_thread(pid, "mapped"), >, 0);
	usleep(100000); /* the last of them is on its way to its lock */
	snprintf(text, sizeof(text), "%d", (int)pid);
	ptop_run(&r, "-e", EXACT, "-p", text, "--format", "csv");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "5 threads have not switched yet: off-cpu/exact/ does not know whether they wait"));
	run_release(&r);
	snprintf(text, sizeof(text), "%d", run_thread(pid, "heap"));
	ptop_run(&r, "-e", EXACT, "-t", text, "--format", "csv");
	assert_non_null(strstr(r.err, "1 thread has not switched yet: off-cpu/exact/ does not know whether it waits"));
	run_release(&r);
	/* Who looks at them has them. */
	ptop_run(&r, "-e", EXACT, "-e", "off-cpu", "-t", text, "--format", "csv");
	assert_null(strstr(r.err, "not switched yet"));
	run_release(&r);
	run_end(pid);
}

static void
a_recording_has_waits_that_others_can_read(void **state)
{
	char dir[] = "/tmp/ptop-exact-XXXXXX", file[64];
	struct run_result r, again, perf;
	struct waiter_span span;
	struct waiter w;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	waiter_start(&w);
	waiter_span_begin(&span, &w);
	ptop_run(&r, "-e", EXACT, "-t", w.tid, "--by", "state,length", "--format", "csv", "-r", file);
	waiter_span_end(&span, &w);
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
	for (size_t i = 0; i < WAITS; i++) {
		assert_waits_of_span(state_sum(r.out, states[i]), &span, i);
		assert_within(state_sum(again.out, states[i]), state_sum(r.out, states[i]), 0.05);
		assert_within(count_waits(again.out, states[i]), count_waits(r.out, states[i]), 1);
	}
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_tell_what_switches_do),
		cmocka_unit_test(perf_sched_timehist_says_how_long_each_waits),
		cmocka_unit_test(each_wait_is_as_long_as_its_switches_say),
		cmocka_unit_test(the_stack_of_a_wait_is_that_of_its_switch),
		cmocka_unit_test(a_wait_that_goes_on_counts_so_far),
		cmocka_unit_test(threads_that_wait_since_before_are_said_to_be_missing),
		cmocka_unit_test(a_recording_has_waits_that_others_can_read),
		cmocka_unit_test(counters_say_that_waits_are_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
