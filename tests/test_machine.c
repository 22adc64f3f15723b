/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a machine goes through while ptop samples it: each time the reports stay right. */
#include "root.h"
#include "run.h"
#include "tests/skip.h"

#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

enum { TRIES = 50 };

/* A shell that runs @script; $PTOP is ptop. */
static void
run_script(struct run_result *r, const char *script)
{
	char *argv[] = { (char *)(uintptr_t)"sh", (char *)(uintptr_t)"-c",
			 (char *)(uintptr_t)script, NULL };

	setenv("PTOP", run_ptop(), 0);
	run_program(r, 180, argv);
	assert_true(WIFEXITED(r->status));
	if (WEXITSTATUS(r->status) != 0)
		fail_msg("status %d: %s", WEXITSTATUS(r->status), r->err);
}

static bool
write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static void
burn_ms(long ms)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

static pid_t
burn_as(const char *name)
{
	pid_t pid = run_fork();

	if (pid == 0) {
		prctl(PR_SET_NAME, name);
		for (;;)
			burn_ms(1000);
	}
	return pid;
}

/* The value of the process's row in @report, -1: it has none. */
static double
value_of(const char *report, pid_t pid, int column)
{
	const char *end = strstr(report + 1, "\ntime ");
	char line[256];

	for (const char *p = report; p != NULL && (end == NULL || p < end); p = strchr(p, '\n')) {
		char *save = NULL, *field;

		p += *p == '\n';
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(p, "\n"), p);
		field = strtok_r(line, " ", &save);
		if (field == NULL || atoi(field) != (int)pid)
			continue;
		for (int i = 1; i < column && field != NULL; i++)
			field = strtok_r(NULL, " ", &save);
		return field != NULL ? strtod(field, NULL) : -1;
	}
	return -1;
}

/* The report that covers the longest time; *@s is how long that is. */
static const char *
longest_report(const char *out, double *s)
{
	const char *found = NULL;
	double before = 0;

	*s = 0;
	for (const char *p = out; (p = strstr(p, "time ")) != NULL; p++) {
		double at;

		if (p != out && p[-1] != '\n')
			continue;
		at = strtod(p + 5, NULL);
		if (at - before > *s) {
			*s = at - before;
			found = p;
		}
		before = at;
	}
	return found;
}

#define STOP_FOR(s) " & p=$!; sleep 1.5; kill -STOP $p; sleep " s "; kill -CONT $p; wait $p"

/* A terminal's ^Z, or a machine that is suspended: the time between is not left out. */
static void
a_report_after_a_long_stop_covers_all_of_it(void **state)
{
	pid_t pid = burn_as("stopped-load");
	struct run_result r;
	const char *report;
	double s, cpu, samples;

	(void)state;
	need_root();
	run_script(&r, "$PTOP -b --budget off -n 4 -d 1 -F 99 -e cpu-clock" STOP_FOR("3"));
	run_end(pid);
	report = longest_report(r.out, &s);
	assert_that(s, >, 3);
	/* PID USER THR %CPU %EVT SAMPLES: a sample is 1/99 of a second, of all that it was. */
	cpu = value_of(report, pid, 4);
	samples = value_of(report, pid, 6);
	assert_that(samples, >, 5);
	if (cpu == 0)
		fail_msg("%s", r.out);
	/* Where it has little of a CPU, there are few samples. */
	assert_within(cpu / (samples / 99 / s * 100), 1, 0.1 + 3 / sqrt(samples));
	run_release(&r);
}

static void
what_was_lost_in_a_long_stop_is_told(void **state)
{
	pid_t pid = burn_as("stopped-load");
	struct run_result r;

	(void)state;
	need_root();
	run_script(&r, "$PTOP -b --budget off -n 3 -d 1 -F 9999 -m 8 -e cpu-clock" STOP_FOR("2"));
	run_end(pid);
	assert_non_null(strstr(r.err, "samples lost in full rings"));
	run_release(&r);
}

/* The mount point of the hierarchy that perf events know, "" if none is found. */
static void
find_cgroups(char *path, size_t size)
{
	FILE *file = fopen("/proc/mounts", "re");
	char line[1024], point[512], type[64], options[512];

	*path = '\0';
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		if (sscanf(line, "%*s %511s %63s %511s", point, type, options) != 3)
			continue;
		if (strcmp(type, "cgroup") == 0 && strstr(options, "perf_event") != NULL) {
			snprintf(path, size, "%s", point);
			break;
		}
		if (strcmp(type, "cgroup2") == 0)
			snprintf(path, size, "%s", point);
	}
	if (file != NULL)
		fclose(file);
}

static void
a_cgroup_that_is_removed_keeps_its_name(void **state)
{
	char root[512], group[600], procs[640], number[16];
	struct run_result r;
	pid_t pid, remover;
	const char *const where[][2] = { { "cgroup", "/ptop-test-gone" } };

	(void)state;
	need_root();
	find_cgroups(root, sizeof(root));
	snprintf(group, sizeof(group), "%s/ptop-test-gone", root);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", group);
	if (*root == '\0' || (mkdir(group, 0755) != 0 && access(group, F_OK) != 0))
		skip_for("no control group can be made here");
	pid = burn_as("in-group");
	snprintf(number, sizeof(number), "%d", (int)pid);
	assert_true(write_text(procs, number));
	remover = run_fork();
	if (remover == 0) {
		usleep(1500000);
		kill(pid, SIGKILL);
		for (int i = 0; i < 1000 && rmdir(group) != 0; i++)
			usleep(2000);
		_exit(access(group, F_OK) == 0);
	}
	run_script(&r, "$PTOP -b --budget off -n 1 -d 3 -F 499 -e cpu-clock --by cgroup --format csv");
	waitpid(remover, &r.status, 0);
	run_end(pid);
	rmdir(group);
	assert_int_equal(r.status, 0);
	assert_that(run_csv_sum(r.out, "samples", 1, where), >, 3);
	run_release(&r);
}

