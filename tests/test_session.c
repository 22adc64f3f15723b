/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Live sessions.  What this machine or user cannot do is skipped, and said. */
#include "session_fixture.h"

#include "base/clock.h"
#include "live/sys/events.h"
#include "tests/run.h"
#include "tests/skip.h"

#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/asserts.h"

/* Until the count is more than @least: on a busy machine a process may wait for its CPU. */
static void
drain_until(struct fixture *f, const uint64_t *count, uint64_t least)
{
	for (int tries = 0; tries < 100 && *count <= least; tries++)
		drain_for(f, 200);
	assert_that(*count, >, least);
}

static void
every_cpu_gives_samples_of_cpu_clock(void **state)
{
	struct fixture *f = *state;
	struct session_opened_msg *m;
	size_t rings;
	int last, other;

	need_root();
	begin(f);
	assert_int_equal(session_scope(f->session), SESSION_SYSTEM);
	f->pid = f->child = spin_on(0);
	last = (int)session_rings(f->session, &rings)[rings - 1].cpu;
	other = spin_on(last);
	m = open_as(f, 0, "cpu-clock");
	assert_non_null(m->event);
	assert_true(m->is_freq);
	assert_int_equal(m->rate, 999);
	assert_string_equal(m->spec.name, "cpu-clock");
	assert_int_equal(rings, 2 * m->id_count);
	drain_until(f, &f->seen.samples_of_pid, 10);
	drain_until(f, &f->seen.with_chain, 10);
	for (int tries = 0; tries < 100 && (f->seen.cpus & 1u << (last & 31)) == 0; tries++)
		drain_for(f, 200);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_int_equal(f->seen.by_id[0], f->seen.samples);
	assert_true(f->seen.cpus & 1);
	assert_true(f->seen.cpus & 1u << (last & 31));
	assert_int_equal(f->seen.broken, 0);
	assert_int_equal(session_lost(f->session, m->event), 0);
	session_close(f->session, m->event);
	msg_free(&m->msg);
}

static void
events_that_carry_more_are_read_beside_others(void **state)
{
	struct fixture *f = *state;
	struct session_opened_msg *m;
	struct event ev = event_of("cpu-clock:u");

	need_root();
	begin(f);
	f->pid = f->child = spin();
	ev.terms.given = 1u << TERM_CALL_GRAPH | 1u << TERM_STACK_SIZE;
	ev.terms.call_graph = CALL_GRAPH_DWARF;
	ev.terms.stack_size = 256;
	open_event_as(f, 0, "cpu-clock");
	m = open_event_of(f, 1, &ev);
	if (m->event == NULL)
		fail_msg("%s", m->err.text);
	assert_int_equal(m->notice_count, 0);
	msg_free(&m->msg);
	for (int i = 0; i < 50 && (f->seen.by_id[0] < 50 || f->seen.with_stack[1] < 50); i++)
		drain_for(f, 100);
	assert_that(f->seen.by_id[0], >=, 50);
	assert_that(f->seen.with_stack[1], >=, 50);
	assert_int_equal(f->seen.with_stack[0], 0);
	assert_int_equal(f->seen.broken, 0);
	event_release(&ev);
}

/* A sample whose id is not known yet would be one of an unknown event. */
static void
nothing_is_sampled_before_the_ids_are_known(void **state)
{
	struct fixture *f = *state;
	struct session_opened_msg *m;
	struct event ev = event_of("cpu-clock");

	need_root();
	begin(f);
	f->pid = f->child = spin();
	m = ask_event_of(f, 0, &ev);
	assert_non_null(m->event);
	drain_for(f, 200);
	assert_int_equal(f->seen.samples, 0);
	session_begin(f->session, m);
	drain_until(f, &f->seen.samples_of_pid, 0);
	msg_free(&m->msg);
	event_release(&ev);
}

/* The kernel, but it is noted on which CPU each descriptor is disabled. */
struct noting_sys {
	struct sys sys; /* first: it is passed as this */
	const struct event_fds *fds;
	size_t there, elsewhere;
};

static int
note_disable(const struct sys *self, int fd)
{
	struct noting_sys *noting = (struct noting_sys *)(uintptr_t)self;

	for (size_t i = 0; noting->fds != NULL && i < noting->fds->len; i++) {
		if (noting->fds->items[i].fd != fd)
			continue;
		if (noting->fds->items[i].cpu == (unsigned)sched_getcpu())
			noting->there++;
		else
			noting->elsewhere++;
	}
	return sys_kernel.disable(self, fd);
}

