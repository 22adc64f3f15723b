/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of functions, counted and timed by the whole program in batch, beside programs that count and
 * time themselves.
 */
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
#include <unistd.h>

#include "tests/csv.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 60, TRIES = 4, SLOTS = 5 };

static void
need_calls(void)
{
	need_uprobes();
	if (access(run_load_path("calls"), X_OK) != 0)
		skip_for("there is no C++ compiler");
}

/* What it says of itself. */
struct own {
	long calls, p50, p99;
	long around_p50, around_p99;
};

/* What ptop says of it, and what the program says on standard output. */
static struct own
count(struct csv *c, const char *function, char *const load[4])
{
	char report[] = "/tmp/ptop-calls-XXXXXX";
	int fd = mkstemp(report);
	char *argv[] = { (char *)run_ptop(), "-b", "--count-function", (char *)function, "--format",
			 "csv", "--force", "--force-probe", "-o", report, "--", run_load_path("calls"), load[0], load[1],
			 load[2], load[3], NULL };
	struct own own = { -1, -1, -1, -1, -1 };
	struct run_result r;
	char text[4096];
	ssize_t n;

	assert_true(fd >= 0);
	run_program(&r, PATIENCE_S, argv);
	close(fd);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	fd = open(report, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	unlink(report);
	assert_true(n > 0);
	text[n] = '\0';
	csv_init(c, text);
	assert_true(csv_next(c));
	assert_string_equal(csv_field(c, "function"), function);
	assert_int_equal(sscanf(r.out, "%*s %ld %ld %ld %ld %ld", &own.calls, &own.p50, &own.p99,
				&own.around_p50, &own.around_p99), 5);
	run_release(&r);
	return own;
}

/* What a time of a histogram may be off by, and two clocks. */
#define STEP 0.01
/* What probes take is measured once, and left out of each time: on a busy machine it was more. */
#define PROBES_NS 20000

static void
assert_between(const char *what, double got, long least, long most)
{
	if (got < (double)least * (1 - STEP) - PROBES_NS || got > (double)most * (1 + STEP))
		fail_msg("%s is %.0f, its own %ld to %ld", what, got, least, most);
}

/*
 * Each call takes ptop no less time than itself, which looks at the clock later and earlier, and no
 * more than its caller: so do those in the middle of all, whoever had the CPU meanwhile.
 */
static void
assert_times(const char *function, char *const load[4])
{
	struct csv c;
	struct own own = count(&c, function, load);

	assert_int_equal(csv_number(&c, "calls"), own.calls);
	assert_int_equal(csv_number(&c, "timed"), own.calls);
	assert_int_equal(csv_number(&c, "lost"), 0);
	assert_between("p50", csv_number(&c, "p50"), own.p50, own.around_p50);
	assert_between("p99", csv_number(&c, "p99"), own.p99, own.around_p99);
	csv_release(&c);
}

static void
calls_are_counted_exactly_and_timed_as_the_program_does(void **state)
{
	(void)state;
	need_calls();
	assert_times("work_for", (char *const[]){ "plain", "200", "50", "3000" });
	assert_times("work_for", (char *const[]){ "threads", "40", "50", "2000" });
}

static void
recursion_and_tail_calls_are_calls_that_end(void **state)
{
	struct csv c;
	struct own own;

	(void)state;
	need_calls();
	own = count(&c, "work_deep", (char *const[]){ "recursion", "30", "50", "500" });
	assert_int_equal(own.calls, 150);
	assert_int_equal(csv_number(&c, "calls"), 150);
	assert_int_equal(csv_number(&c, "timed"), 150);
	assert_int_equal(csv_number(&c, "lost"), 0);
	csv_release(&c);
	own = count(&c, "work_tail", (char *const[]){ "tail", "50", "100", "1000" });
	assert_int_equal(csv_number(&c, "calls"), own.calls);
	assert_int_equal(csv_number(&c, "timed"), own.calls);
	csv_release(&c);
}

/* Each second call is left without a return. */
static void
what_an_exception_or_longjmp_leaves_is_a_call_whose_end_was_not_seen(void **state)
{
	static const char *const modes[][2] = { { "throw", "work_throws" }, { "jump", "work_jumps" } };

	(void)state;
	need_calls();
	for (size_t i = 0; i < 2; i++) {
		char *load[] = { (char *)modes[i][0], "100", "50", "500" };
		struct csv c;

		count(&c, modes[i][1], load);
		assert_int_equal(csv_number(&c, "calls"), 100);
		assert_int_equal(csv_number(&c, "timed"), 50);
		/* Of the last one nothing tells that it was left, until its process has ended. */
		assert_in_range(csv_number(&c, "lost"), 49, 50);
		csv_release(&c);
	}
}

/* The note has the reason alone: what stands before it on the screen is the state. */
static void
of_what_does_not_return_its_entry_alone_is_counted(void **state)
{
	struct csv c;

	(void)state;
	need_calls();
	count(&c, "_start", (char *const[]){ "plain", "1", "50", "100" });
	assert_string_equal(csv_field(&c, "state"), "entry only");
	assert_string_equal(csv_field(&c, "note"), "no return or tail call is found in it");
	assert_int_equal(csv_number(&c, "calls"), 1);
	assert_string_equal(csv_field(&c, "p50"), "");
	csv_release(&c);
}

/* Calls had ended long before the report's last second: its rate is of all of it, in text as in csv. */
static void
calls_per_second_of_one_report_are_of_all_of_it(void **state)
{
	char text[16];
	char *argv[] = { (char *)run_ptop(), "-b", "--count-function", "work_for", "--force-probe", "-p", text, "-n",
			 "1", "-d", "4", NULL };
	struct run_result r;
	double rate;
	long calls;
	pid_t pid;

	(void)state;
	need_calls();
	pid = run_fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		execl(run_load_path("calls"), "calls", "plain", "1000", "500", "1500", (char *)NULL);
		_exit(127);
	}
	while (run_thread(pid, "calls") != pid)
		usleep(1000);
	snprintf(text, sizeof(text), "%d", (int)pid);
	run_program(&r, PATIENCE_S, argv);
	run_end(pid);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	assert_int_equal(sscanf(r.out, "FUNCTION %*[^\n] work_for %lf %ld", &rate, &calls), 2);
	assert_true(calls > 0 && rate >= (double)calls / 20 && rate <= (double)calls / 3);
	run_release(&r);
}

