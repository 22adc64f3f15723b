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

#include "base/file.h"
#include "tests/asserts.h"

enum { TRIES = 50, STEP_MS = 20, SOON_MS = 60000, SETTLED_MS = 300, BURNT_MS = 400, OUTPUT_MAX = 1 << 24 };

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

/* Of its own CPU time: who burns may have to wait for it. */
static void
burn_ms(long ms)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
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

/* One in the background, and where what it writes is. */
struct ptop {
	pid_t pid;
	char dir[32];
};

static struct ptop
begin_ptop(const char *options)
{
	struct ptop p = { .dir = "/tmp/ptop-machine-XXXXXX" };
	char command[512];

	assert_non_null(mkdtemp(p.dir));
	setenv("PTOP", run_ptop(), 0);
	snprintf(command, sizeof(command), "exec $PTOP -b --budget off -e cpu-clock %s >%s/out 2>%s/err",
		 options, p.dir, p.dir);
	p.pid = run_fork();
	if (p.pid == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return p;
}

static char *
read_output(const struct ptop *p, const char *name)
{
	struct buf b = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", p->dir, name);
	if (file_read(path, &b, OUTPUT_MAX) < 0)
		buf_reset(&b);
	buf_add(&b, "", 0);
	return b.data;
}

/* It is asked to: its last report has all until then. */
static void
end_ptop(struct ptop *p, struct run_result *r)
{
	char *argv[] = { (char *)(uintptr_t)"rm", (char *)(uintptr_t)"-r", p->dir, NULL };
	struct run_result rm;
	pid_t ended = 0;

	kill(p->pid, SIGTERM);
	for (int ms = 0; ms < SOON_MS && ended == 0; ms += STEP_MS) {
		usleep(STEP_MS * 1000);
		ended = waitpid(p->pid, &r->status, WNOHANG);
	}
	if (ended == 0)
		run_end(p->pid);
	r->out = read_output(p, "out");
	r->err = read_output(p, "err");
	run_program(&rm, SOON_MS / 1000, argv);
	run_release(&rm);
	if (ended != p->pid || r->status != 0)
		fail_msg("%s: %s", ended != p->pid ? "it does not end" : "it failed", r->err);
}

static size_t
count_reports(const struct ptop *p)
{
	char *out = read_output(p, "out");
	size_t n = (strncmp(out, "time ", 5) == 0) + run_count_text(out, "\ntime ");

	free(out);
	return n;
}

/* Whether any of its reports has samples of the process: PID USER THR %CPU %EVT SAMPLES. */
static bool
has_samples(const struct ptop *p, pid_t pid)
{
	char *out = read_output(p, "out");
	bool has = false;

	for (const char *at = *out != '\0' ? out : NULL; at != NULL && !has; at = strstr(at + 1, "\ntime "))
		has = value_of(at, pid, 6) > 0;
	free(out);
	return has;
}

/* Once @load has samples, up to the next report.  Returns the CPU time that @load used in the stop. */
static double
stop_for(unsigned s, const struct ptop *p, pid_t load)
{
	size_t reports;
	double used_s;

	for (int ms = 0; ms < SOON_MS && !has_samples(p, load); ms += STEP_MS)
		usleep(STEP_MS * 1000);
	assert_true(has_samples(p, load));
	kill(p->pid, SIGSTOP);
	used_s = -run_cpu_s(load);
	sleep(s);
	used_s += run_cpu_s(load);
	reports = count_reports(p);
	kill(p->pid, SIGCONT);
	for (int ms = 0; ms < SOON_MS && count_reports(p) == reports; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	return used_s;
}

/* A terminal's ^Z, or a machine that is suspended: the time between is not left out. */
static void
a_report_after_a_long_stop_covers_all_of_it(void **state)
{
	enum { STOP_S = 3, RATE = 99 };
	double s, samples, stopped_s, used_s;
	struct run_result r;
	const char *report;
	struct ptop p;
	pid_t pid;

	(void)state;
	need_root();
	pid = burn_as("stopped-load");
	p = begin_ptop("-d 1 -F 99");
	stopped_s = stop_for(STOP_S, &p, pid);
	used_s = run_cpu_s(pid);
	end_ptop(&p, &r);
	run_end(pid);
	report = longest_report(r.out, &s);
	assert_that(s, >, STOP_S);
	samples = value_of(report, pid, 6);
	/* What was before the stop is in the report, too.  A CPU that stands still at times gives fewer. */
	assert_that(samples / RATE, >, stopped_s * 0.6 - 2 * sqrt(stopped_s / RATE));
	assert_that(samples / RATE, <, used_s * 1.2 + 3 * sqrt(used_s / RATE));
	run_release(&r);
}

static void
what_was_lost_in_a_long_stop_is_told(void **state)
{
	struct run_result r;
	struct ptop p;
	pid_t pid;

	(void)state;
	need_root();
	pid = burn_as("stopped-load");
	p = begin_ptop("-d 1 -F 9999 -m 8");
	stop_for(2, &p, pid);
	end_ptop(&p, &r);
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
	struct ptop p;
	pid_t pid;
	double used_s;
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
	p = begin_ptop("-n 1 -d 60 -F 499 --by cgroup --format csv");
	run_settled_events(p.pid, SETTLED_MS);
	used_s = run_cpu_s(pid);
	for (int ms = 0; ms < SOON_MS && run_cpu_s(pid) - used_s < BURNT_MS / 1e3; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	sleep(1); /* it is told which groups there are */
	run_end(pid);
	for (int i = 0; i < 1000 && rmdir(group) != 0; i++)
		usleep(2000);
	assert_int_equal(access(group, F_OK), -1);
	end_ptop(&p, &r);
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

/* One burns, ends, and another one of the same number does so; 0: that was had. */
static int
burn_twice(void)
{
	pid_t first = run_fork(), second = 0;

	if (first == 0) {
		prctl(PR_SET_NAME, "reused-first");
		burn_ms(BURNT_MS);
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
			burn_ms(BURNT_MS);
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
	struct ptop p;
	int status;

	(void)state;
	need_root();
	p = begin_ptop("-n 1 -d 60 -F 999 --by pid,comm --format csv");
	run_settled_events(p.pid, SETTLED_MS);
	status = burn_twice();
	end_ptop(&p, &r);
	if (status != 0) {
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
