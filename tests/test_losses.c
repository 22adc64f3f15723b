/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Losses: where and when they were, and that reports of a flood tell all of them. */
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

#include "engine/leaf/losses.h"
#include "live/sys/limits.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/skip.h"
#include "tests/waiter.h"

#define S(n) ((n) * NSEC_PER_SEC)

static void
what_a_broken_ring_held_is_lost_whatever_the_kernel_counts(void **state)
{
	struct losses l = { .skipped = 5 };

	(void)state;
	l.counts[LOSS_SAMPLES] = 100;
	l.counts[LOSS_SIDEBAND] = 1;
	assert_int_equal(losses_all(&l, 70), 106);
	assert_int_equal(losses_all(&l, 200), 206);
}

static void
what_was_lost_is_told_of_the_time_in_which_it_was(void **state)
{
	struct losses l = { .mark_count = 0 };

	(void)state;
	assert_int_equal(losses_between(&l, 0, S(100)), 0);
	losses_mark(&l, S(10), 0); /* nothing yet */
	losses_mark(&l, S(20), 5);
	losses_mark(&l, S(21), 5);
	losses_mark(&l, S(30), 12);
	losses_mark(&l, S(40), 13);
	assert_int_equal(losses_between(&l, 0, S(100)), 13);
	assert_int_equal(losses_between(&l, 0, S(15)), 5); /* found at 20, lost nobody knows when */
	assert_int_equal(losses_between(&l, S(20), S(30)), 7);
	assert_int_equal(losses_between(&l, S(20), S(25)), 7);
	/* What was found only after one had looked again was lost later. */
	assert_int_equal(losses_between(&l, 0, S(5)), 0);
	assert_int_equal(losses_between(&l, S(20), S(21)), 0);
	assert_int_equal(losses_between(&l, S(30), S(100)), 1);
	assert_int_equal(losses_between(&l, S(40), S(100)), 0);
	losses_release(&l);
}

static void
marks_without_end_keep_the_newest(void **state)
{
	struct losses l = { .mark_count = 0 };

	(void)state;
	for (uint64_t i = 1; i <= 3 * LOSS_MARKS; i++)
		losses_mark(&l, S(i), 10 * i);
	assert_int_equal(losses_between(&l, S(3 * LOSS_MARKS - 7), S(3 * LOSS_MARKS)), 70);
	assert_int_equal(losses_between(&l, 0, S(3 * LOSS_MARKS)), 10 * (LOSS_MARKS - 1));
	losses_release(&l);
}

static void
the_time_between_a_throttle_and_its_end_counts(void **state)
{
	struct losses l = { .mark_count = 0 };
	struct buf b = { 0 };

	(void)state;
	losses_throttle(&l, 1, S(1), true);
	losses_throttle(&l, 1, S(1) + NSEC_PER_SEC / 4, false);
	losses_throttle(&l, 1, S(2), false); /* its begin was lost */
	losses_throttle(&l, 3, S(3), true);
	losses_throttle(&l, 3, S(90), false); /* what was between was lost */
	losses_throttle(&l, LOSS_CPUS_MAX, S(3), true);
	losses_throttle(&l, UINT32_MAX, S(3), false);
	assert_int_equal(l.throttled_ns, NSEC_PER_SEC / 4);
	assert_int_equal(l.cpus[1].throttled, 1);
	losses_put(&l, &b);
	assert_string_equal(buf_str(&b), "the kernel throttled sampling longest on CPU 1: 0.250 s\n");
	buf_release(&b);
	losses_release(&l);
}

static void
the_cpus_that_lost_most_are_named(void **state)
{
	struct losses l = { .mark_count = 0 };
	struct buf b = { 0 };

	(void)state;
	for (unsigned cpu = 0; cpu < 40; cpu++)
		losses_lost(&l, cpu, (cpu * 7) % 40);
	losses_lost(&l, LOSS_CPUS_MAX, 1000);
	losses_put(&l, &b);
	assert_string_equal(buf_str(&b), "most samples were lost on CPU 17: 39, CPU 34: 38, CPU 11: 37, "
			    "CPU 28: 36, CPU 5: 35, CPU 22: 34, CPU 39: 33, CPU 16: 32\n");
	buf_release(&b);
	losses_release(&l);
}

/* The sum of a JSON member over all reports, or that of the last one. */
static double
member(const char *json, const char *name, bool sum)
{
	double res = 0;

	for (const char *p = json; (p = strstr(p, name)) != NULL;) {
		p += strlen(name);
		res = strtod(p, NULL) + (sum ? res : 0);
	}
	return res;
}

/* Each report has its own part of all that was lost. */
static void
reports_of_a_flood_tell_what_they_lack(void **state)
{
	char *argv[] = { (char *)(uintptr_t)run_ptop(), "-n", "3", "-d", "0.5", "-m", "1", "-e",
			 "raw_syscalls:sys_enter", "-c", "1", "--format", "json", NULL };
	struct run_result r;
	double lost;
	pid_t load;

	(void)state;
	if (geteuid() != 0)
		skip_for("tracepoints of all CPUs need root here");
	need_jansson();
	load = run_load("syscalls");
	run_program(&r, 60, argv);
	run_end(load);
	assert_int_equal(r.status, 0);
	lost = member(r.out, "],\"lost\":", false);
	assert_that(lost, >, 1000);
	assert_true(member(r.out, "\"window_lost\":", true) == lost);
	assert_non_null(strstr(r.err, "samples lost in full rings: "));
	run_release(&r);
}

struct burst {
	const char *event, *load, *times; /* the load: a program of tests/loads, its mode first */
	double count; /* of samples; with pages the program itself touches some more */
};

