/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that cannot be unwound, or not by everybody, on the real kernel: pointers and tables that
 * lie, threads by the ten thousand, too few descriptors, too few rights.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/util.h"
#include "tests/asserts.h"
#include "tests/paranoid.h"
#include "tests/person.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 120, MANY = 10000, MEMORY_MOST_KIB = 96 << 10 };

static void
need_unwinding(void)
{
	need_root();
#if !defined(__x86_64__)
	skip_for("the loads lie with registers of x86-64");
#endif
}

/* The next folded stack: its frames, and how many samples.  false: there is none. */
static bool
next_folded(const char **text, char *stack, size_t size, double *count)
{
	const char *end = strchrnul(*text, '\n');
	const char *space = memrchr(*text, ' ', (size_t)(end - *text));

	if (space == NULL)
		return false;
	snprintf(stack, size, "%.*s;", (int)(space - *text), *text);
	*count = strtod(space, NULL);
	*text = *end == '\0' ? end : end + 1;
	return true;
}

/* Each thread has its samples, and nobody called it: neither a frame is made up nor an end. */
static void
threads_that_lie_have_no_callers(void **state)
{
	static const char *const liars[] = { "to_nothing", "to_kernel", "to_the_end", "circle",
					     "climb", "endless" };
	double sums[ARRAY_SIZE(liars)] = { 0 }, count, used;
	char pid[16], stack[8192], alone[64];
	struct run_result r;
	const char *at;
	pid_t load;

	(void)state;
	need_unwinding();
	load = run_load("liars");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	sleep(1); /* they have begun to lie: they have set up themselves as all threads do */
	used = run_cpu_s(load);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)run_ptop(), "-b", "--budget", "0", "-p", pid,
						"-n", "1", "-d", "4", "--format", "folded", NULL });
	used = run_cpu_s(load) - used;
	run_end(load);
	assert_int_equal(r.status, 0);
	for (at = r.out; next_folded(&at, stack, sizeof(stack), &count);)
		for (size_t i = 0; i < ARRAY_SIZE(liars); i++) {
			snprintf(alone, sizeof(alone), "%s;", liars[i]);
			if (strncmp(stack, alone, strlen(alone)) != 0)
				continue;
			sums[i] += count;
			snprintf(alone, sizeof(alone), "%s;[cut];%s;", liars[i], liars[i]);
			if (strncmp(stack, alone, strlen(alone)) != 0)
				fail_msg("a caller that is none: %s %.0f", stack, count);
		}
	for (size_t i = 0; i < ARRAY_SIZE(liars); i++)
		assert_clock_samples(sums[i], used / ARRAY_SIZE(liars), 999);
	assert_non_null(strstr(r.err, "[cut]"));
	run_release(&r);
}

/* Kilobytes resident, 0: it has ended. */
static long
memory_of(pid_t pid)
{
	struct buf b = { 0 };
	char path[64];
	const char *at;
	long kib;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file_read(path, &b, 16384);
	at = strstr(buf_str(&b), "VmRSS:");
	kib = at != NULL ? atol(at + 6) : 0;
	buf_release(&b);
	return kib;
}

