/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole program: names of code that is made, moved and replaced while it is sampled.  It takes
 * half a minute: the code of each test is replaced over seconds, so that each of it has samples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/asserts.h"
#include "tests/root.h"
#include "tests/run.h"

enum { PATIENCE_S = 200 };

/* Files that the loads leave in /tmp: theirs are named after them. */
static void
remove_files(const char *csv)
{
	const char *tid = strstr(csv, "[JIT] tid ");

	if (tid != NULL)
		run_clean_tmp(atoi(tid + 10));
}

/* Nanoseconds: however often it was sampled. */
static double
time_of(const char *csv, const char *comm, const char *symbol)
{
	const char *pairs[2][2] = { { "comm", comm }, { "symbol", symbol } };

	return run_csv_sum(csv, "period", symbol != NULL ? 2 : 1, pairs);
}

/* ptop with a command that makes code, to its end. */
static void
run_jit(struct run_result *r, const char *mode, const char *seconds)
{
	run_program(r, PATIENCE_S, (char *[]){
		(char *)run_ptop(), "-b", "-n", "1", "-d", "60", "--by", "comm,dso,symbol",
		"--format", "csv", "--", run_load_path("jit"), (char *)mode, (char *)seconds, NULL });
	remove_files(r->out);
	assert_int_equal(r->status, 0);
}

static void
assert_share(double part, double all, double least, double most, const char *what)
{
	double share = part / all * 100;

	if (share < least || share > most)
		fail_msg("%s is %.1f %%, not %.0f to %.0f", what, share, least, most);
}

static double
unnamed(const char *csv, const char *comm)
{
	return time_of(csv, comm, NULL) - time_of(csv, comm, "alpha") -
	       time_of(csv, comm, "gamma") - time_of(csv, comm, "int beta<a b>(c, d)");
}

/*
 * The names are told a second late, on a busy machine some: then alpha's place is still called so, in a
 * half of the time in which each of the two burns three eighths.
 */
static void
a_perf_map_names_code_and_what_replaces_it(void **state)
{
	struct run_result r;
	double all;

	(void)state;
	need_root();
	run_jit(&r, "map", "5");
	all = time_of(r.out, "jit", NULL);
	assert_that(all, >, 0.2e9);
	assert_share(time_of(r.out, "jit", "alpha"), all, 30, 76, "alpha");
	assert_share(time_of(r.out, "jit", "gamma"), all, 1, 45, "gamma");
	assert_share(time_of(r.out, "jit", "alpha") + time_of(r.out, "jit", "gamma"), all, 60, 82,
		     "what is at alpha's place");
	assert_share(time_of(r.out, "jit", "int beta<a b>(c, d)"), all, 18, 32, "beta");
	assert_share(unnamed(r.out, "jit"), all, 0, 10, "what has no name");
	run_release(&r);
}

/* With the times of a jitdump each sample has the name of what was there when it was taken. */
static void
a_jitdump_names_each_sample_by_its_time(void **state)
{
	static const char *const modes[] = { "dump", "swapped" };

	(void)state;
	need_root();
	for (size_t i = 0; i < 2; i++) {
		struct run_result r;
		double all;

		run_jit(&r, modes[i], "1");
		all = time_of(r.out, "jit", NULL);
		assert_that(all, >, 0.1e9);
		assert_share(time_of(r.out, "jit", "alpha"), all, 27, 48, "alpha");
		assert_share(time_of(r.out, "jit", "gamma"), all, 27, 48, "gamma");
		assert_share(time_of(r.out, "jit", "int beta<a b>(c, d)"), all, 18, 32,
			     "beta");
		assert_share(unnamed(r.out, "jit"), all, 0, 10, "what has no name");
		run_release(&r);
	}
}

static void
code_that_nobody_names_is_one_row_for_its_map(void **state)
{
	struct run_result r;
	unsigned rows = 0;

	(void)state;
	need_root();
	run_jit(&r, "none", "1");
	for (const char *p = r.out; (p = strstr(p, "[JIT] tid ")) != NULL; p++)
		rows++;
	assert_int_equal(rows, 1);
	run_release(&r);
}

/*
 * The files are still there when the recording is read, on the same machine.  Live a busy machine tells
 * of alpha's end late, so that some of gamma's time is alpha's: the recording knows better.
 */
static void
a_recording_has_the_names_that_it_had_live(void **state)
{
	static const char *const symbols[] = { "alpha", "gamma", "int beta<a b>(c, d)" };
	char path[] = "/tmp/ptop-jit-XXXXXX";
	double live_ns = 0, again_ns = 0;
	struct run_result live, again;
	int fd = mkstemp(path);

	(void)state;
	need_root();
	assert_that(fd, >=, 0);
	close(fd);
	run_program(&live, PATIENCE_S, (char *[]){
		(char *)run_ptop(), "-b", "-n", "1", "-d", "60", "--by", "comm,dso,symbol",
		"--format", "csv", "-r", path, "--force", "--", run_load_path("jit"), "dump", "1",
		NULL });
	run_program(&again, PATIENCE_S, (char *[]){
		(char *)run_ptop(), "-b", "-i", path, "--by", "comm,dso,symbol", "--format", "csv",
		NULL });
	remove_files(live.out);
	unlink(path);
	assert_int_equal(live.status, 0);
	assert_int_equal(again.status, 0);
	for (size_t i = 0; i < 3; i++) {
		double now = time_of(live.out, "jit", symbols[i]), then = time_of(again.out, "jit", symbols[i]);

		assert_that(now, >, 0.02e9);
		assert_that(then, >, 0.02e9);
		live_ns += now;
		again_ns += then;
	}
	assert_share(again_ns, live_ns, 70, 130, "what has names");
	for (size_t i = 0; i < 2; i++)
		assert_share(time_of(again.out, "jit", symbols[i]), again_ns, 27, 50, symbols[i]);
	assert_share(time_of(again.out, "jit", symbols[2]), time_of(live.out, "jit", symbols[2]), 70, 130,
		     symbols[2]);
	run_release(&live);
	run_release(&again);
}

