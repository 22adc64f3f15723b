/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live sessions of an ordinary user: a child that gives up its rights. */
#include "live/sys/targets.h"
#include "session_fixture.h"
#include "tests/run.h"
#include "tests/skip.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534 };

/* Run in a child that becomes nobody; its exit status is the answer. */
static int
run_as_nobody(int (*run)(void *arg), void *arg)
{
	int pid = run_fork(), status;

	if (pid == 0) {
		if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
			_exit(1);
		prctl(PR_SET_DUMPABLE, 1); /* lost by setuid(): ptop is started by its user */
		_exit(run(arg));
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip_for("perf_event_paranoid leaves nothing, or too much");
	return WEXITSTATUS(status);
}

/* In a child without rights: exit status 0 if all is well, 77 if there are none at all. */
static int
be_nobody(void *arg)
{
	struct session_config config = { .env = { "" }, .freq = 999, .inherit = true };
	struct queue *answers = queue_new();
	struct fixture f = { .answers = answers, .config = config };
	struct event ev;
	struct session_opened_msg *m;
	int spinner;

	(void)arg;
	f.child = f.pid = spin();
	f.session = session_new(&config, answers, &f.err);
	if (f.session == NULL)
		return 2;
	if (session_scope(f.session) == SESSION_NONE)
		return session_notice(f.session, 0) != NULL ? 77 : 3;
	if (session_scope(f.session) == SESSION_TASKS &&
	    (session_notice(f.session, 0) == NULL || session_remedy(f.session, 0) == NULL ||
	     strstr(session_notice(f.session, 0), "only your own processes") == NULL))
		return 4;
	ev = event_of("cpu-clock");
	session_open(f.session, 0, &ev, 1);
	m = (struct session_opened_msg *)wait_for(&f, SESSION_MSG_OPENED, WAIT_MS);
	if (m == NULL || m->event == NULL)
		return 5;
	session_begin(f.session, m);
	if (m->user_only && strcmp(m->spec.name, "cpu-clock:u") != 0)
		return 6;
	spinner = spin();
	for (unsigned ms = 0; ms < WAIT_MS && f.seen.samples_of_pid < 20; ms += 100)
		drain_for(&f, 100);
	kill(f.child, SIGKILL);
	kill(spinner, SIGKILL);
	if (f.seen.samples_of_pid < 20)
		return 7;
	if (f.seen.broken > 0)
		return 8;
	session_free(f.session);
	return 0;
}

static void
an_ordinary_user_samples_his_own_processes(void **state)
{
	(void)state;
	need_root();
	assert_int_equal(run_as_nobody(be_nobody, NULL), 0);
}

static int
meet_a_later_process(void *arg)
{
	struct session_config config = { .env = { "" }, .freq = 999, .inherit = true };
	struct fixture f = { .answers = queue_new(), .config = config };
	const int *pipes = arg;

	f.session = session_new(&config, f.answers, &f.err);
	if (f.session == NULL || session_scope(f.session) != SESSION_TASKS)
		return 77;
	open_event_as(&f, 0, "cpu-clock:u");
	if (write(pipes[1], "", 1) != 1)
		return 2;
	if (read(pipes[2], &f.pid, sizeof(f.pid)) != sizeof(f.pid))
		return 3;
	for (int i = 0; i < 400 && f.seen.samples_of_pid == 0; i++) {
		struct msg *m = wait_for(&f, SESSION_MSG_RINGS, 50);

		if (m != NULL) {
			session_adopt_rings(f.session, (struct session_rings_msg *)m);
			msg_free(m);
		}
		drain(&f);
	}
	return f.seen.samples_of_pid > 0 ? 0 : 4;
}

static void
a_later_process_of_the_user_is_found(void **state)
{
	int pipes[4], helper, res;
	char byte;

	(void)state;
	need_root();
	assert_int_equal(pipe(&pipes[0]), 0); /* it is ready */
	assert_int_equal(pipe(&pipes[2]), 0); /* the pid */
	helper = run_fork();
	if (helper == 0) { /* makes a process of nobody's that descends from none of his */
		int pid, self = getpid();

		if (read(pipes[0], &byte, 1) != 1)
			_exit(1);
		pid = run_fork();
		if (pid == 0) {
			if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0) {
				run_end_with(self);
				prctl(PR_SET_DUMPABLE, 1);
				for (;;)
					;
			}
			_exit(1);
		}
		_exit(write(pipes[3], &pid, sizeof(pid)) == sizeof(pid) ? pause() : 1);
	}
	res = run_as_nobody(meet_a_later_process, pipes);
	kill(helper, SIGKILL); /* and with it, its child */
	waitpid(helper, NULL, 0);
	assert_int_equal(res, 0);
	for (int i = 0; i < 4; i++)
		close(pipes[i]);
}