/* One row of a report on a process that runs. */
static void
count_running(struct csv *c, const char *function, pid_t pid)
{
	struct run_result r;
	char text[16];
	char *argv[] = { (char *)run_ptop(), "-b", "--count-function", (char *)function, "--format",
			 "csv", "-p", text, "-n", "1", "-d", "1", NULL };

	snprintf(text, sizeof(text), "%d", (int)pid);
	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	csv_init(c, r.out);
	assert_true(csv_next(c));
	run_release(&r);
}

static void
a_function_of_a_library_is_counted_in_the_process_that_is_named(void **state)
{
	pid_t pid;
	struct csv c;

	(void)state;
	need_calls();
	pid = run_load("waits");
	count_running(&c, "clock_nanosleep", pid);
	run_end(pid);
	assert_true(csv_number(&c, "calls") > 0);
	csv_release(&c);
}

static void
a_function_that_is_called_too_often_is_left_alone(void **state)
{
	pid_t pid;
	struct csv c;

	(void)state;
	need_uprobes();
	pid = run_load_with("counted", "hot", "/dev/null");
	count_running(&c, "hot_one", pid);
	run_end(pid);
	assert_string_equal(csv_field(&c, "state"), "closed");
	assert_non_null(strstr(csv_field(&c, "note"), "more than 10 %"));
	csv_release(&c);
}

/* The most calls of the last slots that counted's hot_one() wrote, and of any. */
static long
newest_of(const char *path, long *most)
{
	long ms, calls, slots[SLOTS] = { 0 }, last = 0;
	FILE *f = fopen(path, "r");
	int n = 0;

	assert_non_null(f);
	while (fscanf(f, "%ld %ld", &ms, &calls) == 2) {
		slots[n++ % SLOTS] = calls;
		*most = calls > *most ? calls : *most;
	}
	fclose(f);
	for (int i = 0; i < SLOTS; i++)
		last = slots[i] > last ? slots[i] : last;
	return n >= SLOTS ? last : 0;
}

