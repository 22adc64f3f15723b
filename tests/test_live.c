/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole program, in batch, on the real kernel.  It takes half a minute: it is sampled for a
 * second or more some twenty times, as shares of fewer samples would tell little.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 60 };

#define PAIRS(...) (sizeof((const char *const[][2]){ __VA_ARGS__ }) / sizeof(const char *[2])), \
	(const char *const[][2]){ __VA_ARGS__ }

/* As often as asked: samples are counted here, and a sanitizer's cost would lower the frequency. */
static void
ptop(struct run_result *r, char *const args[])
{
	char *argv[32] = { (char *)run_ptop(), "--budget", "off" };

	for (size_t i = 0; args[i] != NULL; i++)
		argv[i + 3] = args[i];
	run_program(r, PATIENCE_S, argv);
}

#define ptop_run(r, ...) ptop(r, (char *[]){ __VA_ARGS__, NULL })

/* Of a share of three quarters, in percent: four times what chance makes of so many samples. */
static double
tolerance(double samples)
{
	return 1 + 4 * 100 * sqrt(0.75 * 0.25 / samples);
}

static void
functions_of_a_process_get_the_shares_they_burn(void **state)
{
	struct run_result r;
	double all, hot, warm, used;
	char pid[16];
	pid_t load;

	(void)state;
	need_root();
	load = run_load("hot");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-b", "-n", "1", "-d", "3", "--by", "pid,symbol", "--format", "csv");
	used = run_cpu_s(load);
	run_end(load);
	assert_int_equal(r.status, 0);
	hot = run_csv_sum(r.out, "samples", PAIRS({ "pid", pid }, { "symbol", "hot_loop" }));
	warm = run_csv_sum(r.out, "samples", PAIRS({ "pid", pid }, { "symbol", "warm_loop" }));
	all = hot + warm; /* the rest is the kernel's */
	assert_clock_samples(all, used, 999);
	assert_within(hot / all * 100, 75, tolerance(all));
	assert_within(warm / all * 100, 25, tolerance(all));
	run_release(&r);
}

/* Of the lines that end in that function. */
static unsigned long
folded_sum(const char *text, const char *function)
{
	unsigned long sum = 0;
	size_t len = strlen(function);

	for (const char *s = text; (s = strstr(s, function)) != NULL; s += len)
		if (s > text && s[-1] == ';' && s[len] == ' ')
			sum += strtoul(s + len, NULL, 10);
	return sum;
}

static void
folded_stacks_end_in_the_functions_that_burn(void **state)
{
	struct run_result r;
	unsigned long hot, warm;
	double used;
	char pid[16];
	pid_t load;

	(void)state;
	need_root();
	load = run_load("hot");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-n", "1", "-d", "2", "-p", pid, "--hide-kernel", "--format", "folded");
	used = run_cpu_s(load);
	run_end(load);
	assert_int_equal(r.status, 0);
	assert_int_equal(strncmp(r.out, "hot;", 4), 0);
	hot = folded_sum(r.out, "hot_loop");
	warm = folded_sum(r.out, "warm_loop");
	assert_clock_samples(hot + warm, used, 999);
	assert_within((double)hot / (double)(hot + warm) * 100, 75, tolerance((double)(hot + warm)));
	run_release(&r);
}

/* The time on a CPU of the process's thread of that name. */
static double
burned_ns(pid_t pid, const char *name)
{
	char path[400];
	double ns = 0;
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	assert_non_null(dir);
	while ((d = readdir(dir)) != NULL) {
		struct buf comm = { 0 }, stat = { 0 };

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", (int)pid, d->d_name);
		file_read(path, &comm, 64);
		snprintf(path, sizeof(path), "/proc/%d/task/%s/schedstat", (int)pid, d->d_name);
		file_read(path, &stat, 256);
		if (strncmp(buf_str(&comm), name, strlen(name)) == 0)
			ns += strtod(buf_str(&stat), NULL);
		buf_release(&comm);
		buf_release(&stat);
	}
	closedir(dir);
	return ns;
}

