/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view counters on the screen, on the real kernel. */
#include "tests/screen_fixture.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "tests/breakpoint.h"
#include "tests/skip.h"

enum { THREADS = 4, QUIET_MS = 300 };

static int
open_events(struct screen *s)
{
	return run_count_events(pty_pid(s->p));
}

static void
opens_soon(struct screen *s, int least, int most)
{
	int n = open_events(s);

	for (int ms = 0; ms < SOON_MS && (n < least || n > most); ms += 20) {
		pty_run(s->p, 20);
		n = open_events(s);
	}
	if (n < least || n > most)
		fail_msg("%d events are open, not %d to %d", n, least, most);
}

/* A load with threads, and ptop with nothing else in its table: the machine may be busy. */
static void
start_on_threads(struct screen *s)
{
	char pid[16];

	screen_load(s, "threads");
	for (int ms = 0; ms < SOON_MS && run_count_threads(s->loads[0]) < THREADS; ms += 10)
		usleep(10 * 1000);
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, 120, 40, ARGS("-d", "0.5", "-p", pid), NULL);
	sees_match(s, "[0-9] +[0-9.]+ .* spin_a .*threads");
}

/* The last of the menu of views. */
static void
choose_counters(struct screen *s)
{
	keys(s, "v");
	sees(s, "what events counted");
	keys(s, "\033[F\r");
	sees(s, "[Counters]");
}

static void
the_process_and_the_thread_looked_at_are_counted(void **state)
{
	struct screen *s = *state;
	int sampling;

	start_on_threads(s);
	sampling = settled_events(s);
	keys(s, "\r");
	sees(s, "[Threads]");
	sees_match(s, " worker-a +spin_a");
	choose_counters(s);
	sees_match(s, "> [0-9]+ threads .*\\[Counters\\]");
	/* worker-a has a CPU if it can, and there may be others that want it. */
	sees_match(s, "^ +task-clock +[1-9][0-9]+\\.[0-9]+ ms +[0-9.]+ ms +100\\.0");
	sees_match(s, "^ +context-switches +[0-9.]+ +[1-9][0-9]* ");
	sees_match(s, "^ +cycles +((\\? +\\? +- +)?this machine|[1-9])");
	opens_soon(s, sampling + 1, INT_MAX);
	/* Sampling goes on beside it. */
	sees_match(s, "[1-9][0-9.k]* samples/s");
	keys(s, "\033");
	sees(s, "[Processes]");
	opens_soon(s, sampling, sampling);
	keys(s, "\r");
	sees_match(s, " worker-a +spin_a");
	keys(s, "v\033[H\033[B\r"); /* threads */
	sees(s, "[Threads]");
	keys(s, "\r");
	sees_match(s, "> thread [0-9]+ worker-a ");
	choose_counters(s);
	sees_match(s, "> thread [0-9]+ worker-a .*\\[Counters\\]");
	sees_match(s, "^ +task-clock +[1-9][0-9]+\\.[0-9]+ ms +[0-9.]+ ms +100\\.0");
	leave(s);
}

static void
the_machine_is_counted_and_the_users_own_events_too(void **state)
{
	struct screen *s = *state;

	screen_load(s, "syscalls");
	screen_start(s, 120, 40, ARGS("-V", "counters", "-e", "syscalls:sys_enter_getppid", "-d",
				      "0.5", "-w", "2"), NULL);
	sees(s, "[Counters]");
	sees_match(s, "^ +syscalls:sys_enter_getppid +[1-9][0-9]+\\.[0-9] +[1-9][0-9]+ +100\\.0");
	sees_match(s, "^ +task-clock +[1-9][0-9]+\\.[0-9]+ ms ");
	keys(s, "=");
	sees(s, "as much time before it");
	keys(s, "\r");
	sees_match(s, "\\[Counters\\].* THEN the [0-9.]+ s up to ");
	sees_match(s, "^ +NOW +THEN +DELTA +CHANGED +COUNTER");
	sees_match(s, "^.? +[1-9][0-9]+\\.[0-9]+ ms .*task-clock");
	keys(s, "=\033[F\r"); /* the last of the menu: nothing */
	sees_match(s, "^ +COUNTER ");
	keys(s, "\t");
	sees(s, "[Processes]");
	keys(s, "\033[Z");
	sees(s, "[Counters]");
	sees_match(s, "^ +task-clock +[1-9][0-9]+\\.[0-9]+ ms ");
	leave(s);
}

