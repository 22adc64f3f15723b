/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ptop costs, and at which frequency it samples for that, on the real kernel.  It takes half a
 * minute or more: the frequency follows what was used in the seconds before.
 */
#include <config.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/listener.h"
#include "tests/root.h"
#include "tests/run.h"

enum { BUSY = 20, BEGIN_S = 6, STEP_S = 3, PATIENCE_S = 90 };

#define BUDGET "0.5"
#define SPARE 0.15 /* percent: of the budget samples may have a tenth anyway, and cost swings */

/* With what it has forked: the processes that read symbols. */
static double
cpu_of_all_s(pid_t pid)
{
	char path[64];
	struct buf b = { 0 };
	double sum = run_cpu_s(pid);

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file_read(path, &b, 4096);
	for (char *s = b.data, *end; s != NULL && *s != '\0'; s = end) {
		long child = strtol(s, &end, 10);

		if (end == s || child <= 0)
			break;
		sum += cpu_of_all_s((pid_t)child);
	}
	buf_release(&b);
	return sum;
}

static void
start_busy(pid_t busy[BUSY])
{
	for (int i = 0; i < BUSY; i++)
		busy[i] = run_load("hot");
}

static void
end_busy(pid_t busy[BUSY])
{
	for (int i = 0; i < BUSY; i++)
		run_end(busy[i]);
}

/* ptop with a report each second into a file that has no name. */
static pid_t
start_reports(FILE *out, char *freq, char *budget)
{
	pid_t pid = run_fork();

	if (pid == 0) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		execl(run_ptop(), "ptop", "-b", "--format", "json", "-d", "1", "-F", freq,
		      "--budget", budget, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static double
number_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at != NULL ? strtod(at + strlen(name), NULL) : -1;
}

static int
compare_ratios(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Of each report that was taken at the frequency of the one before: how many samples it has of
 * those that the frequency it tells, on all CPUs, gives.  The middle of the last @most, as one may be
 * of before a change, which comes late on a busy machine; -1: none.
 */
static double
samples_per_told(FILE *reports, int most)
{
	double ratios[PATIENCE_S * 2], before = 0;
	char *line = NULL;
	size_t cap = 0;
	int n = 0, first;

	rewind(reports);
	while (getline(&line, &cap, reports) > 0) {
		double hz = number_after(line, "\"frequency\":");
		double window = number_after(line, "\"window\":");
		double samples = number_after(line, "\"samples\":");

		assert_that(hz, >, 0);
		assert_that(number_after(line, "\"frequency_asked\":"), >=, hz);
		print_message("# %.0f Hz, %.0f samples in %.3f s\n", hz, samples, window);
		if (hz >= before && hz <= before && n < (int)ARRAY_SIZE(ratios))
			ratios[n++] = samples / (hz * window * (double)sysconf(_SC_NPROCESSORS_ONLN));
		before = hz;
	}
	free(line);
	first = n > most ? n - most : 0;
	qsort(&ratios[first], (size_t)(n - first), sizeof(*ratios), compare_ratios);
	return n > 0 ? ratios[first + (n - first) / 2] : -1;
}

/* Percent of a CPU in the next seconds, of each. */
static void
measure(const pid_t pids[2], double percent[2])
{
	double before[2];

	for (int i = 0; i < 2; i++)
		before[i] = cpu_of_all_s(pids[i]);
	sleep(STEP_S);
	for (int i = 0; i < 2; i++)
		percent[i] = (cpu_of_all_s(pids[i]) - before[i]) * 100 / STEP_S;
}

/*
 * Where other programs come and go by the hundred, which is no matter of the frequency, that alone
 * may cost more: then a ptop beside it, which takes as few samples as the budget leaves
 * at least, tells how much.
 */
static void
the_cost_settles_below_the_budget(void **state)
{
	FILE *reports = tmpfile(), *beside = tmpfile();
	double percent[2] = { 100, 0 }, ratio;
	pid_t busy[BUSY], pids[2];

	(void)state;
	need_root();
#ifndef HAVE_JANSSON
	skip_for("built without jansson, which reads it");
#endif
#ifdef __SANITIZE_ADDRESS__
	skip_for("what the sanitizer costs is not ptop's");
#endif
	start_busy(busy);
	pids[0] = start_reports(reports, "max", BUDGET);
	pids[1] = start_reports(beside, "49", "off");
	sleep(BEGIN_S);
	for (int s = BEGIN_S; s < PATIENCE_S && percent[0] > MAX(atof(BUDGET), percent[1] + SPARE);
	     s += STEP_S) {
		measure(pids, percent);
		print_message("# after %d s: %.2f %% of a CPU, %.2f %% of it whatever the frequency\n",
			      s + STEP_S, percent[0], percent[1]);
	}
	sleep(STEP_S);
	for (int i = 0; i < 2; i++) {
		kill(pids[i], SIGINT);
		waitpid(pids[i], NULL, 0);
	}
	end_busy(busy);
	assert_that(percent[0], <=, MAX(atof(BUDGET), percent[1] + SPARE));
	/* What it says is what it does: all CPUs were busy. */
	ratio = samples_per_told(reports, 4);
	print_message("# %.2f of the samples that the frequency told gives\n", ratio);
	assert_that(ratio, >, 0.6);
	assert_that(ratio, <, 1.2);
	fclose(reports);
	fclose(beside);
}

#define PAIRS(...) (sizeof((const char *const[][2]){ __VA_ARGS__ }) / sizeof(const char *[2])), \
	(const char *const[][2]){ __VA_ARGS__ }

/* Most samples are of the first seconds; most time is of those after. */
static void
sums_stay_right_while_the_budget_moves_the_frequency(void **state)
{
	struct run_result r;
	char pid[16];
	double all, used;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("hot");
	used = run_cpu_s(load);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)run_ptop(), "-n", "1", "-d", "8", "-F",
		    "20000", "--budget", "0.05", "--by", "pid", "--format", "csv", NULL });
	used = run_cpu_s(load) - used;
	run_end(load);
	assert_int_equal(r.status, 0);
	assert_non_null(strstr(r.err, "not 20000"));
	snprintf(pid, sizeof(pid), "%d", (int)load);
	all = run_csv_sum(r.out, "period", PAIRS({ "pid", pid }));
	print_message("# %.2f s of %.2f s\n", all / 1e9, used);
	/* The last ones are few, and each stands for 20 ms. */
	assert_that(all / 1e9 / used, >, 0.7);
	assert_that(all / 1e9 / used, <, 1.3);
	run_release(&r);
}

