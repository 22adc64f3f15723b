/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events in braces on the real kernel: each sampled, or read with the samples of the first.  What is
 * sampled at the end of a thread carries all that the thread's counters have counted.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/asserts.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { PATIENCE_S = 60, LINES_MAX = 64, TRIES = 4 };

#define PAIRS(...) (sizeof((const char *const[][2]){ __VA_ARGS__ }) / sizeof(const char *[2])), \
	(const char *const[][2]){ __VA_ARGS__ }
#define GETPID "syscalls:sys_enter_getpid"
#define EXIT "sched:sched_process_exit"

struct fixture {
	char dir[64], file[96];
	pid_t load;
};

static int
begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/ptop-groups-XXXXXX");
	if (mkdtemp(f->dir) == NULL)
		return -1;
	snprintf(f->file, sizeof(f->file), "%s/perf.data", f->dir);
	*state = f;
	return 0;
}

static int
end(void **state)
{
	struct fixture *f = *state;

	run_end(f->load);
	unlink(f->file);
	rmdir(f->dir);
	free(f);
	return 0;
}

/* Skips where the event cannot be opened. */
static void
need(const char *event)
{
	char *argv[] = { (char *)run_ptop(), "--explain-event", (char *)event, NULL };
	struct run_result r;
	bool has;

	if (geteuid() != 0)
		skip_for("not root");
	run_program(&r, PATIENCE_S, argv);
	has = r.status == 0;
	if (!has)
		print_message("# %s\n", r.err);
	run_release(&r);
	if (!has)
		skip();
}

/*
 * Each time, into large rings: nothing may be lost, however busy the machine is.  On one CPU: each
 * has counters of its own, and a sample on one does not read what the others counted.
 */
static void
sample(struct run_result *r, const char *events, const char *record, char *const command[])
{
	char *argv[24] = { (char *)run_ptop(), "-b", "-m", "1024", "-c", "1", "-e",
			   (char *)events, "--by", "event,comm", "--format", "csv", "-r",
			   (char *)record };
	int n = record != NULL ? 14 : 12;
	cpu_set_t all, one;

	argv[n++] = "--";
	for (size_t i = 0; command[i] != NULL; i++)
		argv[n++] = command[i];
	argv[n] = NULL;
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	run_program(r, PATIENCE_S, argv);
	sched_setaffinity(0, sizeof(all), &all);
	if (r->status != 0)
		fail_msg("status %d: %s", r->status, r->err);
	assert_null(strstr(r->err, "lost"));
}

#define sample_exact(r, events, mode) \
	sample(r, events, NULL, (char *[]){ run_load_path("exact"), (char *)(mode), NULL })

static void
assert_sum(const struct run_result *r, const char *column, const char *event, const char *comm,
	   int wanted)
{
	int n = (int)run_csv_sum(r->out, column, PAIRS({ "event", event }, { "comm", comm }));

	if (n != wanted)
		fail_msg("%s of %s in %s: %d, not %d:\n%s%s", column, event, comm, n, wanted, r->out,
			 r->err);
}

static int
sum_of(const struct run_result *r, const char *column, const char *event)
{
	return (int)run_csv_sum(r->out, column, PAIRS({ "event", event }));
}

static void
each_event_of_a_group_is_sampled_as_often_as_it_happens(void **state)
{
	struct run_result r;

	(void)state;
	need(GETPID);
	sample_exact(&r, "{" GETPID ",page-faults}", "getpid");
	assert_sum(&r, "samples", GETPID, "exact", 1000);
	assert_int_equal(sum_of(&r, "samples", GETPID), 1000);
	assert_that(sum_of(&r, "samples", "page-faults"), >, 0);
	assert_int_equal(sum_of(&r, "samples", "page-faults"), sum_of(&r, "period", "page-faults"));
	run_release(&r);
	/* Whoever leads. */
	sample_exact(&r, "{page-faults," GETPID "}", "threads");
	assert_sum(&r, "samples", GETPID, "part-a", 600);
	assert_sum(&r, "samples", GETPID, "part-b", 400);
	run_release(&r);
}