static void
an_event_that_ends_to_the_one_is_disabled_on_each_cpu_itself(void **state)
{
	struct fixture *f = *state;
	struct noting_sys noting = { .sys = sys_kernel };
	struct session_event *ev;
	cpu_set_t before, after;

	noting.sys.disable = note_disable;
	f->config.sys = &noting.sys;
	begin(f);
	ev = open_event_as(f, 0, "cpu-clock");
	noting.fds = &ev->fds;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	session_stop(f->session, ev, true);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_that(noting.there, >, 0);
	assert_int_equal(noting.there, ev->fds.len);
	assert_int_equal(noting.elsewhere, 0);
	assert_true(CPU_EQUAL(&before, &after));
	noting.fds = NULL;
	session_free(f->session); /* before what it calls */
	f->session = NULL;
}

static void
the_idle_loop_is_left_out_unless_asked_for(void **state)
{
	struct fixture *f = *state;
	struct session_opened_msg *m;

	need_root();
	f->config.idle = false;
	begin(f);
	m = open_as(f, 0, "cpu-clock");
	assert_true(m->spec.exclude_idle);
	f->pid = 0;
	drain_for(f, 200);
	assert_int_equal(f->seen.samples_of_pid, 0);
	msg_free(&m->msg);
}

static void
an_event_is_switched_within_50_ms(void **state)
{
	struct fixture *f = *state;
	struct session_event *first, *second = NULL;
	uint64_t took_ns = UINT64_MAX;

	need_root();
	begin(f);
	f->pid = f->child = spin();
	/* Where others have the CPU it takes longer: the best of some counts. */
	for (int tries = 0; tries < 20 && took_ns >= 50 * NSEC_PER_MSEC; tries++) {
		if (second != NULL)
			session_close(f->session, second);
		first = open_event_as(f, 0, "page-faults");
		drain_for(f, 100);
		took_ns = clock_mono_ns();
		session_close(f->session, first);
		second = open_event_as(f, 1, "cpu-clock");
		took_ns = clock_mono_ns() - took_ns;
	}
	assert_that(took_ns, <, 50 * NSEC_PER_MSEC);
	drain(f);
	memset(&f->seen, 0, sizeof(f->seen));
	drain_until(f, &f->seen.by_id[1], 10);
	assert_int_equal(f->seen.by_id[0], 0);
	session_close(f->session, second);
	drain(f);
	memset(&f->seen, 0, sizeof(f->seen));
	drain_for(f, 60);
	assert_int_equal(f->seen.samples, 0);
}

static void
the_side_band_tells_of_a_new_program_while_events_change(void **state)
{
	struct fixture *f = *state;
	struct session_event *ev;
	int status;

	need_root();
	begin(f);
	for (int i = 0; i < 5; i++) {
		ev = open_event_as(f, 0, "cpu-clock");
		f->pid = run_fork();
		if (f->pid == 0) {
			execlp("true", "true", (char *)NULL);
			_exit(1);
		}
		session_close(f->session, ev);
		waitpid(f->pid, &status, 0);
		f->seen.execs = f->seen.mmaps = 0;
		drain_for(f, 20);
		assert_int_equal(f->seen.execs, 1);
		assert_that(f->seen.mmaps, >=, 2);
	}
}

/* What is opened anew takes the place of what there is. */
static void
adopt_change(struct fixture *f)
{
	struct session_rings_msg *m =
		(struct session_rings_msg *)wait_for(f, SESSION_MSG_RINGS, WAIT_MS);

	assert_non_null(m);
	assert_that(m->id_count, >, 0);
	assert_int_equal(m->tokens[0], 0);
	session_adopt_rings(f->session, m);
	msg_free(&m->msg);
}

/* Each of its samples weighs what it stands for, so the sum is the time that it ran. */
static void
assert_samples_weigh(const struct fixture *f, uint64_t ns)
{
	assert_that(f->seen.samples_of_pid, >, 0);
	assert_int_equal(f->seen.period_of_pid / f->seen.samples_of_pid, ns);
}

/* While the child runs for a while, which takes longer where others want the CPU. */
static void
drain_while_it_runs(struct fixture *f)
{
	const double until_s = run_cpu_s(f->child) + 0.3;

	for (int tries = 0; tries < 1000 && run_cpu_s(f->child) < until_s; tries++)
		drain_for(f, 50);
}

