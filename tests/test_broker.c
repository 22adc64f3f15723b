/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that acts on others: what it does, whom it leaves alone, what it has, how it ends. */
#include "broker/broker_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/call_filter.h"
#include "base/file.h"
#include "live/sys/procfs.h"
#include "tests/asserts.h"
#include "tests/family.h"
#include "tests/root.h"
#include "tests/run.h"

enum { SOON_MS = 60000, STEP_MS = 20, THREADS = 3 };

struct world {
	struct broker *broker;
	pid_t child; /* that waits for signals; has THREADS threads */
	uint64_t start;
};

static void *
rest(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static pid_t
start_child(void)
{
	int up[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe(up), 0);
	pid = run_fork();
	if (pid == 0) {
		pthread_t thread;

		for (int i = 1; i < THREADS; i++)
			pthread_create(&thread, NULL, rest, NULL);
		if (write(up[1], "", 1) == 1)
			rest(NULL);
		_exit(1);
	}
	assert_int_equal(read(up[0], &byte, 1), 1);
	close(up[0]);
	close(up[1]);
	return pid;
}

static int
setup(void **state)
{
	const struct broker_config config = { .commands = NULL };
	struct world *w = calloc(1, sizeof(*w));

	*state = w;
	w->broker = broker_new(&config, NULL);
	w->child = start_child();
	w->start = broker_start_of(w->child);
	return w->broker == NULL;
}

static int
teardown(void **state)
{
	struct world *w = *state;

	broker_free(w->broker);
	run_end(w->child);
	free(w);
	return 0;
}

static struct broker_reply
answer(struct broker *b)
{
	struct pollfd p = { .fd = broker_fd(b), .events = POLLIN };
	struct broker_reply reply;

	assert_int_equal(poll(&p, 1, SOON_MS), 1);
	assert_int_equal(broker_take(b, &reply), 1);
	return reply;
}

static struct broker_reply
ask(struct world *w, const struct broker_request *request)
{
	struct broker_reply reply;
	static uint32_t id;
	struct broker_request r = *request;

	r.id = ++id;
	assert_int_equal(broker_take(w->broker, &reply), 0);
	assert_true(broker_ask(w->broker, &r));
	reply = answer(w->broker);
	assert_int_equal(reply.id, id);
	return reply;
}

/* Of the child. */
static struct broker_request
request_of(const struct world *w, enum broker_action action, int argument)
{
	return (struct broker_request){ .action = action, .pid = w->child, .start = w->start,
					.argument = argument };
}

static struct broker_reply
does(struct world *w, enum broker_action action, int argument)
{
	const struct broker_request r = request_of(w, action, argument);

	return ask(w, &r);
}

static bool
is_there(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == 0;
}

static void
a_signal_goes_to_the_process_that_is_meant(void **state)
{
	struct world *w = *state;
	int status = 0;

	assert_int_equal(does(w, BROKER_SIGNAL, SIGUSR1).result, BROKER_DONE);
	assert_int_equal(waitpid(w->child, &status, 0), w->child);
	w->child = 0;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGUSR1);
}

static void
a_number_that_another_process_has_by_now_is_left_alone(void **state)
{
	struct world *w = *state;
	struct broker_request r = request_of(w, BROKER_SIGNAL, SIGKILL);

	r.start--;
	assert_int_equal(ask(w, &r).result, BROKER_OTHER);
	r.action = BROKER_NICE;
	r.argument = 5;
	assert_int_equal(ask(w, &r).result, BROKER_OTHER);
	assert_true(is_there(w->child));
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)w->child), getpriority(PRIO_PROCESS, 0));
}

static void
who_has_ended_is_said_to(void **state)
{
	struct world *w = *state;
	siginfo_t info;

	kill(w->child, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)w->child, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(does(w, BROKER_SIGNAL, SIGTERM).result, BROKER_GONE);
	assert_int_equal(waitpid(w->child, NULL, 0), w->child);
	assert_int_equal(does(w, BROKER_SIGNAL, SIGTERM).result, BROKER_GONE);
	assert_int_equal(does(w, BROKER_LOOK, 0).result, BROKER_GONE);
	w->child = 0;
}