static void
a_member_is_read_with_each_sample_of_its_leader(void **state)
{
	struct run_result r;

	(void)state;
	need(GETPID);
	sample_exact(&r, "{" EXIT "," GETPID "}:S", "getpid");
	assert_sum(&r, "samples", EXIT ":S", "exact", 1);
	assert_sum(&r, "samples", GETPID ":S", "exact", 1);
	assert_sum(&r, "period", GETPID ":S", "exact", 1000);
	run_release(&r);
	/* It samples itself as well if it leads. */
	sample_exact(&r, "{" GETPID ",page-faults}:S", "getpid");
	assert_sum(&r, "samples", GETPID ":S", "exact", 1000);
	assert_sum(&r, "period", GETPID ":S", "exact", 1000);
	assert_that(sum_of(&r, "samples", "page-faults:S"), <, 1000);
	run_release(&r);
	sample_exact(&r, GETPID ":S", "getpid");
	assert_sum(&r, "period", GETPID ":S", "exact", 1000);
	run_release(&r);
}

static void
what_is_read_is_each_threads_own_and_each_childs(void **state)
{
	char script[9000];
	struct run_result r;

	(void)state;
	need(GETPID);
	sample_exact(&r, "{" EXIT "," GETPID "}:S", "threads");
	if (strstr(r.err, "6.12") != NULL) {
		print_message("# %s", r.err);
		run_release(&r);
		skip();
	}
	assert_sum(&r, "period", EXIT ":S", "part-a", 1);
	assert_sum(&r, "period", GETPID ":S", "part-a", 600);
	assert_sum(&r, "period", GETPID ":S", "part-b", 400);
	run_release(&r);
	snprintf(script, sizeof(script), "%1$s getpid && %1$s threads && exit 0", run_load_path("exact"));
	sample(&r, "{" EXIT "," GETPID "}:S", NULL, (char *[]){ "sh", "-c", script, NULL });
	assert_sum(&r, "period", GETPID ":S", "exact", 1000);
	assert_sum(&r, "period", GETPID ":S", "part-a", 600);
	assert_sum(&r, "period", GETPID ":S", "part-b", 400);
	run_release(&r);
}

/* Randomized addresses cost a page more or less. */
static void
page_faults_that_are_read_are_all_that_happened(void **state)
{
	struct run_result touched, none;
	int before;

	(void)state;
	need(EXIT);
	before = personality(0xffffffff);
	personality((unsigned long)before | ADDR_NO_RANDOMIZE);
	sample_exact(&touched, "{" EXIT ",page-faults}:S", "pages");
	sample_exact(&none, "{" EXIT ",page-faults}:S", "none");
	personality((unsigned long)before);
	assert_int_equal(sum_of(&touched, "period", "page-faults:S") -
				 sum_of(&none, "period", "page-faults:S"),
			 5000);
	run_release(&touched);
	run_release(&none);
}

/* Every CPU, by frequency, beside an event that is in no group. */
static void
a_group_of_software_events_is_sampled_on_every_cpu(void **state)
{
	static const char *const events[] = { "{cpu-clock,page-faults},context-switches",
					      "{cpu-clock,page-faults}:S,context-switches" };
	static const char *const clocks[] = { "cpu-clock", "cpu-clock:S" };
	struct fixture *f = *state;
	struct run_result r;

	need("cpu-clock");
	f->load = run_load("hot");
	for (int i = 0; i < 2; i++) {
		char *argv[] = { (char *)run_ptop(), "-b", "-n", "1", "-d", "2", "-e",
				 (char *)(uintptr_t)events[i], "--by", "event,comm", "--format",
				 "csv", NULL };

		run_program(&r, PATIENCE_S, argv);
		/* Another profiler, or a burst of processes, may be beside it, and is told: once more. */
		for (int tries = 1; tries < TRIES && r.err[0] != '\0'; tries++) {
			run_release(&r);
			run_program(&r, PATIENCE_S, argv);
		}
		assert_int_equal(r.status, 0);
		assert_string_equal(r.err, "");
		/* Nanoseconds of a process that never waits. */
		assert_that(run_csv_sum(r.out, "period", PAIRS({ "event", clocks[i] }, { "comm", "hot" })), >,
			    1e7);
		assert_that(sum_of(&r, "period", i == 0 ? "page-faults" : "page-faults:S"), >, 0);
		assert_that(sum_of(&r, "period", "context-switches"), >, 0);
		run_release(&r);
	}
}