static void
the_frequency_changes_live(void **state)
{
	struct fixture *f = *state;
	struct session_event *ev;
	uint64_t before;

	need_root();
	begin(f);
	f->pid = f->child = spin();
	ev = open_event_as(f, 0, "cpu-clock");
	drain_while_it_runs(f);
	before = f->seen.samples_of_pid;
	assert_samples_weigh(f, 1000000000 / 999);
	assert_int_equal(session_set_freq(f->session, ev, 100), 100);
	assert_int_equal(session_rate(ev), 999);
	adopt_change(f);
	assert_int_equal(session_rate(ev), 100);
	drain(f);
	f->seen.samples_of_pid = f->seen.period_of_pid = 0;
	drain_while_it_runs(f);
	assert_that(f->seen.samples_of_pid, >, 0);
	assert_that(f->seen.samples_of_pid, <, before / 4);
	assert_samples_weigh(f, 10000000);
	assert_that(session_set_freq(f->session, ev, UINT64_MAX), <, UINT64_MAX);
}

/* Also what is opened meanwhile: another frequency of a clock needs other descriptors. */
static void
a_paused_event_gives_nothing_until_it_goes_on(void **state)
{
	struct fixture *f = *state;
	struct session_event *ev;

	need_root();
	begin(f);
	f->pid = f->child = spin();
	ev = open_event_as(f, 0, "cpu-clock");
	drain_until(f, &f->seen.samples_of_pid, 10);
	session_pause(f->session, ev, true);
	drain(f);
	f->seen.samples = f->seen.samples_of_pid = 0;
	drain_for(f, 300);
	assert_int_equal(f->seen.samples, 0);
	session_set_freq(f->session, ev, 500);
	adopt_change(f);
	drain_for(f, 300);
	assert_int_equal(f->seen.samples, 0);
	session_pause(f->session, ev, false);
	drain_until(f, &f->seen.samples_of_pid, 20);
	assert_int_equal(session_lost(f->session, ev), 0);
}

/* With children that it has by now, and gets later. */
static void
a_paused_process_is_paused_with_its_children(void **state)
{
	struct fixture *f = *state;
	struct session_event *ev;
	int fds[2], there[2];
	char c;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pipe(there), 0);
	f->pid = f->child = run_fork();
	if (f->child == 0) {
		if (run_fork() == 0)
			for (;;)
				;
		if (write(there[1], "x", 1) != 1)
			_exit(1);
		if (read(fds[0], &c, 1) == 1 && run_fork() == 0)
			for (;;)
				;
		pause();
		_exit(0);
	}
	assert_int_equal(read(there[0], &c, 1), 1);
	f->config.pids = &f->pid;
	f->config.pid_count = 1;
	f->config.inherit = true;
	begin(f);
	assert_int_equal(session_scope(f->session), SESSION_TASKS);
	ev = open_event_as(f, 0, "cpu-clock:u");
	for (int tries = 0; tries < 20 && f->seen.samples <= 50; tries++)
		drain_for(f, 300);
	assert_that(f->seen.samples, >, 10);
	session_pause(f->session, ev, true);
	assert_int_equal(write(fds[1], "x", 1), 1);
	drain_for(f, 100);
	f->seen.samples = 0;
	drain_for(f, 300);
	assert_int_equal(f->seen.samples, 0);
	session_pause(f->session, ev, false);
	drain_for(f, 300);
	assert_that(f->seen.samples, >, 10);
	close(there[0]);
	close(there[1]);
	close(fds[0]);
	close(fds[1]);
}

static void
a_process_is_sampled_alone(void **state)
{
	struct fixture *f = *state;
	int other;

	f->pid = f->child = spin();
	other = spin();
	f->config.pids = &f->pid;
	f->config.pid_count = 1;
	begin(f);
	assert_int_equal(session_scope(f->session), SESSION_TASKS);
	open_event_as(f, 0, "cpu-clock:u");
	drain_for(f, 400);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	assert_that(f->seen.samples_of_pid, >, 10);
	assert_int_equal(f->seen.samples_of_pid, f->seen.samples);
}

