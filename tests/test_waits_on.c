/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On what threads wait, by the whole program: locks by name, sockets by peer, owners of locks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/asserts.h"
#include "tests/csv.h"
#include "tests/root.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { PATIENCE_S = 60 };

#define ptop_run(r, ...) \
	run_program(r, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "--budget", "off", \
					       "-b", "-n", "1", "-d", "3", __VA_ARGS__, NULL })

/* What the rows of @comm in a table by comm and on say that it waits on; "": nothing. */
static void
on_of(const char *text, const char *comm, char on[256])
{
	struct csv c;

	on[0] = '\0';
	csv_init(&c, text);
	while (csv_next(&c))
		if (strcmp(csv_field(&c, "comm"), comm) == 0 && on[0] == '\0')
			snprintf(on, 256, "%s", csv_field(&c, "on"));
	csv_release(&c);
}

static void
assert_on(const char *text, const char *comm, const char *want)
{
	char on[256];

	on_of(text, comm, on);
	if (strncmp(on, want, strlen(want)) != 0)
		fail_msg("%s waits on '%s', not on '%s'", comm, on, want);
}

static void
a_mutex_is_called_by_the_variable_that_it_is_in(void **state)
{
	char pid[16], want[64], dir[] = "/tmp/ptop-locks-XXXXXX", file[64];
	struct run_result r, again;
	pid_t load;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	load = run_load("locks");
	run_thread(load, "owner");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--by", "comm,on", "--format", "csv", "-r", file);
	run_program(&again, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i", file, "-b",
			"--by", "comm,on", "--format", "csv", NULL });
	run_end(load);
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	assert_int_equal(again.status, 0);
	snprintf(want, sizeof(want), "g_cache_lock held by %d owner", (int)load);
	assert_on(r.out, "variable", want);
	assert_on(again.out, "variable", want);
	snprintf(want, sizeof(want), "g_table+0x40 held by %d owner", (int)load);
	assert_on(r.out, "member", want);
	assert_on(again.out, "member", want);
	assert_on(r.out, "heap", "heap 0x");
	assert_on(r.out, "mapped", "mutex 0x");
	run_release(&r);
	run_release(&again);
}

static void
a_socket_is_called_by_what_it_leads_to(void **state)
{
	char pid[16], dir[] = "/tmp/ptop-peers-XXXXXX", file[64], name[32], peer[128];
	struct buf b = { 0 };
	struct run_result r;
	unsigned count = 0;
	pid_t load;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/peers", dir);
	load = run_load_with("peers", file, NULL);
	for (unsigned tries = 0; tries < 1000 && access(file, F_OK) != 0; tries++)
		usleep(10000);
	assert_return_code(file_read(file, &b, 4096), 0);
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--by", "comm,on", "--format", "csv");
	run_end(load);
	unlink(file);
	strcat(file, ".sock");
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	for (const char *line = buf_str(&b); sscanf(line, "%31s %127[^\n]", name, peer) == 2;
	     line = strchr(line, '\n') + 1, count++)
		assert_on(r.out, name, peer);
	assert_that(count, >=, 6);
	buf_release(&b);
	run_release(&r);
}

/* A process that waits in @lock() for @path, of which the caller holds the lock. */
static pid_t
wait_for_file(const char *comm, const char *path, int (*lock)(int fd))
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, comm);
	_exit(lock(open(path, O_RDWR)));
}

static int
lock_whole(int fd)
{
	return flock(fd, LOCK_EX);
}

static int
lock_range(int fd)
{
	return fcntl(fd, F_SETLKW, &(struct flock){ .l_type = F_WRLCK });
}