static pid_t
start_report(FILE *out)
{
	pid_t pid = run_fork();

	if (pid == 0) {
		dup2(fileno(out), STDOUT_FILENO);
		execl(run_ptop(), "ptop", "-b", "-n", "1", "-d", "120", "--by", "comm", "--format",
		      "csv", (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* They come while it samples, so it hears of each: no descriptor is of one of them. */
static void
many_threads_take_neither_descriptors_nor_memory(void **state)
{
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	const char *pairs[][2] = { { "comm", "member" } };
	FILE *out = tmpfile();
	int events = 0, looks = 0, status;
	char text[65536];
	pid_t load, ptop;
	long kib = 0;

	(void)state;
	need_root();
	ptop = start_report(out);
	while (run_count_events(ptop) == 0 && waitpid(ptop, &status, WNOHANG) == 0)
		usleep(20000);
	load = run_load_with("crowd", "10000", NULL);
	while (waitpid(ptop, &status, WNOHANG) == 0) {
		kib = MAX(kib, memory_of(ptop));
		events = MAX(events, run_count_events(ptop));
		usleep(100000);
		/* They are there, two seconds. */
		if (run_count_threads(load) > MANY && ++looks == 20)
			kill(ptop, SIGINT);
	}
	assert_that(looks, >=, 20);
	run_end(load);
	assert_int_equal(status, 0);
	rewind(out);
	text[fread(text, 1, sizeof(text) - 1, out)] = '\0';
	fclose(out);
	print_message("# %d events, %ld KiB\n", events, kib);
	assert_that(run_csv_sum(text, "samples", 1, pairs), >, 0);
	assert_that(events, <=, 16 * cpus);
	if (!IS_SANITIZED)
		assert_that(kib, <, MEMORY_MOST_KIB);
}

/* A script of the shell, by an ordinary user or the root of a container, in the folder of all. */
static void
run_script(struct run_result *r, const char *who, const char *script)
{
	char line[1024];
	char *argv[] = { "sh", "-c", line, NULL };

	snprintf(line, sizeof(line), "cd %s; %s; status=$?; kill $!; exit $status", person_dir(),
		 script);
	paranoid_set(2);
	run_program(r, PATIENCE_S, person_call(who, argv));
}

#define CROWD "ulimit -n 1000; ./crowd 2000 > /dev/null & " \
	      "while [ $(ls /proc/$!/task | wc -l) -lt 2001 ]; do sleep 0.1; done; "

/* Who may sample tasks alone needs descriptors for each thread: there are as many as there are. */
static void
too_few_descriptors_for_all_threads_are_told(void **state)
{
	struct run_result r;

	(void)state;
	need_root();
	assert_true(person_copy_load("crowd", "crowd"));
	run_script(&r, "nobody", CROWD "./ptop -b -n 1 -d 2 --by comm --format csv");
	if (r.status != 0 || strstr(r.err, "too few file descriptors") == NULL)
		fail_msg("status %#x: %s", (unsigned)r.status, r.err);
	assert_non_null(strstr(r.err, "ulimit -Hn"));
	run_release(&r);
	run_script(&r, "nobody", CROWD "./ptop -b -n 1 -d 2 -p $!");
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 1);
	assert_non_null(strstr(r.err, "cannot sample 2001 threads"));
	run_release(&r);
}

/* Its own processes are all that it may sample; their stacks are whole. */
static void
a_container_without_the_right_has_whole_stacks(void **state)
{
	static const char *const persons[] = { "nobody", "few-caps", "user-ns" };

	(void)state;
	need_unwinding();
	assert_true(person_copy_load("nested", "nested"));
	for (size_t i = 0; i < ARRAY_SIZE(persons); i++) {
		double all = 0, whole = 0, count;
		struct run_result r;
		char stack[8192];
		const char *at;

		run_script(&r, persons[i], "./nested & ./ptop -b -n 1 -d 4 -w 3 --budget 0 "
			   "--format folded");
		if (r.status != 0)
			fail_msg("%s: status %#x: %s", persons[i], (unsigned)r.status, r.err);
		for (at = r.out; next_folded(&at, stack, sizeof(stack), &count);) {
			if (strncmp(stack, "nested;", 7) != 0)
				continue;
			all += count;
			whole += strstr(stack, ";main;") != NULL ? count : 0;
		}
		print_message("# %s: %.0f of %.0f are whole\n", persons[i], whole, all);
		assert_that(all, >, 20);
		/* But for handlers that run on another stack than what they interrupted. */
		assert_that(whole, >, all * 0.9);
		assert_non_null(strstr(r.err, "only your own processes"));
		run_release(&r);
	}
}

/* Those of a root that may do more are many, the kernel's threads too, and come first by number. */
static void
tasks_that_may_not_be_sampled_take_no_place(void **state)
{
	const char *const pairs[][2] = { { "comm", "own" } };
	struct run_result r;

	(void)state;
	need_root();
	assert_true(person_copy_load("nested", "own"));
	run_script(&r, "few-caps", "./own & ulimit -n 128; ./ptop -b -n 1 -d 1 --by comm --format csv");
	if (r.status != 0)
		fail_msg("status %#x: %s", (unsigned)r.status, r.err);
	assert_that(run_csv_sum(r.out, "samples", 1, pairs), >, 0);
	run_release(&r);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_lie_have_no_callers),
		cmocka_unit_test(many_threads_take_neither_descriptors_nor_memory),
		cmocka_unit_test(too_few_descriptors_for_all_threads_are_told),
		cmocka_unit_test(a_container_without_the_right_has_whole_stacks),
		cmocka_unit_test(tasks_that_may_not_be_sampled_take_no_place),
	};

	(void)argc;
	person_main(argv);
	return cmocka_run_group_tests(tests, person_begin, person_end);
}