static void
threads_of_a_process_are_told_apart_by_name_and_tid(void **state)
{
	struct run_result r;
	double a, b, samples_a, samples_b, spin_a, spin_a_all, burned_a, burned_b, ratio;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("threads");
	burned_a = burned_ns(load, "worker-a");
	burned_b = burned_ns(load, "worker-b");
	ptop_run(&r, "-b", "-n", "1", "-d", "3", "--by", "comm,tid,symbol", "--format", "csv");
	burned_a = burned_ns(load, "worker-a") - burned_a;
	burned_b = burned_ns(load, "worker-b") - burned_b;
	run_end(load);
	assert_int_equal(r.status, 0);
	a = run_csv_sum(r.out, "period", PAIRS({ "comm", "worker-a" }));
	b = run_csv_sum(r.out, "period", PAIRS({ "comm", "worker-b" }));
	samples_a = run_csv_sum(r.out, "samples", PAIRS({ "comm", "worker-a" }));
	samples_b = run_csv_sum(r.out, "samples", PAIRS({ "comm", "worker-b" }));
	spin_a = run_csv_sum(r.out, "period",
			     PAIRS({ "comm", "worker-a" }, { "symbol", "spin_a" }));
	spin_a_all = run_csv_sum(r.out, "period", PAIRS({ "symbol", "spin_a" }));
	assert_that(b, >, 0);
	assert_that(burned_b, >, 0);
	/*
	 * Twice as much, where the machine lets worker-b have its half in time: four times what
	 * chance makes of so many samples, and what was burned before the first and after the last.
	 */
	ratio = burned_a / burned_b;
	assert_within(a / b, ratio, ratio / 5 + 4 * ratio * sqrt(1 / samples_a + 1 / samples_b));
	assert_that(spin_a, >, 0);
	assert_true(spin_a == spin_a_all);
	run_release(&r);
}

static void
rows_add_up_to_a_hundred_percent(void **state)
{
	struct run_result r;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("hot");
	ptop_run(&r, "-b", "-n", "1", "-d", "1", "--by", "dso", "--format", "csv");
	run_end(load);
	assert_within(run_csv_sum(r.out, "percent", 0, NULL), 100, 0.5);
	run_release(&r);
}

static void
relative_rows_add_up_without_what_filters_leave_out(void **state)
{
	struct run_result r;
	char pids[32];
	pid_t loads[2];

	(void)state;
	need_root();
	loads[0] = run_load("hot");
	loads[1] = run_load("threads");
	snprintf(pids, sizeof(pids), "%d,%d", (int)loads[0], (int)loads[1]);
	ptop_run(&r, "-b", "-n", "1", "-d", "1", "-p", pids, "--by", "comm", "--filter", "comm=hot",
		 "--relative", "--format", "csv");
	for (int i = 0; i < 2; i++)
		run_end(loads[i]);
	assert_int_equal(r.status, 0);
	assert_within(run_csv_sum(r.out, "percent", PAIRS({ "comm", "hot" })), 100, 0.001);
	assert_that(run_csv_sum(r.out, "samples", PAIRS({ "comm", "[filtered]" })), >, 0);
	assert_true(run_csv_sum(r.out, "percent", PAIRS({ "comm", "[filtered]" })) == 0);
	run_release(&r);
}

/* What is counted meanwhile is in it. */
static void
a_report_that_was_held_up_says_how_long_it_is(void **state)
{
	char command[256];
	struct run_result r;

	(void)state;
	need_root();
	snprintf(command, sizeof(command), "'%s' -b -n 1 -d 1 -e cpu-clock & p=$!; sleep 0.5; "
		 "kill -STOP $p; sleep 2; kill -CONT $p; wait $p", run_ptop());
	run_program(&r, PATIENCE_S, (char *[]){ "sh", "-c", command, NULL });
	assert_int_equal(r.status, 0);
	assert_int_equal(run_count_text(r.err, "this report is of "), 1);
	assert_non_null(strstr(r.err, " s more than asked for: ptop was held up"));
	run_release(&r);
}