static bool
comes_to(const char *path, bool is_slow, long *most)
{
	for (int i = 0; i < 100 * PATIENCE_S; i++) {
		long last = newest_of(path, most);

		if (last > 0 && is_slow == (last * 20 < *most))
			return true;
		usleep(10000);
	}
	return false;
}

static void
with_ptop_its_probes_go_however_it_ends(void **state)
{
	char path[] = "/tmp/ptop-hot-XXXXXX", pid[16];
	int fd = mkstemp(path);
	long most = 0;
	pid_t load, ptop;

	(void)state;
	close(fd);
	need_uprobes();
	load = run_load_with("counted", "hot", path);
	snprintf(pid, sizeof(pid), "%d", (int)load);
	while (newest_of(path, &most) == 0)
		usleep(10000);
	ptop = run_fork();
	if (ptop == 0) {
		freopen("/dev/null", "w", stdout);
		execl(run_ptop(), "ptop", "-b", "--force-probe", "--count-function", "hot_one", "-p",
		      pid, "-n", "100", "--format", "csv", (char *)NULL);
		_exit(127);
	}
	assert_true(comes_to(path, true, &most));
	kill(ptop, SIGKILL);
	assert_true(comes_to(path, false, &most));
	run_end(ptop);
	run_end(load);
	unlink(path);
}

/* What ptop says of samples of hot_one(), which is called as often as can be, in so many seconds. */
static void
sample_hot(struct run_result *r, const char *option, const char *seconds)
{
	char *argv[] = { (char *)run_ptop(), "-b", "-n", (char *)seconds, "-d", "1", "--format", "csv", "-m", "1024",
			 "-e", "uprobe:hot_one", (char *)option, "--", run_load_path("counted"), "hot",
			 "/dev/null", NULL };

	run_program(r, PATIENCE_S, argv);
	if (r->status != 0)
		fail_msg("status %d: %s", r->status, r->err);
}

/* To look for it and to try it takes longer than a report of this delay. */
static void
the_first_report_of_a_probe_begins_when_it_is_open(void **state)
{
	char pid[16];
	char *argv[] = { (char *)run_ptop(), "-b", "-n", "1", "-d", "0.1", "--format", "csv", "-e",
			 "uprobe:slow_one", "-p", pid, NULL };
	struct run_result r;
	pid_t load;

	(void)state;
	need_uprobes();
	load = run_load_with("counted", "slow", NULL);
	snprintf(pid, sizeof(pid), "%d", (int)load);
	run_program(&r, PATIENCE_S, argv);
	run_end(load);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	assert_true(run_csv_sum(r.out, "samples", 0, NULL) > 0);
	run_release(&r);
}

static void
a_probe_that_is_hit_too_often_is_not_sampled(void **state)
{
	char pid[16];
	char *argv[] = { (char *)run_ptop(), "-b", "-n", "1", "-d", "5", "-e", "uprobe:hot_one", "-p",
			 pid, NULL };
	struct run_result r;
	pid_t load;

	(void)state;
	need_uprobes();
	load = run_load_with("counted", "hot", "/dev/null");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	run_program(&r, PATIENCE_S, argv);
	run_end(load);
	/* Where others have the CPU for most of the trial that tells nothing: it is closed later. */
	if (strstr(r.err, WEXITSTATUS(r.status) == 1 ? "'uprobe:hot_one' is not sampled"
						     : "uprobe:hot_one is closed") == NULL)
		fail_msg("status %#x: %s", (unsigned)r.status, r.err);
	assert_non_null(strstr(r.err, "more than 10 %"));
	assert_non_null(strstr(r.err, "closing began after"));
	run_release(&r);
}