static void
process_1_and_ptop_itself_are_left_alone(void **state)
{
	struct world *w = *state;
	struct broker_request r = { .action = BROKER_SIGNAL, .pid = 1, .start = 1, .argument = SIGWINCH };

	assert_int_equal(ask(w, &r).result, BROKER_INIT);
	r.action = BROKER_NICE_BY;
	r.argument = 1;
	assert_int_equal(ask(w, &r).result, BROKER_INIT);
	r = (struct broker_request){ .action = BROKER_SIGNAL, .pid = getpid(),
				     .start = broker_start_of(getpid()), .argument = SIGTERM };
	assert_int_equal(ask(w, &r).result, BROKER_SELF);
	r.action = BROKER_LOOK;
	r.argument = 0;
	assert_int_equal(ask(w, &r).result, BROKER_DONE);
}

static void
what_is_no_request_is_refused(void **state)
{
	struct world *w = *state;
	const struct broker_request good = request_of(w, BROKER_SIGNAL, SIGTERM);
	const struct {
		int64_t action, pid, tid, argument, start;
	} bad[] = {
		{ BROKER_ACTIONS, good.pid, 0, SIGTERM, (int64_t)good.start },
		{ UINT32_MAX, good.pid, 0, SIGTERM, (int64_t)good.start },
		{ BROKER_SIGNAL, 0, 0, SIGTERM, (int64_t)good.start },
		{ BROKER_SIGNAL, -1, 0, SIGTERM, (int64_t)good.start },
		{ BROKER_SIGNAL, -good.pid, 0, SIGTERM, (int64_t)good.start },
		{ BROKER_SIGNAL, good.pid, -1, SIGTERM, (int64_t)good.start },
		{ BROKER_SIGNAL, good.pid, 0, 0, (int64_t)good.start },
		{ BROKER_SIGNAL, good.pid, 0, 65, (int64_t)good.start },
		{ BROKER_SIGNAL, good.pid, 0, INT64_MIN, (int64_t)good.start },
		{ BROKER_SIGNAL, good.pid, 0, SIGTERM, 0 },
		{ BROKER_NICE, good.pid, 0, 20, (int64_t)good.start },
		{ BROKER_NICE, good.pid, 0, -21, (int64_t)good.start },
		{ BROKER_NICE_BY, good.pid, 0, 40, (int64_t)good.start },
		{ BROKER_LOOK, good.pid, 0, 1, (int64_t)good.start },
		/* There are no commands. */
		{ BROKER_RUN, good.pid, 0, 0, (int64_t)good.start },
		{ BROKER_RUN, good.pid, 0, -1, (int64_t)good.start },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct broker_request r = {
			.action = (uint32_t)bad[i].action, .pid = (int32_t)bad[i].pid,
			.tid = (int32_t)bad[i].tid, .argument = bad[i].argument,
			.start = (uint64_t)bad[i].start,
		};

		assert_int_equal(ask(w, &r).result, BROKER_NO_REQUEST);
	}
	assert_true(is_there(w->child));
}

static void
messages_of_another_length_are_no_requests(void **state)
{
	struct world *w = *state;
	struct broker_request r[2] = { request_of(w, BROKER_SIGNAL, SIGKILL) };
	const size_t lengths[] = { 1, sizeof(*r) - 1, sizeof(*r) + 1, sizeof(r) };

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		assert_int_equal(send(broker_fd(w->broker), r, lengths[i], 0), lengths[i]);
		assert_int_equal(answer(w->broker).result, BROKER_NO_REQUEST);
	}
	assert_true(is_there(w->child));
}

/* Of each thread of the child. */
static void
each_has_nice(const struct world *w, int nice)
{
	char path[32];
	int dir, ids[PROC_FILE_IDS];
	size_t count;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)w->child);
	dir = open(path, O_RDONLY | O_DIRECTORY);
	assert_that(dir, >=, 0);
	assert_int_equal(proc_file_ids(dir, ids, &count), 1);
	assert_int_equal(count, THREADS);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(getpriority(PRIO_PROCESS, (id_t)ids[i]), nice);
	close(dir);
}