/* The kernel makes a sample of each fault if samples are to carry their period. */
static void
with_a_period_one_in_so_many_is_sampled(void **state)
{
	const char *const events[] = { "page-faults", "exceptions:page_fault_user" };
	struct run_result r;
	double samples, period;
	char pid[16];
	pid_t load;

	(void)state;
	need_root();
	load = run_load("faults");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		ptop_run(&r, "-b", "-n", "1", "-d", "1", "-e", (char *)(uintptr_t)events[i], "-c",
			 "100", "-p", pid, "--by", "comm", "--format", "csv");
		assert_int_equal(r.status, 0);
		samples = run_csv_sum(r.out, "samples", PAIRS({ "comm", "faults" }));
		period = run_csv_sum(r.out, "period", PAIRS({ "comm", "faults" }));
		assert_that(samples, >, 3);
		assert_that(period, ==, 100 * samples);
		run_release(&r);
	}
	run_end(load);
}

/* Minor faults of @pid since it began: proc_pid_stat(5). */
static double
faults_of(pid_t pid)
{
	struct buf path = { 0 }, b = { 0 };
	unsigned long faults = 0;
	const char *rest;

	buf_addf(&path, "/proc/%d/stat", (int)pid);
	assert_int_equal(file_read(path.data, &b, 4096), 0);
	rest = strrchr(buf_str(&b), ')');
	assert_non_null(rest);
	assert_int_equal(sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %lu", &faults), 1);
	buf_release(&path);
	buf_release(&b);
	return (double)faults;
}

/* The page faults of that load by ptop's reports, and how many there were meanwhile. */
static void
sample_faults(const char *name, const char *reports, double *samples, double *period, double *faults)
{
	pid_t load = run_load(name);
	struct run_result r;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)load);
	*faults = -faults_of(load);
	ptop_run(&r, "-b", "-n", (char *)(uintptr_t)reports, "-d", "2", "-e", "page-faults", "-p", pid,
		 "--by", "comm", "--format", "csv");
	*faults += faults_of(load);
	run_end(load);
	assert_int_equal(r.status, 0);
	*samples = run_csv_sum(r.out, "samples", 0, NULL);
	*period = run_csv_sum(r.out, "period", 0, NULL);
	run_release(&r);
}

/* By the kernel's frequency the first burst would be tens of thousands, and what follows nothing. */
static void
page_faults_that_come_in_bursts_are_all_counted(void **state)
{
	double samples, period, faults;

	(void)state;
	need_root();
	sample_faults("fault_bursts", "4", &samples, &period, &faults);
	assert_that(faults, >, 5000);
	assert_within(period, faults, faults / 10);
	assert_that(samples, >, 1000);
}

/* At most 999 a second on each CPU, but for what comes until the period is raised. */
static void
of_a_flood_of_page_faults_few_are_sampled(void **state)
{
	double samples, period, faults;

	(void)state;
	need_root();
	sample_faults("faults", "2", &samples, &period, &faults);
	assert_that(faults, >, 50000);
	assert_that(period, >, faults / 2);
	assert_that(period, <, faults);
	assert_that(samples, <, period / 4);
}

static void
a_report_may_be_longer_than_its_window(void **state)
{
	struct run_result r;
	double used;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("hot");
	ptop_run(&r, "-b", "-n", "1", "-d", "3", "-w", "1", "--by", "comm", "--format", "csv");
	used = run_cpu_s(load);
	run_end(load);
	/* A third of its time, and it took the start, too. */
	assert_that(run_csv_sum(r.out, "period", PAIRS({ "comm", "hot" })), >, used / 12 * 1e9);
	assert_that(run_csv_sum(r.out, "period", PAIRS({ "comm", "hot" })), <, 2e9);
	run_release(&r);
}

/* Two reports; whether the windows of both are as long as asked, nearer to that than to all. */
static bool
windows_are(const char *delay, const char *window, pid_t load, double *all)
{
	double want = strtod(window, NULL), whole = strtod(delay, NULL);
	struct run_result r;
	int reports = 0;
	bool res = true;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-b", "-n", "2", "-d", (char *)(uintptr_t)delay, "-w", (char *)(uintptr_t)window,
		 "--format", "json", "-p", pid);
	assert_int_equal(r.status, 0);
	for (const char *at = r.out; (at = strstr(at, "\"events\":[{")) != NULL; at++) {
		double length = strtod(strstr(at, "\"window\":") + 9, NULL);
		double samples = strtod(strstr(at, "\"samples\":") + 10, NULL);

		res &= length > want / 2 && length < want + (whole - want) / 2;
		assert_that(samples, <, 1.3 * 999 * length + 20);
		*all += samples;
		reports++;
	}
	assert_int_equal(reports, 2);
	run_release(&r);
	return res;
}

