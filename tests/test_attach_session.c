/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel refuses when a process is added to a session, and that nothing is left of it. */
#include "session_fixture.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/sys/sys.h"
#include "tests/run.h"
#include "tests/skip.h"

enum { NOBODY = 65534 };

/* The kernel, but for the events of one task. */
struct busy_sys {
	struct sys sys; /* first: it is passed as this */
	int pid;
	int sys_errno;
};

static int
busy_open(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	const struct busy_sys *b = (const struct busy_sys *)self;

	if (pid == b->pid && attr->config != PERF_COUNT_SW_DUMMY) {
		errno = b->sys_errno;
		return -1;
	}
	return sys_kernel.open(self, attr, pid, cpu);
}

/* A session of one process, with an event. */
static void
begin_tasks(struct fixture *f)
{
	f->child = spin();
	f->config.pids = &f->child;
	f->config.pid_count = 1;
	begin(f);
	assert_int_equal(session_scope(f->session), SESSION_TASKS);
	open_event_as(f, 0, "cpu-clock:u");
}

static struct session_attached_msg *
attach(struct fixture *f, int pid)
{
	struct session_attached_msg *m;

	session_attach(f->session, pid, true);
	m = (struct session_attached_msg *)wait_for(f, SESSION_MSG_ATTACHED, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->pid, pid);
	return m;
}

static void
end(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool
has_descriptors_soon(size_t count)
{
	for (int ms = 0; ms < WAIT_MS && count_descriptors() != count; ms += 20)
		sleep_ms(20);
	return count_descriptors() == count;
}

static void
an_event_that_is_busy_is_refused_and_nothing_stays_open(void **state)
{
	struct fixture *f = *state;
	struct busy_sys busy = { .sys = sys_kernel, .sys_errno = EBUSY };
	struct session_attached_msg *m;
	size_t descriptors;

	need_root();
	busy.sys.open = busy_open;
	busy.pid = spin();
	f->config.sys = &busy.sys;
	begin_tasks(f);
	descriptors = count_descriptors();
	m = attach(f, busy.pid);
	assert_int_equal(m->err.code, ERR_BUSY);
	assert_int_equal(m->err.sys, EBUSY);
	msg_free(&m->msg);
	assert_true(has_descriptors_soon(descriptors));
	/* It is as if it had not been tried. */
	busy.sys_errno = ESRCH;
	m = attach(f, busy.pid);
	assert_int_equal(m->err.code, ERR_GONE);
	msg_free(&m->msg);
	assert_true(has_descriptors_soon(descriptors));
	end(busy.pid);
	session_free(f->session);
	f->session = NULL;
}

/* In a child: the hard limit cannot be raised again. */
static int
attach_without_descriptors(struct fixture *f)
{
	struct session_attached_msg *m;
	struct rlimit low;
	size_t descriptors;
	int other = spin(), code;

	begin_tasks(f);
	descriptors = count_descriptors();
	low = (struct rlimit){ descriptors + 2, descriptors + 2 };
	setrlimit(RLIMIT_NOFILE, &low);
	m = attach(f, other);
	code = m->err.code;
	msg_free(&m->msg);
	end(other);
	end(f->child);
	if (code != ERR_LIMIT)
		return 10 + code;
	return has_descriptors_soon(descriptors) ? 0 : 2;
}

static void
without_descriptors_it_is_refused(void **state)
{
	int pid, status;

	need_root();
	pid = run_fork();
	if (pid == 0)
		_exit(attach_without_descriptors(*state));
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void
a_target_that_is_not_attached_cannot_be_detached(void **state)
{
	struct fixture *f = *state;
	struct session_detached_msg *m;

	need_root();
	begin_tasks(f);
	session_detach(f->session, 2);
	m = (struct session_detached_msg *)wait_for(f, SESSION_MSG_DETACHED, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->err.code, ERR_USAGE);
	msg_free(&m->msg);
	session_detach(f->session, 1);
	m = (struct session_detached_msg *)wait_for(f, SESSION_MSG_DETACHED, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->err.code, ERR_NONE);
	msg_free(&m->msg);
	drain(f);
	memset(&f->seen, 0, sizeof(f->seen));
	drain_for(f, 300);
	assert_int_equal(f->seen.samples, 0);
}

/* In a child without rights.  0: all is well, 77: there are none at all, or all. */
static int
attach_another_users(void)
{
	struct session_config config = { .env = { "" }, .freq = 999, .inherit = true };
	struct fixture f = { .answers = queue_new(), .config = config };
	enum { TRIES = 60 };
	struct session_attached_msg *m;
	size_t descriptors;
	int own = spin(), code = ERR_LIMIT;

	f.config.pids = &own;
	f.config.pid_count = 1;
	f.session = session_new(&f.config, f.answers, &f.err);
	if (f.session == NULL || session_scope(f.session) != SESSION_TASKS)
		return 77;
	open_event_as(&f, 0, "cpu-clock:u");
	descriptors = count_descriptors();
	/* What nobody may lock of memory others who run as nobody may have just now. */
	for (int tries = 0; code == ERR_LIMIT && tries < TRIES; tries++) {
		m = attach(&f, 1);
		code = m->err.code;
		msg_free(&m->msg);
		if (code == ERR_LIMIT)
			sleep_ms(500);
	}
	if (code != ERR_DENIED)
		return 10 + code;
	if (!has_descriptors_soon(descriptors))
		return 2;
	/* But one of his own can be. */
	f.child = spin();
	m = attach(&f, f.child);
	code = m->err.code;
	msg_free(&m->msg);
	end(f.child);
	end(own);
	session_free(f.session);
	return code == ERR_NONE ? 0 : 3;
}

static void
another_users_process_is_not_permitted(void **state)
{
	int pid, status;

	(void)state;
	need_root();
	pid = run_fork();
	if (pid == 0) {
		if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
			_exit(1);
		prctl(PR_SET_DUMPABLE, 1); /* lost by setuid(): ptop is started by its user */
		_exit(attach_another_users());
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip_for("perf_event_paranoid leaves nothing");
	assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		SESSION_TEST(an_event_that_is_busy_is_refused_and_nothing_stays_open),
		SESSION_TEST(without_descriptors_it_is_refused),
		SESSION_TEST(a_target_that_is_not_attached_cannot_be_detached),
		SESSION_TEST(another_users_process_is_not_permitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