static void
shares_stay_right_while_keys_move_the_frequency(void **state)
{
	static char *argv[] = { "ptop", "-F", "9999", "--budget", "off", "-w", "all", "-d", "0.3",
				"-m", "1024", "--by", "pid,symbol", NULL };
	static const int steps[] = { -1, -1, -1, -1, 1, 1, -1 }; /* to 999, 3999, 1999 */
	struct listener l;
	double before, used, all, hot;
	pid_t load;

	(void)state;
	need_root();
	load = run_load("hot");
	assert_that(load, >, 0); /* -1 would be stopped, which is all that runs here */
	listener_start(&l, argv, ARRAY_SIZE(argv) - 1);
	/* What it did before sampling began is not in the sums. */
	listen_for(&l, 1000);
	kill(load, SIGSTOP);
	listen_for(&l, 1000);
	assert_non_null(l.last);
	used = run_cpu_s(load);
	before = period_of(l.last, load, NULL);
	kill(load, SIGCONT);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		engine_step_freq(l.engine, steps[i]);
		listen_for(&l, 400);
	}
	kill(load, SIGSTOP);
	used = run_cpu_s(load) - used;
	listen_for(&l, 1000);
	run_end(load);
	all = period_of(l.last, load, NULL);
	hot = period_of(l.last, load, "hot_loop") / all;
	all -= before;
	print_message("# %llu Hz, hot_loop %.1f %%, %.2f s of %.2f s, %llu lost\n",
		      (unsigned long long)l.last->head.rate, hot * 100, all / 1e9, used,
		      (unsigned long long)l.last->head.losses[LOSS_SAMPLES]);
	assert_int_equal(l.last->head.rate, 1999);
	assert_that(hot, >, 0.71);
	assert_that(hot, <, 0.79);
	if (l.last->head.losses[LOSS_SAMPLES] == 0)
		assert_true(all / 1e9 / used > 0.85 && all / 1e9 / used < 1.15);
	listener_end(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cost_settles_below_the_budget),
		cmocka_unit_test(sums_stay_right_while_the_budget_moves_the_frequency),
		cmocka_unit_test(shares_stay_right_while_keys_move_the_frequency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