/*
 * Each report's window is as long as asked, and has the samples of that time.  On a busy machine an
 * end of it can be late, but not each time.
 */
static void
a_window_may_be_any_part_of_the_refresh(void **state)
{
	static const struct {
		const char *delay, *window;
	} cases[] = { { "1", ".5" }, { "1", "0.1" }, { "0.5", ".2" }, { "2", "1.5" } };
	enum { TRIES = 8 };
	double all = 0;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("hot");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int tries = 0;

		while (!windows_are(cases[i].delay, cases[i].window, load, &all))
			assert_that(++tries, <, TRIES);
	}
	/* The windows are half of the time, but for ptop's starts and ends. */
	assert_that(all, >, run_cpu_s(load) * 999 / 20);
	run_end(load);
}

static void
the_report_of_a_command_has_its_last_seconds(void **state)
{
	enum { TRIES = 4 };
	double window = 0, samples = 0;

	(void)state;
	need_root();
	/*
	 * Its end is found late on a busy machine, where it has a part of a CPU; and windows have whole
	 * intervals, one of which is too long where ptop itself had to wait for a CPU.
	 */
	for (int i = 0; i < TRIES && fabs(window - 0.6) > 0.4; i++) {
		struct run_result r;

		ptop_run(&r, "-b", "-w", ".5", "--format", "json", "--", "timeout", "2.2", "sh", "-c",
			 "while :; do :; done");
		window = strtod(strstr(r.out, "\"window\":") + 9, NULL);
		samples = strtod(strstr(r.out, "\"samples\":") + 10, NULL);
		run_release(&r);
	}
	assert_within(window, 0.6, 0.4);
	assert_that(samples, >, 5);
}

static void
a_command_is_sampled_and_its_status_is_ptops(void **state)
{
	char dir[] = "/tmp/ptop-test-XXXXXX", path[64];
	struct run_result r;
	struct buf report = { 0 };

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/report.csv", dir);
	ptop_run(&r, "-b", "--by", "comm", "-o", path, "--", "sh", "-c",
		 "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; exit 7");
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 7);
	assert_string_equal(r.out, "done\n");
	assert_int_equal(file_read(path, &report, 1 << 20), 0);
	assert_that(run_csv_sum(report.data, "samples", PAIRS({ "comm", "sh" })), >, 50);
	assert_within(run_csv_sum(report.data, "percent", 0, NULL), 100, 0.5);
	unlink(path);
	rmdir(dir);
	buf_release(&report);
	run_release(&r);
}

/* Of one report, too, which it ends. */
static void
a_command_that_ends_before_the_last_report_has_its_status(void **state)
{
	static const struct {
		const char *view, *script;
		int status;
	} cases[] = {
		{ "processes", "exit 3", 3 }, { "counters", "exit 4", 4 },
		{ "processes", "kill -TERM $$", 128 + SIGTERM },
	};

	(void)state;
	need_root();
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct run_result r;

		ptop_run(&r, "-b", "-n", "1", "-d", "60", "--view", (char *)(uintptr_t)cases[i].view, "--", "sh",
			 "-c", (char *)(uintptr_t)cases[i].script);
		assert_true(WIFEXITED(r.status));
		assert_int_equal(WEXITSTATUS(r.status), cases[i].status);
		run_release(&r);
	}
}

static void
only_the_process_asked_for_is_shown(void **state)
{
	struct run_result r;
	char pid[16];
	double used;
	pid_t load, other;

	(void)state;
	need_root();
	load = run_load("hot");
	other = run_load("threads");
	snprintf(pid, sizeof(pid), "%d", load);
	ptop_run(&r, "-b", "-n", "1", "-d", "1", "-p", pid, "--by", "comm", "--format", "csv");
	used = run_cpu_s(load);
	run_end(load);
	run_end(other);
	assert_int_equal(r.status, 0);
	assert_clock_samples(run_csv_sum(r.out, "samples", PAIRS({ "comm", "hot" })), used, 999);
	assert_within(run_csv_sum(r.out, "percent", PAIRS({ "comm", "hot" })), 100, 0.1);
	run_release(&r);
}