static void
a_lock_of_a_file_is_called_by_the_file(void **state)
{
	char pids[32], path[] = "/tmp/ptop-lock-XXXXXX";
	struct run_result r;
	pid_t whole, range;
	int fd;

	(void)state;
	need_root();
	fd = mkstemp(path);
	assert_that(fd, >=, 0);
	assert_return_code(lock_whole(fd), errno);
	assert_return_code(lock_range(fd), errno);
	whole = wait_for_file("whole", path, lock_whole);
	range = wait_for_file("range", path, lock_range);
	snprintf(pids, sizeof(pids), "%d,%d", (int)whole, (int)range);
	ptop_run(&r, "-e", "off-cpu", "-p", pids, "--by", "comm,state,on", "--format", "csv");
	run_end(whole);
	run_end(range);
	unlink(path);
	close(fd);
	assert_int_equal(r.status, 0);
	assert_on(r.out, "whole", path);
	assert_on(r.out, "range", path);
	assert_null(strstr(r.out, ",disk,"));
	run_release(&r);
}

/* The word in the mutex has the number that its thread has there. */
static void
who_holds_a_lock_in_a_pid_namespace_is_found(void **state)
{
	double all = 0, right = 0;
	pid_t parent, load;
	struct run_result r;
	char pid[16], held[64];
	struct csv c;

	(void)state;
	need_root();
	load = run_load_in_pids("waits", NULL, NULL, &parent);
	assert_that(load, >, 0);
	snprintf(pid, sizeof(pid), "%d", (int)load);
	snprintf(held, sizeof(held), "lock held by %d holder", run_thread(load, "holder"));
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--by", "state,on", "--format", "csv");
	run_end(parent);
	assert_int_equal(r.status, 0);
	csv_init(&c, r.out);
	while (csv_next(&c)) {
		if (strcmp(csv_field(&c, "state"), "lock") != 0)
			continue;
		all += csv_number(&c, "period");
		if (strcmp(csv_field(&c, "on"), held) == 0)
			right += csv_number(&c, "period");
	}
	csv_release(&c);
	assert_that(all, >, 0.2e9);
	assert_that(right, >=, 0.9 * all);
	run_release(&r);
}

/* The cell of the row that has @word in the column @title; cells are apart by two blanks. */
static void
cell_of(const char *text, const char *where, const char *word, const char *title, char cell[128])
{
	char copy[1024];
	int at_where = -1, at = -1;

	cell[0] = '\0';
	for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
		char *cells[32] = { NULL };
		int n = 0;

		line += *line == '\n';
		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"), line);
		for (char *pos = copy; *pos != '\0' && n < 32;) {
			char *end;

			pos += strspn(pos, " ");
			end = strstr(pos, "  ");
			cells[n++] = pos;
			if (end == NULL)
				break;
			*end = '\0';
			pos = end + 1;
		}
		for (int i = 0; line == text && i < n; i++) {
			if (strcmp(cells[i], where) == 0)
				at_where = i;
			if (strcmp(cells[i], title) == 0)
				at = i;
		}
		if (at >= 0 && at_where >= 0 && n > at && n > at_where &&
		    strcmp(cells[at_where], word) == 0)
			snprintf(cell, 128, "%s", cells[at]);
	}
}

static double
part_of(const char *text, const char *comm, const char *title)
{
	char cell[128];

	cell_of(text, "COMM", comm, title, cell);
	return atof(cell);
}

static void
threads_have_columns_of_all_their_time(void **state)
{
	double run, queue, wait;
	struct run_result r;
	char pid[16], cell[128];
	pid_t load;

	(void)state;
	need_root();
	load = run_load("waits");
	run_thread(load, "worker");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-e", "wall-clock", "-p", pid, "--view", "threads");
	run_end(load);
	assert_int_equal(r.status, 0);
	print_message("%s", r.out);
	run = part_of(r.out, "worker", "RUN");
	queue = part_of(r.out, "worker", "QUEUE");
	wait = part_of(r.out, "worker", "WAIT");
	assert_within(run + queue + wait, 100, 0.2);
	/* It is busy by the clock: on a busy machine it waits for a CPU instead. */
	assert_that(run, >, 0);
	assert_that(run + queue, >, 10);
	assert_that(wait, >, 20);
	cell_of(r.out, "COMM", "worker", "WAITS IN", cell);
	/* On a busy machine it comes late to the lock, and waits for the pipe for longer. */
	assert_true(strcmp(cell, "wait_for_lock") == 0 || strcmp(cell, "read_pipe") == 0);
	cell_of(r.out, "COMM", "worker", "ON", cell);
	assert_true(strcmp(cell, "lock") == 0 || strcmp(cell, "pipe") == 0);
	cell_of(r.out, "COMM", "holder", "WAITS IN", cell);
	assert_true(strcmp(cell, "holder") == 0 || strcmp(cell, "hold_lock") == 0 ||
		    strcmp(cell, "sleep_until") == 0);
	run_release(&r);
}

