/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code without names gets them by the key J, or by --name-jit, as its runtime writes them. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/screen_fixture.h"

#include "base/clock.h"
#include "base/util.h"
#include "tests/asserts.h"
#include "tests/skip.h"

#include <config.h>

enum { NOBODY = 65534, REPORT_S = 60, WARM_S = 3, READ_MS = 400, TYPED_MS = 100, TRIES = 5 };

static void
start_load(struct screen *s, int width, const char *load, const char *kind, const char *view, const char *more)
{
	static char pid[16];

	screen_load_with(s, load, kind);
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	screen_start(s, width, 24, ARGS((char *)"-e", (char *)"cpu-clock", (char *)"-V",
				      (char *)(uintptr_t)view, (char *)"-p", pid,
				      (char *)(uintptr_t)more), NULL);
}

static void
start_wide(struct screen *s, int width, const char *kind, const char *view, const char *more)
{
	start_load(s, width, "runtime", kind, view, more);
}

static void
start_on(struct screen *s, const char *kind, const char *view, const char *more)
{
	start_wide(s, 120, kind, view, more);
}

static void
sees_of_load(struct screen *s, const char *before, const char *after)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%d%s", before, (int)s->loads[0], after);
	sees(s, text);
}

/* The question opens when the broker has answered: who types before has not read it. */
static void
answer(struct screen *s, const char *key)
{
	sees(s, "? y/N");
	usleep(READ_MS * 1000);
	keys(s, key);
}

static void
a_y_that_was_typed_for_something_else_is_no_yes(void **state)
{
	struct screen *s = *state;
	bool is_quick = false;

	start_on(s, "jvm", "processes", NULL);
	sees_match(s, " runtime jvm");
	/* Who is late has had time to read it. */
	for (int i = 0; i < TRIES && !is_quick; i++) {
		const uint64_t begin_ns = clock_mono_ns();

		keys(s, "J");
		while (clock_mono_ns() - begin_ns < TYPED_MS * NSEC_PER_MSEC) {
			usleep(5000);
			keys(s, "y");
		}
		is_quick = clock_mono_ns() - begin_ns < 2 * TYPED_MS * NSEC_PER_MSEC;
		if (is_quick)
			answer(s, "\r");
		else
			keys(s, "\033");
	}
	if (!is_quick)
		skip_for("the machine is too busy to type quickly");
	sees_of_load(s, "process ", " is not asked to name its code");
	leave(s);
}

static void
code_gets_names_by_one_key_and_only_after_a_yes(void **state)
{
	struct screen *s = *state;

	start_on(s, "jvm", "functions", NULL);
	sees_match(s, "\\[JIT\\]");
	keys(s, "J");
	sees_of_load(s, "have JVM ", geteuid() == 0 ? ", as root, write /tmp/perf-" : ", as uid ");
	sees(s, "(Compiler.perfmap)? y/N");
	answer(s, "\r");
	sees_of_load(s, "process ", " is not asked to name its code");
	/* Enter tells why there is no name, and which key gives one: it works there, too. */
	keys(s, "\r");
	sees(s, "About this row");
	sees(s, "the key J, or --name-jit");
	keys(s, "J");
	answer(s, "y");
	sees_of_load(s, "JVM ", " has written the names of its code, /tmp/perf-");
	keys(s, "\033"); /* which removes that, too */
	sees_match(s, "asked_1_times");
	keys(s, "/asked_1\r");
	keys(s, "i");
	sees_of_load(s, "what its runtime wrote: /tmp/perf-", ".map");
	keys(s, "\033");
	leave(s);
}

/* What is asked is cut before that. */
static void
a_narrow_question_shows_how_to_answer(void **state)
{
	struct screen *s = *state;

	start_wide(s, 60, "jvm", "processes", NULL);
	sees_match(s, " runtime jvm");
	keys(s, "J");
	sees_match(s, "have JVM [0-9]+, as .*, write /tmp/.*\\? y/N *$");
	answer(s, "n");
	sees_of_load(s, "process ", " is not asked to name its code");
	leave(s);
}

