/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the key w writes of the flight recorder, whatever was opened and closed meanwhile: files that
 * perf reads, with all their samples.  It takes more than half a minute: perf reads each of some 20
 * files twice, and events are sampled for seconds before.
 */
#include <config.h>

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/asserts.h"
#include "tests/past.h"

enum { BUDGET_MS = 30000, OPEN_MS = 20000 };

static void
a_file_after_switches_of_the_event_is_read_by_perf(void **state)
{
	struct past *p = *state;

	past_start(p, "");
	past_write_and_read(p);
	keys(&p->s, "+");
	sees(&p->s, "1999 Hz");
	past_switch(p, "page-f", "page-faults");
	past_write_and_read(p);
	keys(&p->s, "[");
	sees(&p->s, "event cpu-clock");
	pty_run(p->s.p, 1500);
	past_write_and_read(p);
	past_switch(p, "context-sw", "context-switches");
	keys(&p->s, "]");
	sees(&p->s, "event cpu-clock");
	pty_run(p->s.p, 3000); /* what was closed is forgotten, but here */
	past_write_and_read(p);
	leave(&p->s);
}

static void
a_file_after_changes_of_rate_is_read_by_perf(void **state)
{
	struct past *p = *state;

	past_start(p, "-e cpu-clock --budget off");
	sees(&p->s, "999 Hz");
	keys(&p->s, "+");
	sees(&p->s, "1999 Hz");
	pty_run(p->s.p, 500);
	past_write_and_read(p);
	keys(&p->s, "---");
	sees(&p->s, "199 Hz");
	pty_run(p->s.p, 3000);
	past_write_and_read(p);
	past_switch(p, "task-cl", "task-clock");
	keys(&p->s, "+");
	sees(&p->s, "499 Hz");
	pty_run(p->s.p, 500);
	past_write_and_read(p);
	leave(&p->s);
}

/* The rates are ptop's own then. */
static void
a_file_after_changes_by_the_budget_is_read_by_perf(void **state)
{
	struct past *p = *state;

	past_start(p, "-F 20000 --budget 0.05 -e cpu-clock");
	if (!pty_wait_match(p->s.p, " [0-9]+ of 20000 Hz", BUDGET_MS))
		fail_msg("the rate is not lowered:\n%s", pty_screen(p->s.p));
	pty_run(p->s.p, 1000);
	past_write_and_read(p);
	past_switch(p, "task-cl", "task-clock");
	pty_run(p->s.p, 4000);
	past_write_and_read(p);
	leave(&p->s);
}

static pid_t
run_other(void)
{
	pid_t pid = run_fork();

	assert_that(pid, >=, 0);
	if (pid > 0)
		return pid;
	if (freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL)
		execlp("perf", "perf", "record", "-a", "-e", "page-faults,context-switches", "-c", "1",
		       "-o", "/dev/null", (char *)NULL);
	_exit(127);
}

/* It has no end but ours, unless a CPU goes while it begins. */
static void
start_other(struct past *p)
{
	for (int ms = 0; ms < OPEN_MS; ms += 100) {
		if (p->other <= 0 || waitpid(p->other, NULL, WNOHANG) == p->other)
			p->other = run_other();
		pty_run(p->s.p, 100);
		if (run_count_events(p->other) > 0)
			return;
	}
	fail_msg("perf record opens no event");
}

/* Whoever comes first, the samples of both carry its ids. */
static void
a_file_beside_another_profiler_is_read_by_perf(void **state)
{
	struct past *p = *state;

	past_start(p, "");
	keys(&p->s, "+");
	sees(&p->s, "1999 Hz");
	past_switch(p, "page-f", "page-faults");
	start_other(p);
	pty_run(p->s.p, 1000);
	past_write_and_read(p);
	past_switch(p, "context-sw", "context-switches");
	pty_run(p->s.p, 1000);
	past_write_and_read(p);
	keys(&p->s, "[");
	sees(&p->s, "event page-faults");
	keys(&p->s, "+");
	pty_run(p->s.p, 1000);
	past_write_and_read(p);
	run_end(p->other);
	p->other = 0;
	pty_run(p->s.p, 1000);
	past_write_and_read(p);
	leave(&p->s);
}

static void
a_file_of_groups_is_read_by_perf(void **state)
{
	struct past *p = *state;

	past_start(p, "");
	keys(&p->s, "+");
	sees(&p->s, "1999 Hz");
	past_switch(p, "{context-switches,task-clock}", "context-switches");
	past_write_and_read(p);
	past_switch(p, "{page-faults,context-switches}:S", "page-faults:S");
	pty_run(p->s.p, 1000);
	past_write(p);
	past_read(p, true);
	keys(&p->s, "e");
	sees_match(&p->s, "^ \\+ cpu-clock");
	keys(&p->s, "cpu-cl");
	sees(&p->s, "1 of ");
	keys(&p->s, "\r");
	sees(&p->s, "event cpu-clock");
	pty_run(p->s.p, 3000);
	past_write(p);
	past_read(p, true);
	leave(&p->s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		past_test(a_file_after_switches_of_the_event_is_read_by_perf),
		past_test(a_file_after_changes_of_rate_is_read_by_perf),
		past_test(a_file_after_changes_by_the_budget_is_read_by_perf),
		past_test(a_file_beside_another_profiler_is_read_by_perf),
		past_test(a_file_of_groups_is_read_by_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