static void
processes_have_them_too_and_other_events_do_not(void **state)
{
	struct run_result r;
	char pid[16], cell[128];
	pid_t load;

	(void)state;
	need_root();
	load = run_load("locks");
	run_thread(load, "owner");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--view", "processes");
	assert_int_equal(r.status, 0);
	cell_of(r.out, "PID", pid, "WAITS IN", cell);
	assert_string_equal(cell, "wait_for");
	cell_of(r.out, "PID", pid, "ON", cell);
	assert_that(strlen(cell), >, 8);
	assert_null(strstr(r.out, "QUEUE"));
	run_release(&r);
	ptop_run(&r, "-e", "cpu-clock", "-p", pid, "--view", "processes");
	run_end(load);
	assert_int_equal(r.status, 0);
	assert_null(strstr(r.out, "WAITS IN"));
	run_release(&r);
}

static void
assert_states(const char *text)
{
	static const char *const want[][2] = {
		{ "pool", "worker pool" }, { "queue", "worker pool" }, { "work", "condition" },
		{ "lock", "lock" }, { "row", "program lock" }, { "loop", "event loop" },
		{ "count", "semaphore" },
	};
	double all, right;

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		const char *const pairs[][2] = { { "comm", want[i][0] }, { "waitkind", want[i][1] } };

		all = run_csv_sum(text, "period", 1, pairs);
		right = run_csv_sum(text, "period", 2, pairs);
		assert_that(all, >, 1e9);
		assert_within(right, all, 0);
	}
}

/* From the first look on: what is counted before a name is known stays what it is. */
static void
workers_without_work_are_told_by_names_of_functions(void **state)
{
	char pid[16], dir[] = "/tmp/ptop-pools-XXXXXX", file[64];
	struct run_result r, again;
	pid_t load;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/perf.data", dir);
	load = run_load("pools");
	run_thread(load, "lock");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--by", "comm,waitkind", "--format", "csv", "-r",
		 file);
	run_program(&again, PATIENCE_S, (char *[]){ (char *)(uintptr_t)run_ptop(), "-i", file, "-b",
			"--by", "comm,waitkind", "--format", "csv", NULL });
	run_end(load);
	unlink(file);
	rmdir(dir);
	assert_int_equal(r.status, 0);
	assert_int_equal(again.status, 0);
	assert_states(r.out);
	assert_states(again.out);
	run_release(&r);
	run_release(&again);
}

/* By the variable it is in, and never as a lock. */
static void
a_condition_variable_is_called_by_its_name(void **state)
{
	struct run_result r;
	char pid[16];
	pid_t load;

	(void)state;
	need_root();
	load = run_load_with("owners", "condition", NULL);
	run_thread(load, "waker");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-e", "off-cpu", "-p", pid, "--by", "waitkind,comm,on", "--format", "csv");
	run_end(load);
	assert_int_equal(r.status, 0);
	print_message("# %s", r.out);
	assert_that(run_csv_sum(r.out, "period", 2, (const char *const[][2]){
		    { "waitkind", "condition" }, { "on", "condition cond" } }) / 1e9, >, 2);
	run_release(&r);
}