static void
the_row_of_its_process_will_do(void **state)
{
	struct screen *s = *state;

	start_on(s, "dotnet", "processes", NULL);
	sees_match(s, " runtime dotnet");
	keys(s, "J");
	sees_of_load(s, "have .NET ", ", as ");
	answer(s, "y");
	sees_of_load(s, ".NET ", " has written the names of its code");
	leave(s);
}

static void
a_runtime_without_a_switch_is_left_alone_and_the_truth_said(void **state)
{
	struct screen *s = *state;

	start_on(s, "node", "processes", NULL);
	sees_match(s, " runtime node");
	keys(s, "J");
	sees(s, "ptop never opens that");
	sees(s, "start it with: node --perf-basic-prof");
	sees(s, "Nothing was done to it.");
	keys(s, "\033");
	leave(s);
}

static void
rows_of_processes_and_threads_tell_what_names_their_code(void **state)
{
	static const char *const views[] = { "processes", "threads" };
	struct screen *s = *state;

	for (size_t i = 0; i < ARRAY_SIZE(views); i++) {
		start_on(s, "node", views[i], NULL);
		sees_match(s, "\\[JIT\\]"); /* the hottest */
		keys(s, "i");
		/* The page tells what is known: files are looked for after the first sample. */
		for (int n = 0; n < TRIES && !pty_wait_text(s->p, "there is no perf map", WARM_S * 1000); n++)
			keys(s, "\033i");
		sees(s, "start it with: node --perf-basic-prof");
		/* Nobody takes it for the name of the row. */
		sees_match(s, "[0-9.]+ % of this (process|thread) is code without a name, \\[JIT\\] tid [0-9]+:\n *no name ");
		keys(s, "\033");
		leave(s);
		screen_end_load(s, 0);
	}
}

static void
code_without_a_name_is_told_of_where_it_is_in_what_is_shown(void **state)
{
	struct screen *s = *state;

	start_load(s, 120, "shop", NULL, "processes", NULL);
	sees_match(s, "parse_header"); /* the hottest, while most has a name */
	keys(s, "i");
	for (int n = 0; n < TRIES && !pty_wait_text(s->p, "code without a name", WARM_S * 1000); n++)
		keys(s, "\033i");
	sees_match(s, " % of this process is code without a name, ");
	keys(s, "\033\\symbol=parse_header\r");
	sees(s, "filter symbol=parse_header");
	keys(s, "i");
	sees_match(s, "hottest +parse_header");
	sees_no(s, "without a name");
	sees_no(s, "no name");
	keys(s, "\033");
	leave(s);
}

static void
code_of_a_file_and_read_only_are_told_of(void **state)
{
	struct screen *s = *state;

	start_on(s, "jvm", "processes", "--read-only");
	sees_match(s, " runtime jvm");
	keys(s, "J");
	sees(s, "--read-only: nothing is done to processes");
	leave(s);
	screen_end_load(s, 0);
	screen_load(s, "hot");
	screen_start(s, 120, 24, ARGS((char *)"-e", (char *)"cpu-clock", (char *)"-V",
				      (char *)"functions", (char *)"--filter",
				      (char *)"comm=hot"), NULL);
	sees_match(s, " hot_loop ");
	keys(s, "J");
	sees(s, "no process that lives made this code as it ran");
	leave(s);
}

static void
an_option_names_what_is_sampled_without_a_question(void **state)
{
	struct screen *s = *state;

	start_on(s, "jvm", "functions", "--name-jit");
	sees_match(s, "asked_1_times");
	leave(s);
}

/* A report of functions, without a screen. */
static void
report(struct run_result *r, char *const *args)
{
	char *argv[24] = { (char *)(uintptr_t)run_ptop(), (char *)"-b", (char *)"--no-config",
			   (char *)"-e", (char *)"cpu-clock", (char *)"-V", (char *)"functions" };
	size_t n = 7;

	while (*args != NULL)
		argv[n++] = *args++;
	run_program(r, REPORT_S, argv);
}