/* Nothing of it ran before it was opened. */
static void
a_sampled_probe_is_closed_when_it_takes_too_much(void **state)
{
	struct run_result r;
	const char *said;
	double over, after, took;

	(void)state;
	need_uprobes();
	sample_hot(&r, "--no-inherit", "5");
	said = strstr(r.err, "uprobe:hot_one is closed: it took more than 10 %");
	if (said == NULL)
		fail_msg("%s", r.err);
	assert_int_equal(sscanf(strstr(said, " for "), " for %lf ms (--force", &over), 1);
	assert_true(over >= 18);
	said = strstr(said, "closing began after");
	assert_non_null(said);
	assert_int_equal(sscanf(said, "closing began after %lf ms and took %lf", &after, &took), 2);
	assert_true(run_csv_sum(r.out, "samples", 0, NULL) > 0);
	print_message("# closing began after %.0f ms and took %.0f ms\n", after, took);
	run_release(&r);
}

/* How many of @calls to hot_one() are missing, without a word. */
static double
silently_missing(const char *calls)
{
	char *argv[] = { (char *)run_ptop(), "-b", "-n", "1", "-d", "5", "--format", "csv", "-m", "1024",
			 "-e", "uprobe:hot_one/period=1/", "--", run_load_path("counted"), "often",
			 (char *)calls, NULL };
	struct run_result r;
	double missing;

	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	missing = atof(calls) - run_csv_sum(r.out, "samples", 0, NULL);
	print_message("# of %s calls %.0f are missing\n", calls, missing);
	if (strstr(r.err, "is closed: it took more than 10 %") != NULL)
		missing = 0;
	run_release(&r);
	return missing;
}

/* They end before or while the probe is being closed, or soon after. */
static void
a_command_that_ends_while_its_probe_is_closed_is_told_of_it(void **state)
{
	static const char *const calls[] = { "1000", "3000", "10000", "25000" };

	(void)state;
	need_uprobes();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_true(silently_missing(calls[i]) == 0);
}

static void
a_probe_is_sampled_whatever_it_takes_if_that_is_asked_for(void **state)
{
	struct run_result r;

	(void)state;
	need_uprobes();
	sample_hot(&r, "--force-probe", "2");
	assert_null(strstr(r.err, "more than 10 %"));
	assert_true(run_csv_sum(r.out, "samples", 0, NULL) > 0);
	run_release(&r);
}

/* What the view counters says of hot_one(), beside what it always counts. */
static void
count_hot_by_view(struct run_result *r, char *const *args)
{
	char *argv[24] = { (char *)run_ptop(), "-b", "-n", "2", "-d", "1", "--view", "counters",
			   "--format", "csv", "-e", "uprobe:hot_one" };
	size_t n = 12;

	while (*args != NULL)
		argv[n++] = *args++;
	run_program(r, PATIENCE_S, argv);
	if (r->status != 0)
		fail_msg("status %d: %s", r->status, r->err);
}

/* The last row of that counter. */
static void
find_counter(const char *text, const char *counter, char value[32], char note[200])
{
	struct csv c;

	*value = *note = '\0';
	csv_init(&c, text);
	while (csv_next(&c)) {
		if (strcmp(csv_field(&c, "counter"), counter) != 0)
			continue;
		snprintf(value, 32, "%s", csv_field(&c, "value"));
		snprintf(note, 200, "%s", csv_field(&c, "note"));
	}
	csv_release(&c);
}

static void
a_probe_that_is_hit_too_often_is_not_counted_by_the_view_counters(void **state)
{
	char path[] = "/tmp/ptop-hot-XXXXXX", pid[16], value[32], note[200];
	char *const options[] = { "-p", pid, NULL };
	int fd = mkstemp(path);
	struct run_result r;
	long most = 0;
	pid_t load;

	(void)state;
	close(fd);
	need_uprobes();
	load = run_load_with("counted", "hot", path);
	snprintf(pid, sizeof(pid), "%d", (int)load);
	while (newest_of(path, &most) == 0)
		usleep(10000);
	count_hot_by_view(&r, options);
	find_counter(r.out, "uprobe:hot_one", value, note);
	if (*value != '\0' || strstr(note, "more than 10 %") == NULL)
		fail_msg("'%s' '%s'\n%s", value, note, r.out);
	find_counter(r.out, "task-clock", value, note);
	assert_true(atof(value) > 0);
	assert_true(comes_to(path, false, &most));
	run_release(&r);
	run_end(load);
	unlink(path);
}