/* A report in the format has the name; of a load that has not run it says nothing. */
static bool
has_hostile_name(const char *format)
{
	/* Of folded stacks the semicolon joins frames. */
	const char *name = strcmp(format, "folded") == 0 ? "\\x1b[2J:\\x0a\\xff" : "\\x1b[2J;\\x0a\\xff";
	struct run_result r;
	bool has;

	ptop_run(&r, "-b", "-n", "1", "-d", "1", "--by", "comm", "--format", (char *)(uintptr_t)format);
	assert_int_equal(r.status, 0);
	assert_null(strchr(r.out, '\033'));
	assert_null(strchr(r.out, '\377'));
	has = strstr(r.out, name) != NULL;
	if (!has)
		print_message("# no %s:\n%s", name, r.out);
	run_release(&r);
	return has;
}

static void
a_hostile_thread_name_leaves_the_formats_whole(void **state)
{
	static const char *const formats[] = { "csv", "text", "folded" };
	pid_t load;

	(void)state;
	need_root();
	load = run_fork();
	if (load == 0) {
		prctl(PR_SET_NAME, "\033[2J;\n\377");
		for (;;)
			;
	}
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		bool has = false;

		for (int tries = 0; tries < 5 && !has; tries++)
			has = has_hostile_name(formats[i]);
		assert_true(has);
	}
	run_end(load);
}

/* What ptop says to wrong words, and its status. */
static const struct {
	const char *args[6];
	int status;
	const char *says;
} wrong_words[] = {
	{ { "-b", "-e", "cylces" }, 2, "did you mean 'cycles'" },
	{ { "-b", "--viwe", "threads" }, 2, "--view" },
	{ { "-b", "--by", "com" }, 2, "comm" },
	{ { "-b", "-p", "4194303" }, 1, "4194303" },
	{ { "-b", "-C", "4000" }, 1, "4000" },
	{ { "-b", "-d", "0" }, 2, "delay" },
	{ { "-b", "-e", "syscalls:sys_enter_*" }, 2, "a narrower pattern" },
	{ { "-i", "x", "-e", "nonsense" }, 2, "--filter event=NAME keeps those of one" },
	{ { "-b", "-V", "counters", "--by", "comm" }, 2, "--view counters has rows of its own" },
	{ { "-b", "--filter", "samples>3" }, 2, "by names, not by numbers" },
	{ { "-b", "--compress" }, 2, "--record" },
	{ { "-i", "/" }, 1, "is a folder, and no recording" },
	{ { "-b", "--", "/nonexistent/program" }, 127, "/nonexistent/program" },
};

static void
wrong_words_get_one_message_and_the_right_status(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrong_words) / sizeof(wrong_words[0]); i++) {
		char *args[8] = { 0 };
		struct run_result r;

		for (size_t a = 0; a < 6 && wrong_words[i].args[a] != NULL; a++)
			args[a] = (char *)wrong_words[i].args[a];
		ptop(&r, args);
		if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != wrong_words[i].status ||
		    strstr(r.err, wrong_words[i].says) == NULL)
			fail_msg("row %zu: status %x, said: %s", i, (unsigned)r.status, r.err);
		assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
		run_release(&r);
	}
}

/*
 * Each CPU is as busy as can be, so the rows must say so: the time in which names of the kernel are
 * waited for, of which none is kept here, is not sampled.
 */
static void
waiting_for_names_is_no_time_of_the_report(void **state)
{
	pid_t loads[64];
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_ONLN), rows = 0;
	struct run_result r;

	(void)state;
	need_root();
	cpus = MIN(cpus, ARRAY_SIZE(loads));
	for (size_t i = 0; i < cpus; i++)
		loads[i] = run_load("hot");
	run_program(&r, PATIENCE_S, (char *[]){ "env", "XDG_CACHE_HOME=/dev/null",
						(char *)run_ptop(), "-b", "-n", "1", "-d", "0.3",
						"--view", "cpus", NULL });
	for (size_t i = 0; i < cpus; i++)
		run_end(loads[i]);
	assert_int_equal(r.status, 0);
	for (char *line = strtok(r.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		double busy;

		if (sscanf(line, "%*d %*f %*d %*d %lf", &busy) != 1)
			continue;
		rows++;
		assert_that(busy, >, 85);
		assert_that(busy, <, 110);
	}
	assert_that(rows, >, 0);
	run_release(&r);
}

