/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COMMAND: started, sampled, and told of when it ends. */
#include "session_fixture.h"
#include "tests/skip.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

static void
a_command_is_sampled_from_its_first_instruction_to_its_end(void **state)
{
	static char *const command[] = { "sh", "-c", "i=0; while [ $i -lt 20000 ]; do "
					 "i=$((i+1)); done; exit 7", NULL };
	struct fixture *f = *state;
	struct session_exited_msg *m;
	struct session_event *ev;

	f->config.command = command;
	begin(f);
	assert_int_equal(session_scope(f->session), SESSION_TASKS);
	f->pid = session_command_pid(f->session);
	ev = open_event_as(f, 0, "page-faults:u");
	assert_non_null(ev);
	sleep_ms(50);
	drain(f);
	assert_int_equal(f->seen.samples, 0);
	session_start_command(f->session);
	m = (struct session_exited_msg *)wait_for(f, SESSION_MSG_EXITED, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(m->err.code, ERR_NONE);
	assert_int_equal(WEXITSTATUS(m->status), 7);
	msg_free(&m->msg);
	drain(f);
	assert_int_equal(f->seen.execs, 1);
	assert_that(f->seen.mmaps, >=, 2);
	assert_that(f->seen.samples_of_pid, >, 0);
	assert_int_equal(f->seen.samples_of_pid, f->seen.samples);
}

static void
a_command_that_cannot_be_executed_is_told(void **state)
{
	static char *const command[] = { "/nowhere/such-a-program", NULL };
	struct fixture *f = *state;
	struct session_exited_msg *m;

	f->config.command = command;
	begin(f);
	session_start_command(f->session);
	m = (struct session_exited_msg *)wait_for(f, SESSION_MSG_EXITED, WAIT_MS);
	assert_non_null(m);
	assert_int_equal(WEXITSTATUS(m->status), 127);
	assert_string_equal(m->err.text, "cannot execute '/nowhere/such-a-program': "
					 "No such file or directory");
	msg_free(&m->msg);
}

static void
a_command_keeps_its_limits_and_its_output_is_captured(void **state)
{
	static char *const command[] = { "sh", "-c", "ulimit -Sn; read x; echo err >&2", NULL };
	struct fixture *f = *state;
	struct rlimit old, low;
	struct session_exited_msg *m;
	char out[64] = "";

	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = 97;
	setrlimit(RLIMIT_NOFILE, &low);
	f->config.command = command;
	f->config.capture_output = true;
	begin(f);
	session_start_command(f->session);
	m = (struct session_exited_msg *)wait_for(f, SESSION_MSG_EXITED, WAIT_MS);
	setrlimit(RLIMIT_NOFILE, &old);
	assert_non_null(m);
	msg_free(&m->msg);
	assert_that(read(session_output_fd(f->session), out, sizeof(out) - 1), >, 0);
	assert_string_equal(out, "97\nerr\n");
}

static void
a_command_that_was_never_started_ends_with_the_session(void **state)
{
	static char *const command[] = { "sleep", "100", NULL };
	struct fixture *f = *state;
	int pid;

	f->config.command = command;
	begin(f);
	pid = session_command_pid(f->session);
	session_free(f->session);
	f->session = NULL;
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

/* A line of /proc/PID/status, behind its name and a tab. */
static void
status_line(int pid, const char *name, char *out, size_t size)
{
	char path[64], line[256];
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	in = fopen(path, "r");
	assert_non_null(in);
	*out = '\0';
	while (fgets(line, sizeof(line), in) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, name, strlen(name)) == 0)
			snprintf(out, size, "%s", line + strlen(name) + 2);
	}
	fclose(in);
}

static struct session_stopped_msg *
stop_at_exec(struct fixture *f)
{
	struct session_stopped_msg *m;

	session_stop_at_exec(f->session);
	m = (struct session_stopped_msg *)wait_for(f, SESSION_MSG_STOPPED, WAIT_MS);
	assert_non_null(m);
	return m;
}

static void
a_command_can_be_stopped_where_it_is_mapped_and_has_not_run(void **state)
{
	static char *const command[] = { "sh", "-c", "read x; exit 5", NULL };
	struct fixture *f = *state;
	struct session_stopped_msg *m;
	struct session_exited_msg *end;
	struct session_event *ev;
	char text[64];
	int pid;

	f->config.command = command;
	f->config.capture_output = true;
	begin(f);
	pid = f->pid = session_command_pid(f->session);
	m = stop_at_exec(f);
	if (m->err.code == ERR_DENIED) {
		msg_free(&m->msg);
		skip_for("ptrace is not allowed here");
	}
	assert_int_equal(m->err.code, ERR_NONE);
	msg_free(&m->msg);
	status_line(pid, "Name", text, sizeof(text));
	assert_string_equal(text, "sh");
	status_line(pid, "State", text, sizeof(text));
	assert_int_equal(text[0], 't');
	ev = open_event_as(f, 0, "page-faults:u");
	assert_non_null(ev);
	drain(f);
	assert_int_equal(f->seen.samples, 0);
	/* Asked again, it is where it is. */
	m = stop_at_exec(f);
	assert_int_equal(m->err.code, ERR_NONE);
	msg_free(&m->msg);
	session_start_command(f->session);
	end = (struct session_exited_msg *)wait_for(f, SESSION_MSG_EXITED, WAIT_MS);
	assert_non_null(end);
	assert_int_equal(WEXITSTATUS(end->status), 5);
	msg_free(&end->msg);
	drain(f);
	assert_that(f->seen.samples_of_pid, >, 0);
	assert_int_equal(f->seen.samples_of_pid, f->seen.samples);
}

