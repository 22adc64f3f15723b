/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Under any bound of memory the totals are exact; and the last stops beyond all bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/util.h"
#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 90, OOM_SCORE = 800 };

#define RUN(r, ...) \
	run_program(r, PATIENCE_S, ((char *[]){ (char *)run_ptop(), __VA_ARGS__, NULL }))
#define ALL 0, NULL

static bool
was_folded(const struct run_result *r)
{
	return strstr(r->err, " merged ") != NULL;
}

static void
assert_ended(const struct run_result *r, int status)
{
	if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) != status)
		fail_msg("status %x: %s", (unsigned)r->status, r->err);
}

/* Names and processes by the hundred, each with stacks of its own. */
static void
record_a_storm(const char *path)
{
	struct run_result r;

	RUN(&r, "-b", "-n", "1", "-d", "4", "-F", "4000", "--budget", "off", "-m", "1024", "-g", "fp", "-r",
	    (char *)path, "--force");
	assert_ended(&r, 0);
	run_release(&r);
}

/* Of folded stacks: what each line ends with. */
static double
sum_of_stacks(const char *text)
{
	double sum = 0;

	for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		const char *at = end;

		while (at > line && at[-1] != ' ')
			at--;
		sum += strtod(at, NULL);
	}
	return sum;
}

static double
sum_of_rows(const char *text)
{
	return run_csv_sum(text, "samples", ALL);
}

/* What a recording is read for: with stacks there is much to fold. */
static const struct reading {
	const char *keys, *format;
	double (*sum)(const char *text);
	bool folds, is_equal; /* with little memory; line by line */
} readings[] = {
	{ "comm", "csv", sum_of_rows, false, true },
	{ "cpu", "csv", sum_of_rows, false, true },
	{ "comm,symbol", "csv", sum_of_rows, false, true },
	{ "comm", "folded", sum_of_stacks, true, false },
};

static void
assert_same_totals(const struct reading *reading, const char *path)
{
	struct run_result small, large;

	RUN(&small, "-b", "-i", (char *)path, "--memory", "1M", "--by", (char *)reading->keys,
	    "--format", (char *)reading->format);
	RUN(&large, "-b", "-i", (char *)path, "--memory", "1G", "--by", (char *)reading->keys,
	    "--format", (char *)reading->format);
	assert_ended(&small, 0);
	assert_ended(&large, 0);
	assert_that(reading->sum(large.out), >, 100);
	assert_that(reading->sum(small.out), ==, reading->sum(large.out));
	assert_int_equal(strcmp(small.out, large.out) == 0, reading->is_equal);
	assert_int_equal(was_folded(&small), reading->folds);
	assert_false(was_folded(&large));
	run_release(&small);
	run_release(&large);
}

static void
a_recording_has_the_same_totals_under_any_bound(void **state)
{
	char path[] = "/tmp/ptop-memory-XXXXXX";
	int fd = mkstemp(path);
	pid_t load;

	(void)state;
	need_root();
	assert_that(fd, >=, 0);
	close(fd);
	load = run_load_with("storm", "names", "900");
	record_a_storm(path);
	run_end(load);
	for (size_t i = 0; i < ARRAY_SIZE(readings); i++)
		assert_same_totals(&readings[i], path);
	unlink(path);
}

/* By the thousand, as fast as records of them are taken. */
static void
rename_without_end(void)
{
	char name[16];

	for (unsigned n = 0;; n++) {
		snprintf(name, sizeof(name), "name-%u", n);
		prctl(PR_SET_NAME, name);
		if (n % 100 == 0)
			usleep(1000);
	}
}

static void
who_takes_names_without_end_gets_no_more_of_them(void **state)
{
	struct run_result r;
	pid_t pid;

	(void)state;
	need_root();
	pid = run_fork();
	if (pid == 0)
		rename_without_end();
	RUN(&r, "-b", "-n", "1", "-d", "10", "--memory", "1M", "--by", "pid,comm", "--format", "csv");
	run_end(pid);
	assert_ended(&r, 0);
	assert_non_null(strstr(r.err, "there were too many names"));
	assert_non_null(strstr(r.out, ",[too many names],"));
	run_release(&r);
}

/* ---- the last stops ---- */

/* The numbers that a shell, as COMMAND, finds of itself and of ptop, its parent. */
static void
a_command_inherits_neither_limit_nor_score(void **state)
{
	struct run_result r;
	int score = -1, ptops = -1;
	char limit[32] = "", ptop_limit[32] = "";

	(void)state;
	need_root();
	RUN(&r, "-b", "--", "sh", "-c",
	    "cat /proc/self/oom_score_adj /proc/$PPID/oom_score_adj >&2;"
	    "awk '/Max data size/ { print $4 }' /proc/self/limits /proc/$PPID/limits >&2");
	assert_ended(&r, 0);
	if (sscanf(r.err, "%d %d %31s %31s", &score, &ptops, limit, ptop_limit) != 4)
		fail_msg("%s", r.err);
	assert_int_not_equal(score, OOM_SCORE);
	assert_int_equal(ptops, OOM_SCORE);
	assert_string_equal(limit, "unlimited");
	assert_that(strtoull(ptop_limit, NULL, 10), >, UINT64_C(1) << 30);
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_has_the_same_totals_under_any_bound),
		cmocka_unit_test(who_takes_names_without_end_gets_no_more_of_them),
		cmocka_unit_test(a_command_inherits_neither_limit_nor_score),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