/* Nothing of it has run before it is counted, so that no trial could tell. */
static void
one_that_is_hit_too_often_later_is_counted_no_more(void **state)
{
	char *const options[] = { "--", run_load_path("counted"), "hot", "/dev/null", NULL };
	char value[32], note[200];
	struct run_result r;
	double over = 0, after = 0, took = 0;

	(void)state;
	need_uprobes();
	count_hot_by_view(&r, options);
	find_counter(r.out, "uprobe:hot_one", value, note);
	if (*value != '\0' ||
	    sscanf(note, "it took more than 10 %% of its CPU time for %lf ms (--force-probe): "
			 "closing began after %lf ms and took %lf", &over, &after, &took) != 3)
		fail_msg("'%s' '%s'\n%s\n%s", value, note, r.out, r.err);
	print_message("# closing began after %.0f ms and took %.0f ms\n", after, took);
	run_release(&r);
}

static void
the_view_counters_counts_whatever_it_takes_if_that_is_asked_for(void **state)
{
	char *const options[] = { "--force-probe", "--", run_load_path("counted"), "hot",
				  "/dev/null", NULL };
	char value[32], note[200];
	struct run_result r;

	(void)state;
	need_uprobes();
	count_hot_by_view(&r, options);
	find_counter(r.out, "uprobe:hot_one", value, note);
	assert_true(atof(value) > 0);
	run_release(&r);
}

/* Each call by a pointer is counted; what is in line in first() and second() has no begin. */
static void
copies_that_are_inlined_are_said_not_to_be_counted(void **state)
{
	char *argv[] = { (char *)run_ptop(), "-b", "--count-function", "twice", "--format", "csv",
			 "--force-probe", "--", run_load_path("copies"), "250", NULL };
	static const char ended[] = "its processes have ended; ";
	struct run_result r;
	const char *note;
	struct csv c;

	(void)state;
	need_uprobes();
	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	csv_init(&c, r.out);
	run_release(&r);
	assert_true(csv_next(&c));
	assert_int_equal(csv_number(&c, "calls"), 250);
	note = csv_field(&c, "note");
	/* It may be seen to have ended before ptop ends. */
	if (strncmp(note, ended, strlen(ended)) == 0)
		note += strlen(ended);
	assert_string_equal(note, "also inlined at 2 places: not counted there");
	csv_release(&c);
}

/* What takes more than 2 % of its time if it is timed, and little if it is counted. */
static void
so_they_are_where_its_entry_alone_is_counted(void **state)
{
	const char *note;
	struct csv c;
	pid_t pid;

	(void)state;
	need_uprobes();
	pid = run_load_with("copies", "busy", NULL);
	count_running(&c, "twice", pid);
	/* On a busy machine even its entry can seem to take too much. */
	for (int i = 1; strstr(csv_field(&c, "note"), "more than 10 %") != NULL && i < TRIES; i++) {
		csv_release(&c);
		count_running(&c, "twice", pid);
	}
	run_end(pid);
	note = csv_field(&c, "note");
	if (strstr(note, "too often to be timed") == NULL ||
	    strstr(note, "; also inlined at 2 places: not counted there") == NULL)
		fail_msg("'%s'", note);
	csv_release(&c);
}

/* The number at the end of each line of folded stacks that has @frame. */
static long
sum_stacks(const char *text, const char *frame)
{
	long sum = 0;

	for (const char *at = text; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
		const char *end = at + strcspn(at, "\n"), *found = strstr(at, frame);

		while (end > at && end[-1] != ' ')
			end--;
		if (found != NULL && found < end)
			sum += atol(end);
	}
	return sum;
}