/* Names are asked for while it samples: on a busy machine they may come after a short report. */
static void
has_name(char *pid, const char *name)
{
	static const char *const seconds[] = { "3", "8", "20" };
	bool is_there = false, is_told = false;

	for (size_t i = 0; i < ARRAY_SIZE(seconds) && !is_there; i++) {
		struct run_result r;

		report(&r, ARGS((char *)"--name-jit", (char *)"-n", (char *)"1", (char *)"-d",
				(char *)(uintptr_t)seconds[i], (char *)"-p", pid));
		assert_int_equal(r.status, 0);
		is_there = strstr(r.out, name) != NULL;
		/* One that has been asked before may not be asked again. */
		is_told |= strstr(r.err, "has written the names of its code") != NULL;
		if (!is_there)
			print_message("# in %s s:\n%s\n%s", seconds[i], r.out, r.err);
		run_release(&r);
	}
	assert_true(is_there);
	assert_true(is_told);
}

static void
a_report_has_the_names_that_its_option_asked_for(void **state)
{
	struct screen *s = *state;
	struct run_result r;
	char pid[16];

	screen_load_with(s, "runtime", "jvm");
	snprintf(pid, sizeof(pid), "%d", (int)s->loads[0]);
	has_name(pid, "asked_");
	report(&r, ARGS((char *)"--name-jit", (char *)"--read-only", (char *)"-p", pid));
	assert_int_not_equal(r.status, 0);
	assert_non_null(strstr(r.err, "which --read-only forbids"));
	run_release(&r);
}

/* What java runs from its source, as the user nobody, in a folder of its own. */
static int
start_java(struct screen *s, char *folder)
{
	static const char source[] =
		"public class Busy {\n"
		" static long burnt(long n) {\n"
		"  long s = 0; for (long i = 0; i < n; i++) s = s * 31 + i; return s; }\n"
		" public static void main(String[] a) {\n"
		"  long s = 0; for (;;) s += burnt(100000 + (s & 1)); }\n"
		"}\n";
	const pid_t own = getpid();
	char path[80];
	FILE *f;
	int pid;

	if (access("/usr/bin/javac", X_OK) != 0)
		skip_for("no JDK is installed");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0755), 0);
	snprintf(path, sizeof(path), "%s/Busy.java", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fputs(source, f) >= 0 && fclose(f) == 0, 1);
	pid = run_fork();
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
			_exit(1);
		run_end_with(own);
		execl("/usr/bin/java", "java", "-Xshare:auto", "-XX:+UseSerialGC", path, NULL);
		_exit(1);
	}
	s->loads[0] = pid;
	/* What is compiled later has no name for 30 s. */
	for (int ms = 0; ms < SOON_MS && run_cpu_s(pid) < WARM_S; ms += 50)
		usleep(50000);
	return pid;
}

static void
methods_of_a_jvm_of_another_user_are_named(void **state)
{
	struct screen *s = *state;
	char folder[] = "/tmp/name-java-XXXXXX", pid[16], path[80];

	snprintf(pid, sizeof(pid), "%d", start_java(s, folder));
	has_name(pid, "Busy.burnt(long)");
	snprintf(path, sizeof(path), "%s/Busy.java", folder);
	unlink(path);
	rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		screen_test(code_gets_names_by_one_key_and_only_after_a_yes),
		screen_test(a_y_that_was_typed_for_something_else_is_no_yes),
		screen_test(a_narrow_question_shows_how_to_answer),
		screen_test(the_row_of_its_process_will_do),
		screen_test(a_runtime_without_a_switch_is_left_alone_and_the_truth_said),
		screen_test(rows_of_processes_and_threads_tell_what_names_their_code),
		screen_test(code_without_a_name_is_told_of_where_it_is_in_what_is_shown),
		screen_test(code_of_a_file_and_read_only_are_told_of),
		screen_test(an_option_names_what_is_sampled_without_a_question),
		screen_test(a_report_has_the_names_that_its_option_asked_for),
		screen_test(methods_of_a_jvm_of_another_user_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