/* Whether @pid, which becomes nobody's, may be looked into by him. */
static bool
is_open_soon(int pid)
{
	struct stat st = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (int i = 0; i < WAIT_MS / 10 && st.st_uid != NOBODY; i++) {
		usleep(10 * 1000);
		assert_int_equal(stat(path, &st), 0);
	}
	return st.st_uid == NOBODY;
}

/* A login: the process runs long before it becomes the user's. */
static void
a_process_that_becomes_the_users_is_found(void **state)
{
	struct targets targets = { .all_of_user = true, .uid = NOBODY };
	struct tasks tasks = { 0 };
	int go[2], pid, parent = getpid();
	char byte;

	(void)state;
	need_root();
	assert_int_equal(pipe(go), 0);
	pid = run_fork();
	if (pid == 0) {
		if (read(go[0], &byte, 1) != 1 || setuid(NOBODY) < 0)
			_exit(1);
		run_end_with(parent);
		prctl(PR_SET_DUMPABLE, 1);
		_exit(pause());
	}
	for (int i = 0; i < 3; i++)
		targets_refresh(&targets);
	targets_list(&targets, 0, &tasks);
	assert_false(tasks_has(&tasks, pid));
	assert_int_equal(write(go[1], "", 1), 1);
	assert_true(is_open_soon(pid));
	for (int i = 0; i < 2; i++) /* one a second */
		targets_find_new(&targets, &tasks);
	assert_true(tasks_has(&tasks, pid));
	tasks_release(&tasks);
	targets_release(&targets);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(go[0]);
	close(go[1]);
}

/* As sshd is, which a user's shells come from: it cannot be sampled, so nothing inherits from it. */
static void
what_a_closed_process_of_the_user_starts_is_found(void **state)
{
	struct targets targets = { .all_of_user = true, .uid = NOBODY };
	struct tasks tasks = { 0 };
	int go[2], pids[2], pid, child, parent = getpid();
	char byte;

	(void)state;
	need_root();
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(pids), 0);
	pid = run_fork();
	if (pid == 0) {
		int self = getpid();

		if (setuid(NOBODY) < 0 || read(go[0], &byte, 1) != 1)
			_exit(1);
		run_end_with(parent);
		child = run_fork();
		if (child == 0) {
			prctl(PR_SET_DUMPABLE, 1);
			run_end_with(self);
			_exit(pause());
		}
		_exit(write(pids[1], &child, sizeof(child)) == sizeof(child) ? pause() : 1);
	}
	for (int i = 0; i < 3; i++)
		targets_refresh(&targets);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(read(pids[0], &child, sizeof(child)), sizeof(child));
	assert_true(is_open_soon(child));
	for (int i = 0; i < 2; i++)
		targets_find_new(&targets, &tasks);
	assert_true(tasks_has(&tasks, child));
	assert_false(tasks_has(&tasks, pid));
	tasks_release(&tasks);
	targets_release(&targets);
	kill(pid, SIGKILL); /* and with it, its child */
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(go[i]);
		close(pids[i]);
	}
}

static int
ask_for_big_rings(void *arg)
{
	struct session_config config = { .env = { "" }, .freq = 999, .ring_pages = 4096 };
	struct rlimit low = { 65536, 65536 };
	struct fixture f = { .answers = queue_new(), .config = config };
	char enough[64];
	size_t n;

	(void)arg;
	snprintf(enough, sizeof(enough), "perf_event_mlock_kb=%ld",
		 (4096 + 16 + 2) * (sysconf(_SC_PAGESIZE) / 1024)); /* with the side-band's */
	setrlimit(RLIMIT_MEMLOCK, &low);
	f.session = session_new(&config, f.answers, &f.err);
	if (f.session == NULL)
		return 2;
	if (session_scope(f.session) == SESSION_NONE)
		return 77;
	for (size_t i = 0; session_notice(f.session, i) != NULL; i++) {
		if (strstr(session_notice(f.session, i), "rings are only") != NULL &&
		    strstr(session_notice(f.session, i), enough) != NULL)
			return session_rings(f.session, &n) != NULL && n >= 2 ? 0 : 4;
	}
	return 3;
}

static void
rings_shrink_to_the_limit_of_locked_memory(void **state)
{
	(void)state;
	need_root();
	assert_int_equal(run_as_nobody(ask_for_big_rings, NULL), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		SESSION_TEST(an_ordinary_user_samples_his_own_processes),
		SESSION_TEST(a_later_process_of_the_user_is_found),
		SESSION_TEST(a_process_that_becomes_the_users_is_found),
		SESSION_TEST(what_a_closed_process_of_the_user_starts_is_found),
		SESSION_TEST(rings_shrink_to_the_limit_of_locked_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