static void
a_command_that_was_stopped_is_not_traced_when_it_runs(void **state)
{
	static char *const command[] = { "sleep", "1", NULL };
	struct fixture *f = *state;
	struct session_stopped_msg *m;
	char text[64] = "";

	f->config.command = command;
	begin(f);
	m = stop_at_exec(f);
	assert_int_equal(m->err.code, ERR_NONE);
	msg_free(&m->msg);
	session_start_command(f->session);
	for (int i = 0; i < 100 && strcmp(text, "0") != 0; i++) {
		sleep_ms(5);
		status_line(session_command_pid(f->session), "TracerPid", text, sizeof(text));
	}
	assert_string_equal(text, "0");
	m = stop_at_exec(f);
	assert_non_null(strstr(m->err.text, "runs already"));
	msg_free(&m->msg);
	msg_free(wait_for(f, SESSION_MSG_EXITED, WAIT_MS));
}

static void
a_command_that_cannot_be_stopped_for_want_of_a_program_says_so(void **state)
{
	static char *const command[] = { "/nowhere/such-a-program", NULL };
	struct fixture *f = *state;
	struct session_stopped_msg *m;
	struct msg *end;

	f->config.command = command;
	begin(f);
	m = stop_at_exec(f);
	assert_string_equal(m->err.text, "cannot execute '/nowhere/such-a-program': "
					 "No such file or directory");
	msg_free(&m->msg);
	end = wait_for(f, SESSION_MSG_EXITED, WAIT_MS);
	assert_non_null(end);
	assert_int_equal(WEXITSTATUS(((struct session_exited_msg *)end)->status), 127);
	msg_free(end);
}

static void
a_command_that_stays_stopped_ends_with_the_session(void **state)
{
	static char *const command[] = { "sleep", "100", NULL };
	struct fixture *f = *state;
	int pid;

	f->config.command = command;
	begin(f);
	pid = session_command_pid(f->session);
	msg_free(&stop_at_exec(f)->msg);
	session_free(f->session);
	f->session = NULL;
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

/* By ^Z at the wrong moment, or anybody of the same user: it does not see that nobody lets it go. */
static void
a_command_that_was_stopped_before_its_start_ends_with_the_session(void **state)
{
	static char *const command[] = { "sleep", "100", NULL };
	struct fixture *f = *state;
	int pid;

	f->config.command = command;
	begin(f);
	pid = session_command_pid(f->session);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	alarm(WAIT_MS / 1000); /* it would wait for ever */
	session_free(f->session);
	alarm(0);
	f->session = NULL;
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void
a_command_stays_sampled_when_the_event_is_switched(void **state)
{
	static char *const command[] = { "sh", "-c", "(while :; do :; done) & p=$!; sleep 0.6; "
					 "kill $p", NULL };
	struct fixture *f = *state;
	struct session_event *ev;
	struct session_exited_msg *m;

	f->config.command = command;
	begin(f);
	ev = open_event_as(f, 0, "page-faults:u");
	session_start_command(f->session);
	drain_for(f, 200);
	session_close(f->session, ev);
	open_event_as(f, 1, "cpu-clock:u");
	m = (struct session_exited_msg *)wait_for(f, SESSION_MSG_EXITED, WAIT_MS);
	assert_non_null(m);
	msg_free(&m->msg);
	drain(f);
	assert_that(f->seen.by_id[0], >, 0);
	assert_that(f->seen.by_id[1], >, 0); /* how many depends on what else runs */
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		SESSION_TEST(a_command_is_sampled_from_its_first_instruction_to_its_end),
		SESSION_TEST(a_command_that_cannot_be_executed_is_told),
		SESSION_TEST(a_command_keeps_its_limits_and_its_output_is_captured),
		SESSION_TEST(a_command_that_was_never_started_ends_with_the_session),
		SESSION_TEST(a_command_can_be_stopped_where_it_is_mapped_and_has_not_run),
		SESSION_TEST(a_command_that_was_stopped_is_not_traced_when_it_runs),
		SESSION_TEST(a_command_that_cannot_be_stopped_for_want_of_a_program_says_so),
		SESSION_TEST(a_command_that_stays_stopped_ends_with_the_session),
		SESSION_TEST(a_command_that_was_stopped_before_its_start_ends_with_the_session),
		SESSION_TEST(a_command_stays_sampled_when_the_event_is_switched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