static int
compare_lines(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Rows of equal numbers may come in any order. */
static void
sort_lines(char *text)
{
	char *lines[LINES_MAX], *copy = strdup(text), *save = NULL;
	size_t n = 0;

	for (char *s = strtok_r(copy, "\n", &save); s != NULL && n < LINES_MAX;
	     s = strtok_r(NULL, "\n", &save))
		lines[n++] = s;
	qsort(lines, n, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < n; i++)
		text += sprintf(text, "%s\n", lines[i]);
	free(copy);
}

/* perf @command -i @file @options */
static int
run_perf(const char *command, const char *file, const char *options, char *out, size_t size)
{
	char line[512];
	size_t len;
	FILE *p;

	snprintf(line, sizeof(line), "perf %s -i %s %s 2>/dev/null", command, file, options);
	p = popen(line, "r");
	assert_non_null(p);
	len = fread(out, 1, size - 1, p);
	out[len] = '\0';
	return pclose(p);
}

static void
a_recorded_group_is_what_was_shown_to_ptop_and_to_perf(void **state)
{
	static const char *const groups[] = { "{" EXIT "," GETPID ",page-faults}",
					      "{" EXIT "," GETPID ",page-faults}:S" };
	static char text[1 << 20];
	struct fixture *f = *state;
	struct run_result live, file;

	need(GETPID);
	for (int i = 0; i < 2; i++) {
		char *command[] = { run_load_path("exact"), "threads", NULL };
		char *replay[] = { (char *)run_ptop(), "-i", f->file, "--by", "event,comm",
				   "--format", "csv", NULL };

		unlink(f->file);
		sample(&live, groups[i], f->file, command);
		run_program(&file, PATIENCE_S, replay);
		assert_int_equal(file.status, 0);
		sort_lines(live.out);
		sort_lines(file.out);
		assert_string_equal(live.out, file.out);
		run_release(&live);
		run_release(&file);
		if (system("perf --version >/dev/null 2>&1") != 0)
			continue;
		assert_int_equal(run_perf("report", f->file, "--group --stdio --no-children -g none "
					  "-s comm -F comm,period -t '|'", text, sizeof(text)), 0);
		assert_non_null(strstr(text, "anon group { " EXIT));
		/* A number for each event of the group. */
		if (strstr(text, "part-a | 1 600 ") == NULL)
			fail_msg("%s: %s", groups[i], text);
		assert_int_equal(run_perf("script", f->file, "-F comm,event,period", text,
					  sizeof(text)), 0);
		assert_non_null(strstr(text, "part-b"));
	}
}

static void
what_no_group_can_be_is_told_with_its_name(void **state)
{
	static const struct {
		const char *events, *says;
	} wrong[] = {
		{ "{page-faults,uprobe:/nowhere:main}", "event 'uprobe:/nowhere:main'" },
		{ "{page-faults,cs:S}", "event 'cs:S' cannot be sampled in a group" },
		{ "page-faults,{page-faults,cs}", "event 'page-faults' is sampled already" },
		{ "{page-faults,cs},{cs,task-clock}", "event 'cs' is sampled already" },
	};
	struct run_result r;

	(void)state;
	need("page-faults");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *argv[] = { (char *)run_ptop(), "-b", "-n", "1", "-d", "1", "-e",
				 (char *)(uintptr_t)wrong[i].events, NULL };

		run_program(&r, PATIENCE_S, argv);
		assert_true(WIFEXITED(r.status) && WEXITSTATUS(r.status) != 0);
		if (strstr(r.err, wrong[i].says) == NULL)
			fail_msg("%s: %s", wrong[i].events, r.err);
		run_release(&r);
	}
}

static void
without_one_of_its_events_a_group_is_not_sampled(void **state)
{
	char *argv[] = { (char *)run_ptop(), "-b", "-n", "1", "-d", "1", "-e",
			 "{page-faults,cycles}", NULL };
	struct run_result r;

	(void)state;
	need("page-faults");
	if (access("/sys/bus/event_source/devices/cpu", F_OK) == 0)
		skip_for("the machine has a PMU");
	run_program(&r, PATIENCE_S, argv);
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "cannot open event 'cycles'"));
	assert_non_null(strstr(r.err, "EventNotFound"));
	run_release(&r);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(each_event_of_a_group_is_sampled_as_often_as_it_happens),
		TEST(a_member_is_read_with_each_sample_of_its_leader),
		TEST(what_is_read_is_each_threads_own_and_each_childs),
		TEST(page_faults_that_are_read_are_all_that_happened),
		TEST(a_group_of_software_events_is_sampled_on_every_cpu),
		TEST(a_recorded_group_is_what_was_shown_to_ptop_and_to_perf),
		TEST(what_no_group_can_be_is_told_with_its_name),
		TEST(without_one_of_its_events_a_group_is_not_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
