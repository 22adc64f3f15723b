/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What threads wait for, by their switches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/*
 * On CPU 0, which is never off line.  The idle thread of one that was once (see test_hotplug) may have
 * left it amid a tracepoint: Linux counts this for the thread since 6.11, and no event sees it again.
 */
static void
waiter_start_on_0(struct waiter *w)
{
	cpu_set_t all, one;

	assert_return_code(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	assert_return_code(sched_setaffinity(0, sizeof(one), &one), 0);
	waiter_start(w);
	assert_return_code(sched_setaffinity(0, sizeof(all), &all), 0);
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
	waiter_start_on_0(&w);
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
		if (by_waker == 0)
			fail_msg("no %s has the waker %s:\n%s", waits[i].state, waits[i].waker, r.out);
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
		assert_that(seconds_in(r.out, functions[i]), >, 0.1);
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
		assert_that(state_sum(r.out, states[i]), >, 0.1);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_tell_what_switches_do),
		cmocka_unit_test(each_wait_is_as_long_as_its_switches_say),
		cmocka_unit_test(the_stack_of_a_wait_is_that_of_its_switch),
		cmocka_unit_test(a_wait_that_goes_on_counts_so_far),
		cmocka_unit_test(a_recording_has_waits_that_others_can_read),
		cmocka_unit_test(counters_say_that_waits_are_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