static void
each_call_has_its_callers_in_a_report_of_stacks(void **state)
{
	char report[] = "/tmp/ptop-callers-XXXXXX";
	char *argv[] = { (char *)run_ptop(), "-b", "--count-function", "work_deep", "-V", "tree",
			 "--format", "folded", "--force", "--force-probe", "-m", "1024", "-o", report,
			 "--", run_load_path("calls"), "recursion", "30", "50", "500", NULL };
	int fd = mkstemp(report);
	char text[65536];
	struct run_result r;
	ssize_t n;

	(void)state;
	need_calls();
	run_program(&r, PATIENCE_S, argv);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	close(fd);
	fd = open(report, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	unlink(report);
	assert_true(n > 0);
	text[n] = '\0';
	assert_int_equal(sum_stacks(text, ";work_deep "), 150);
	assert_int_equal(sum_stacks(text, ";work_deep;work_deep;work_deep;work_deep;work_deep "), 30);
	run_release(&r);
}

static void
a_name_alone_is_looked_for_in_all_processes(void **state)
{
	/* Others that sleep often are no reason to stop timing it: the note would be of that. */
	char *argv[] = { (char *)run_ptop(), "-b", "--count-function", "clock_nanosleep", "--force-probe",
			 "--format", "csv", "-n", "1", "-d", "1", NULL };
	struct run_result r;
	struct csv c;
	pid_t pid;

	(void)state;
	need_uprobes();
	pid = run_load("waits");
	run_program(&r, PATIENCE_S, argv);
	run_end(pid);
	if (r.status != 0)
		fail_msg("status %d: %s", r.status, r.err);
	csv_init(&c, r.out);
	run_release(&r);
	assert_true(csv_next(&c));
	assert_true(csv_number(&c, "calls") > 0);
	assert_non_null(strstr(csv_field(&c, "note"), "libc"));
	csv_release(&c);
}

static void
what_is_no_function_is_refused_with_a_sentence(void **state)
{
	char *argv[] = { (char *)run_ptop(), "-b", "--count-function", "no_such_function", "--",
			 "sh", "-c", "echo the program ran >&2", NULL };
	struct run_result r;

	(void)state;
	need_uprobes();
	run_program(&r, PATIENCE_S, argv);
	/* It stood at its exec, and ends there. */
	assert_null(strstr(r.err, "the program ran"));
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "no function 'no_such_function'"));
	run_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_counted_exactly_and_timed_as_the_program_does),
		cmocka_unit_test(recursion_and_tail_calls_are_calls_that_end),
		cmocka_unit_test(
			what_an_exception_or_longjmp_leaves_is_a_call_whose_end_was_not_seen),
		cmocka_unit_test(of_what_does_not_return_its_entry_alone_is_counted),
		cmocka_unit_test(calls_per_second_of_one_report_are_of_all_of_it),
		cmocka_unit_test(a_function_of_a_library_is_counted_in_the_process_that_is_named),
		cmocka_unit_test(a_function_that_is_called_too_often_is_left_alone),
		cmocka_unit_test(the_first_report_of_a_probe_begins_when_it_is_open),
		cmocka_unit_test(a_probe_that_is_hit_too_often_is_not_sampled),
		cmocka_unit_test(a_sampled_probe_is_closed_when_it_takes_too_much),
		cmocka_unit_test(a_command_that_ends_while_its_probe_is_closed_is_told_of_it),
		cmocka_unit_test(a_probe_is_sampled_whatever_it_takes_if_that_is_asked_for),
		cmocka_unit_test(a_probe_that_is_hit_too_often_is_not_counted_by_the_view_counters),
		cmocka_unit_test(one_that_is_hit_too_often_later_is_counted_no_more),
		cmocka_unit_test(the_view_counters_counts_whatever_it_takes_if_that_is_asked_for),
		cmocka_unit_test(copies_that_are_inlined_are_said_not_to_be_counted),
		cmocka_unit_test(so_they_are_where_its_entry_alone_is_counted),
		cmocka_unit_test(each_call_has_its_callers_in_a_report_of_stacks),
		cmocka_unit_test(with_ptop_its_probes_go_however_it_ends),
		cmocka_unit_test(a_name_alone_is_looked_for_in_all_processes),
		cmocka_unit_test(what_is_no_function_is_refused_with_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
