/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -g auto, the default, on the real kernel: whose stacks are copied further, that all count once,
 * what is given back.  It takes more than half a minute: ptop looks at a process for a second before
 * it copies more of its stack.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/util.h"
#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { PATIENCE_S = 300, CPUS_MAX = 32, EACH_MS = 50, SETTLED_MS = 1000 };

static void
need_unwinding(void)
{
	if (geteuid() != 0)
		skip_for("sampling every CPU needs root here");
#if !defined(__x86_64__) && !defined(__aarch64__)
	skip_for("stacks of this machine are not unwound");
#endif
}

static void
ptop(struct run_result *r, char *const args[])
{
	char *argv[32] = { (char *)run_ptop(), "-b", "-g", "auto", "--budget", "0" };
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	for (size_t i = 0; args[i] != NULL; i++)
		argv[n + i] = args[i];
	run_program(r, PATIENCE_S, argv);
	if (r->status != 0)
		fail_msg("status %d: %s", r->status, r->err);
}

#define ptop_run(r, ...) ptop(r, (char *[]){ __VA_ARGS__, NULL })

/* Of folded lines that begin with @comm, those that have @frame in them ("": all). */
static double
folded_sum(const char *text, const char *comm, const char *frame)
{
	double sum = 0;

	while (*text != '\0') {
		const char *end = strchrnul(text, '\n'), *count = end, *at;

		while (count > text && *count != ' ')
			count--;
		at = memmem(text, (size_t)(count - text), frame, strlen(frame));
		if (strncmp(text, comm, strlen(comm)) == 0 && at != NULL)
			sum += atof(count);
		text = *end == '\0' ? end : end + 1;
	}
	return sum;
}

static void
code_without_frame_pointers_has_its_whole_chain(void **state)
{
	struct run_result r;
	double all, whole;
	char pid[16];
	pid_t load;

	(void)state;
	need_unwinding();
	load = run_load("nested");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-p", pid, "-n", "1", "-d", "6", "--format", "folded");
	run_end(load);
	all = folded_sum(r.out, "nested;", "");
	whole = folded_sum(r.out, "nested;", ";main;");
	assert_that(all, >, 50);
	/* But for handlers that run on another stack than what they interrupted. */
	if (whole < all * 0.9)
		fail_msg("of %.0f only %.0f are whole:\n%s", all, whole, r.out);
	run_release(&r);
}

/* 8 KiB, 16, 32: that is two openings more. */
static void
copies_grow_until_chains_end_in_them(void **state)
{
	struct run_result r;
	double whole, cut;
	char pid[16];
	pid_t load;

	(void)state;
	need_unwinding();
	load = run_load("large_frames");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-p", pid, "-n", "1", "-d", "9", "--format", "folded");
	run_end(load);
	whole = folded_sum(r.out, "large_frames;", ";main;burn_below;");
	cut = folded_sum(r.out, "large_frames;", "[cut];");
	/* That there were such shows that the first were too short. */
	assert_that(cut, >, 0);
	if (whole <= cut)
		fail_msg("%.0f whole, %.0f cut:\n%s", whole, cut, r.out);
	run_release(&r);
}

/*
 * Whether samples of @sampled_s seconds are those of @cpu_s seconds on a CPU.  Where others want the
 * CPU, a timer fires late and skips what it missed: up to 4 % here, which nobody samples.
 */
static bool
each_once(double sampled_s, double cpu_s)
{
	return sampled_s > 0.92 * cpu_s && sampled_s < 1.04 * cpu_s;
}

/* Another program in the same process, which has its copies by then: no moment is lost or twice. */
static void
an_exec_begins_anew(void **state)
{
	char command[512];
	char *argv[] = { (char *)run_ptop(), "-b", "-g", "auto", "--budget", "0", "-e", "cpu-clock",
			 "--format", "folded", "--", "sh", "-c", command, NULL };
	struct run_result r;
	double after, before, cpu_s;

	(void)state;
	need_unwinding();
	snprintf(command, sizeof(command), "i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done; "
		 "exec tests/loads/bursts");
	run_program(&r, PATIENCE_S, argv);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "cpu "));
	/* The kernel's count of the process goes on at an exec. */
	cpu_s = atof(strstr(r.err, "cpu ") + strlen("cpu "));
	before = folded_sum(r.out, "sh;", "") * 1001001 / 1e9;
	after = folded_sum(r.out, "bursts;", "") * 1001001 / 1e9;
	if (!each_once(before + after, cpu_s))
		fail_msg("%.3f s and %.3f of %.3f\n%s%s", before, after, cpu_s, r.out, r.err);
	assert_that(folded_sum(r.out, "sh;", "__libc_start_call_main;"), >, 0);
	assert_that(folded_sum(r.out, "bursts;", ";burn;burn_ms;") * 1001001 / 1e9, >, after / 3);
	run_release(&r);
}