/*
 * It is said, whether ptop's own budget begins lower or not.  Of an event that is rare: so many
 * samples of a clock take all CPUs from whatever else runs, for as long as it lasts.
 */
static void
more_samples_than_the_kernel_takes_are_not_promised(void **state)
{
	struct run_result r;

	(void)state;
	for (int i = 0; i < 2; i++) {
		ptop(&r, (char *[]){ "-b", "-n", "1", "-d", "0.2", "-e", "page-faults", "-F",
				     "1000000", "--budget", i == 0 ? "0.5" : "off", NULL });
		assert_int_equal(r.status, 0);
		assert_non_null(strstr(r.err, "Hz is the most that perf_event_max_sample_rate"));
		run_release(&r);
	}
	ptop_run(&r, "-b", "-n", "1", "-d", "0.2", "-e", "page-faults", "-F", "max");
	assert_int_equal(r.status, 0);
	assert_null(strstr(r.err, "perf_event_max_sample_rate"));
	run_release(&r);
}

/* Of a rare event, too. */
static void
why_a_batch_sampled_less_often_than_asked_is_told(void **state)
{
	struct run_result r;

	(void)state;
	if (file_number("/proc/sys/kernel/perf_event_max_sample_rate", 0) <= 20000)
		skip_for("the kernel takes no more samples than ptop begins with");
	ptop_run(&r, "--budget", "2", "-b", "-n", "1", "-d", "0.2", "-e", "page-faults", "-F", "max");
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "at the end 20000 samples a second per CPU were taken, not "));
	assert_non_null(strstr(r.err, ": ptop starts low, and takes more as it learns what samples cost\n"));
	assert_null(strstr(r.err, "--budget"));
	run_release(&r);
}

static void
without_a_budget_the_frequency_stays(void **state)
{
	struct run_result r;
	double each;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("hot");
	ptop_run(&r, "-n", "1", "-d", "3", "-F", "20000", "--format", "csv");
	run_end(load);
	assert_int_equal(r.status, 0);
	assert_null(strstr(r.err, "not 20000"));
	each = run_csv_sum(r.out, "period", PAIRS({ "comm", "hot" })) /
	       run_csv_sum(r.out, "samples", PAIRS({ "comm", "hot" }));
	assert_that(each, >, 49999);
	assert_that(each, <, 50001); /* ns: all of them were taken at 20,000 Hz */
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_a_process_get_the_shares_they_burn),
		cmocka_unit_test(folded_stacks_end_in_the_functions_that_burn),
		cmocka_unit_test(threads_of_a_process_are_told_apart_by_name_and_tid),
		cmocka_unit_test(rows_add_up_to_a_hundred_percent),
		cmocka_unit_test(relative_rows_add_up_without_what_filters_leave_out),
		cmocka_unit_test(a_report_that_was_held_up_says_how_long_it_is),
		cmocka_unit_test(with_a_period_one_in_so_many_is_sampled),
		cmocka_unit_test(page_faults_that_come_in_bursts_are_all_counted),
		cmocka_unit_test(of_a_flood_of_page_faults_few_are_sampled),
		cmocka_unit_test(a_report_may_be_longer_than_its_window),
		cmocka_unit_test(a_window_may_be_any_part_of_the_refresh),
		cmocka_unit_test(the_report_of_a_command_has_its_last_seconds),
		cmocka_unit_test(a_command_is_sampled_and_its_status_is_ptops),
		cmocka_unit_test(a_command_that_ends_before_the_last_report_has_its_status),
		cmocka_unit_test(only_the_process_asked_for_is_shown),
		cmocka_unit_test(a_hostile_thread_name_leaves_the_formats_whole),
		cmocka_unit_test(waiting_for_names_is_no_time_of_the_report),
		cmocka_unit_test(without_a_budget_the_frequency_stays),
		cmocka_unit_test(more_samples_than_the_kernel_takes_are_not_promised),
		cmocka_unit_test(why_a_batch_sampled_less_often_than_asked_is_told),
		cmocka_unit_test(wrong_words_get_one_message_and_the_right_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