/* Each sees its own processes alone; that others are hidden is no error. */
static void
a_user_to_whom_processes_are_hidden_sees_his_own(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	if (access("/usr/bin/setpriv", X_OK) != 0 || access("/usr/bin/unshare", X_OK) != 0)
		skip_for("no setpriv(1) and unshare(1)");
	run_script(&r, "unshare -m --propagation private sh -c '"
		       "mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=65534 "
		       "--regid=65534 --clear-groups $PTOP -b --budget off -n 2 -d 0.6 -e cpu-clock -- "
		       "timeout 9 sh -c \"while :; do :; done\"'");
	assert_non_null(strstr(r.out, "nobody"));
	assert_null(strstr(r.out, " root "));
	run_release(&r);
}

/* The next process has this number, unless another one was quicker. */
static bool
ask_for_pid(pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid - 1);
	return write_text("/proc/sys/kernel/ns_last_pid", text);
}

/* Burns, ends, and makes another one of the same number do so; ends with 0 if that was had. */
static int
burn_twice(void)
{
	pid_t first = run_fork(), second = 0;

	if (first == 0) {
		prctl(PR_SET_NAME, "reused-first");
		burn_ms(400);
		_exit(0);
	}
	waitpid(first, NULL, 0);
	for (int i = 0; i < TRIES && second != first; i++) {
		if (!ask_for_pid(first))
			return 2;
		second = run_fork();
		if (second == 0 && getpid() != first)
			_exit(0);
		if (second == 0) {
			prctl(PR_SET_NAME, "reused-second");
			burn_ms(400);
			_exit(0);
		}
		waitpid(second, NULL, 0);
	}
	return second == first ? 0 : 3;
}

static void
processes_of_the_same_number_are_told_apart(void **state)
{
	const char *const first[][2] = { { "comm", "reused-first" } };
	const char *const second[][2] = { { "comm", "reused-second" } };
	struct run_result r;
	int status;
	pid_t pid = run_fork();

	(void)state;
	need_root();
	if (pid == 0) {
		usleep(700000);
		_exit(burn_twice());
	}
	run_script(&r, "$PTOP -b --budget off -n 1 -d 4 -F 999 -e cpu-clock --by pid,comm --format csv");
	waitpid(pid, &status, 0);
	if (WEXITSTATUS(status) != 0) {
		print_message("# no number could be had twice\n");
		run_release(&r);
		skip();
	}
	assert_that(run_csv_sum(r.out, "samples", 1, first), >, 5);
	assert_that(run_csv_sum(r.out, "samples", 1, second), >, 5);
	run_release(&r);
}

/* One process is a chain of programs, each of which runs for some milliseconds. */
static void
a_chain_of_programs_is_one_process_of_many_names(void **state)
{
	char dir[] = "/tmp/ptop-chain-XXXXXX";
	const char *const one[][2] = { { "comm", "link-one" } };
	const char *const two[][2] = { { "comm", "link-two" } };
	char script[1024];
	struct run_result r;
	double samples[2];

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	/* Each executes the other, with one less to go. */
	snprintf(script, sizeof(script),
		 "trap 'rm -r %s' EXIT; cd %s && sh=$(command -v sh) && cp $sh link-one && cp $sh link-two && "
		 "printf '%%s\\n' 'i=0; while [ $i -lt 4000 ]; do i=$((i+1)); done' "
		 "'[ $1 -eq 0 ] || exec $2 %s/chain $(($1-1)) $3 $2' >chain && cd - >/dev/null && "
		 "$PTOP -b --budget off -n 1 -d 60 -F 999 -e cpu-clock --by pid,comm --format csv -- "
		 "%s/link-one %s/chain 200 %s/link-two %s/link-one", dir, dir, dir, dir, dir, dir, dir);
	run_script(&r, script);
	samples[0] = run_csv_sum(r.out, "samples", 1, one);
	samples[1] = run_csv_sum(r.out, "samples", 1, two);
	/* As many of each: no name is that of the program before. */
	assert_that(samples[0], >, 50);
	assert_that(samples[1], >, 50);
	assert_that(samples[0] / samples[1], >, 0.7);
	assert_that(samples[0] / samples[1], <, 1.4);
	run_release(&r);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_after_a_long_stop_covers_all_of_it),
		cmocka_unit_test(what_was_lost_in_a_long_stop_is_told),
		cmocka_unit_test(a_cgroup_that_is_removed_keeps_its_name),
		cmocka_unit_test(a_user_to_whom_processes_are_hidden_sees_his_own),
		cmocka_unit_test(processes_of_the_same_number_are_told_apart),
		cmocka_unit_test(a_chain_of_programs_is_one_process_of_many_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