/* perf inject makes an ELF file of each piece of code, beside the jitdump. */
static void
files_that_perf_made_of_a_jitdump_have_its_names(void **state)
{
	char dir[] = "/tmp/ptop-jit-XXXXXX", command[6000];
	struct run_result r;

	(void)state;
	need_root();
	if (system("perf inject -h 2>&1 | grep -q jit") != 0)
		skip_for("perf is not installed, or cannot read jitdumps");
	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "cd %s && { perf record -q -k mono -o a sh -c 'echo $$ >pid; exec \"$0\" dump 1' "
		 "'%s' && perf inject --jit -i a -o b; } >/dev/null 2>&1; "
		 "status=$?; rm -f /tmp/jit-$(cat pid).dump; exit $status",
		 dir, run_load_path("jit"));
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/b", dir);
	run_program(&r, PATIENCE_S, (char *[]){ (char *)run_ptop(), "-b", "-i", command, "--by",
						"comm,dso,symbol", "--format", "csv", NULL });
	snprintf(command, sizeof(command), "rm -rf /tmp/jitted-$(cat %s/pid)-*.so %s", dir, dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(r.status, 0);
	assert_share(unnamed(r.out, "jit"), time_of(r.out, "jit", NULL), 0, 10,
		     "what has no name");
	run_release(&r);
}

/* Its pid is another in there, and its /tmp as well. */
static void
a_perf_map_in_namespaces_of_its_own_is_found(void **state)
{
	struct run_result r;
	char command[5000];
	double all;

	(void)state;
	need_root();
	snprintf(command, sizeof(command),
		 "exec 3<'%s' && mount -t tmpfs none /tmp && cat <&3 >/tmp/jit && "
		 "chmod 755 /tmp/jit && exec /tmp/jit map 6",
		 run_load_path("jit"));
	run_program(&r, PATIENCE_S, (char *[]){
		(char *)run_ptop(), "-b", "-n", "1", "-d", "60", "--by", "comm,dso,symbol",
		"--format", "csv", "--", "unshare", "-p", "-f", "-m", "--mount-proc", "sh", "-c",
		command, NULL });
	assert_int_equal(r.status, 0);
	all = time_of(r.out, "jit", NULL);
	assert_that(all, >, 0.1e9);
	assert_share(unnamed(r.out, "jit"), all, 0, 12, "what has no name");
	run_release(&r);
}

/* It runs for as long as it takes to be compiled, and more. */
static const char script[] =
	"function hotLeaf(n){let s=0;for(let i=0;i<n;i++)s=(s*31+i)%65521;return s}"
	"const end=Date.now()+2500;let x=0;while(Date.now()<end)x+=hotLeaf(200000)";

static void
node_names_its_functions(void **state)
{
	static const char *const flags[] = { "--perf-basic-prof", "--perf-prof" };
	/* Its jitdump and its log lie where it is started. */
	char dir[] = "/tmp/ptop-jit-XXXXXX", command[64];

	(void)state;
	need_root();
	if (system("node --perf-basic-prof --perf-prof --version >/dev/null 2>&1") != 0)
		skip_for("node is not installed");
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < 2; i++) {
		struct run_result r;
		double all, hot = 0;

		run_program(&r, PATIENCE_S, (char *[]){
			(char *)run_ptop(), "-b", "-n", "1", "-d", "60", "--by", "dso,symbol",
			"--filter", "symbol~hotLeaf", "--format", "csv", "--", "env",
			"-C", dir, "node", (char *)flags[i], "-e", (char *)script, NULL });
		remove_files(r.out);
		assert_int_equal(r.status, 0);
		all = run_csv_sum(r.out, "period", 0, NULL);
		hot = run_csv_sum(r.out, "percent", 0, NULL);
		assert_that(all, >, 0.3e9);
		assert_that(hot, >, 25);
		run_release(&r);
	}
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_perf_map_names_code_and_what_replaces_it),
		cmocka_unit_test(a_jitdump_names_each_sample_by_its_time),
		cmocka_unit_test(code_that_nobody_names_is_one_row_for_its_map),
		cmocka_unit_test(a_recording_has_the_names_that_it_had_live),
		cmocka_unit_test(files_that_perf_made_of_a_jitdump_have_its_names),
		cmocka_unit_test(a_perf_map_in_namespaces_of_its_own_is_found),
		cmocka_unit_test(node_names_its_functions),
	};

	return cmocka_run_group_tests_name("jit_live", tests, NULL, NULL);
}