static void
only_deep_stacks_are_copied_further(void **state)
{
	static const struct {
		const char *load;
		bool is_deep;
	} cases[] = { { "large_frames", true }, { "nested", false } };

	(void)state;
	need_unwinding();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		pid_t load = run_load(cases[i].load);
		struct run_result r;
		char pid[16];

		snprintf(pid, sizeof(pid), "%d", (int)load);
		ptop_run(&r, "-p", pid, "-n", "1", "-d", "3", "--format", "json");
		run_end(load);
		if ((strstr(r.out, "-g auto: deep stacks of 1 process") != NULL) != cases[i].is_deep)
			fail_msg("%s:\n%s", cases[i].load, r.out);
		run_release(&r);
	}
}

/* The clock that samples is the one that the load reads: a sample for each of its milliseconds. */
static void
each_moment_counts_once(void **state)
{
	struct run_result r;
	const char *told;
	double cpu_s, sampled_s;

	(void)state;
	need_unwinding();
	if (IS_SANITIZED)
		skip_for("a sanitizer has seen this way, but for the sum, at an exec");
	ptop_run(&r, "-m", "2048", "-e", "cpu-clock", "--format", "folded", "--",
		 "tests/loads/bursts");
	told = strstr(r.err, "cpu ");
	assert_non_null(told);
	cpu_s = atof(told + strlen("cpu "));
	sampled_s = folded_sum(r.out, "bursts;", "") * 1001001 / 1e9;
	if (!each_once(sampled_s, cpu_s))
		fail_msg("sampled %.3f s of %.3f\n%s%s", sampled_s, cpu_s, r.out, r.err);
	/* Both kinds are among them. */
	assert_that(folded_sum(r.out, "bursts;", ";burn;burn_ms;") * 1001001 / 1e9, >, cpu_s / 4);
	run_release(&r);
}

/* Of @target and its children, NULL: of all. */
static pid_t
run_ptop_on(const char *target)
{
	char *argv[] = { (char *)run_ptop(), "-b", "-g", "auto", "--budget", "0", "-n", "1", "-d",
			 "100", target != NULL ? "-p" : NULL, (char *)target, NULL };
	pid_t pid = run_fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 1);
		dup2(null, 2);
		execv(argv[0], argv);
		_exit(127);
	}
	return pid;
}

/* Polls until the descriptors of events are more than @than (or, @below, no more than that). */
static int
wait_events(pid_t pid, int than, bool below)
{
	int n = -1;

	for (int ms = 0; ms < PATIENCE_S * 1000; ms += EACH_MS) {
		n = run_count_events(pid);
		if (below ? n <= than : n > than)
			break;
		usleep(EACH_MS * 1000);
	}
	return n;
}

/* A shell that does @what: a line that is written to @steps is one that it reads. */
static pid_t
run_shell(const char *what, int *steps)
{
	int fds[2];
	pid_t pid;

	assert_return_code(pipe2(fds, O_CLOEXEC), errno);
	pid = run_fork();
	if (pid == 0) {
		dup2(fds[0], 0);
		execl("/bin/sh", "sh", "-c", what, (char *)NULL);
		_exit(127);
	}
	close(fds[0]);
	*steps = fds[1];
	return pid;
}

/* Others run on this machine, and may get copies at any time: only the shell and its child count. */
static void
descriptors_are_given_back_when_a_process_ends(void **state)
{
	int before, most, after, steps;
	pid_t pid, shell;
	char target[16];

	(void)state;
	need_unwinding();
	shell = run_shell("read go; tests/loads/large_frames & read go; kill $!; read go", &steps);
	snprintf(target, sizeof(target), "%d", (int)shell);
	pid = run_ptop_on(target);
	before = run_settled_events(pid, SETTLED_MS);
	dprintf(steps, "\n");
	most = wait_events(pid, before, false);
	dprintf(steps, "\n");
	after = wait_events(pid, before, true);
	run_end(pid);
	run_end(shell);
	close(steps);
	assert_that(most, >, before);
	assert_int_equal(after, before);
}