static void
nice_values_are_those_of_all_threads(void **state)
{
	struct world *w = *state;
	const int own = getpriority(PRIO_PROCESS, 0);
	struct broker_reply reply = does(w, BROKER_NICE_BY, 2);

	assert_int_equal(reply.result, BROKER_DONE);
	assert_int_equal(reply.value, own + 2);
	each_has_nice(w, own + 2);
	reply = does(w, BROKER_NICE, 12);
	assert_int_equal(reply.value, 12);
	each_has_nice(w, 12);
	/* There is nothing above 19. */
	assert_int_equal(does(w, BROKER_NICE_BY, 30).value, 19);
	each_has_nice(w, 19);
	assert_int_equal(does(w, BROKER_LOOK, 0).value, 19);
}

static void
one_thread_has_a_nice_value_of_its_own(void **state)
{
	struct world *w = *state;
	struct broker_request r = request_of(w, BROKER_NICE, 7);
	const int own = getpriority(PRIO_PROCESS, 0);
	char path[32];
	int other;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)w->child);
	other = proc_file_other_id(AT_FDCWD, path, w->child);
	r.tid = other;
	assert_int_equal(ask(w, &r).value, 7);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)other), 7);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)w->child), own);
	/* A thread of another process is none of this one. */
	r.tid = getpid();
	assert_int_equal(ask(w, &r).result, BROKER_GONE);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), own);
}

static void
cpus_are_set_for_all_threads(void **state)
{
	struct world *w = *state;
	struct broker_request r = request_of(w, BROKER_CPUS_SET, 0);
	struct broker_reply reply = does(w, BROKER_LOOK, 0);
	unsigned first = 0;
	struct buf b = { 0 };
	cpu_set_t set;

	while (!broker_has_cpu(reply.cpus, first))
		first++;
	r.cpus[first / 64] = UINT64_C(1) << first % 64;
	assert_int_equal(ask(w, &r).result, BROKER_DONE);
	assert_int_equal(sched_getaffinity(w->child, sizeof(set), &set), 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(first, &set));
	reply = does(w, BROKER_LOOK, 0);
	assert_memory_equal(reply.cpus, r.cpus, sizeof(r.cpus));
	r.cpus[0] |= 0xd;
	r.cpus[0] &= ~UINT64_C(2);
	broker_put_cpus(&b, r.cpus);
	assert_string_equal(buf_str(&b), "0,2-3");
	buf_release(&b);
}

static void
cpus_that_the_machine_cannot_have_are_refused(void **state)
{
	struct world *w = *state;
	struct broker_request r = request_of(w, BROKER_CPUS_SET, 0);
	const struct broker_reply before = does(w, BROKER_LOOK, 0);
	struct broker_reply after;

	assert_int_equal(ask(w, &r).result, BROKER_NO_CPU); /* none */
	r.cpus[0] = 1;
	r.cpus[BROKER_CPU_WORDS - 1] = UINT64_C(1) << 63;
	assert_int_equal(ask(w, &r).result, BROKER_NO_CPU);
	after = does(w, BROKER_LOOK, 0);
	assert_memory_equal(before.cpus, after.cpus, sizeof(before.cpus));
}

static pid_t
find_broker(pid_t pid)
{
	pid_t pids[FAMILY_MAX];
	size_t n = family_find(pid, pids);

	for (size_t i = 1; i < n; i++)
		if (family_is_called(pids[i], "ptop-broker"))
			return pids[i];
	return 0;
}

/* It has its name a moment after it was forked. */
static pid_t
broker_of(pid_t pid)
{
	pid_t broker = find_broker(pid);

	for (int ms = 0; ms < SOON_MS && broker == 0; ms += STEP_MS) {
		usleep(STEP_MS * 1000);
		broker = find_broker(pid);
	}
	assert_that(broker, >, 0);
	return broker;
}