/* It would need time that cannot come. */
static void
before_the_view_was_entered_nothing_was_counted(void **state)
{
	struct screen *s = *state;

	screen_load(s, "hot");
	screen_start(s, 80, 24, ARGS("-d", "0.5", "-w", "2"), NULL);
	sees(s, "hot_loop");
	keys(s, "=");
	sees(s, "this moment");
	keys(s, "\033[B\r");
	sees(s, "THEN the ");
	keys(s, ":counters\r");
	sees(s, "[Counters]");
	sees_match(s, "nothing is known THEN: counters are kept from [0-9]+:[0-9]+:[0-9]+ on");
	sees_match(s, "^.? +[1-9][0-9]+\\.[0-9]+ ms .*task-clock");
	sees_no(s, "needs");
	keys(s, "=");
	sees(s, "as much time before it");
	keys(s, "\033[H\r");
	sees_match(s, "THEN the [12]\\.[0-9] s up to ");
	sees_match(s, "^ +NOW +THEN +DELTA +CHANGED +COUNTER");
	sees_match(s, "^.? +[1-9][0-9]+\\.[0-9]+ ms +[1-9][0-9]+\\.[0-9]+ ms +[-+].* task-clock");
	sees(s, "instructions per cycle");
	leave(s);
}

static void
who_has_ended_keeps_what_was_counted(void **state)
{
	struct screen *s = *state;

	start_on_threads(s);
	keys(s, "\r");
	sees_match(s, " worker-a +spin_a");
	choose_counters(s);
	sees_match(s, "^ +task-clock +[1-9][0-9]+\\.[0-9]+ ms ");
	screen_end_load(s, 0);
	sees_match(s, "^ +task-clock +0\\.00 ms +[1-9][0-9.]+ ms");
	leave(s);
}

/* Each process has its own addresses; one that has not the place lacks that count alone. */
static void
probes_and_variables_are_counted_where_the_process_has_them(void **state)
{
	struct screen *s = *state;
	char pids[40], enter[2][32];

	if (access("/sys/bus/event_source/devices/uprobe/type", R_OK) != 0)
		skip_for("the kernel has no uprobes");
	screen_load(s, "exact");
	screen_load(s, "hot");
	snprintf(pids, sizeof(pids), "%d,%d", (int)s->loads[0], (int)s->loads[1]);
	for (int i = 0; i < 2; i++)
		snprintf(enter[i], sizeof(enter[i]), "/%d\r\r", (int)s->loads[i]);
	screen_start(s, 130, 40, ARGS("-d", "0.5", "--force-probe", "-p", pids, "-e",
				      "uprobe:count_me", breakpoints_work() ? "-e" : NULL,
				      "mem:counter:w:u"), NULL);
	sees_match(s, " count_me +exact$");
	keys(s, enter[0]);
	sees(s, "> ");
	choose_counters(s);
	sees_match(s, "^ +uprobe:count_me +[1-9][0-9.]*[kM]? +[1-9]");
	if (breakpoints_work())
		sees_match(s, "^ +mem:counter:w:u +[1-9][0-9.]*[kM]? +[1-9]");
	keys(s, "\033");
	sees(s, "[Processes]");
	keys(s, enter[1]);
	sees(s, "> ");
	choose_counters(s);
	sees_match(s, "^ +task-clock +[1-9][0-9]*\\.[0-9]+ ms ");
	sees_match(s, "^ +uprobe:count_me +(\\? +\\? )?.*no function 'count_me'");
	if (breakpoints_work())
		sees_match(s, "^ +mem:counter:w:u +(\\? +\\? )?.*no variable 'counter'");
	keys(s, "\033");
	sees(s, "[Processes]");
	choose_counters(s);
	sees_match(s, "^ +uprobe:count_me +[1-9][0-9.]*[kM]? +[1-9]");
	if (breakpoints_work())
		sees_match(s, "^ +mem:counter:w:u +[1-9][0-9.]*[kM]? +[1-9].* found in 1 of 2 processes");
	leave(s);
}

static void
start_on(struct screen *s, const char *option, const char *what, const char *arg)
{
	screen_start(s, 120, 40, ARGS("-V", "counters", "-e", "syscalls:sys_enter_getppid", "-d",
				      "0.5", (char *)(uintptr_t)option, (char *)(uintptr_t)what,
				      (char *)(uintptr_t)arg), NULL);
}

struct pids {
	char slow[16], attach[16]; /* the keys that take the other one in, too */
};