static void
many_processes_are_bounded(void **state)
{
	enum { LOADS = 36, PROCESSES_MAX = 32, SECONDS = 5 };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t loads[LOADS], pid;
	int before, settled, most = 0;
	uint64_t end;

	(void)state;
	need_unwinding();
	if (cpus > CPUS_MAX)
		skip_for("so few processes leave more than %d CPUs idle", CPUS_MAX);
	pid = run_ptop_on(NULL);
	before = run_settled_events(pid, SETTLED_MS);
	for (int i = 0; i < LOADS; i++)
		loads[i] = run_load("large_frames");
	end = clock_mono_ns() + SECONDS * NSEC_PER_SEC;
	/* On a busy machine they take a while to have samples. */
	while (clock_mono_ns() < end || (most <= before + 4 * (int)cpus &&
					 clock_mono_ns() < end + PATIENCE_S * NSEC_PER_SEC)) {
		most = MAX(most, run_count_events(pid));
		usleep(EACH_MS * 1000);
	}
	/* One that gives its place is closed by another thread, later, while the next is opened. */
	settled = wait_events(pid, before + (PROCESSES_MAX + 2) * (int)cpus, true);
	for (int i = 0; i < LOADS; i++)
		run_end(loads[i]);
	run_end(pid);
	if (settled > before + (PROCESSES_MAX + 2) * (int)cpus)
		fail_msg("%d descriptors, %d before", settled, before);
	assert_that(most, >, before + 4 * (int)cpus);
}

static void
a_refusal_leaves_the_first_copies_and_one_notice(void **state)
{
	pid_t load;
	struct run_result r;
	char command[512];
	char *argv[] = { "sh", "-c", command, NULL };

	(void)state;
	need_unwinding();
	load = run_load("large_frames");
	snprintf(command, sizeof(command), "ulimit -n 120; exec %s -b -g auto --budget 0 -p %d "
		 "-n 1 -d 3 --format json", run_ptop(), (int)load);
	run_program(&r, PATIENCE_S, argv);
	run_end(load);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	assert_null(strstr(r.out, "deep stacks of"));
	assert_non_null(strstr(r.err, "stay cut"));
	assert_null(strstr(strstr(r.err, "stay cut") + 1, "stay cut"));
	run_release(&r);
}

/* What it wrote is read as what it was, with copies and without. */
static void
a_recording_has_both_kinds(void **state)
{
	char path[] = "/tmp/ptop-auto-XXXXXX";
	struct run_result live, read;
	pid_t load;

	(void)state;
	need_unwinding();
	close(mkstemp(path));
	load = run_load("nested");
	ptop_run(&live, "-r", path, "--force", "-n", "1", "-d", "4", "--format", "folded");
	run_end(load);
	run_program(&read, PATIENCE_S,
		    (char *[]){ (char *)run_ptop(), "-i", path, "--format", "folded", NULL });
	assert_int_equal(read.status, 0);
	unlink(path);
	assert_that(folded_sum(live.out, "nested;", ";main;"), >, 0);
	assert_that(folded_sum(read.out, "nested;", ""), ==, folded_sum(live.out, "nested;", ""));
	assert_that(folded_sum(read.out, "nested;", ";main;"), ==,
		    folded_sum(live.out, "nested;", ";main;"));
	run_release(&live);
	run_release(&read);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_without_frame_pointers_has_its_whole_chain),
		cmocka_unit_test(copies_grow_until_chains_end_in_them),
		cmocka_unit_test(an_exec_begins_anew),
		cmocka_unit_test(only_deep_stacks_are_copied_further),
		cmocka_unit_test(each_moment_counts_once),
		cmocka_unit_test(descriptors_are_given_back_when_a_process_ends),
		cmocka_unit_test(many_processes_are_bounded),
		cmocka_unit_test(a_refusal_leaves_the_first_copies_and_one_notice),
		cmocka_unit_test(a_recording_has_both_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
