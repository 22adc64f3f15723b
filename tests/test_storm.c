/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that come, execute and go by the hundred each second: their samples are theirs, and
 * what ptop holds of each is little.
 */
#include <config.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/run.h"

/*
 * The ended are kept for half a minute, longer than a test may take: 500 a second, and what others
 * start meanwhile, at some 2 KiB each.
 */
enum { SETTLED_S = 3, STORM_S = 7, GROWTH_MIB = 10, OUT_MAX = 16 << 20 };

static char out_path[] = "/tmp/ptop-test-storm-XXXXXX";

static double
resident_mib(pid_t pid)
{
	struct buf text = { 0 };
	char path[64];
	const char *at;
	double mib = -1;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if (file_read(path, &text, 1 << 16) == 0 && (at = strstr(buf_str(&text), "VmRSS:")) != NULL)
		mib = strtod(at + strlen("VmRSS:"), NULL) / 1024;
	buf_release(&text);
	return mib;
}

static pid_t
start_ptop(void)
{
	char ptop[4096], *argv[] = { ptop, (char *)(uintptr_t)"-b", (char *)(uintptr_t)"-n",
				     (char *)(uintptr_t)"1", (char *)(uintptr_t)"-d", NULL,
				     (char *)(uintptr_t)"--by", (char *)(uintptr_t)"comm,symbol",
				     (char *)(uintptr_t)"--format", (char *)(uintptr_t)"csv",
				     (char *)(uintptr_t)"--budget", (char *)(uintptr_t)"off",
				     NULL };
	char seconds[16];
	pid_t pid = run_fork();

	if (pid != 0)
		return pid;
	snprintf(ptop, sizeof(ptop), "%s", run_ptop());
	snprintf(seconds, sizeof(seconds), "%d", STORM_S);
	argv[5] = seconds;
	dup2(open(out_path, O_WRONLY | O_TRUNC | O_CLOEXEC), STDOUT_FILENO);
	execv(ptop, argv);
	_exit(127);
}

/* Nearly all of the function's samples are those of the program's name, and there are many. */
static void
assert_rows(const char *csv)
{
	const char *const function[][2] = { { "symbol", "storm_work" } };
	const char *const own[][2] = { { "symbol", "storm_work" }, { "comm", "execs" } };
	const char *const run_again[][2] = { { "symbol", "storm_work" }, { "comm", "exe" } };
	double all = run_csv_sum(csv, "samples", 1, function);
	double named = run_csv_sum(csv, "samples", 2, own) +
		       run_csv_sum(csv, "samples", 2, run_again);

	assert_that(all, >, 4); /* beside others, too */
	assert_that(named, >=, all * 0.98);
	assert_that(run_csv_sum(csv, "samples", 2, own), >, all / 10);
	assert_that(run_csv_sum(csv, "samples", 2, run_again), >, all / 10);
}

static void
a_storm_of_processes_is_named_and_takes_little_memory(void **state)
{
	struct buf out = { 0 };
	double settled, last = -1, now;
	pid_t load, ptop;
	int status, fd = mkstemp(out_path);

	(void)state;
	assert_that(fd, >=, 0);
	close(fd);
	if (geteuid() != 0) {
		print_message("# sampling every CPU needs root here\n");
		unlink(out_path);
		skip();
	}
	load = run_load("execs");
	assert_that(load, >, 0);
	ptop = start_ptop();
	sleep(SETTLED_S);
	settled = resident_mib(ptop);
	while (waitpid(ptop, &status, WNOHANG) == 0) {
		now = resident_mib(ptop);
		last = now > 0 ? now : last;
		usleep(100 * 1000);
	}
	run_end(load);
	assert_int_equal(status, 0);
	assert_int_equal(file_read(out_path, &out, OUT_MAX), 0);
	unlink(out_path);
	assert_that(settled, >, 0);
	print_message("# %.1f MiB, then %.1f MiB\n", settled, last);
	if (!IS_SANITIZED) /* what is freed stays for a while */
		assert_that(last, <, settled + GROWTH_MIB);
	assert_rows(buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_storm_of_processes_is_named_and_takes_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