/* The view of a program that never makes the call, beside one that makes it all the time. */
static void
start_beside_calls(struct screen *s, struct pids *pids)
{
	screen_load(s, "syscalls");
	screen_load_with(s, "counted", "slow");
	snprintf(pids->slow, sizeof(pids->slow), "%d", (int)s->loads[1]);
	snprintf(pids->attach, sizeof(pids->attach), "p%d\r", (int)s->loads[0]);
	start_on(s, "-p", pids->slow, NULL);
	sees_match(s, "^ +syscalls:sys_enter_getppid +0\\.0 +0 ");
}

static void
what_was_named_is_counted_and_nothing_else(void **state)
{
	struct screen *s = *state;
	struct pids pids;

	start_beside_calls(s, &pids);
	sees_match(s, "^ +task-clock +[1-9][0-9]*\\.[0-9]+ ms ");
	keys(s, pids.attach);
	sees(s, "is attached");
	sees_match(s, "^ +syscalls:sys_enter_getppid +[1-9][0-9.]*[kM]? +[1-9]");
	leave(s);
	start_on(s, "-t", pids.slow, NULL);
	sees_match(s, "^ +syscalls:sys_enter_getppid +0\\.0 +0 ");
	leave(s);
	start_on(s, "--", run_load_path("counted"), "slow");
	sees_match(s, "^ +syscalls:sys_enter_getppid +0\\.0 +0 ");
	sees_match(s, "^ +task-clock +[1-9][0-9]*\\.[0-9]+ ms ");
	leave(s);
}

/* The program that stays makes no call: all that are counted are of the one that ends. */
static void
what_was_counted_stays_when_one_that_was_attached_ends(void **state)
{
	struct screen *s = *state;
	struct pids pids;

	start_beside_calls(s, &pids);
	keys(s, pids.attach);
	sees_match(s, "All of [0-9]+ counted, [0-9]+ syscalls");
	sees(s, "what is sampled has changed: counters begin anew");
	sees_match(s, "^ +syscalls:sys_enter_getppid +[1-9][0-9.]*[kM]? +[1-9]");
	keys(s, "\033[B"); /* takes the sentence away */
	screen_end_load(s, 0);
	sees_match(s, "All of [0-9]+ counted +\\[");
	pty_run(s->p, 5 * QUIET_MS);
	sees_match(s, "^ +syscalls:sys_enter_getppid +0\\.0 +[1-9]");
	sees_no(s, "counters begin anew");
	leave(s);
}

/* In the menu of views the output of COMMAND is the last, and counters are above it. */
static void
counts_what_is_left(struct screen *s)
{
	sees_match(s, " syscalls$");
	keys(s, "v\033[F\r");
	sees(s, "left alone");
	keys(s, "v");
	sees(s, "what events counted");
	keys(s, "\033[F\033[A\r");
	sees_match(s, "^ +syscalls:sys_enter_getppid +[1-9][0-9.]*[kM]? +[1-9]");
	leave(s);
}

/* A process that is named beside it makes no call. */
static void
what_one_that_has_ended_leaves_is_counted(void **state)
{
	struct screen *s = *state;
	char line[PATH_MAX], slow[16];

	screen_load_with(s, "counted", "slow");
	snprintf(slow, sizeof(slow), "%d", (int)s->loads[0]);
	/* It is left by the command, and ends with ptop. */
	snprintf(line, sizeof(line), "{ %s & tail --pid=$PPID -f /dev/null; kill $!; } & sleep 1; "
		 "echo left alone", run_load_path("syscalls"));
	screen_start(s, 120, 40, ARGS("-e", "syscalls:sys_enter_getppid", "-d", "0.5",
				      "--", "sh", "-c", line), NULL);
	counts_what_is_left(s);
	screen_start(s, 120, 40, ARGS("-e", "syscalls:sys_enter_getppid", "-d", "0.5", "-p", slow,
				      "--", "sh", "-c", line), NULL);
	counts_what_is_left(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(the_process_and_the_thread_looked_at_are_counted),
		screen_test(the_machine_is_counted_and_the_users_own_events_too),
		screen_test(before_the_view_was_entered_nothing_was_counted),
		screen_test(who_has_ended_keeps_what_was_counted),
		screen_test(what_was_named_is_counted_and_nothing_else),
		screen_test(what_was_counted_stays_when_one_that_was_attached_ends),
		screen_test(what_one_that_has_ended_leaves_is_counted),
		screen_test(probes_and_variables_are_counted_where_the_process_has_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