/* Soon after the start: that is not held up by it. */
static void
it_has_no_more_rights_than_its_table_names(void **state)
{
	const uint64_t most = UINT64_C(1) << CAP_KILL | UINT64_C(1) << CAP_SYS_NICE |
			      UINT64_C(1) << CAP_SYS_PTRACE;
	const uint64_t own = family_status_field(getpid(), "\nCapPrm:", 16);
	pid_t broker = broker_of(getpid());

	(void)state;
	assert_that(broker, >, 0);
	for (int ms = 0; ms < SOON_MS &&
	     family_status_field(broker, "\nNoNewPrivs:", 10) != 1; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	assert_int_equal(family_status_field(broker, "\nCapPrm:", 16), own & most);
	assert_int_equal(family_status_field(broker, "\nCapEff:", 16), own & most);
#ifdef PTOP_CONFINE
	for (int ms = 0; ms < SOON_MS && family_status_field(broker, "\nSeccomp:", 10) == 0; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	assert_int_equal(family_status_field(broker, "\nSeccomp:", 10), CALL_FILTER_WORKS ? 2 : 0);
#endif
	assert_int_equal(run_count_descriptors(broker, "/"), 3); /* /dev/null; and a socket */
}

/* After that it still does all that it does. */
static void
it_works_with_what_it_keeps(void **state)
{
	struct world *w = *state;
	struct broker_request r = request_of(w, BROKER_CPUS_SET, 0);
	pid_t broker = broker_of(getpid());

	for (int ms = 0; ms < SOON_MS &&
	     family_status_field(broker, "\nNoNewPrivs:", 10) != 1; ms += STEP_MS)
		usleep(STEP_MS * 1000);
	memcpy(r.cpus, does(w, BROKER_LOOK, 0).cpus, sizeof(r.cpus));
	assert_int_equal(ask(w, &r).result, BROKER_DONE);
	assert_int_equal(does(w, BROKER_NICE, 10).value, 10);
	assert_int_equal(does(w, BROKER_NICE_BY, 1).value, 11);
	assert_int_equal(does(w, BROKER_SIGNAL, SIGKILL).result, BROKER_DONE);
	assert_int_equal(waitpid(w->child, NULL, 0), w->child);
	w->child = 0;
}

/* In a child, whose asserts the test would not see: its status says it. */
static int
status_of(int (*work)(void))
{
	pid_t pid = run_fork();
	int status = -1;

	if (pid == 0)
		_exit(work());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

enum { AS_EXPECTED, NOT_SO, CANNOT };

/* As on a kernel before 5.3. */
static bool
do_without_pidfds(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(code), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int
signal_by_number(void)
{
	const struct broker_config config = { .commands = NULL };
	struct world w = { 0 };
	struct broker_request r;
	char path[32];
	int status = 0;

	if (!do_without_pidfds())
		return CANNOT;
	w.broker = broker_new(&config, NULL);
	w.child = start_child();
	/* The number of a thread is none of a process: kill(2) would take it for one. */
	snprintf(path, sizeof(path), "/proc/%d/task", (int)w.child);
	r = request_of(&w, BROKER_SIGNAL, SIGTERM);
	r.pid = proc_file_other_id(AT_FDCWD, path, w.child);
	r.start = broker_start_of(r.pid);
	if (ask(&w, &r).result != BROKER_GONE || !is_there(w.child))
		return NOT_SO;
	w.start = broker_start_of(w.child);
	if (does(&w, BROKER_SIGNAL, SIGTERM).result != BROKER_DONE)
		return NOT_SO;
	waitpid(w.child, &status, 0);
	broker_free(w.broker);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? AS_EXPECTED : NOT_SO;
}

static void
without_pidfds_it_signals_processes_by_number(void **state)
{
	int status = status_of(signal_by_number);

	(void)state;
	if (status == CANNOT)
		skip_for("system calls cannot be filtered here");
	assert_int_equal(status, AS_EXPECTED);
}

/* By process 1 of a namespace, whose numbers this /proc does not know. */
static int
look_inside(void)
{
	const struct broker_config config = { .commands = NULL };
	struct world w = { 0 };
	int result;

	w.broker = broker_new(&config, NULL);
	w.child = start_child();
	w.start = 1;
	result = w.broker == NULL ? NOT_SO : (int)does(&w, BROKER_SIGNAL, SIGKILL).result;
	return result == BROKER_NO_PROC && is_there(w.child) ? AS_EXPECTED : NOT_SO;
}

static int
look_from_outside(void)
{
	return unshare(CLONE_NEWPID) == 0 ? status_of(look_inside) : CANNOT;
}

/* As the namer, which has rights over all processes. */
static int
signal_as_namer(void)
{
	const pid_t child = start_child();
	struct held held = held_child(child);
	int status, error;
	bool is_refused;

	if (held.fd < 0)
		return CANNOT;
	namer_confine();
	is_refused = kill(child, SIGTERM) < 0 && errno == EPERM;
	is_refused &= syscall(SYS_tgkill, child, child, SIGTERM) < 0 && errno == EPERM;
	error = held_signal(&held, SIGUSR1);
	return is_refused && error == 0 && wait4(child, &status, 0, NULL) == child &&
	       WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1 ? AS_EXPECTED : NOT_SO;
}

static void
where_there_are_pidfds_the_namer_signals_nobody_by_number(void **state)
{
	int status = status_of(signal_as_namer);

	(void)state;
	if (status == CANNOT)
		skip_for("there are no pidfds");
#if defined(PTOP_CONFINE) && CALL_FILTER_WORKS
	assert_int_equal(status, AS_EXPECTED);
#endif
}

static void
nobody_is_hit_where_proc_is_that_of_another_namespace(void **state)
{
	int status;

	(void)state;
	need_root();
	status = status_of(look_from_outside);
	if (status == CANNOT)
		skip_for("no pid namespaces here");
	assert_int_equal(status, AS_EXPECTED);
}

#if defined(PTOP_CONFINE) && CALL_FILTER_WORKS

static bool
is_forbidden(long result)
{
	return result < 0 && errno == EPERM;
}

/* The number of the first thing that can be done and should not, from 1 on. */
static int
do_what_is_not_needed(void)
{
	const int self = getpid();
	int fd = open("/dev/null", O_RDONLY);

	broker_confine();
	const bool forbidden[] = {
		is_forbidden(open("/dev/null", O_WRONLY)),
		is_forbidden(open("/tmp/ptop-test-no-file", O_RDONLY | O_CREAT, 0600)),
		is_forbidden(socket(AF_UNIX, SOCK_STREAM, 0)),
		is_forbidden(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)),
		is_forbidden(syscall(SYS_execve, "/bin/true", NULL, NULL)),
		is_forbidden(syscall(SYS_ptrace, 16 /* PTRACE_ATTACH */, self, 0, 0)),
		is_forbidden(syscall(SYS_process_vm_writev, self, NULL, 0, NULL, 0, 0)),
		is_forbidden(prctl(PR_SET_NAME, "other", 0, 0, 0)),
		is_forbidden(unlinkat(AT_FDCWD, "/tmp/ptop-test-no-file", 0)),
		is_forbidden(setpriority(PRIO_USER, 0, 0)),
		is_forbidden(setpriority(PRIO_PGRP, 0, 0)),
		/* Whoever is meant is held by a descriptor. */
		is_forbidden(kill(-1, 0)),
		is_forbidden(kill(self, 0)),
		is_forbidden(syscall(SYS_tkill, self, 0)),
		is_forbidden(ioctl(fd, TIOCSTI, "x")),
		is_forbidden(write(fd, "x", 1)),
	};

	for (size_t i = 0; i < ARRAY_SIZE(forbidden); i++)
		if (!forbidden[i])
			return (int)i + 1;
	return open("/proc/self/stat", O_RDONLY) >= 0 && getpriority(PRIO_PROCESS, 0) >= -20 ? 0 : 255;
}

static void
what_it_does_not_need_it_cannot_do(void **state)
{
	(void)state;
	assert_int_equal(status_of(do_what_is_not_needed), 0);
}

#endif

static void
it_keeps_all_where_it_runs_commands(void **state)
{
	const struct broker_command command = { "no", { (char *)(uintptr_t)"true" } };
	const struct broker_config config = { &command, 1, NULL };
	struct world *w = *state;
	pid_t broker;

	broker_free(w->broker);
	w->broker = broker_new(&config, NULL);
	assert_non_null(w->broker);
	assert_int_equal(does(w, BROKER_LOOK, 0).result, BROKER_DONE);
	broker = broker_of(getpid());
	assert_int_equal(family_status_field(broker, "\nCapPrm:", 16), family_status_field(getpid(), "\nCapPrm:", 16));
	assert_int_equal(family_status_field(broker, "\nSeccomp:", 10), family_status_field(getpid(), "\nSeccomp:", 10));
	/* It has one. */
	assert_int_equal(does(w, BROKER_RUN, 1).result, BROKER_NO_REQUEST);
}

static void
it_ends_when_its_peer_does(void **state)
{
	pid_t maker, broker;

	(void)state;
	maker = run_fork();
	if (maker == 0) {
		const struct broker_config config = { .commands = NULL };

		if (broker_new(&config, NULL) != NULL)
			rest(NULL);
		_exit(1);
	}
	broker = broker_of(maker);
	run_end(maker); /* by SIGKILL */
	family_assert_gone(&broker, 1);
}

static void
a_broker_that_was_killed_is_noticed(void **state)
{
	struct world *w = *state;
	const struct broker_request r = request_of(w, BROKER_LOOK, 0);
	struct pollfd p = { .fd = broker_fd(w->broker), .events = POLLIN };
	struct broker_reply reply;

	kill(broker_of(getpid()), SIGKILL);
	assert_int_equal(poll(&p, 1, SOON_MS), 1);
	assert_int_equal(broker_take(w->broker, &reply), -1);
	assert_false(broker_ask(w->broker, &r));
}

static void
a_refusal_says_what_helps(void **state)
{
	const bool is_root = geteuid() == 0;
	const struct {
		enum broker_action action;
		enum broker_result result;
		int error;
		const char *text;
	} rows[] = {
		{ BROKER_SIGNAL, BROKER_OTHER, 0, "another process has its number" },
		{ BROKER_SIGNAL, BROKER_FAILED, EPERM, is_root ? "CAP_KILL" : "another user's: sudo ptop" },
		{ BROKER_NICE_BY, BROKER_FAILED, EACCES, is_root ? "CAP_SYS_NICE" : "sudo ptop" },
		{ BROKER_CPUS_SET, BROKER_FAILED, EINVAL, "cpuset" },
		{ BROKER_RUN, BROKER_FAILED, ENOENT, "No such file" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct broker_request request = { .action = rows[i].action };
		const struct broker_reply reply = { .result = rows[i].result, .error = rows[i].error };
		struct buf b = { 0 };

		broker_put_reason(&b, &request, &reply);
		assert_non_null(strstr(buf_str(&b), rows[i].text));
		buf_release(&b);
	}
}

#define BROKER_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		BROKER_TEST(a_signal_goes_to_the_process_that_is_meant),
		BROKER_TEST(a_number_that_another_process_has_by_now_is_left_alone),
		BROKER_TEST(who_has_ended_is_said_to),
		BROKER_TEST(process_1_and_ptop_itself_are_left_alone),
		BROKER_TEST(what_is_no_request_is_refused),
		BROKER_TEST(messages_of_another_length_are_no_requests),
		BROKER_TEST(nice_values_are_those_of_all_threads),
		BROKER_TEST(one_thread_has_a_nice_value_of_its_own),
		BROKER_TEST(cpus_are_set_for_all_threads),
		BROKER_TEST(cpus_that_the_machine_cannot_have_are_refused),
		BROKER_TEST(it_has_no_more_rights_than_its_table_names),
		BROKER_TEST(it_works_with_what_it_keeps),
		BROKER_TEST(it_keeps_all_where_it_runs_commands),
		cmocka_unit_test(without_pidfds_it_signals_processes_by_number),
		cmocka_unit_test(where_there_are_pidfds_the_namer_signals_nobody_by_number),
		cmocka_unit_test(nobody_is_hit_where_proc_is_that_of_another_namespace),
#if defined(PTOP_CONFINE) && CALL_FILTER_WORKS
		cmocka_unit_test(what_it_does_not_need_it_cannot_do),
#endif
		BROKER_TEST(it_ends_when_its_peer_does),
		BROKER_TEST(a_broker_that_was_killed_is_noticed),
		cmocka_unit_test(a_refusal_says_what_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