/* Functions of libc tell what is waited for, also where a report shows no stacks. */
static void
locks_of_each_kind_have_their_names_by_switches(void **state)
{
	static const struct {
		const char *comm, *waitkind, *on;
	} wants[] = {
		{ "turn-a", "lock", "g_pi_lock" },
		{ "reads", "lock", "g_table_lock" },
		{ "writes", "lock", "g_table_lock" },
		{ "waiter-a", "condition", "condition cond" },
	};
	struct run_result r;
	char pid[16];
	pid_t load;

	(void)state;
	need_root();
	load = run_load_with("owners", "all-turns", NULL);
	run_thread(load, "waker");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop_run(&r, "-e", "off-cpu/exact/", "-p", pid, "--by", "comm,waitkind,on", "--format", "csv");
	run_end(load);
	assert_int_equal(r.status, 0);
	print_message("# %s", r.out);
	for (size_t i = 0; i < ARRAY_SIZE(wants); i++)
		assert_that(run_csv_sum(r.out, "period", 3, (const char *const[][2]){
			    { "comm", wants[i].comm }, { "waitkind", wants[i].waitkind },
			    { "on", wants[i].on } }) / 1e9, >, 0.3);
	run_release(&r);
}

/* By their switches, in a report that shows no stacks. */
static void
waits_by_switches_have_a_function_and_a_lock_too(void **state)
{
	struct run_result r;
	char pid[16], cell[128];
	pid_t load;

	(void)state;
	need_root();
	load = run_load("owners");
	run_thread(load, "keeper");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	/* By frame pointers, which glibc has none of, a function that calls it would be left out. */
	ptop_run(&r, "-e", "off-cpu/exact/", "-p", pid, "-g", "dwarf", "--view", "threads");
	assert_int_equal(r.status, 0);
	print_message("# %s", r.out);
	cell_of(r.out, "COMM", "wants-a", "WAITS IN", cell);
	assert_string_equal(cell, "wanter"); /* it naps there for longer than it wants the lock */
	cell_of(r.out, "COMM", "wants-a", "ON", cell);
	assert_string_equal(cell, "-"); /* and not for the lock, which it wants in another function */
	run_release(&r);
	ptop_run(&r, "-e", "off-cpu/exact/", "-p", pid, "--by", "comm,on");
	run_end(load);
	assert_int_equal(r.status, 0);
	if (strstr(r.out, "g_cache_lock") == NULL)
		fail_msg("no lock: %s", r.out);
	run_release(&r);
}

/* Events of its threads would cost them with each of their switches. */
static void
who_is_only_looked_at_has_no_events_of_its_own(void **state)
{
	const int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	pid_t load, ptop;
	char pid[16];
	int count, threads;

	(void)state;
	need_root();
	load = run_load("pools");
	run_thread(load, "lock");
	snprintf(pid, sizeof(pid), "%d", (int)load);
	ptop = run_fork();
	if (ptop == 0) {
		if (freopen("/dev/null", "w", stdout) == NULL)
			_exit(1);
		execl(run_ptop(), "ptop", "-b", "-n", "1000", "-e", "off-cpu", "-p", pid, NULL);
		_exit(1);
	}
	run_thread(ptop, "ptop-looks"); /* it is there when all is open */
	threads = run_count_threads(load);
	count = run_count_events(ptop);
	run_end(ptop);
	run_end(load);
	assert_that(count, >, 0);
	print_message("# %d events, %d threads, %d CPUs\n", count, threads, cpus);
	assert_that(count, <, 2 * threads * cpus);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mutex_is_called_by_the_variable_that_it_is_in),
		cmocka_unit_test(a_socket_is_called_by_what_it_leads_to),
		cmocka_unit_test(a_lock_of_a_file_is_called_by_the_file),
		cmocka_unit_test(who_holds_a_lock_in_a_pid_namespace_is_found),
		cmocka_unit_test(workers_without_work_are_told_by_names_of_functions),
		cmocka_unit_test(threads_have_columns_of_all_their_time),
		cmocka_unit_test(processes_have_them_too_and_other_events_do_not),
		cmocka_unit_test(a_condition_variable_is_called_by_its_name),
		cmocka_unit_test(locks_of_each_kind_have_their_names_by_switches),
		cmocka_unit_test(waits_by_switches_have_a_function_and_a_lock_too),
		cmocka_unit_test(who_is_only_looked_at_has_no_events_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