static void
the_frequency_of_inherited_events_changes_too(void **state)
{
	struct fixture *f = *state;
	struct session_event *ev;
	uint64_t before;

	f->pid = f->child = spin();
	f->config.pids = &f->pid;
	f->config.pid_count = 1;
	begin(f);
	ev = open_event_as(f, 0, "cpu-clock:u");
	drain_for(f, 300);
	before = f->seen.samples_of_pid;
	assert_int_equal(session_set_freq(f->session, ev, 100), 100);
	adopt_change(f);
	drain(f);
	f->seen.samples_of_pid = f->seen.period_of_pid = 0;
	drain_for(f, 300);
	assert_that(f->seen.samples_of_pid, >, 0);
	assert_that(f->seen.samples_of_pid, <, before / 4);
	assert_samples_weigh(f, 10000000);
}

static void
targets_that_are_not_there_are_refused(void **state)
{
	struct fixture *f = *state;
	int pid = 4194304 + 4242; /* above the highest pid there can be */
	unsigned cpu = 8000;

	f->config.pids = &pid;
	f->config.pid_count = 1;
	f->session = session_new(&f->config, f->answers, &f->err);
	assert_null(f->session);
	assert_int_equal(f->err.code, ERR_GONE);
	assert_string_equal(f->err.text, "no process 4198546");
	f->config.pid_count = 0;
	f->config.tids = &pid;
	f->config.tid_count = 1;
	assert_null(session_new(&f->config, f->answers, &f->err));
	assert_string_equal(f->err.text, "no thread 4198546");
	f->config.tid_count = 0;
	f->config.cpus = &cpu;
	f->config.cpu_count = 1;
	assert_null(session_new(&f->config, f->answers, &f->err));
	assert_int_equal(f->err.code, ERR_GONE);
	assert_non_null(strstr(f->err.text, "no CPU 8000 on line: on line are 0"));
}

static void
a_thousand_switches_leak_no_descriptor(void **state)
{
	struct fixture *f = *state;
	size_t before;

	need_root();
	begin(f);
	/* The rings are larger from then on. */
	session_close(f->session, open_event_as(f, 0, "context-switches"));
	sleep_ms(50);
	before = count_descriptors();
	for (int i = 0; i < 1000; i++)
		session_close(f->session,
			      open_event_as(f, 0, i % 2 ? "cpu-clock" : "context-switches"));
	for (int i = 0; i < 100 && count_descriptors() != before; i++)
		sleep_ms(20);
	assert_int_equal(count_descriptors(), before);
}

static void
sessions_come_and_go_without_leaks(void **state)
{
	struct fixture *f = *state;
	size_t before = count_descriptors();

	need_root();
	for (int i = 0; i < 20; i++) {
		begin(f);
		open_event_as(f, 0, "cpu-clock");
		session_free(f->session);
		f->session = NULL;
	}
	assert_int_equal(count_descriptors(), before);
}

static void
what_cannot_be_opened_is_told_and_the_next_candidate_taken(void **state)
{
	struct fixture *f = *state;
	struct event evs[2] = { event_of("cycles"), event_of("cpu-clock") };
	struct session_opened_msg *m;
	struct err err = { 0 };

	need_root();
	begin(f);
	evs[0].config = 0xff; /* no such counter anywhere */
	assert_int_equal(session_probe(&f->config, &evs[0], &err), -1);
	assert_true(err.code == ERR_UNSUPPORTED);
	assert_int_equal(session_probe(&f->config, &evs[1], &err), 0);
	session_open(f->session, 0, evs, 2);
	m = (struct session_opened_msg *)wait_for(f, SESSION_MSG_OPENED, WAIT_MS);
	assert_non_null(m->event);
	assert_int_equal(m->err.code, ERR_NONE);
	assert_string_equal(m->spec.name, "cpu-clock");
	msg_free(&m->msg);
	session_open(f->session, 0, evs, 1);
	m = (struct session_opened_msg *)wait_for(f, SESSION_MSG_OPENED, WAIT_MS);
	assert_null(m->event);
	assert_non_null(strstr(m->err.text, "cannot open event 'cycles' on CPU 0: E"));
	assert_true(m->err.hint[0] != '\0');
	msg_free(&m->msg);
	event_release(&evs[0]);
	event_release(&evs[1]);
}