/* How many samples of the burst ptop lacks; @in: counts those of this recording instead. */
static double
lost_by_ptop(const struct burst *b, const char *in)
{
	char *live[] = { (char *)(uintptr_t)run_ptop(), "-b", "--format", "csv", "-c", "1", "-e",
			 (char *)(uintptr_t)b->event, "--", "tests/loads/counted",
			 (char *)(uintptr_t)b->load, (char *)(uintptr_t)b->times, NULL };
	char *file[] = { (char *)(uintptr_t)run_ptop(), "-b", "--format", "csv", "-i",
			 (char *)(uintptr_t)in, NULL };
	struct run_result r;
	double kept;

	run_program(&r, 60, in != NULL ? file : live);
	if (r.status != 0)
		fail_msg("status %#x: %s", r.status, r.err);
	kept = run_csv_sum(r.out, "samples", 0, NULL);
	run_release(&r);
	return kept < b->count ? b->count - kept : 0;
}

static double
lost_by_perf(const struct burst *b)
{
	char path[] = "/tmp/ptop-burst-XXXXXX";
	char *argv[] = { "perf", "record", "-q", "-o", path, "-c", "1", "-e",
			 (char *)(uintptr_t)b->event, "--", "tests/loads/counted",
			 (char *)(uintptr_t)b->load, (char *)(uintptr_t)b->times, NULL };
	struct run_result r;
	double lost;

	close(mkstemp(path));
	run_program(&r, 60, argv);
	lost = r.status == 0 ? lost_by_ptop(b, path) : -1;
	run_release(&r);
	unlink(path);
	return lost;
}

/* What programs do each time comes faster than rings can be emptied; the best of some tries. */
static void
a_burst_of_samples_is_kept_as_perf_keeps_it(void **state)
{
	static const struct burst bursts[] = {
		{ "syscalls:sys_enter_getpid", "getpid", "30000", 30000 },
		{ "page-faults", "pages", "5000", 5000 },
	};

	(void)state;
	if (geteuid() != 0)
		skip_for("tracepoints need root here");
	for (size_t i = 0; i < sizeof(bursts) / sizeof(bursts[0]); i++) {
		double perf = run_has_perf() ? lost_by_perf(&bursts[i]) : 0, lost = 1e9;

		for (int tries = 0; tries < 3 && lost > perf; tries++) {
			double n = lost_by_ptop(&bursts[i], NULL);

			lost = n < lost ? n : lost;
		}
		print_message("# %s: %.0f lost, by perf %.0f\n", bursts[i].event, lost, perf);
		assert_true(lost <= (perf > 0 ? perf : 0));
	}
}

/* Two that hand a byte to each other on one CPU, as fast as that can be, for @seconds at most. */
static pid_t
hand_over(unsigned cpu, unsigned seconds)
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
	alarm(seconds);
	if (pid > 0 && write(to[1], &c, 1) != 1)
		_exit(1);
	for (;;)
		if (read(pid > 0 ? from[0] : to[0], &c, 1) != 1 ||
		    write(pid > 0 ? to[1] : from[1], &c, 1) != 1)
			_exit(1);
}

/* A program while two CPUs are handed over so; or the test is skipped. */
static void
run_in_flood(struct run_result *r, unsigned seconds, char *const argv[])
{
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	struct event_env env = { .root = "" };
	bool is_flood;
	pid_t pids[2];

	for (unsigned i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = hand_over(i % cpus, seconds);
	usleep(200000);
	is_flood = limits_switches(&env) >= 60000;
	if (is_flood)
		run_program(r, PATIENCE_S, argv);
	for (unsigned i = 0; i < ARRAY_SIZE(pids); i++)
		run_end(pids[i]);
	if (!is_flood)
		skip_for("the machine does not switch so often");
}

#define FLOODED(seconds, ...) \
	((char *[]){ (char *)(uintptr_t)run_ptop(), "--budget", "off", "-b", "-n", "1", "-d", seconds, \
		     __VA_ARGS__, NULL })

static void
too_many_switches_of_all_are_refused_unless_forced(void **state)
{
	struct run_result r;
	char pid[16];

	(void)state;
	need_root();
	run_in_flood(&r, PATIENCE_S, FLOODED("1", "-e", EXACT));
	assert_int_not_equal(r.status, 0);
	assert_non_null(strstr(r.err, "switches a second"));
	assert_non_null(strstr(r.err, EXACT_FORCED));
	run_release(&r);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	/* The kernel takes ten times as long to close an event as long as there is a flood. */
	run_in_flood(&r, 6, FLOODED("1", "-e", EXACT, "-t", pid));
	assert_int_equal(r.status, 0);
	run_release(&r);
	/* What does not fit into the rings is unknown, and said.  A busy machine is at it for longer. */
	run_in_flood(&r, 6, FLOODED("3", "-e", EXACT_FORCED, "-m", "16", "--by", "comm,state",
				    "--format", "csv"));
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "waits of which a switch was lost"));
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_broken_ring_held_is_lost_whatever_the_kernel_counts),
		cmocka_unit_test(what_was_lost_is_told_of_the_time_in_which_it_was),
		cmocka_unit_test(marks_without_end_keep_the_newest),
		cmocka_unit_test(the_time_between_a_throttle_and_its_end_counts),
		cmocka_unit_test(the_cpus_that_lost_most_are_named),
		cmocka_unit_test(reports_of_a_flood_tell_what_they_lack),
		cmocka_unit_test(a_burst_of_samples_is_kept_as_perf_keeps_it),
		cmocka_unit_test(too_many_switches_of_all_are_refused_unless_forced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
