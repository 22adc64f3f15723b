/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that are counted for several tasks: one probe in tracefs for all of them, which does not stay
 * behind, and probes of each where tracefs cannot be written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "tests/csv.h"
#include "tests/probes.h"
#include "tests/run.h"

enum { PATIENCE_S = 60, STEP_US = 20000, LIST_MAX = 1 << 20, TASKS = 3 };

/* For the calling process alone. */
static bool
make_read_only(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount(NULL, "/sys/kernel/tracing", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0;
}

/* ptop counts what several threads of @of call. */
static pid_t
begin_ptop(pid_t of, bool may_write, const char *report)
{
	char pid[16];
	pid_t child;

	snprintf(pid, sizeof(pid), "%d", (int)of);
	child = run_fork();
	if (child == 0) {
		if (may_write || make_read_only())
			execl(run_ptop(), "ptop", "-b", "-d", report != NULL ? "1" : "600", "-n", "1",
			      "--count-function", "clock_nanosleep", "--force-probe", "--format", "csv",
			      "--force", "-o", report != NULL ? report : "/dev/null", "-p", pid,
			      (char *)NULL);
		_exit(127);
	}
	return child;
}

static void
all_tasks_share_one_probe_at_each_place(void **state)
{
	pid_t load, ptop;

	(void)state;
	need_probes();
	load = run_load("waits");
	ptop = begin_ptop(load, true, NULL);
	probes_come(ptop);
	for (int i = 0; run_count_events(ptop) < TASKS * probes_count(ptop); i++) {
		if (i * STEP_US > PATIENCE_S * 1000000)
			fail_msg("%d probes are open %d times", probes_count(ptop),
				 run_count_events(ptop));
		usleep(STEP_US);
	}
	run_end(ptop);
	run_end(load);
}

/* The calls of a report; which probes there were is told by @had_probes. */
static double
count_calls(bool may_write, bool *had_probes)
{
	char report[] = "/tmp/ptop-shared-XXXXXX";
	int fd = mkstemp(report), status;
	pid_t load = run_load("waits"), ptop = begin_ptop(load, may_write, report);
	struct buf text = { 0 };
	struct csv c;
	double calls;

	close(fd);
	*had_probes = false;
	while (waitpid(ptop, &status, WNOHANG) == 0) {
		*had_probes |= probes_count(ptop) > 0;
		usleep(STEP_US);
	}
	run_end(load);
	assert_int_equal(status, 0);
	assert_no_probes(ptop, true);
	assert_int_equal(file_read(report, &text, LIST_MAX), 0);
	unlink(report);
	csv_init(&c, buf_str(&text));
	assert_true(csv_next(&c));
	calls = csv_number(&c, "calls");
	csv_release(&c);
	buf_release(&text);
	return calls;
}

static void
calls_are_counted_by_it(void **state)
{
	bool had_probes;

	(void)state;
	need_probes();
	assert_true(count_calls(true, &had_probes) > 0);
	assert_true(had_probes);
}

static void
where_tracefs_cannot_be_written_each_task_has_its_own(void **state)
{
	bool had_probes;

	(void)state;
	need_probes();
	assert_true(count_calls(false, &had_probes) > 0);
	assert_false(had_probes);
}

/* Those of another ptop stay. */
static void
assert_removed_after(int signal, bool at_once)
{
	pid_t load = run_load("waits"), ptop = begin_ptop(load, true, NULL);
	pid_t other = begin_ptop(load, true, NULL);
	int status;

	probes_come(ptop);
	probes_come(other);
	kill(ptop, signal);
	assert_int_equal(waitpid(ptop, &status, 0), ptop);
	assert_no_probes(ptop, at_once);
	assert_true(probes_count(other) > 0);
	run_end(other);
	run_end(load);
}

static void
none_is_left_when_ptop_ends(void **state)
{
	(void)state;
	need_probes();
	assert_removed_after(SIGTERM, true);
}

static void
none_is_left_when_ptop_is_killed(void **state)
{
	(void)state;
	need_probes();
	assert_removed_after(SIGKILL, false);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_tasks_share_one_probe_at_each_place),
		cmocka_unit_test(calls_are_counted_by_it),
		cmocka_unit_test(where_tracefs_cannot_be_written_each_task_has_its_own),
		cmocka_unit_test(none_is_left_when_ptop_ends),
		cmocka_unit_test(none_is_left_when_ptop_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