/* In a child with mounts of its own: tracefs may not be mounted. */
static int
switch_from_a_tracepoint(void **state)
{
	struct fixture *f = *state;
	struct session_event *ev;
	uint64_t start, lost;

	if (access("/sys/kernel/tracing/events", F_OK) != 0 &&
	    (unshare(CLONE_NEWNS) < 0 || mount("", "/", "", MS_REC | MS_PRIVATE, "") < 0 ||
	     mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, "") < 0))
		return 77;
	begin(f);
	f->pid = getpid();
	ev = open_event_as(f, 0, "raw_syscalls:sys_enter");
	for (int i = 0; i < 20000; i++)
		syscall(SYS_getppid);
	lost = session_lost(f->session, ev);
	drain(f);
	/* Those that did not fit are counted: none is missing without being told. */
	if (f->seen.samples_of_pid + lost < 20000)
		return 1;
	session_close(f->session, ev);
	start = clock_mono_ns();
	ev = open_event_as(f, 1, "cpu-clock");
	if (clock_mono_ns() - start > 50 * NSEC_PER_MSEC)
		return 2;
	return 0;
}

static void
leaving_a_tracepoint_does_not_delay_the_next_event(void **state)
{
	int pid, status;

	need_root();
	pid = run_fork();
	if (pid == 0)
		_exit(switch_from_a_tracepoint(state));
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip_for("no tracefs");
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Calls getppid @calls times when a byte comes, and ends. */
static int
caller(int wake[2], int calls)
{
	int pid = run_fork();
	char c;

	if (pid != 0)
		return pid;
	if (read(wake[0], &c, 1) == 1)
		for (int i = 0; i < calls; i++)
			syscall(SYS_getppid);
	_exit(0);
}

/* Two processes call, the filter is for one of them. */
static void
a_tracepoint_filter_takes_only_what_fits(void **state)
{
	enum { CALLS = 500 };
	struct fixture *f = *state;
	struct session_opened_msg *m;
	struct event ev;
	char filter[64];
	int wake[2][2], other;

	need_root();
	for (int i = 0; i < 2; i++)
		assert_int_equal(pipe(wake[i]), 0);
	f->pid = f->child = caller(wake[0], CALLS);
	other = caller(wake[1], CALLS);
	event_env_open(&f->config.env);
	begin(f);
	ev = event_in(&f->config.env, "syscalls:sys_enter_getppid");
	snprintf(filter, sizeof(filter), "common_pid == %d", f->pid);
	ev.filter = mem_strdup(filter);
	m = open_event_of(f, 0, &ev);
	if (m->event == NULL)
		fail_msg("%s", m->err.text);
	msg_free(&m->msg);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(write(wake[i][1], "", 1), 1);
		close(wake[i][0]);
		close(wake[i][1]);
	}
	waitpid(f->pid, NULL, 0);
	waitpid(other, NULL, 0);
	f->child = 0;
	drain_for(f, 200);
	assert_int_equal(f->seen.samples_of_pid, CALLS);
	assert_int_equal(f->seen.samples, CALLS);
	event_release(&ev);
	event_env_close(&f->config.env);
}

static void
a_wrong_tracepoint_filter_names_the_fields(void **state)
{
	struct fixture *f = *state;
	struct session_opened_msg *m;
	size_t before, opened;
	struct event ev;

	need_root();
	event_env_open(&f->config.env);
	begin(f);
	ev = event_in(&f->config.env, "sched:sched_switch");
	ev.filter = mem_strdup("prev_pdi == 1");
	msg_free(&open_event_of(f, 0, &ev)->msg); /* the rings that its like needs are there now */
	before = count_descriptors();
	m = open_event_of(f, 0, &ev);
	opened = count_descriptors();
	assert_null(m->event);
	assert_int_equal(opened, before);
	assert_int_equal(m->err.code, ERR_USAGE);
	assert_non_null(strstr(m->err.text, "the filter 'prev_pdi == 1' of event "
			       "'sched:sched_switch'"));
	assert_non_null(strstr(m->err.hint, "common_pid"));
	assert_non_null(strstr(m->err.hint, " prev_pid "));
	msg_free(&m->msg);
	event_release(&ev);
	event_env_close(&f->config.env);
}

static size_t
largest_ring(struct fixture *f)
{
	size_t n, most = 0;
	const struct session_ring *rings = session_rings(f->session, &n);

	for (size_t i = 0; i < n; i++)
		most = MAX(most, ring_size_bytes(rings[i].ring));
	return most;
}

static void
rings_grow_for_events_that_come_in_bursts(void **state)
{
	struct fixture *f = *state;
	size_t before;

	need_root();
	begin(f);
	f->pid = f->child = spin();
	open_event_as(f, 0, "cpu-clock");
	drain_for(f, 100);
	before = largest_ring(f);
	/* Each of its samples is one event. */
	open_event_as(f, 1, "sched:sched_switch");
	assert_that(largest_ring(f), >, before);
	for (int i = 0; i < 100 && (f->seen.by_id[0] < 50 || f->seen.by_id[1] < 50); i++)
		drain_for(f, 100);
	assert_that(f->seen.by_id[0], >=, 50);
	assert_that(f->seen.by_id[1], >=, 50);
	assert_int_equal(f->seen.broken, 0);
	/* Those are large enough for the next ones. */
	before = count_descriptors();
	open_event_as(f, 1, "sched:sched_wakeup");
	assert_that(count_descriptors(), <=, before + f->id_counts[1]);
}

/* A kernel with cycles: the clock stands in.  How precise those with larger copies were to be. */
struct precise_sys {
	struct sys sys; /* first: it is passed as this */
	uint32_t larger;
	unsigned first, second;
};

static int
open_cycles(const struct sys *self, struct event_attr *attr, int pid, int cpu)
{
	struct precise_sys *precise = (struct precise_sys *)(uintptr_t)self;
	struct event_attr clock = *attr;

	if (attr->type != PERF_TYPE_HARDWARE)
		return sys_kernel.open(&sys_kernel, attr, pid, cpu);
	if (attr->sample_stack_user == precise->larger)
		precise->second = attr->precise_ip;
	else
		precise->first = attr->precise_ip;
	clock.type = PERF_TYPE_SOFTWARE;
	clock.config = PERF_COUNT_SW_CPU_CLOCK;
	clock.precise_ip = 0;
	return sys_kernel.open(&sys_kernel, &clock, pid, cpu);
}

/* The third degree has one counter, up to Cascade Lake. */
static void
larger_copies_leave_the_one_precise_counter_alone(void **state)
{
	struct precise_sys precise = { .sys = sys_kernel, .larger = 32768, .first = 9, .second = 9 };
	struct fixture *f = *state;
	struct session_stacks_msg *m;
	struct session_event *ev;

	precise.sys.open = open_cycles;
	f->config.sys = &precise.sys;
	f->config.call_graph = CALL_GRAPH_AUTO;
	begin(f);
	ev = open_event_as(f, 0, "cycles:ppp");
	f->child = spin();
	session_open_stacks(f->session, 7, f->child, precise.larger, 1000, &ev, 1);
	m = (struct session_stacks_msg *)wait_for(f, SESSION_MSG_STACKS, WAIT_MS);
	assert_non_null(m);
	assert_non_null(m->stacks);
	assert_int_equal(precise.first, 3);
	assert_int_equal(precise.second, 2);
	msg_free(&m->msg);
	session_free(f->session); /* before what it calls */
	f->session = NULL;
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		SESSION_TEST(every_cpu_gives_samples_of_cpu_clock),
		SESSION_TEST(nothing_is_sampled_before_the_ids_are_known),
		SESSION_TEST(an_event_that_ends_to_the_one_is_disabled_on_each_cpu_itself),
		SESSION_TEST(the_idle_loop_is_left_out_unless_asked_for),
		SESSION_TEST(an_event_is_switched_within_50_ms),
		SESSION_TEST(the_side_band_tells_of_a_new_program_while_events_change),
		SESSION_TEST(the_frequency_changes_live),
		SESSION_TEST(a_paused_event_gives_nothing_until_it_goes_on),
		SESSION_TEST(a_paused_process_is_paused_with_its_children),
		SESSION_TEST(a_process_is_sampled_alone),
		SESSION_TEST(the_frequency_of_inherited_events_changes_too),
		SESSION_TEST(targets_that_are_not_there_are_refused),
		SESSION_TEST(a_thousand_switches_leak_no_descriptor),
		SESSION_TEST(sessions_come_and_go_without_leaks),
		SESSION_TEST(what_cannot_be_opened_is_told_and_the_next_candidate_taken),
		SESSION_TEST(leaving_a_tracepoint_does_not_delay_the_next_event),
		SESSION_TEST(events_that_carry_more_are_read_beside_others),
		SESSION_TEST(rings_grow_for_events_that_come_in_bursts),
		SESSION_TEST(a_tracepoint_filter_takes_only_what_fits),
		SESSION_TEST(a_wrong_tracepoint_filter_names_the_fields),
		SESSION_TEST(larger_copies_leave_the_one_precise_counter_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
